"""Random Snoop programs, for reading what was printed and for comparing translations."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from cera.languages.cet.syntax import EventDeclaration, Head
from cera.languages.snoop.syntax import CONTEXTS, Definition, Event, Item, Kind, Operand, Operation, Program, TypeName
from cera.languages.text.nodes import EventType, Field, Identifier, Partition
from cera.model.expressions.expression import Comparison, Expression, Literal, Or, Variable
from cera.model.time.durations import Duration

NAMES = ("E1", "E2", "E3", "A", "P", "odd-name", "last", "event")
KINDS: tuple[Kind, ...] = get_args(Kind)

_durations = st.integers(1, 10_000).map(lambda seconds: Duration(0, seconds * 1_000_000))
_named = st.sampled_from(NAMES).map(TypeName)


def _conditions(names: list[str]) -> st.SearchStrategy[tuple[Expression, ...]]:
    attribute = st.sampled_from(names).map(lambda name: Variable(f"{name}.v"))
    value = st.one_of(attribute, st.just(Literal(3)))
    compared = st.builds(Comparison, st.sampled_from(("=", "<", "!=")), attribute, value)
    either = st.lists(compared, min_size=2, max_size=2).map(lambda parts: Or(tuple(parts)))
    return st.lists(st.one_of(compared, either), max_size=2).map(tuple)


@st.composite
def operations(draw: st.DrawFn, depth: int = 2, *, right: bool = False) -> Operation:
    """With `right`, one that the checks let pass, unless a condition is not clear."""
    kind = draw(st.sampled_from(KINDS))
    number = {"not": 3, "A": 3, "A*": 3}.get(kind, 2)
    if kind == "any":
        number = draw(st.integers(2, 4))
    periodic = kind in ("P", "P*")
    inside = 0 if right and periodic else depth
    return Operation(
        kind,
        tuple(draw(_operands(inside, right=right)) for _ in range(number)),
        draw(st.one_of(st.none(), st.sampled_from(CONTEXTS[:4] if right else CONTEXTS))),
        required=draw(st.integers(1, number)) if kind == "any" else None,
        every=draw(_durations) if periodic else None,
        ticks=draw(st.sampled_from((None, Identifier("ticks")))) if periodic else None,
        where=draw(_conditions(["E1", "E2", "x1"])),
        within=draw(st.one_of(st.none(), _durations)),
    )


@st.composite
def _operands(draw: st.DrawFn, depth: int, *, right: bool) -> Operand:
    inner: Event = draw(_named if depth == 0 else st.one_of(_named, operations(depth - 1, right=right)))
    name = draw(st.sampled_from((None, None, Identifier("x1"), Identifier("x2"))))
    mark = None if right else draw(st.sampled_from((None, None, "*", "last", "times")))
    return Operand(inner, name, mark)


_heads = st.one_of(
    st.none(),
    st.just(Head("odd label", None)),
    st.just(Head("told", (Field("v", Variable("E1.v")), Field("not", Literal("x"))))),
)
_declarations: st.SearchStrategy[Item] = st.sampled_from(
    (
        Partition("sensor"),
        EventDeclaration(Identifier("Paid"), EventType("update", "ACC"), ("Accno",)),
        EventDeclaration(Identifier("Odd"), EventType(None, "odd label")),
    )
)


def programs(*, right: bool = False) -> st.SearchStrategy[Program]:
    names = st.sampled_from(("D1", "D2")).map(Identifier)
    definitions = st.builds(Definition, names, operations(right=right), _heads)
    items = st.lists(st.one_of(definitions, definitions, _declarations), max_size=4)
    return items.map(lambda each: Program(tuple(each)))
