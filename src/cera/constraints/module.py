"""Constraints as a module: events and states come in, violations go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from cera.constraints.clause import Clause
from cera.constraints.definitions import literals_of
from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.partition import asks_for_begin, bodies_of, partitions, parts_of_clause
from cera.constraints.queries import Literal, WindowLiteral
from cera.constraints.reports import UNKNOWN_PLACE, VIOLATION, unknown_place_event, violation_event
from cera.constraints.semantics import violations
from cera.constraints.stream import Stream, extent_of, happenings_of
from cera.constraints.times import is_moving
from cera.diagnostics import Note, Span
from cera.model.events.attributes import AskedAttribute, AskedValue, Path
from cera.model.events.event import Event, in_output_order
from cera.model.events.states import ENDING, OPENING, with_endings
from cera.model.expressions.atoms import Atom
from cera.model.tags import added_later, tagged
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat, TimeUnit
from cera.modules.answers.answer import Answer
from cera.modules.module import Port, Settings, Unit, known
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output
from cera.rules.declarations import RelationDeclaration

if TYPE_CHECKING:
    from cera.constraints.processor import ConstraintProcessor


@tagged("ConstraintModule")
@dataclass(frozen=True)
class ConstraintModule:
    """The clauses of a file."""

    name: str
    clauses: tuple[Clause, ...]
    origin: Time = 0
    locations: Locations = NO_LOCATIONS
    #: The relations that clauses ask for.
    relations: tuple[RelationDeclaration, ...] = ()
    #: From when on the stream is complete; None for its first event.
    since: Time | None = None
    #: The unit of the times that violations name; None for ISO 8601.
    unit: TimeUnit | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    #: The labels of clauses that are verified elsewhere: what happens there makes windows relative to now, too.
    also: tuple[str, ...] = ()
    #: The zone of times without an offset in its text.
    timezone: str = added_later("timezone", "UTC")

    is_recursive = False
    depends_on_extent = True
    depends_on_duration = True
    is_saved_bare = False
    granularity: Granularity = "time"
    is_divided_by_values = True
    clocks: tuple[Clock, ...] = ()
    left_out_text = "were left out"

    @property
    def identity(self) -> object:
        """All but where relations come from and how times are written, which the state does not depend on."""
        return replace(self, relations=(), unit=None)

    @property
    def parts(self) -> Mapping[str, object]:
        return {f"{self.name}.{clause.name}": clause for clause in self.clauses}

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """All literals about events and states, but those that local definitions derive."""
        found: list[Literal] = []
        for clause in self.clauses:
            local = {each.head.atom.label for each in clause.definitions}
            bodies = [body for each in clause.definitions for body in each.bodies]
            for part in parts_of_clause(clause, bodies):
                found += (e for e in literals_of(part) if e.kind != "relation" and e.atom.label not in local)
        return tuple(found)

    @cached_property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        first: dict[str, Span | None] = {}
        for literal in self.literals:
            for label in labels(literal):
                first.setdefault(label, literal.atom.span)
        first = {**dict.fromkeys(self.also, self.span), **first}
        return tuple(MonitoredEvents(label, label, span=first[label]) for label in sorted(first))

    @cached_property
    def starts_with_any_event(self) -> bool:
        """Whether the begin of the stream matters: something is judged in times that could begin before it."""
        return any(map(asks_for_begin, self.clauses))

    @cached_property
    def looks_up(self) -> frozenset[str]:
        parts = [part for clause in self.clauses for part in parts_of_clause(clause, bodies_of(clause))]
        literals = (each for part in parts for each in literals_of(part))
        return frozenset(each.atom.label for each in literals if each.kind == "relation")

    def of_clauses(self, clauses: tuple[Clause, ...]) -> ConstraintModule:
        """Returns the module with some of its clauses, for which as much happens."""
        parts = (part for clause in clauses for part in parts_of_clause(clause, bodies_of(clause)))
        moves = any(isinstance(part, WindowLiteral) and is_moving(part.window) for part in parts)
        return replace(self, clauses=clauses, also=tuple(sorted(known(self.reads))) if moves else ())

    @cached_property
    def partition(self) -> str | None:
        """The attribute by which all events can be divided, if there is one."""
        found = [partitions(clause) for clause in self.clauses]
        return min(frozenset[str].intersection(*found), default=None) if found else None

    @property
    def outputs(self) -> tuple[Output, ...]:
        found = [
            Output(f"{self.name}.{clause.name}", VIOLATION, (), VIOLATION, (), clause.span or self.span)
            for clause in self.clauses
        ]
        return (*found, Output(self.name, UNKNOWN_PLACE, (), UNKNOWN_PLACE, (), self.span))

    @property
    def units(self) -> tuple[Unit, ...]:
        inputs = (Port(e.label, Note(f"constraints of `{self.name}` ask for `{e}`", e.span)) for e in self.monitored)
        outputs = (Port(e.label, Note(f"`{e.rule}` derives them", e.span)) for e in self.outputs)
        hint = "put all constraints about violations into one file, which does not see its own"
        return (Unit(self.name, tuple(inputs), tuple(outputs), (), self.span, hint),)

    @property
    def reads(self) -> frozenset[str | None]:
        return frozenset(each.label for each in self.monitored)

    @property
    def derives(self) -> frozenset[str | None]:
        return frozenset({VIOLATION, UNKNOWN_PLACE})

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        for literal in self.literals:
            for path in _paths(literal.atom):
                for label in labels(literal):
                    yield AskedAttribute(label, path, span=literal.atom.span)

    def asked_values(self) -> Iterator[AskedValue]:
        from cera.constraints.occasions import values_needed  # which speaks of the labels of literals, too

        return (each for clause in self.clauses for each in values_needed(clause))

    def derived_attributes(self) -> Mapping[str, frozenset[Path] | None]:
        return {VIOLATION: None, UNKNOWN_PLACE: None}

    def restricted(self, units: Sequence[int]) -> Self:
        return self

    def limited(self, answers: int) -> Self:
        return self

    def with_times(self, times: TimeFormat) -> Self:
        """Returns the module whose violations write times as a run does."""
        return replace(self, unit=times.unit)

    def processor(self, settings: Settings) -> ConstraintProcessor:
        from cera.constraints.processor import ConstraintProcessor  # many programs are only checked

        return ConstraintProcessor(self, settings)

    def definition(self, settings: Settings) -> ConstraintDefinition:
        return ConstraintDefinition(self, settings)


def asks_for(clause: Clause, label: str) -> bool:
    """Returns whether a clause speaks of events of a label."""
    parts = parts_of_clause(clause, bodies_of(clause))
    return any(label in labels(each) for part in parts for each in literals_of(part) if each.kind != "relation")


def labels(literal: Literal) -> tuple[str, ...]:
    """Returns the labels of the events by which what a literal asks for travels."""
    label = literal.atom.label
    return (OPENING + label, ENDING + label) if literal.kind == "state" else (label,)


def _paths(atom: Atom) -> Iterator[Path]:
    for argument in atom.arguments:
        if isinstance(argument, Atom):
            yield (argument.label,)
            yield from ((argument.label, *path) for path in _paths(argument))


@dataclass(frozen=True)
class ConstraintDefinition:
    """What constraints mean: the violations in a whole recording."""

    module: ConstraintModule
    settings: Settings

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        happenings = happenings_of(each for each in events if each.label in self.module.reads)
        until = self.settings.until
        begins = ((each.end, each.begin) for each in with_endings(events) if until is None or each.end <= until)
        found = extent_of(begins, extent.end if until is None and extent is not None else until)
        if found is None:
            return Answer(())
        if self.module.since is not None:
            found = replace(found, begin=min(self.module.since, found.end), earlier=())
        stream = Stream(
            happenings,
            found,
            self.settings.until,
            self.settings.relations,
            self.module.locations,
            self.settings.timezone,
        )
        verdict = violations(self.module.clauses, stream, self.module.origin)
        derived = [violation_event(self.module.name, each, self.module.unit) for each in verdict.violations]
        derived += [unknown_place_event(self.module.name, *each) for each in sorted(verdict.unknown_places.items())]
        return Answer(tuple(in_output_order(derived)), verdict.undefined)
