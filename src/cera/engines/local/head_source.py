"""Heads as Python source, for those whose shape is known beforehand.

A head of terms with plain labels around variables, constants and aggregates of variables becomes lines that compute its
values and an expression that is its draft. Every other head is built by `construction`, which also defines the right
result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cera.algebra.layouts import Layout, Row
from cera.codegen.functions import tuple_of
from cera.engines.local.construction import LONG_STRING, Fitting, fits
from cera.engines.local.python_source import SourceWriter
from cera.model.evaluation.aggregates import folding
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import wrap
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Aggregate, Literal, Variable
from cera.model.terms.term import Term

#: The source of the value of a variable.
Cell = Callable[[str], str]


def compile_flat_head(
    construct: Construct, layout: Layout, evaluator: Evaluator, fitting: Fitting = fits
) -> Callable[[Sequence[Row]], tuple[Any, ...] | None] | None:
    """Returns a function that makes the draft of a group, in a tuple as builders do; None if the head is not simple."""
    writer = SourceWriter()
    source = flat_head(
        construct,
        lambda name: f"row[{layout.data(name)}]",
        lambda name: f"other[{layout.data(name)}]",
        writer,
        fitting=fitting,
    )
    if source is None:
        return None
    undefined = [f"if {source.undefined}:", f"    {writer.name(evaluator)}.undefined += 1", "    return None"]
    body = ["row, others = group[0], group", *source.lines, *undefined, f"return ({source.draft},)"]
    build: Callable[[Sequence[Row]], tuple[Any, ...] | None] = writer.function("build", "group", body)
    return build


@dataclass(frozen=True)
class HeadSource:
    """Lines that compute the values of a head from its variables and from `others`, the collected rows; the names of
    these values; when the head is undefined; the draft as an expression of the values, and its leaves by themselves."""

    lines: tuple[str, ...]
    values: tuple[str, ...]
    undefined: str
    draft: str
    leaves: tuple[str, ...]


def flat_head(
    construct: Construct,
    cell: Cell,
    collected: Cell,
    writer: SourceWriter,
    *,
    ordinary: bool = False,
    fitting: Fitting = fits,
) -> HeadSource | None:
    """Returns the source of a simple head; None for another. `cell` says where the value of a variable is in a row,
    `collected` in an `other`. With `ordinary`, the numbers that are summed up are known to be ordinary, and there are
    some.
    """
    parts = _HeadParts(cell, collected, writer, ordinary)
    draft = parts.term(construct) if isinstance(construct, ConstructTerm) else None
    if draft is None:
        return None
    term = writer.name(Term)
    undefined = [f"{name} is None" for name in parts.values if name not in parts.defined]
    large = [
        f"{name}.__class__ is {term} or {name}.__class__ is str and len({name}) > {LONG_STRING}" for name in parts.large
    ]
    if large:
        undefined.append(f"({' or '.join(large)}) and not {writer.name(fitting)}({draft})")
    doubts = " or ".join(undefined) or "False"
    return HeadSource(tuple(parts.lines), tuple(parts.values), doubts, draft, tuple(parts.leaves))


def is_written(construct: Construct) -> bool:
    """Returns whether a head is a simple one."""
    return flat_head(construct, str, str, SourceWriter()) is not None


def summed_variables(construct: Construct) -> set[str]:
    """Returns the variables of which a simple head has the sum or the average."""
    match construct:
        case ConstructTerm():
            return {name for child in construct.children for name in summed_variables(child)}
        case ConstructValue(expression=Aggregate(operand=Variable(name=name)) as aggregate) if _sums(aggregate):
            return {name}
        case _:
            return set()


def _sums(aggregate: Aggregate) -> bool:
    return aggregate.function in ("sum", "avg") and not aggregate.distinct


class _HeadParts:
    def __init__(self, cell: Cell, collected: Cell, writer: SourceWriter, ordinary: bool) -> None:
        self.cell = cell
        self.collected = collected
        self.writer = writer
        self.ordinary = ordinary
        self.lines: list[str] = []
        #: The names of the values in the order in which they are asked for.
        self.values: list[str] = []
        #: Those that are never undefined, and those that may be terms or strings.
        self.defined: set[str] = set()
        self.large: list[str] = []
        #: The sources of all leaves, in their order in the draft.
        self.leaves: list[str] = []

    def term(self, construct: ConstructTerm) -> str | None:
        children = list(construct.children)
        if not construct.ordered and len(children) > 1:
            labels = [child.label for child in children if isinstance(child, ConstructTerm)]
            if not len(labels) == len(children) == len(set(labels)):
                return None
            children.sort(key=lambda child: child.label if isinstance(child, ConstructTerm) else "")
        sources: list[str] = []
        for child in children:
            source = self._child(child)
            if source is None:
                return None
            sources.append(source)
            if not isinstance(child, ConstructTerm):
                self.leaves.append(source)
        return f"({construct.label!r}, {construct.ordered!r}, {tuple_of(sources)})"

    def _child(self, construct: Construct) -> str | None:
        match construct:
            case ConstructTerm():
                return self.term(construct)
            case ConstructValue(expression=Variable(name=name)):
                return self._value(self.cell(name), large=True)
            case ConstructValue(expression=Literal(value=value)):
                return self.writer.name(wrap(value))
            case ConstructValue(expression=Aggregate(operand=Variable(name=name)) as aggregate):
                if self.ordinary and _sums(aggregate):
                    return self._sum(name, average=aggregate.function == "avg")
                fold = self.writer.name(folding(aggregate.function, distinct=aggregate.distinct))
                cells = f"[c for other in others if (c := {self.collected(name)}) is not None]"
                return self._value(f"{fold}({cells})", large=aggregate.function not in ("count", "sum", "avg"))
            case _:
                return None

    def _value(self, source: str, *, large: bool) -> str:
        name = self.writer.fresh("value")
        self.values.append(name)
        self.lines.append(f"{name} = {source}")
        if large:
            self.large.append(name)
        return name

    def _sum(self, variable: str, *, average: bool) -> str:
        """Returns the sum from left to right of ordinary numbers; `aggregates.folding` says why this is the defined
        value.
        """
        name = self._value("0", large=False)
        self.defined.add(name)
        self.lines.append(f"for other in others: {name} += {self.collected(variable)}")
        if average:
            self.lines.append(f"{name} /= len(others)")
        self.lines.append(f"if {name}.__class__ is float and {name}.is_integer(): {name} = int({name})")
        return name
