"""Random triples of rules, constraints, and streams that satisfy these, of four kinds: about events alone, about
events and a table, about events in states, and about the events of an automaton, from which the constraints are
derived.

Several streams come with each program and its constraints. Half of them are built to satisfy the constraints: what
violates one is taken away until nothing does. The others are drawn until one satisfies them as it is, a few times; then
they are built, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from cera.connectors.relations.relation import Record, Relation
from cera.constraints.clause import Clause
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import Supposition, supposed
from cera.constraints.derivation.program import clauses_of as derived_clauses
from cera.constraints.module import ConstraintModule
from cera.constraints.semantics import violations
from cera.constraints.stream import Stream, extent_of, happenings_of
from cera.diagnostics import Source
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.syntax import Module, Program
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.optimizer.semantic.driver import Knowledge, RewrittenProgram, knowledge_of, rewrite
from cera.rules.checks.check import check
from cera.rules.rule import RuleProgram
from conformance.constraints import clauses_of
from properties.accepted_streams import accepted_stream, telling_automaton
from properties.automaton_rules import random_automaton_rules
from properties.constrained_lookups import TABLE, random_lookups
from properties.constrained_rules import random_texts, stream_of
from properties.constrained_states import random_state_texts, stream_with_states
from properties.constrained_traces import random_trace_texts

Kind = Literal["events", "table", "states", "automaton"]
#: How streams are found.
Origin = Literal["built", "drawn", "accepted"]

#: What is supposed of the streams that an automaton accepts.
GIVEN: tuple[Supposition, ...] = ("distinct", "unique", "expected")
#: So many streams are drawn for one that satisfies the constraints.
DRAWN = 4
NO_ROWS: Mapping[str, RelationRows] = {}


@dataclass(frozen=True)
class Triple:
    """A program, constraints, and a stream that satisfies them, with the rows of its table."""

    rules: str
    constraints: str
    program: RuleProgram
    clauses: tuple[Clause, ...]
    events: tuple[Event, ...]
    kind: Kind = "events"
    origin: Origin = "built"
    relations: Mapping[str, RelationRows] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = [str(row.term) for each in self.relations.values() for row in each.rows]
        return "\n".join((self.rules, self.constraints, *rows, *map(str, self.events)))

    def rewritten(self) -> RewrittenProgram:
        return rewrite(self.program, self.knowledge())

    def knowledge(self) -> Knowledge:
        return knowledge_of([ConstraintModule("c", self.clauses)])


def triples_of(seed: int, streams: int = 1) -> tuple[Triple, ...]:
    """Returns the triples of a seed, which differ in their streams; none if the program is refused."""
    match seed % 20:
        case 3 | 17:
            return _with_table(seed, streams)
        case 5 | 11:
            return _with_states(seed, streams)
        case 7 | 13:
            return _with_automaton(seed, streams)
        case _:
            return _of_events(seed, streams)


def triple_of(seed: int) -> Triple | None:
    """Returns the triple of a seed that is about events alone; None if the program is refused."""
    return next(iter(_of_events(seed, 1)), None)


def traces_of(seed: int, streams: int) -> tuple[Triple, ...]:
    """Returns the triples of a seed that are about answers which several rows give."""
    return _of_texts(*random_trace_texts(random.Random(f"traces {seed}")), seed, streams)


def _of_events(seed: int, streams: int) -> tuple[Triple, ...]:
    return _of_texts(*random_texts(seed), seed, streams)


def _of_texts(rules: list[str], constraints: list[str], seed: int, streams: int) -> tuple[Triple, ...]:
    program = _program(rules)
    if program is None:
        return ()
    clauses = _clauses(constraints)
    first = Triple("\n".join(rules), "\n".join(constraints), program, clauses, ())
    return _with_streams(first, seed, streams)


def _with_table(seed: int, streams: int) -> tuple[Triple, ...]:
    chance = random.Random(f"table {seed}")
    rules, constraints, rows = random_lookups(chance)
    program = _program([TABLE, *rules])
    assert program is not None, rules
    table = {"t": Relation("t").rows(Record("row", each) for each in rows)}
    clauses = tuple(clauses_of("\n".join(("relation t(k, v, w)", *constraints))))
    first = Triple("\n".join(rules), "\n".join(constraints), program, clauses, (), "table", relations=table)
    return _with_streams(first, seed, streams)


def _with_states(seed: int, streams: int) -> tuple[Triple, ...]:
    rules, constraints = random_state_texts(random.Random(f"states {seed}"))
    program = _program(rules)
    assert program is not None, rules
    first = Triple("\n".join(rules), "\n".join(constraints), program, _clauses(constraints), (), "states")
    return _with_streams(first, seed, streams)


def _with_automaton(seed: int, streams: int) -> tuple[Triple, ...]:
    chance = random.Random(seed)
    automaton = telling_automaton(chance)
    derived = supposed(of_automaton(automaton), GIVEN)
    rules = random_automaton_rules(chance, automaton)
    program = _program(rules)
    assert program is not None, rules
    clauses = tuple(derived_clauses(derived))
    shown = "\n".join(map(str, derived))
    found: list[Triple] = []
    for _ in range(streams):
        events, _ = accepted_stream(chance, automaton, points=chance.random() < 0.7, distinct=True, expected=True)
        found.append(Triple("\n".join(rules), shown, program, clauses, tuple(events), "automaton", "accepted"))
    return tuple(found)


def _with_streams(triple: Triple, seed: int, number: int) -> tuple[Triple, ...]:
    chance = random.Random(f"streams {seed}")
    found: list[Triple] = []
    for at in range(number):
        drawn = _drawn(triple, chance) if at % 2 else None
        events = _satisfying(_any_stream(triple, chance), triple, chance) if drawn is None else drawn
        found.append(replace(triple, events=tuple(events), origin="built" if drawn is None else "drawn"))
    return tuple(found)


def _any_stream(triple: Triple, chance: random.Random, most: int = 14) -> list[Event]:
    return stream_with_states(chance, most) if triple.kind == "states" else stream_of(chance, most)


def _drawn(triple: Triple, chance: random.Random) -> list[Event] | None:
    """Returns a stream that satisfies the constraints as it was drawn; None if none of a few does."""
    for most in range(14, 14 - 3 * DRAWN, -3):
        events = _any_stream(triple, chance, most)
        stream = _stream(events, triple.relations)
        if not any(violations((clause,), stream).violations for clause in triple.clauses):
            return events
    return None


def _satisfying(events: Sequence[Event], triple: Triple, chance: random.Random) -> list[Event]:
    """Returns a part of a stream that satisfies the constraints."""
    left = list(events)
    while left:
        found = violations(triple.clauses, _stream(left, triple.relations)).violations
        if not found:
            return left
        involved = [(*each.faults, *(one for _, one in each.identified)) for each in found]
        at_fault = [[one.event for one in several if one.event is not None] for several in involved]
        gone: list[Event] = []
        for several in at_fault:
            if several and not any(each in gone for each in several):
                gone.append(chance.choice(several))
        gone = [each for each in gone if each in left] or [chance.choice(left)]
        left = [each for each in left if each not in gone]
    return left


def _stream(events: Sequence[Event], relations: Mapping[str, RelationRows]) -> Stream:
    happenings = happenings_of(events)
    extent = extent_of((each.known, each.begin) for each in happenings)
    assert extent is not None
    return Stream(happenings, extent, relations=relations)


def _program(texts: Iterable[str]) -> RuleProgram | None:
    """Returns the rules as one file with these lines says them; None if they are refused.

    Each line is parsed once for all programs: a rule without an evaluation time has that of the one before it.
    """
    parsed = [_parsed(each) for each in texts]
    modules: list[Module] = []
    for module in (module for each in parsed for module in each.modules):
        if module.time is None and modules:
            modules[-1] = replace(modules[-1], rules=(*modules[-1].rules, *module.rules))
        else:
            modules.append(module)
    declared = tuple(one for each in parsed for one in each.declarations)
    lowered = lower([Program(declared, tuple(modules))], "UTC")
    if lowered.problems or any(each.severity == "error" for each in check(lowered.program)):
        return None
    return lowered.program


@lru_cache(maxsize=20_000)
def _parsed(text: str) -> Program:
    found = parse(Source("a.slog", text))
    assert not found.diagnostics, found.diagnostics
    return found.program


def _clauses(texts: Iterable[str]) -> tuple[Clause, ...]:
    return tuple(clause for text in texts for clause in _parsed_clauses(text))


@lru_cache(maxsize=20_000)
def _parsed_clauses(text: str) -> tuple[Clause, ...]:
    return tuple(clauses_of(text))
