"""Bodies of rules: event queries, timers, windows and conditions, joined by `and` and `or`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    Disjunction,
    EventLiteral,
    Identifier,
    Query,
    RelationLiteral,
    RelativeTimerLiteral,
    WhileLiteral,
)
from cera.model.expressions.expression import Expression
from cera.model.matching import patterns
from cera.model.matching.patterns import Descendant, Pattern, TermPattern, VariablePattern
from cera.model.time.durations import Duration
from cera.model.time.timers import TIMERS
from cera.testing import SECOND

from .choices import Choices
from .conditions import conditions
from .expressions import Scope, duration, timer_query
from .patterns import TERM_VARIABLE, Names, loose_label, term_pattern, with_label
from .shapes import Shape
from .states import containments, state_literal, state_timer, state_window
from .streams import BASE_LABELS, LAST_SECOND

#: Bodies are made so that they have no more matches than this.
MOST_MATCHES = 2_000


@dataclass(frozen=True)
class Sources:
    """What a body may query: shapes by label, and how many events with it the rules derive.

    `wild` allows `*` as the label of an event pattern (no head may match it then), `anything` also `var X` and `desc`
    (for RAISE, whose events no rule queries).
    """

    shapes: Mapping[str, Sequence[Shape]]
    counts: Mapping[str, int] = field(default_factory=dict)
    calendars: tuple[str, ...] = ()
    wild: bool = False
    anything: bool = False
    #: The shapes of the rows of relations by name.
    tables: Mapping[str, Sequence[Shape]] = field(default_factory=dict)
    #: The shapes of states by label; none if the program has no states.
    states: Mapping[str, Sequence[Shape]] = field(default_factory=dict)

    def count(self, label: str) -> int:
        """How many events there are with this label, at most and roughly; base events have a shape each."""
        return self.counts.get(label, len(self.shapes[label]))

    @property
    def total(self) -> int:
        return sum(map(self.count, self.shapes))

    @property
    def derived(self) -> list[str]:
        return [label for label in self.shapes if label not in BASE_LABELS]


NOTHING = Scope()


@dataclass(frozen=True)
class Fragment:
    """A part of a body, and what every branch of it declares and binds."""

    query: Query
    scope: Scope


def event_pattern(choices: Choices, names: Names, sources: Sources, *, windowed: bool = False) -> Pattern:
    """A pattern for some event that may happen; in a window it is a derived one more often."""
    names.start_pattern(windowed=windowed)
    label = _label(choices, names, sources, chain_percent=55 if windowed else 35)
    pattern = term_pattern(choices, names, choices.one_of(sources.shapes[label]))
    loosened = _loosened(choices, names, sources, label, pattern)
    if loosened is not None:
        names.matches *= sources.total
        return loosened
    names.matches *= sources.count(label)
    return VariablePattern(TERM_VARIABLE, pattern) if choices.may("as", 6) else pattern


def _loosened(choices: Choices, names: Names, sources: Sources, label: str, pattern: TermPattern) -> Pattern | None:
    """The pattern for events with other labels as well, now and then and if these are not too many."""
    if names.matches * sources.total > MOST_MATCHES:
        return None
    if sources.anything and choices.may("as", 5):
        return VariablePattern(TERM_VARIABLE)
    if sources.anything and choices.may("desc", 5):
        return Descendant(pattern)
    others = tuple(dict.fromkeys((label, *(choices.one_of(list(sources.shapes)) for _ in range(2)))))
    wild = sources.anything or (sources.wild and any(_only_in_base(child) for child in pattern.children))
    loose = loose_label(choices, label, others, percent=5, any_label=wild)
    return None if loose == label else with_label(pattern, loose)


def _label(choices: Choices, names: Names, sources: Sources, chain_percent: int) -> str:
    """The label to query: one of which there are not too many events to combine with what is queried already."""
    counts = {label: sources.count(label) for label in sources.shapes}
    possible = [label for label, count in counts.items() if names.matches * count <= MOST_MATCHES]
    possible = possible or [min(counts, key=counts.__getitem__)]
    derived = [label for label in possible if label in sources.derived]
    if derived and choices.may("chain", chain_percent):
        return choices.one_of(derived)
    often = [label for label in possible for _ in sources.shapes[label]]
    return choices.one_of(often if choices.chance(60) else possible)


def _only_in_base(child: Pattern) -> bool:
    """Whether no head has such a child."""
    return isinstance(child, TermPattern) and child.label in ("k", "v", "sub")


def body(choices: Choices, names: Names, sources: Sources) -> Fragment:
    """One to three positive literals, timers, windows, conditions."""
    parts = [_positive(choices, names, sources) for _ in range(choices.weighted(((5, 1), (4, 2), (1, 3))))]
    if choices.may("or", 10):
        beside = choices.chance(50)
        parts.append(_disjunction(choices, names, sources, outer=_scope(parts[-1:]) if beside else Scope()))
        parts = parts[-2:] if beside else parts[-1:]
    anchors = _scope(parts).identifiers
    parts += _rows(choices, names, sources)
    if sources.states and choices.chance(70):
        parts = _with_states(choices, names, sources, parts)
        anchors = tuple(name for name in anchors if name in _scope(parts).identifiers)
    parts += _timers(choices, names, anchors)
    parts += _windows(choices, names, sources, _scope(parts), anchors)
    return _conjunction(choices, sources, parts)


def _with_states(choices: Choices, names: Names, sources: Sources, parts: list[Fragment]) -> list[Fragment]:
    """The parts with one or two states, timers on them, events that are in them and states in windows."""
    events = _scope(parts).identifiers
    found = [state_literal(choices, names, sources.states) for _ in range(choices.weighted(((4, 1), (1, 2))))]
    if choices.chance(15):
        parts, events = [], ()
    named = [literal.identifier.name for literal, _ in found if literal.identifier is not None]
    for literal, pattern in found:
        own = () if literal.identifier is None else (literal.identifier.name,)
        parts = [*parts, Fragment(literal, _bound_scope(pattern, own))]
    if named and choices.chance(20):
        timer = state_timer(choices, names, choices.one_of(named))
        assert timer.identifier is not None
        parts.append(Fragment(timer, Scope((timer.identifier.name,))))
    inside = containments(choices, events, named)
    if inside:
        scope = _scope(parts)
        parts = [Fragment(Conjunction(tuple(part.query for part in parts), inside), scope)]
    windows = _scope(parts).identifiers
    if windows and choices.chance(30):
        window, bound = state_window(choices, names, sources.states, windows, negated=choices.chance(60))
        variables = tuple(sorted(bound))
        parts.append(Fragment(window, Scope((), variables, collected=variables)))
    return parts


def _positive(choices: Choices, names: Names, sources: Sources, identifier: str | None = None) -> Fragment:
    """An event query or, now and then, an absolute timer."""
    if identifier is None and not choices.may("anonymous literal", 12):
        identifier = names.identifier()
    declared = None if identifier is None else Identifier(identifier)
    own = () if identifier is None else (identifier,)
    if choices.may("absolute timer", 6):
        timer = timer_query(choices, sources.calendars, binding=True)
        names.matches *= 2
        scope = _bound_scope(timer.pattern, own)
        return Fragment(AbsoluteTimerLiteral(declared, timer, _where(choices, sources, scope, "literal where")), scope)
    pattern = event_pattern(choices, names, sources)
    scope = _bound_scope(pattern, own)
    return Fragment(EventLiteral(declared, pattern, _where(choices, sources, scope, "literal where")), scope)


def _rows(choices: Choices, names: Names, sources: Sources, percent: int = 70) -> list[Fragment]:
    """Up to two queries of relations."""
    found: list[Fragment] = []
    while sources.tables and len(found) < 2 and choices.may("relation", percent):
        table = choices.one_of(list(sources.tables))
        if names.matches * len(sources.tables[table]) > MOST_MATCHES:
            break
        names.start_pattern()
        identifier = None if choices.may("anonymous literal", 30) else Identifier(names.identifier())
        pattern = term_pattern(choices, names, choices.one_of(sources.tables[table]))
        names.matches *= len(sources.tables[table])
        scope = _bound_scope(pattern, ())
        where = _where(choices, sources, scope, "literal where")
        found.append(Fragment(RelationLiteral(identifier, pattern, where), scope))
    return found


def _disjunction(choices: Choices, names: Names, sources: Sources, depth: int = 1, outer: Scope = NOTHING) -> Fragment:
    """`or` of literals or small conjunctions, which share an identifier more often than not.

    Of the events of `outer`, which happen whichever alternative does, an alternative may be a timer or a window alone.
    """
    shared = names.identifier() if choices.chance(75) else None
    alternatives: list[Fragment] = []
    for _ in range(choices.weighted(((4, 2), (1, 3)))):
        if depth and choices.may("nested or", 15):
            alternatives.append(_disjunction(choices, names, sources, depth - 1, outer))
            continue
        if outer.identifiers and choices.chance(25):
            alone = [*_timers(choices, names, outer.identifiers), *_windows(choices, names, sources, outer, ())]
            if alone:
                alternatives.append(alone[0])
                continue
        parts = [_positive(choices, names, sources, shared)]
        if choices.chance(25):
            parts.append(_positive(choices, names, sources))
        parts += _rows(choices, names, sources, 20)
        anchors = _scope(parts).identifiers
        if choices.chance(20):
            parts += _timers(choices, names, anchors)
        if choices.chance(20):
            parts += _windows(choices, names, sources, _scope(parts), anchors)
        alternatives.append(_conjunction(choices, sources, parts))
    scopes = [alternative.scope for alternative in alternatives]
    variables, optional = _common([s.variables for s in scopes]), _common([s.optional for s in scopes])
    some = {name for s in scopes for name in (*s.variables, *s.missing)}
    scope = Scope(
        _common([s.identifiers for s in scopes]),
        variables,
        optional,
        _common([s.collected for s in scopes]),
        tuple(sorted(some.difference(variables, optional))),
    )
    where = _where(choices, sources, scope, "body where", 15)
    return Fragment(Disjunction(tuple(alternative.query for alternative in alternatives), where), scope)


def _timers(choices: Choices, names: Names, anchors: Sequence[str]) -> list[Fragment]:
    """Relative timers on what is declared so far, also on one another."""
    timers: list[Fragment] = []
    while anchors and len(timers) < 2:
        kind = choices.featured(tuple(TIMERS), lambda name: f"timer {name}")
        if kind is None or not choices.chance(25):
            break
        chained = bool(timers) and choices.may("timer chain", 60)
        anchor = timers[-1].scope.identifiers[0] if chained else choices.one_of(anchors)
        identifier = names.identifier()
        query = RelativeTimerLiteral(Identifier(identifier), kind, Identifier(anchor), duration(choices))
        timers.append(Fragment(query, Scope((identifier,))))
    return timers


def _windows(choices: Choices, names: Names, sources: Sources, scope: Scope, anchors: Sequence[str]) -> list[Fragment]:
    """Collections and absences in windows that are declared so far."""
    if not scope.identifiers:
        return []
    collections, absences = choices.may("collection", 30), choices.may("absence", 25)
    if not (collections or absences):
        return []
    found = _long_timer(choices, names, anchors)
    kinds = [*([False] * collections), *([True] * absences)]
    kinds[:0] = [False] if collections and choices.may("several collections", 15) else []
    kinds += [True] if absences and choices.may("several absences", 20) else []
    for negated in kinds:  # what one collects, the conditions of the next may speak of
        inside = Scope(
            (*scope.identifiers, *_scope(found).identifiers),
            tuple(sorted({*scope.variables, *_scope(found).variables})),
        )
        found.append(_window(choices, names, sources, inside, negated=negated))
    return found


def _long_timer(choices: Choices, names: Names, anchors: Sequence[str]) -> list[Fragment]:
    """A window that is likely to hold something; most events are too short for that."""
    kinds = [name for name in TIMERS if not name.startswith("shorten")]
    kind = choices.featured(kinds, lambda name: f"timer {name}")
    if kind is None or not anchors or not choices.chance(65):
        return []
    identifier, anchor = names.identifier(), choices.one_of(anchors)
    long = Duration(0, choices.one_of((20, 10, LAST_SECOND)) * SECOND)
    query = RelativeTimerLiteral(Identifier(identifier), kind, Identifier(anchor), long)
    return [Fragment(query, Scope((identifier,)))]


def _window(choices: Choices, names: Names, sources: Sources, scope: Scope, *, negated: bool) -> Fragment:
    """The window is more often a timer than an event: the one declared last."""
    window = scope.identifiers[-1] if choices.chance(75) else choices.one_of(scope.identifiers)
    matches = names.matches
    pattern = event_pattern(choices, names, sources, windowed=True)
    names.matches = matches if negated else names.matches
    own = _bound_scope(pattern, ())
    inside = Scope(scope.identifiers, tuple(sorted({*scope.variables, *own.variables})), own.optional)
    where = _where(choices, sources, inside, "accumulation where")
    collected = replace(own, collected=own.variables)
    return Fragment(WhileLiteral(Identifier(window), negated, pattern, where), Scope() if negated else collected)


def _conjunction(choices: Choices, sources: Sources, parts: Sequence[Fragment]) -> Fragment:
    """The parts in some order, some of them in an `and` of their own."""
    scope = _scope(parts)
    where = _where(choices, sources, scope, "body where", 45)
    if len(parts) == 1 and not where and choices.chance(70):
        return parts[0]
    queries = [part.query for part in choices.shuffled(parts)]
    if len(queries) > 1 and choices.may("nested and", 8):
        inner = Conjunction(tuple(queries[:2]), _where(choices, sources, scope, "body where", 25))
        queries = choices.shuffled([inner, *queries[2:]])
    return Fragment(Conjunction(tuple(queries), where), scope)


def _where(choices: Choices, sources: Sources, scope: Scope, feature: str, percent: int = 10) -> tuple[Expression, ...]:
    return conditions(choices, scope, sources.calendars) if choices.may(feature, percent) else ()


def _bound_scope(pattern: Pattern, identifiers: tuple[str, ...]) -> Scope:
    bound, optional = patterns.bound_variables(pattern), patterns.optional_variables(pattern)
    return Scope(identifiers, tuple(sorted(bound)), tuple(sorted(optional)))


def _scope(parts: Sequence[Fragment]) -> Scope:
    variables = {name for part in parts for name in part.scope.variables}
    return Scope(
        tuple(name for part in parts for name in part.scope.identifiers),
        tuple(sorted(variables)),
        tuple(sorted({name for part in parts for name in part.scope.optional})),
        tuple(sorted({name for part in parts for name in part.scope.collected})),
        tuple(sorted({name for part in parts for name in part.scope.partial} - variables)),
    )


def _common(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(name for name in names[0] if all(name in others for others in names[1:]))
