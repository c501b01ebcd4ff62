"""What `cera explain` shows of an automaton: the tree of its states, and its transitions by what they do."""

from __future__ import annotations

from cera.automata.module import AutomatonModule
from cera.automata.reports import step_text


def explained(module: AutomatonModule) -> list[str]:
    """Returns the tree of states, and the transitions by role and trigger, as lines."""
    structure = module.structure
    lines = ["states:"]
    for path, state in structure.states.items():
        roles = [role for role, has in (("start", state.is_start), ("end", state.is_end)) if has]
        attributes = ", ".join(
            f"{name}({getattr(value, 'variable', getattr(value, 'value', ''))})" for name, value in state.attributes
        )
        name = f"{state.name}({attributes})" if attributes else state.name
        prefix = "" if state.identifier is None else f"{state.identifier}: "
        notes_ = f"  ({', '.join(roles)})" if roles else ""
        lines.append(f"{'  ' * len(path)}{prefix}{name}{notes_}")
    lines.append("transitions:")
    for step in structure.steps:
        executed = "a new instance" if step.level is None else f"instances of {step.level[-1]}"
        role = "" if step.role == "neither" else f", {step.role}"
        lines.append(f"  {step_text(step)}")
        lines.append(f"    {step.trigger}{role}; executed by {executed}")
    key = structure.key
    lines.append(f"partitioned by {key}" if key is not None else "in one partition")
    return lines


def remembered(module: AutomatonModule) -> list[str]:
    """Returns what is kept between events."""
    return ["the instances that have not ended, each with its variables and the last events"]
