"""The syntax tree of Snoop: definitions as they were written, up to layout and synonyms.

Operators are binary where Snoop's are: `E1 ; E2 ; E3` is (E1 ; E2) ; E3. Every node keeps its span, which is left out
of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cera.diagnostics import Span
from cera.languages.cet.syntax import EventDeclaration, Head
from cera.languages.text.nodes import Identifier, Partition
from cera.model.expressions.expression import Expression
from cera.model.time.durations import Duration

#: Snoop's parameter contexts and the unrestricted one, and the fixed policies of SAMOS, Ode and ADL.
Context = Literal[
    "unrestricted", "recent", "chronicle", "continuous", "cumulative", "samos", "ode", "ode unrestricted", "adl"
]
CONTEXTS: tuple[Context, ...] = (
    "unrestricted",
    "recent",
    "chronicle",
    "continuous",
    "cumulative",
    "samos",
    "ode",
    "ode unrestricted",
    "adl",
)
#: That of an outermost operator without one: every combination is detected, which is what the operators mean by
#: themselves, and what EPL does.
DEFAULT: Context = "unrestricted"

Kind = Literal["and", "or", ";", "not", "any", "A", "A*", "P", "P*"]
Mark = Literal["*", "last", "times"]

#: The operators that are written otherwise than they are called here.
SIGNS: dict[Kind, str] = {"not": "NOT", "any": "ANY"}


@dataclass(frozen=True)
class TypeName:
    """A type by its name: one that is defined, one that is declared, or a label of the stream."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Operation:
    """An operator over operands in the order of its event type's text: `NOT(E2)[E1, E3]` has E1, E2, E3.

    `context` is None where it is that of the operator around it. `required` is the m of ANY, `every` the period of P,
    and `ticks` what conditions call the ends of these periods. `where` are conjuncts.
    """

    kind: Kind
    operands: tuple[Operand, ...]
    context: Context | None = None
    required: int | None = None
    every: Duration | None = None
    ticks: Identifier | None = None
    where: tuple[Expression, ...] = ()
    within: Duration | None = None
    limit_span: Span | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)


Event = TypeName | Operation


@dataclass(frozen=True)
class Operand:
    """`E1`, or `a: E1`, which conditions call `a`; in SAMOS `*E1`, `last E1`, `TIMES([>0], E1)`."""

    event: Event
    name: Identifier | None = None
    mark: Mark | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Definition:
    """`E4 := recent E1 ; E3 as label(…)`."""

    name: Identifier
    event: Event
    head: Head | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


Item = Definition | EventDeclaration | Partition


@dataclass(frozen=True)
class Program:
    """The items of a file in their order."""

    items: tuple[Item, ...]

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return tuple(item for item in self.items if isinstance(item, Definition))


def levels(event: Event) -> int:
    """Returns how deep operators are nested; without recursion, for there may be many."""
    deepest = 0
    pending = [(event, 1)]
    while pending:
        inner, level = pending.pop()
        if isinstance(inner, Operation):
            deepest = max(deepest, level)
            pending += [(operand.event, level + 1) for operand in inner.operands]
    return deepest
