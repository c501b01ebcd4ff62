"""How states are composed of what rules derive, as text for `explain`."""

from __future__ import annotations

from collections.abc import Iterator

from cera.modules.states.module import StateModule, StateRule


def printed_states(module: StateModule) -> str:
    """Returns a line for each rule that lets a state begin, with what ends it."""
    head = f"state {module.label}, of all that supports it"
    divided = "" if module.partition is None else f", for each {module.partition}"
    lines = (f"  {rule.support} until {_ends(rule)}\n" for rule in module.rules)
    return f"{head}{divided}\n{''.join(lines)}"


def _ends(rule: StateRule) -> str:
    return " or ".join(_reasons(rule)) or "the end of time"


def _reasons(rule: StateRule) -> Iterator[str]:
    needed = [cause.name for cause in rule.causes if cause.is_needed]
    if needed:
        yield f"{' or '.join(needed)} ends"
    if rule.release is not None:
        yield f"{rule.release} happens" + (f" with the same {', '.join(rule.key)}" if rule.key else "")
    if rule.limit is not None or rule.window is not None:
        yield "the evaluation time ends"
