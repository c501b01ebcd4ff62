"""State that can never be dropped: XC501, XC503.

A join or a window keeps events until no later event can meet them. Where the time conditions of a rule give no such
bound, even for events that are points, the state grows with the stream: that is a warning. Where there is one only if
it is known how long an event can last, who runs the program has to say it: that is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from cera.algebra.operators import (
    AntiSemiJoin,
    Expression,
    FollowingEvents,
    Join,
    Matching,
    Relation,
    Selection,
    TemporalJoin,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.relevance import Horizon, Relevance
from cera.algebra.translation import translate
from cera.diagnostics import Diagnostic, Note, Span
from cera.model.events.states import is_ending, is_opening, state_label
from cera.model.expressions.expression import EventReference
from cera.model.expressions.expression import walk as walk_condition
from cera.rules.analysis.unification import query_label
from cera.rules.rule import RuleProgram
from cera.wording import Setting


def check_state(program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields a warning for each rule that never drops some events."""
    plan = translate(program)
    for point, kept in _never_dropped(plan, max_duration=0):
        yield _warning(point, kept, recursive=bool(plan.cycle(point.name)))


def never_dropped(program: RuleProgram) -> Mapping[str, Sequence[Span | None]]:
    """Returns the places of the queries whose events are never dropped, by the names of the rules."""
    found = _never_dropped(translate(program), max_duration=0)
    return {point.name: _places(kept, point.expression) for point, kept in found}


def check_durations(program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields a note for each rule that never drops some events unless the source promises how long they last."""
    plan = translate(program)
    always = {(point.name, name) for point, kept in _never_dropped(plan, max_duration=0) for name in kept}
    for point, kept in _never_dropped(plan, max_duration=None):
        names = [name for name in kept if (point.name, name) not in always]
        if names:
            yield _note(point.name, names, point.expression)


def _never_dropped(plan: Plan, max_duration: int | None) -> Iterator[tuple[Point, dict[str, str]]]:
    """Yields the rules that never drop some events, and for their identifiers conditions that would bound them."""
    relevance = Relevance(plan, max_duration)
    for point in plan.points:
        kept: dict[str, str] = {}
        compared = _compared(point.expression)
        for node in walk(point.expression):
            for horizon, remedy in _horizons(node, relevance, compared):
                if not horizon.is_bounded:
                    kept.update({name: remedy for name in horizon.of.split(", ") if name not in kept})
        if kept:
            yield point, kept


def _compared(expression: Expression) -> frozenset[frozenset[str]]:
    """Returns the pairs of identifiers that conditions compare."""
    conditions = [part.condition for part in walk(expression) if isinstance(part, Selection)]
    named = [
        {each.identifier for each in walk_condition(condition) if isinstance(each, EventReference)}
        for condition in conditions
    ]
    return frozenset(frozenset(pair) for names in named for pair in combinations(sorted(names), 2))


def _horizons(
    node: Expression, relevance: Relevance, compared: frozenset[frozenset[str]]
) -> Iterator[tuple[Horizon, str]]:
    """Yields the horizons of an operator, each with the condition that would bound it."""
    if isinstance(node, Join) and not isinstance(node.right, FollowingEvents | Relation):
        left, right = relevance.join_bounds(node)
        remedy = _bound_by_state(node, compared) or f"{{{left.of}, {right.of}}} within 1 hour"
        yield left, remedy
        yield right, remedy
    elif isinstance(node, TemporalJoin | AntiSemiJoin):
        yield relevance.window_bound(node), f"length({node.window}) <= 1 hour"


def _bound_by_state(join: Join, compared: frozenset[frozenset[str]]) -> str | None:
    """Returns a condition that ties an event to a state, where a join has one of each: to an open state, if nothing
    compares the two yet, or to the end of one that is waited for."""
    left, right = ([part for part in walk(side) if isinstance(part, Matching)] for side in (join.left, join.right))
    for one, other in ((left, right), (right, left)):
        for state in one:
            label = query_label(state.pattern) or ""
            events = [part.identifier for part in other if state_label(query_label(part.pattern) or "") is None]
            apart = [name for name in events if frozenset((name, state.identifier)) not in compared]
            if apart and is_opening(label):
                return f"{apart[0]} in {state.identifier}"
            if events and is_ending(label):
                return f"end({events[0]}) < end({state.identifier}) + 1 hour"
    return None


def _warning(point: Point, kept: Mapping[str, str], *, recursive: bool) -> Diagnostic:
    """Returns the warning; `kept` maps each identifier of events never dropped to a condition that would bound them."""
    first, *others = _places(kept, point.expression)
    remedy = f"`{next(iter(kept.values()))}`"
    hint = f"bound the time between them, for example with {remedy}"
    if " in " in remedy:
        event, _, state = remedy.strip("`").partition(" in ")
        remedy = f"`{first.source.notation.in_state(event, state) if first else f'{event} in {state}'}`"
        hint = f"say that the event is in the state, {remedy}; then both are dropped when the state ends"
    if recursive:
        hint = f"what a recursion derives lasts as long as all that is behind it; bound both, for example with {remedy}"
    return Diagnostic(
        "XC501",
        "warning",
        f"rule '{point.name}' remembers events for good: nothing bounds how much later their partners can come",
        first,
        hint,
        tuple(Note("so are these", span) for span in others if span is not None and span != first),
    )


def _note(rule: str, kept: Iterable[str], expression: Expression) -> Diagnostic:
    first, *others = _places(kept, expression)
    return Diagnostic(
        "XC503",
        "note",
        f"rule '{rule}' remembers events for good, unless it is said how long an event can last",
        first,
        f"say it with {Setting.MAX_DURATION}; '0 sec' if all events are points",
        tuple(Note("these too", span) for span in others if span is not None and span != first),
    )


def _places(identifiers: Iterable[str], expression: Expression) -> list[Span | None]:
    spans = {part.identifier: part.pattern.span for part in walk(expression) if isinstance(part, Matching)}
    return [spans.get(name) for name in identifiers]
