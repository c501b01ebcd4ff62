"""Random syntax trees of StreamLog: everything the grammar can say, names and texts chosen to be awkward.

They need not make sense; they are what the parser can return, so that parse(print(p)) = p can be asked of them.
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cera.languages.atoms.syntax import Declaration, Origin, Relation
from cera.languages.streamlog.syntax import (
    Cardinality,
    Condition,
    Conjunction,
    Disjunction,
    EvaluationTime,
    Head,
    Literal,
    Module,
    Program,
    Query,
    Residue,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between, Now, Sliding, Unbounded, Window
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Negative,
    Not,
    Or,
    Temporal,
    Variable,
    Within,
)
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import TIMERS
from cera.rules.declarations import Attribute
from languages.xchangeeq.random_syntax import durations, few, flags, scalars, texts

words = (
    "a",
    "bid",
    "high-temp",
    "x1",
    "event",
    "state",
    "while",
    "now",
    "unbounded",
    "exists",
    "before",
    "until",
    "from",
)
names = st.sampled_from(("i", "j", "high-bid", "w", "b", "e", "count", "from", "relation"))
identifiers = st.builds(Identifier, names)
labels = st.sampled_from((*words, "I0", "_x", "itemOffer.I0", "Range", "min", "length", "b", "distinct", "007")) | texts
variables = st.builds(Variable, st.sampled_from(["A", "I", "V1", "_", "_v", "Range", "Slide"]))
literals = st.builds(expressions.Literal, scalars | st.sampled_from((*words, "007", "00", "0", "red", "Red", "not")))
kinds = st.sampled_from([None, "event", "state"])
events = st.builds(EventReference, names)
T = TypeVar("T")


def short(strategy: SearchStrategy[T]) -> SearchStrategy[T]:
    """Returns the same strategy, whose description is not written out wherever it is used."""
    return st.deferred(lambda: strategy)


def _larger(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    return (
        st.builds(Negative, inner)
        | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "mod"]), inner, inner)
        | st.builds(Call, st.sampled_from(["f", "string-length", "concat"]), few(inner))
        | st.builds(lambda name, i: Call(name, (i,)), st.sampled_from(["begin", "end", "length"]), events)
        | st.builds(lambda i, j: Call("timeDiff", (i, j)), events, events)
        | st.builds(lambda kind, i, d: Call(kind, (i, d)), st.sampled_from(sorted(TIMERS)), events, inner)
    )


values: SearchStrategy[Expression] = st.recursive(
    literals
    | variables
    | st.builds(DurationLiteral, durations)
    | st.builds(lambda *each: DateTime(each), texts)
    | st.just(EventReference("now")),
    _larger,
    max_leaves=4,
)
values = short(values)
intervals = events | st.builds(lambda i: Call("begin", (i,)), events) | variables


def _negations(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    return st.builds(And, few(inner, 2)) | st.builds(Or, few(inner, 2)) | st.builds(Not, inner)


plain_conditions: SearchStrategy[Condition] = (
    st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), values, values)
    | st.builds(Temporal, st.sampled_from(sorted(RELATIONS)), intervals, intervals)
    | st.builds(Within, few(intervals, 1), values)
)
conditions: SearchStrategy[Condition] = plain_conditions | st.builds(
    Not, st.recursive(plain_conditions, _negations, max_leaves=3)
)


conditions = short(conditions)


def _atoms(inner: SearchStrategy[Atom]) -> SearchStrategy[Atom]:
    return st.builds(Atom, labels, few(inner | variables | literals))


atoms: SearchStrategy[Atom] = st.recursive(st.builds(Atom, labels), _atoms, max_leaves=4)
atoms = short(atoms)

aggregates: SearchStrategy[Expression] = st.builds(Aggregate, st.sampled_from(AGGREGATES), values, flags) | st.builds(
    Call, st.sampled_from(AGGREGATES), few(values).filter(lambda several: len(several) != 1)
)
#: What stands directly in a head: not a call, which would be an attribute.
positional = values.filter(lambda each: not isinstance(each, Call))
#: A call of a function that does not exist would be an atom.
head_values = aggregates | values.filter(lambda each: not (isinstance(each, Call) and each.function == "f"))


def _head_arguments(inner: SearchStrategy[Atom]) -> SearchStrategy[Atom]:
    return st.builds(Atom, labels, few(inner | head_values))


nested_heads: SearchStrategy[Atom] = st.recursive(st.builds(Atom, labels), _head_arguments, max_leaves=3)
distincts = st.builds(Aggregate, st.sampled_from(AGGREGATES), values, st.just(True))
head_atoms = st.builds(Atom, labels, few(nested_heads | positional | distincts))
head_atoms = short(head_atoms)

windows: SearchStrategy[Window] = (
    st.just(Unbounded())
    | st.just(Now())
    | st.builds(Sliding, durations, st.none() | durations)
    | st.builds(Between, values, values)
)
plain_literals = st.builds(Literal, atoms, kinds, st.none() | identifiers)
timers = st.builds(Timer, st.sampled_from(sorted(TIMERS)), identifiers | plain_literals, durations)
timer_literals = st.builds(TimerLiteral, timers, kinds, st.none() | identifiers)
times: SearchStrategy[EvaluationTime] = (
    identifiers | plain_literals | timer_literals | st.builds(WindowLiteral, windows, st.none() | identifiers)
)
times = short(times)
body_literals = st.builds(Literal, atoms, kinds, st.none() | identifiers, flags, st.none() | times)
leaves: SearchStrategy[Query] = (
    body_literals | timer_literals | st.builds(WindowLiteral, windows, identifiers) | conditions
)
leaves = short(leaves)


def _queries(inner: SearchStrategy[Query]) -> SearchStrategy[Query]:
    return st.builds(Conjunction, few(inner, 2)) | st.builds(Disjunction, few(inner, 2))


cardinalities = st.builds(
    Cardinality,
    st.sampled_from(["=", "<", "<=", ">", ">=", "!="]),
    st.integers(0, 10**6),
    identifiers | body_literals,
    st.none() | few(st.sampled_from(["A", "I"])),
)
residues = st.builds(Residue, st.recursive(leaves | cardinalities, _queries, max_leaves=3))
queries: SearchStrategy[Query] = st.recursive(leaves | residues, _queries, max_leaves=5)
queries = short(queries)


@st.composite
def heads(draw: st.DrawFn) -> Head:
    kind = draw(kinds)
    identifier = draw(identifiers) if kind is not None and draw(flags) else None
    own_time = () if identifier is None else draw(few(conditions))
    return Head(draw(head_atoms), kind, identifier, own_time, draw(st.none() | plain_literals))


rules = st.builds(Rule, heads(), queries)
attributes = st.builds(Attribute, labels, st.sampled_from([None, "string", "number", "boolean"]))
declarations: SearchStrategy[Declaration] = st.builds(Origin, texts) | st.builds(
    Relation, labels, st.none() | few(attributes), st.none() | texts, st.none() | durations, st.none() | labels
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    modules = [Module(draw(times), draw(few(rules, 1, 2))) for _ in range(draw(st.integers(0, 2)))]
    if draw(flags):
        modules.insert(0, Module(None, draw(few(rules, 1, 2))))
    return Program(draw(few(declarations)), tuple(modules))
