"""Which answers are over all of a state: their interval is that of the state, whatever else happened.

    whole(s)  iff  e(s) is waited for, `while s` is asked, and every other literal lies in s by the conditions

Such an answer has the begin of the state, and its end; before the state ends it can be named by its term, its begin and
the id of the state (`cera.model.events.states.early_id`). It is decided here, from rules alone, so that it is the same
on every engine.
"""

from __future__ import annotations

from cera.rules.rule import Branch, Rule
from cera.rules.states import contained, opening_of


def whole_state(rule: Rule) -> str | None:
    """Returns the state that every answer of a rule is over all of; None if a branch has none, or another one."""
    found = {_whole_state(branch) for branch in rule.branches}
    return found.pop() if len(found) == 1 else None


def _whole_state(branch: Branch) -> str | None:
    windows = {part.window for part in branch.accumulations}
    ended = [query.identifier for query in branch.events if query.kind == "ending"]
    if len(ended) != 1 or ended[0] not in windows:
        return None
    [state] = ended
    inside = {event for event, opened in contained(branch.conditions) if opened == opening_of(state)}
    inside |= {state, opening_of(state), *branch.gathered}
    return state if branch.identifiers <= inside else None
