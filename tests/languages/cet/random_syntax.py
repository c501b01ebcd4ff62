"""Random syntax trees of complex event types: everything the grammar can say, names and texts chosen to be awkward.

They need not make sense; they are what the parser can return, so that parse(print(p)) = p can be asked of them.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cera.instances.types import ConsumptionName, Delimiter, SelectionName
from cera.languages.cet.modes import CONSUMPTIONS, SELECTIONS
from cera.languages.cet.syntax import Complex, Definition, EventDeclaration, Head, Item, Operand, Program, Timer
from cera.languages.text.nodes import EventType, Field, Identifier, Partition
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Variable,
)
from languages.xchangeeq.random_syntax import durations, few, flags, labels, scalars

words = (
    "E1",
    "a",
    "high-temp",
    "_x",
    "and",
    "or",
    "not",
    "last",
    "first",
    "event",
    "partition",
    "every",
    "as",
    "where",
)
identifiers = st.builds(Identifier, st.sampled_from((*words, "within", "until", "of", "end", "true", "insert", "by")))
starts = st.builds(Identifier, st.sampled_from(words))
owners = st.sampled_from(("E1", "a", "high-temp", "_x", "not", "last", "where", "true"))
attributes = st.sampled_from(("k", "old_v", "odd name", "E1.v", "", 'quo"te', "ünï", "and", "true"))
variables = st.builds(lambda owner, attribute: Variable(f"{owner}.{attribute}"), owners, attributes)


def _larger(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    return (
        st.builds(Negative, inner)
        | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "mod"]), inner, inner)
        | st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner)
        | st.builds(Call, st.sampled_from(["f", "string-length", "concat"]), few(inner))
        | st.builds(Aggregate, st.sampled_from(AGGREGATES), inner)
        | st.builds(Not, inner)
        | st.builds(And, few(inner, 2))
        | st.builds(Or, few(inner, 2))
    )


expressions: SearchStrategy[Expression] = st.recursive(
    st.builds(Literal, scalars)
    | st.builds(DurationLiteral, durations)
    | variables
    | st.builds(EventReference, st.sampled_from(["E1", "high-temp", "last", "as"])),
    _larger,
    max_leaves=5,
)
conjuncts = few(expressions.filter(lambda each: not isinstance(each, And)))
fields = few(st.builds(Field, labels, expressions))

delimiters = st.builds(Delimiter, st.integers(0, 3), st.none() | st.integers(0, 4))
selections: SearchStrategy[SelectionName] = st.sampled_from(SELECTIONS)
consumptions: SearchStrategy[ConsumptionName] = st.sampled_from(CONSUMPTIONS)


@st.composite
def operands(draw: st.DrawFn, types: SearchStrategy[Identifier | Complex]) -> Operand:
    type_ = draw(types)
    alias = draw(st.none() | identifiers)
    has_fields = isinstance(type_, Complex) and alias is not None
    return Operand(
        type_,
        draw(selections),
        draw(consumptions),
        draw(consumptions),
        draw(st.none() | delimiters),
        alias,
        draw(st.none() | fields) if has_fields else None,
    )


@st.composite
def complexes(draw: st.DrawFn, types: SearchStrategy[Identifier | Complex]) -> Complex:
    operator = draw(st.sampled_from(["==", ";", "and", "or", "not", "of"]))
    return Complex(
        operator,  # type: ignore[arg-type]
        draw(few(operands(types), 1)),
        draw(flags),
        draw(flags),
        draw(flags),
        draw(st.sampled_from(["begin", "end"])),  # type: ignore[arg-type]
        draw(st.integers(0, 12)) if operator == "of" else None,
        draw(conjuncts),
        draw(st.none() | durations),
    )


types: SearchStrategy[Identifier | Complex] = st.recursive(identifiers, complexes, max_leaves=4)
timers = st.builds(Timer, durations, starts, flags, st.none() | identifiers, flags)
heads = st.builds(Head, labels, st.none() | fields)
events = st.builds(
    EventDeclaration,
    identifiers,
    st.builds(EventType, st.sampled_from([None, "insert", "delete", "update"]), labels),
    few(labels),
)
items: SearchStrategy[Item] = (
    st.builds(Definition, identifiers, complexes(types), st.none() | heads)
    | st.builds(Definition, identifiers, timers)
    | events
    | st.builds(Partition, labels)
)
programs: SearchStrategy[Program] = st.builds(Program, few(items, 0, 4))
