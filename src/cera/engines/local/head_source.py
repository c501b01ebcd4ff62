"""Heads as Python source, for those whose shape is known beforehand.

A head of terms with plain labels around variables, constants and aggregates of variables becomes one function from a
group of rows to its draft. Every other head is built by `construction`, which also defines what the result must be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    writer = _Writer(layout)
    draft = writer.term(construct) if isinstance(construct, ConstructTerm) else None
    if draft is None:
        return None
    undefined = ["        evaluator.undefined += 1", "        return None"]
    lines = ["def build(group):", "    row = group[0]"]
    for name, source in writer.values.items():
        lines += [f"    {name} = {source}", f"    if {name} is None:", *undefined]
    scope = {"evaluator": evaluator, **writer.constants}
    exec("\n".join([*lines, f"    return ({draft},)"]), scope)  # source made here from a checked program
    build: Callable[[Sequence[Row]], tuple[Any, ...] | None] = scope["build"]
    return build


class _Writer:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
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
                return self._value(f"row[{self.layout.data(name)}]")
            case ConstructValue(expression=Literal(value=value)):
                return self._constant(wrap(value))
            case ConstructValue(expression=Aggregate(operand=Variable(name=name)) as aggregate):
                fold = self._constant(folding(aggregate.function, distinct=aggregate.distinct))
                cells = f"[c for r in group if (c := r[{self.layout.data(name)}]) is not None]"
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
