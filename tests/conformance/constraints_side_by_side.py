"""The constraints of the E entries with their streams, for engines on which a run costs much.

The cases are what the tests in `test_escl_entries` ask for. Each has labels of its own, so that all of one extent and
one end can run side by side over one stream. Where a text is judged over several streams, these can be one stream of
which an attribute says which is which: then the text is planned once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
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
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Variable
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from conformance import constraints, test_escl_entries
from conformance.constraints import SECOND, by_definition, relations
from conformance.violations import module_of, recorded

Node = TypeVar("Node")
#: What the test of an entry has asked for: its id, the text, the stream and all else.
Asked = tuple[str, str, Sequence[Happening], Mapping[str, Any]]

#: The attribute that tells the streams of one text apart, and its variable.
STREAM, STREAM_VARIABLE = "stream", "STREAM"


@dataclass(frozen=True)
class EntryCase:
    """Constraints and a stream that the test of an entry asks for, under names and with labels of their own."""

    number: int
    entry: str
    module: ConstraintModule
    events: tuple[Event, ...]
    relations: Mapping[str, ReadRows]
    until: Time | None
    asked: Asked = field(compare=False, repr=False)

    @property
    def id(self) -> str:
        return f"{self.entry}-{self.number}"

    @property
    def text(self) -> tuple[str, str]:
        """What cases have in common that one program can verify."""
        _, text, _, more = self.asked
        return text, repr(more)

    def among(self, number: int) -> EntryCase:
        """Returns the case under the labels of another one with its text; an attribute says that it is this one."""
        return _case(number, *self.asked, self.number)


@cache
def cases() -> tuple[EntryCase, ...]:
    """All that the tests of the entries verify, each case of an entry once."""
    found: dict[object, Asked] = {}
    entry = ""

    def judged(text: str, happenings: Sequence[Happening], **more: Any) -> Verdict:
        if more.get("extent") is None:  # no recording has an extent that its events do not say
            key = (entry, text, repr([(str(each.term), each.begin, each.end) for each in happenings]), repr(more))
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


def _case(
    number: int,
    entry: str,
    text: str,
    happenings: Sequence[Happening],
    more: Mapping[str, Any],
    stream: int | None = None,
) -> EntryCase:
    module = module_of(text)
    late = max(0, -min(each.begin for each in happenings))  # the watermark of a stream begins with 1970
    relabelled = [
        replace(
            each,
            term=_of_stream(_relabelled(each.term, number), stream),
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
    if stream is not None:
        clauses = _of_one_stream(clauses)
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
    asked = (entry, text, happenings, more)
    return EntryCase(stream or number, entry, own, tuple(recorded(relabelled)), rows, last, asked)


def _called(label: str, number: int) -> str:
    return f"{label}_{number}"


def _relabelled(term: Term, number: int) -> Term:
    return Term(_called(term.label, number), term.children, ordered=term.ordered)


def _of_stream(term: Term, stream: int | None) -> Term:
    if stream is None:
        return term
    return Term(term.label, (*term.children, Term(STREAM, [stream])), ordered=term.ordered)


def _apart(node: Node, number: int) -> Node:
    """Returns a part of a constraint in which literals ask for the labels of a case."""

    def relabelled(literal: Literal) -> Literal:
        return replace(literal, atom=replace(literal.atom, label=_called(literal.atom.label, number)))

    return _with_literals(node, relabelled)


def _of_one_stream(node: Node) -> Node:
    """Returns a part of a constraint in which literals ask for events and states of the same stream."""

    def keyed(literal: Literal) -> Literal:
        if literal.kind == "relation":
            return literal
        attribute = Atom(STREAM, (Variable(STREAM_VARIABLE),))
        grouped = None if literal.group_by is None else (*literal.group_by, STREAM_VARIABLE)
        atom = replace(literal.atom, arguments=(*literal.atom.arguments, attribute))
        return replace(literal, atom=atom, group_by=grouped)

    return _with_literals(node, keyed)


def _with_literals(node: Node, change: Callable[[Literal], Literal]) -> Node:
    if isinstance(node, tuple):
        return cast(Node, tuple(_with_literals(each, change) for each in node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {
        each.name: _with_literals(getattr(node, each.name), change) for each in fields(node) if each.name != "span"
    }
    made = replace(node, **changed)
    return cast(Node, change(made) if isinstance(made, Literal) else made)
