"""Random well-formed programs, together with streams that make them answer.

A program is range restricted, declares its identifiers and can be stratified: every rule queries base events and labels
that come before its own, in the order d, p, q, r, s. So it is free of recursion, unless recursion is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

from cera.languages.xchangeeq.printer import print_program
from cera.languages.xchangeeq.syntax import (
    Directive,
    ProgramSyntax,
    RelationDirective,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
)
from cera.model.calendars.calendar_files import Calendar, parse_calendars
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.model.events.states import state_term
from cera.model.expressions.constructs import ConstructTerm
from cera.model.terms.term import Term
from cera.rules.declarations import SourceLabel

from .bodies import Sources, body
from .choices import Choices, DrawnChoices, SeededChoices
from .features import FEATURES
from .heads import detect_head, raise_head
from .patterns import Names
from .recursion import MOST_EVENTS, MOST_EVENTS_OF_TWO, MOST_LINKS, Recursion, sequence_rule
from .relations import DECLARATIONS, some_relations
from .shapes import Shape, shape_of_head, shape_of_term
from .states import states
from .streams import BASE_LABELS, base_term, links, stream

NO_TABLES: Mapping[str, Sequence[Shape]] = {}
DERIVED_LABELS = ("p", "q", "r", "s")

#: Intervals and points within the half minute that streams cover.
CALENDARS: tuple[Calendar, ...] = parse_calendars(
    """
    [early]
    hours = ["00:00:00", "00:00:12"]
    [shifts]
    intervals = [["1970-01-01T00:00:05Z", "1970-01-01T00:00:15Z"], ["1970-01-01T00:00:20Z", "1970-01-01T00:00:30Z"]]
    [midnight]
    cron = "0 0 * * *"
    """,
    "generated calendars",
)


@dataclass(frozen=True)
class Case:
    """A program and a stream to run it on. With `windows`, the seed by which its rules get periodic windows."""

    program: ProgramSyntax
    events: tuple[Event, ...]
    calendars: tuple[Calendar, ...] = CALENDARS
    windows: int | None = None
    relations: Mapping[str, RelationRows] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        return print_program(self.program)

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        """How hypothesis shows a case that failed."""
        printer.text(repr(self))

    def __repr__(self) -> str:
        windows = [] if self.windows is None else [f"with the windows of {self.windows}"]
        rows = [f"{row.term} in [{row.since}, {row.until}[" for table in self.relations.values() for row in table.rows]
        events = [f"{event} {event.qualifier or ''}" for event in self.events]
        return "\n".join(["", self.text, *windows, *events, *rows])


@st.composite
def cases(
    draw: st.DrawFn,
    features: frozenset[str] = FEATURES,
    *,
    recursive: bool = False,
    windowed: bool = False,
    with_states: bool = False,
    most_events: int = 12,
) -> Case:
    """Programs with streams, as a hypothesis strategy."""
    choices = DrawnChoices(features, draw)
    case = make_case(choices, recursive=recursive, with_states=with_states, most_events=most_events)
    return replace(case, windows=draw(st.integers(0, 1_000))) if windowed else case


def seeded_case(
    seed: int,
    features: frozenset[str] = FEATURES,
    *,
    recursive: bool = False,
    windowed: bool = False,
    with_states: bool = False,
    most_events: int = 12,
) -> Case:
    """The program and stream of a seed: faster than hypothesis, without shrinking."""
    choices = SeededChoices(features, seed)
    case = make_case(choices, recursive=recursive, with_states=with_states, most_events=most_events)
    return replace(case, windows=seed) if windowed else case


def linked_case(seed: int) -> Case:
    """A recursion without a key over flat events, which derives something for several rounds, below and above others
    now and then.
    """
    choices = SeededChoices(FEATURES, seed)
    events = links(choices, MOST_LINKS)
    recursion = Recursion(("p", "q", "r"), absent=("c", "m"), linked=True)
    below = _detect_rule(choices, Names(), Sources({"b": [shape_of_term(Term("b", [Term("k", [0])]))]}), "m")
    above = recursion.above(choices, "u") if choices.chance(50) else None
    rules = [below, *recursion.rules(choices), *([] if above is None else [above])]
    return Case(ProgramSyntax((*_directives(choices), *choices.shuffled(rules))), events)


def make_case(choices: Choices, *, recursive: bool, with_states: bool, most_events: int) -> Case:
    recursive = recursive and choices.allows("recursion")
    if recursive:
        two = choices.allows("chain") and choices.chance(15)
        most = min(most_events, MOST_EVENTS_OF_TWO if two else MOST_EVENTS)
        events = stream(choices, most, choices.one_of((("a", "b"), ("a",), ("a", "b", "c"))))
        rules = _recursive_program(choices, events, two=two)
    else:
        events = stream(choices, most_events)
        tables = some_relations(choices)
        rows = {name: [shape_of_term(row.term) for row in table.rows] for name, table in tables.items() if table.rows}
        opened = states(choices) if with_states else ()
        shapes: dict[str, list[Shape]] = {}
        for event in opened:
            shapes.setdefault(state_term(event).label, []).append(shape_of_term(state_term(event)))
        rules = _rules(choices, _base_shapes(choices, events), rows, shapes)
        events = tuple(choices.shuffled([*events, *opened])) if opened else events
        declared = [RelationDirective(DECLARATIONS[name]) for name in tables]
        return Case(ProgramSyntax((*_directives(choices), *declared, *rules)), events, relations=tables)
    return Case(ProgramSyntax((*_directives(choices), *rules)), events)


def _base_shapes(choices: Choices, events: Sequence[Event]) -> dict[str, list[Shape]]:
    """The shapes of the events by label, and now and then one of a label that does not occur."""
    shapes: dict[str, list[Shape]] = {}
    for event in events:
        shapes.setdefault(event.label, []).append(shape_of_term(event.term))
    for label in BASE_LABELS:
        if not shapes or (label not in shapes and choices.chance(10)):
            shapes[label] = [shape_of_term(base_term(choices, label))]
    return {label: shapes[label] for label in BASE_LABELS if label in shapes}


def _rules(
    choices: Choices,
    base: Mapping[str, Sequence[Shape]],
    tables: Mapping[str, Sequence[Shape]] = NO_TABLES,
    states: Mapping[str, Sequence[Shape]] = NO_TABLES,
) -> list[RuleSyntax]:
    """One rule after the other; each may query what the ones with smaller labels derive."""
    wild, calendars = choices.chance(50), _calendar_names(choices)
    shapes = {label: list(known) for label, known in base.items()}
    current: list[Shape] = []  # what the rules with the current label derive, which only later labels may query
    chained = choices.allows("chain")
    labels = [*(["d"] if chained and choices.may("derived base label", 4) else []), *DERIVED_LABELS]
    rules: list[RuleSyntax] = []
    counts: dict[str, int] = {}
    for _ in range(choices.weighted(((3, 1), (5, 2), (3, 3), (1, 4)))):
        if choices.may("raise", 10):
            queried = _with(shapes, current if chained else ())
            sources = Sources(queried, counts, calendars, anything=True, tables=tables, states=states)
            rules.append(_raise_rule(choices, sources))
            continue
        if not (current and choices.may("same head label", 15)):
            shapes = _with(shapes, current if chained else ())
            current = []
        label = current[0].label if current else labels.pop(0)
        queried = {name: known for name, known in shapes.items() if label != "d" or name in ("a", "b", "c")}
        queried = queried or {"a": [shape_of_term(base_term(choices, "a"))]}
        names = Names()
        sources = Sources(queried, counts, calendars, wild, tables=tables, states=states)
        rule = _detect_rule(choices, names, sources, label)
        rules.append(rule)
        counts[label] = counts.get(label, len(base.get(label, ()))) + names.matches
        if isinstance(rule.head.construct, ConstructTerm):
            current.append(shape_of_head(rule.head.construct))
    return choices.shuffled(rules) if choices.chance(25) else rules


def _with(shapes: Mapping[str, list[Shape]], more: Sequence[Shape]) -> dict[str, list[Shape]]:
    found = {label: list(known) for label, known in shapes.items()}
    for shape in more:
        found.setdefault(shape.label, []).append(shape)
    return found


def _detect_rule(choices: Choices, names: Names, sources: Sources, label: str) -> RuleSyntax:
    fragment = body(choices, names, sources)
    return RuleSyntax(detect_head(choices, fragment.scope, label, wrapped=sources.wild), fragment.query)


def _raise_rule(choices: Choices, sources: Sources) -> RuleSyntax:
    fragment = body(choices, Names(), sources)
    return RuleSyntax(raise_head(choices, fragment.scope), fragment.query)


def _recursive_program(choices: Choices, events: Sequence[Event], *, two: bool) -> list[RuleSyntax]:
    """A recursion or two and, except beside Fig. 9, which queries everything, rules below and above them now and then.

    From below: m, then the recursions, then u and w.
    """
    sequences = choices.allows("allen before") and choices.allows("body where")
    if sequences and (choices.chance(10) or not choices.allows("same head label")):
        return [sequence_rule("p")]
    base = _base_shapes(choices, events)
    if not choices.allows("same head label"):
        return _rules(choices, base)
    chained, keyed = choices.allows("chain"), choices.chance(40)
    rules: list[RuleSyntax] = []
    absent: tuple[str, ...] = ("c",)
    if chained and choices.chance(25):
        rules.append(_detect_rule(choices, Names(), Sources(base, calendars=_calendar_names(choices)), "m"))
        absent = ("c", "m", "m")
    recursion = Recursion(("p", "q", "r"), keyed=keyed, absent=absent)
    rules += recursion.rules(choices)
    if two:
        recursion = Recursion(("s", "t", "tt"), "p", keyed, (*absent, "p"))
        rules += recursion.rules(choices)
    if chained and choices.chance(50):
        above = recursion.above(choices, "u")
        rules += [] if above is None else [above]
    if chained and choices.chance(40):
        heads = [rule.head.construct for rule in rules]
        shapes = _with(base, [shape_of_head(head) for head in heads if isinstance(head, ConstructTerm)])
        counts = {label: 30 for label in shapes if label not in BASE_LABELS}
        sources = Sources(shapes, counts, _calendar_names(choices), wild=not keyed)
        if choices.may("raise", 20):
            rules.append(_raise_rule(choices, replace(sources, anything=True)))
        else:
            rules.append(_detect_rule(choices, Names(), sources, "w"))
    return choices.shuffled(rules) if choices.chance(25) else rules


def _calendar_names(choices: Choices) -> tuple[str, ...]:
    return tuple(calendar.name for calendar in CALENDARS) if choices.allows("calendar") else ()


def _directives(choices: Choices) -> list[Directive]:
    found: list[Directive] = []
    name = choices.featured(("practical", "formal"), lambda n: f"semantics {n}") if choices.chance(50) else None
    if name is not None:
        found.append(SemanticsDirective(name))
    if choices.may("source", 8):
        found.append(SourceDirective(tuple(map(SourceLabel, BASE_LABELS))))
    return found
