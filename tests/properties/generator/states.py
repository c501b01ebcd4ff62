"""States in random programs: streams of states that open, close, touch, nest or never end, and literals about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cera.languages.xchangeeq.syntax import Identifier, RelativeTimerLiteral, StateLiteral, WhileLiteral
from cera.model.events.event import Event
from cera.model.events.states import opening
from cera.model.expressions.expression import EventReference, Expression, InState, Not
from cera.model.matching import patterns
from cera.model.matching.patterns import TermPattern
from cera.model.terms.term import Term, Value
from cera.rules.states import STATE_TIMERS
from cera.testing import SECOND

from .choices import Choices
from .expressions import duration
from .patterns import Names, term_pattern
from .shapes import Shape
from .streams import LAST_SECOND, scalar

STATE_LABELS = ("on", "up")

_TIMES = (0, 5, 10, 15, 20, 25, 30)


def states(choices: Choices) -> tuple[Event, ...]:
    """Openings of states, most with their ends; some in two records, some twice, some for one key at once."""
    found: list[Event] = []
    for _ in range(choices.integer(1, 5)):
        term = _term(choices)
        begin = choices.one_of(_TIMES) if choices.chance(60) else choices.integer(0, LAST_SECOND)
        if found and choices.chance(25):
            begin = choices.one_of(found).begin // SECOND
        length = choices.one_of((0, 1, 5, 5, 10, 20))
        end = None if choices.chance(20) else (begin + length) * SECOND
        found.append(opening(term, begin * SECOND, end))
        if end is not None and choices.chance(20):
            found.append(opening(term, begin * SECOND))
    return tuple(found)


def _term(choices: Choices) -> Term:
    children: list[Value] = [Term("k", [choices.integer(0, 2)])]
    if choices.chance(40):
        children.append(Term("v", [scalar(choices)]))
    if choices.chance(10):
        children.append(Term("sub", [Term("u", [scalar(choices)])]))
    return Term(choices.one_of(STATE_LABELS), children)


def state_pattern(choices: Choices, names: Names, shapes: Mapping[str, Sequence[Shape]]) -> TermPattern:
    names.start_pattern(windowed=False)
    label = choices.one_of(list(shapes))
    names.matches *= len(shapes[label])
    return term_pattern(choices, names, choices.one_of(shapes[label]))


def state_literal(
    choices: Choices, names: Names, shapes: Mapping[str, Sequence[Shape]]
) -> tuple[StateLiteral, TermPattern]:
    """A query for states, with an identifier most of the time."""
    declared = None if choices.chance(10) else Identifier(names.identifier())
    pattern = state_pattern(choices, names, shapes)
    return StateLiteral(declared, pattern), pattern


def state_timer(choices: Choices, names: Names, state: str) -> RelativeTimerLiteral:
    kind = choices.one_of(STATE_TIMERS)
    return RelativeTimerLiteral(Identifier(names.identifier()), kind, Identifier(state), duration(choices))


def state_window(
    choices: Choices, names: Names, shapes: Mapping[str, Sequence[Shape]], windows: Sequence[str], *, negated: bool
) -> tuple[WhileLiteral, frozenset[str]]:
    """States that hold in an event or share time with a window, or their absence; and the variables that it binds."""
    pattern = state_pattern(choices, names, shapes)
    window = Identifier(choices.one_of(windows))
    bound = frozenset[str]() if negated else patterns.bound_variables(pattern)
    return WhileLiteral(window, negated, pattern, of_states=True), bound


def containments(choices: Choices, events: Sequence[str], found: Sequence[str]) -> tuple[Expression, ...]:
    """Conditions that events are in states."""
    made: list[Expression] = []
    for state in found:
        if events and choices.chance(65):
            inside = InState(EventReference(choices.one_of(events)), EventReference(state))
            made.append(Not(inside) if choices.chance(10) else inside)
    return tuple(made)
