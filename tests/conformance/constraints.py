"""Constraints over small streams, for the entries of ESCL: texts in, violations out. Times are seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from cera.constraints.clause import Clause
from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.semantics import Verdict, violations
from cera.constraints.stream import Extent, Happening, Stream, extent_of
from cera.diagnostics import Diagnostic, Source
from cera.languages.escl.language import ESCL
from cera.languages.escl.parser import parse
from cera.languages.escl.steps import normal_forms
from cera.languages.escl.syntax import Program
from cera.languages.protocol.results import CompileOptions
from cera.model.events.relation_rows import ReadRows, RelationRow
from cera.model.events.states import OPEN
from cera.model.terms.term import Term
from cera.modules.module import Settings
from conformance.clause_rules import assert_rules_agree
from conformance.constraint_steps import assert_steps_agree

SECOND = 1_000_000


def program_of(text: str) -> Program:
    parsed = parse(Source("program.escl", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    return parsed.program


def clauses_of(text: str) -> list[Clause]:
    return [clause for steps in normal_forms(program_of(text)) for clause in steps.clauses]


def diagnostics_of(text: str) -> tuple[Diagnostic, ...]:
    """Returns all that `cera check` says of a text."""
    parsed = ESCL.parse(Source("program.escl", text))
    return (*parsed.diagnostics, *ESCL.compile([parsed], CompileOptions()).diagnostics)


def term(label: str, attributes: Mapping[str, Any]) -> Term:
    return Term(label, [Term(name, [value]) for name, value in attributes.items()])


def event(label: str, at: float, end: float | None = None, **attributes: Any) -> Happening:
    last = at if end is None else end
    return Happening(term(label, attributes), round(at * SECOND), round(last * SECOND), "event")


def state(label: str, begin: float, end: float | None, **attributes: Any) -> Happening:
    last = OPEN if end is None else round(end * SECOND)
    return Happening(term(label, attributes), round(begin * SECOND), last, "state")


def relations(rows: Mapping[str, Sequence[Mapping[str, Any]]] | None) -> dict[str, ReadRows]:
    return {
        name: ReadRows(tuple(RelationRow(term(name, row)) for row in several)) for name, several in (rows or {}).items()
    }


def judged(
    text: str, happenings: Sequence[Happening], *, extent: tuple[float, float] | None = None, **more: Any
) -> Verdict:
    """Returns the violations, which rules have to find as well where they can say a clause, and the verifier."""
    found = by_definition(text, happenings, extent=extent, **more)
    if extent is None:
        until = more.get("until")
        settings = Settings(
            until=None if until is None else round(until * SECOND), relations=relations(more.get("rows"))
        )
        assert_rules_agree(text, happenings, settings.until, settings.relations)
        assert_steps_agree(text, happenings, settings, more.get("locations", NO_LOCATIONS))
    return found


def by_definition(
    text: str,
    happenings: Sequence[Happening],
    *,
    extent: tuple[float, float] | None = None,
    until: float | None = None,
    rows: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    locations: Locations = NO_LOCATIONS,
) -> Verdict:
    errors = [each for each in diagnostics_of(text) if each.severity == "error"]
    assert not errors, "\n".join(map(str, errors))
    last = None if until is None else round(until * SECOND)
    known = [(each.begin if each.kind == "state" else each.end, each.begin) for each in happenings]
    known += [(each.end, each.begin) for each in happenings if each.kind == "state" and not each.is_open]
    found = extent_of(known, last)
    if extent is not None:
        begin, end = (round(each * SECOND) for each in extent)
        found = Extent(begin, end, begin)
    assert found is not None
    ordered = tuple(sorted(happenings, key=attrgetter("order")))
    return violations(clauses_of(text), Stream(ordered, found, last, relations(rows), locations))


def times(verdict: Verdict) -> list[float]:
    """Returns when violations are certain, in seconds."""
    return [each.at / SECOND for each in verdict.violations]


def holds(text: str, happenings: Sequence[Happening], **more: Any) -> bool:
    return not judged(text, happenings, **more).violations
