"""Heads as Python source, for those whose shape is known beforehand.

A head of terms with plain labels around variables, constants and aggregates of variables becomes one function from a
group of rows to its draft. Every other head is built by `construction`, which also defines what the result must be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cera.engines.local.aggregates import folding
from cera.engines.local.occurrence import wrap
from cera.engines.local.rows import Layout, Row
from cera.model.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.evaluation import Evaluator
from cera.model.expressions import Aggregate, Literal, Variable


def compile_flat_head(
    construct: Construct, layout: Layout, evaluator: Evaluator
) -> Callable[[Sequence[Row]], tuple[Any, ...] | None] | None:
    """The draft of a group, in a tuple as builders return it; None if the head is not of the simple kind."""
    source = flat_head(construct, lambda name: f"row[{layout.data(name)}]", lambda name: f"other[{layout.data(name)}]")
    if source is None:
        return None
    lines = ["def build(group):", "    row, others = group[0], group", *source.lines, f"    return ({source.draft},)"]
    scope = {"evaluator": evaluator, **source.constants}
    exec("\n".join(lines), scope)  # source made here from a checked program
    build: Callable[[Sequence[Row]], tuple[Any, ...] | None] = scope["build"]
    return build


@dataclass(frozen=True)
class HeadSource:
    """Lines that compute the values of a head from `row` and `others`, and return None if one is undefined; then the
    draft as an expression of them."""

    lines: tuple[str, ...]
    draft: str
    constants: Mapping[str, Any]


def flat_head(construct: Construct, cell: Callable[[str], str], collected: Callable[[str], str]) -> HeadSource | None:
    """The source of a simple head. `cell` says where the value of a variable is in `row`, `collected` in an `other`."""
    writer = _Writer(cell, collected)
    draft = writer.term(construct) if isinstance(construct, ConstructTerm) else None
    if draft is None:
        return None
    lines = []
    for name, source in writer.values.items():
        lines += [f"    {name} = {source}", f"    if {name} is None:"]
        lines += ["        evaluator.undefined += 1", "        return None"]
    return HeadSource(tuple(lines), draft, writer.constants)


class _Writer:
    def __init__(self, cell: Callable[[str], str], collected: Callable[[str], str]) -> None:
        self.cell = cell
        self.collected = collected
        #: The source of each value that may be undefined, in the order in which they are asked for.
        self.values: dict[str, str] = {}
        self.constants: dict[str, Any] = {}

    def term(self, construct: ConstructTerm) -> str | None:
        children = list(construct.children)
        if not construct.ordered and len(children) > 1:
            labels = [child.label for child in children if isinstance(child, ConstructTerm)]
            if not len(labels) == len(children) == len(set(labels)):
                return None
            children.sort(key=lambda child: child.label if isinstance(child, ConstructTerm) else "")
        sources = [self._child(child) for child in children]
        if any(source is None for source in sources):
            return None
        return f"({construct.label!r}, {construct.ordered!r}, ({''.join(f'{source}, ' for source in sources)}))"

    def _child(self, construct: Construct) -> str | None:
        match construct:
            case ConstructTerm():
                return self.term(construct)
            case ConstructValue(expression=Variable(name=name)):
                return self._value(self.cell(name))
            case ConstructValue(expression=Literal(value=value)):
                return self._constant(wrap(value))
            case ConstructValue(expression=Aggregate(operand=Variable(name=name)) as aggregate):
                fold = self._constant(folding(aggregate.function, distinct=aggregate.distinct))
                cells = f"[c for other in others if (c := {self.collected(name)}) is not None]"
                return self._value(f"{fold}({cells})")
            case _:
                return None

    def _value(self, source: str) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = source
        return name

    def _constant(self, value: Any) -> str:
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name
