"""What activates the rules of a module and what suspends them, for `explain`.

Outside of its evaluation time a module keeps no tuples: a state has not begun or is over, a window has no events. An
event is known at its end only, so what may lie in it is kept before.
"""

from __future__ import annotations

from dataclasses import replace

from cera.languages.atoms.syntax import NOW, Kind
from cera.languages.streamlog.printer import print_time
from cera.languages.streamlog.syntax import (
    EvaluationTime,
    Literal,
    Query,
    TimerLiteral,
    WindowLiteral,
    anchored,
    leaves,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import event_references
from cera.model.time.timers import TIMERS
from cera.rules.rule import Activation


def activation_of(module: EvaluationTime | None, query: Query, kinds: dict[str, Kind]) -> Activation:
    """Returns when a rule is active: in the evaluation time of its module, or in the window or state of its body."""
    time = module or _declared(query, kinds)
    text = "unbounded" if time is None else print_time(time)
    activated, suspended = _bounds(time, kinds)
    return Activation(text, activated, suspended)


def _declared(query: Query, kinds: dict[str, Kind]) -> EvaluationTime | None:
    found = list(leaves(query))
    windows = [leaf for leaf in found if isinstance(leaf, WindowLiteral)]
    positive = [leaf for leaf in found if isinstance(leaf, Literal) and not leaf.negated]
    states = [leaf for leaf in positive if (leaf.kind or kinds.get(leaf.atom.label)) == "state"]
    if windows:
        return windows[0]
    return replace(states[0], time=None) if len(states) == 1 else None


def _bounds(time: EvaluationTime | None, kinds: dict[str, Kind]) -> tuple[str, str]:
    anchor = anchored(time)
    named = "it" if anchor is None else f"`{anchor.atom.label}`"
    lasting = anchor is not None and (anchor.kind or kinds.get(anchor.atom.label, "event")) == "state"
    match time:
        case Literal() if lasting:
            return f"the begin of a state {named}", "its end"
        case Literal():
            return f"what may lie in an event {named}, which is known at its end", "the end of the event"
        case TimerLiteral() if not lasting and TIMERS[time.timer.kind][0][0] == "end" and _is_forward(time):
            return f"an event {named}", "the end of the timer"
        case TimerLiteral() if lasting:
            return f"the begin of the timer on a state {named}", "its end"
        case TimerLiteral():
            return f"what may lie in the timer, which is known with {named}", "the end of the timer"
        case WindowLiteral(window=Sliding()):
            return "the first event in a window", "the end of the last window around it"
        case WindowLiteral(window=Now()):
            return "an event", "the next point of time"
        case WindowLiteral(window=Between() as window):
            named_by = event_references(window.begin) | event_references(window.end)
            if NOW in named_by:
                return "the first event of a match", "the end of the window that begins with it"
            if not named_by:
                return "the begin of the window", "its end"
            return f"what may lie in the window, which is known with {', '.join(sorted(named_by))}", "its end"
        case WindowLiteral(window=Unbounded()) | None:
            return "always", "never"
        case Identifier():
            return f"the begin of `{time.name}`", "its end"
        case _:
            raise AssertionError(f"{type(time).__name__} is another evaluation time")


def _is_forward(time: TimerLiteral) -> bool:
    return TIMERS[time.timer.kind][0][1] >= 0
