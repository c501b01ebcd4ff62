"""The constraints of the E entries with their streams, for engines on which a run costs much.

The cases are what the tests in `test_escl_entries` ask for. Each has labels of its own, so that all of one extent and
one end can run side by side over one stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import product
from typing import Any, TypeVar, cast
from unittest.mock import patch

from cera.constraints.locations import NO_LOCATIONS
from cera.constraints.module import ConstraintModule
from cera.constraints.queries import Literal
from cera.constraints.semantics import Verdict
from cera.constraints.stream import Happening
from cera.model.events.event import Event
from cera.model.events.relation_rows import ReadRows, RelationRow
from cera.model.events.states import OPEN
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from conformance import constraints, test_escl_entries
from conformance.constraints import SECOND, by_definition, relations
from conformance.violations import module_of, recorded

Node = TypeVar("Node")


@dataclass(frozen=True)
class EntryCase:
    """Constraints and a stream that the test of an entry asks for, under names and with labels of their own."""

    number: int
    entry: str
    module: ConstraintModule
    events: tuple[Event, ...]
    relations: Mapping[str, ReadRows]
    until: Time | None

    @property
    def id(self) -> str:
        return f"{self.entry}-{self.number}"


@cache
def cases() -> tuple[EntryCase, ...]:
    """All that the tests of the entries verify, each case once."""
    found: dict[object, tuple[str, str, Sequence[Happening], Mapping[str, Any]]] = {}
    entry = ""

    def judged(text: str, happenings: Sequence[Happening], **more: Any) -> Verdict:
        if more.get("extent") is None:  # no recording has an extent that its events do not say
            key = (text, repr([(str(each.term), each.begin, each.end) for each in happenings]), repr(more))
            found.setdefault(key, (entry, text, happenings, more))
        return by_definition(text, happenings, **more)

    with patch.object(constraints, "judged", judged), patch.object(test_escl_entries, "judged", judged):
        for name, test in vars(test_escl_entries).items():
            if name.startswith("test_"):
                entry = name.split("_")[1].upper() if name.startswith("test_e") else "other"
                for given in _parameters(test):
                    test(**given)
    return tuple(_case(number, *each) for number, each in enumerate(found.values(), 1))


def _parameters(test: Any) -> Iterator[dict[str, Any]]:
    """Yields the arguments with which pytest calls a test of an entry."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    several: list[list[dict[str, Any]]] = []
    for mark in marks:
        names, values = mark.args
        single = isinstance(names, str)
        several.append([{names: each} if single else dict(zip(names, each, strict=True)) for each in values])
    for chosen in product(*several):
        yield {name: value for each in chosen for name, value in each.items()}


def _case(number: int, entry: str, text: str, happenings: Sequence[Happening], more: Mapping[str, Any]) -> EntryCase:
    module = module_of(text)
    late = max(0, -min(each.begin for each in happenings))  # the watermark of a stream begins with 1970
    relabelled = [
        replace(
            each,
            term=_relabelled(each.term, number),
            begin=each.begin + late,
            end=OPEN if each.is_open else each.end + late,
        )
        for each in happenings
    ]
    rows = {
        _called(name, number): ReadRows(tuple(RelationRow(_relabelled(row.term, number)) for row in read.rows))
        for name, read in relations(more.get("rows")).items()
    }
    clauses = _apart(module.clauses, number)
    declared = tuple(replace(each, name=_called(each.name, number)) for each in module.relations)
    own = replace(
        module,
        name=f"case{number}",
        clauses=tuple(replace(each, constraint=f"{each.constraint}_{number}") for each in clauses),
        relations=declared,
        locations=more.get("locations", NO_LOCATIONS),
    )
    until = more.get("until")
    last = None if until is None else round(until * SECOND)
    return EntryCase(number, entry, own, tuple(recorded(relabelled)), rows, last)


def _called(label: str, number: int) -> str:
    return f"{label}_{number}"


def _relabelled(term: Term, number: int) -> Term:
    return Term(_called(term.label, number), term.children, ordered=term.ordered)


def _apart(node: Node, number: int) -> Node:
    """Returns a part of a constraint in which literals ask for the labels of a case."""
    if isinstance(node, tuple):
        return cast(Node, tuple(_apart(each, number) for each in node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {each.name: _apart(getattr(node, each.name), number) for each in fields(node) if each.name != "span"}
    if isinstance(node, Literal):
        changed["atom"] = replace(node.atom, label=_called(node.atom.label, number))
    return cast(Node, replace(node, **changed))
