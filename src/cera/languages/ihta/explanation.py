"""What `cera explain` shows of an automaton: the tree of its states, and its transitions by what they do."""

from __future__ import annotations

from collections.abc import Iterator

from cera.automata.automaton import State
from cera.automata.drawing import title
from cera.automata.module import AutomatonModule
from cera.automata.reports import step_text
from cera.automata.structure import Step

#: When a transition without an event fires.
_WHEN = {
    "event": "",
    "absence": ", when it is certain that no such event occurs in its time",
    "delay": ", by itself, at the first time that its bounds allow",
}


def explained(module: AutomatonModule) -> list[str]:
    """Returns the tree of states (Figure 6.2), and the transitions by who executes them, as lines."""
    structure = module.structure
    lines = ["states:", *(f"  {line}" for line in _tree(structure.automaton.root, "", ""))]
    for level in (None, *structure.executed):
        steps = [step for step in structure.steps if step.level == level]
        if steps:
            lines.append("how instances begin:" if level is None else f"what instances of {level[-1]} do:")
        for step in steps:
            lines += [f"  {step_text(step)}", f"    {_classified(step)}"]
    key = structure.key
    lines.append(
        f"partitioned by {key}: instances with different values of it have nothing to do with each other"
        if key is not None
        else "in one partition"
    )
    return lines


def _tree(state: State, before: str, after: str) -> Iterator[str]:
    """Yields the lines of a state: `before` stands before its name, `after` before the states below it."""
    kinds = [
        kind for kind, has in (("start", state.is_start), ("end", state.is_end), ("opaque", state.is_opaque)) if has
    ]
    yield f"{before}{title(state)}{'  (' + ', '.join(kinds) + ')' if kinds else ''}"
    for number, child in enumerate(state.children, 1):
        last = number == len(state.children)
        yield from _tree(child, f"{after}{'└─ ' if last else '├─ '}", f"{after}{'   ' if last else '│  '}")


def _classified(step: Step) -> str:
    """Returns the classification of Definitions 6 and 7, and what it means."""
    role = "" if step.role == "neither" else f", {step.role}"
    return f"{step.trigger}{role}: {_effect(step)}{_WHEN[step.trigger]}"


def _effect(step: Step) -> str:
    begun, ended = [path[-1] for path in step.created], [path[-1] for path in step.left]
    source, target = step.transition.source, step.transition.target
    begins = f"begins an instance of {' and in it one of '.join(begun)}, in {target[-1]}"
    ends = f"ends the instances of {' and '.join(ended)}"
    if begun and ended:
        return f"{ends}, then {begins}"
    if begun and source is not None and target[: len(source)] == source:
        return f"begins one more instance of {begun[0]}, in {target[-1]}, beside those that are there"
    if begun:
        return begins
    if ended:
        return f"{ends}, and goes to {target[-1]}"
    return f"stays in {target[-1]}" if source == target else f"goes from {source[-1] if source else ''} to {target[-1]}"


def remembered(module: AutomatonModule) -> list[str]:
    """Returns what is kept between events."""
    return ["the instances that have not ended, each with its variables and the last events"]
