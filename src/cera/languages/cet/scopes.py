"""The components that conditions and heads of a type can speak of, and what is known of their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cera.languages.cet.syntax import Complex, Definition, EventDeclaration, Operand, Program, Timer
from cera.languages.text.nodes import Field, Identifier, Partition

#: What every instance has, besides its attributes.
TIME = "evtime"
SINCE = "since"


@dataclass(frozen=True)
class Attributes:
    """The attributes of a type that are known to be all, and where it is said."""

    names: tuple[str, ...]
    #: `event` if it is declared, `type` if it is defined with fields, `timer`.
    kind: str
    of: str
    identifier: Identifier | None
    #: Whether they have old and new values.
    change: bool = False


@dataclass(frozen=True)
class Scope:
    """The components of one type by name. Several of a name are only a mistake where one is meant."""

    type: Complex
    components: Mapping[str, tuple[Operand, ...]]

    def inner(self, operand: Operand) -> bool:
        """Whether it is one of those that must not occur."""
        return any(operand is each for each in self.type.forbidden)


def scope_of(type_: Complex) -> Scope:
    components: dict[str, tuple[Operand, ...]] = {}
    for operand in type_.operands:
        if operand.name is not None:
            components[operand.name] = (*components.get(operand.name, ()), operand)
    return Scope(type_, components)


def holders(type_: Complex, name: str) -> Iterator[Operand]:
    """The components with a type written in their place in which another one is called that."""
    for operand in type_.operands:
        match operand.type:
            case Complex() as inside if any(inner.name == name for inner in inside.operands):
                yield operand
            case Complex() as inside if any(holders(inside, name)):
                yield operand
            case _:
                pass


class Known:
    """What is known of the attributes of types, by name."""

    def __init__(self, program: Program) -> None:
        self._items: dict[str, EventDeclaration | Definition] = {}
        for item in program.items:
            if not isinstance(item, Partition):
                self._items.setdefault(item.name.name, item)

    def attributes(self, operand: Operand) -> Attributes | None:
        """None where they are open."""
        if isinstance(operand.type, Complex):
            return _of_fields(operand.fields, operand.name or "", operand.alias)
        name = operand.type.name
        match self._items.get(name):
            case EventDeclaration() as event if event.attributes:
                change = event.type.kind is not None
                return Attributes(event.attributes, "event", name, event.name, change)
            case Definition(type=Timer(), name=identifier):
                return Attributes((SINCE,), "timer", name, identifier)
            case Definition(head=head, name=identifier) if head is not None:
                return _of_fields(head.fields, name, identifier)
            case _:
                return None


def _of_fields(fields: tuple[Field, ...] | None, name: str, identifier: Identifier | None) -> Attributes | None:
    return None if fields is None else Attributes(tuple(each.name for each in fields), "type", name, identifier)
