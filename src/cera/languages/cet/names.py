"""Names: those of types, each defined once and none made of itself, and those of components with their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cera.diagnostics import Diagnostic, Note
from cera.languages.cet.syntax import Complex, Definition, EventDeclaration, Operand, Program, Timer, references
from cera.languages.text.nodes import Field, Identifier, Partition


def check_names(program: Program) -> Iterator[Diagnostic]:
    """Reports repeated declarations (CE006), names of several types (CE101), types made of themselves (CE102)."""
    for again in program.partitions[1:]:
        note = Note("here is the first", program.partitions[0].span)
        message = "there are two declarations of the partition"
        yield Diagnostic("CE006", "error", message, again.span, "keep one of the two", (note,))
    seen: dict[str, EventDeclaration | Definition] = {}
    for item in program.items:
        if isinstance(item, Partition):
            continue
        first = seen.setdefault(item.name.name, item)
        if first is not item:
            yield _twice(item, first)
    yield from _recursion(program)


def _twice(item: EventDeclaration | Definition, first: EventDeclaration | Definition) -> Diagnostic:
    name = item.name.name
    hint = "rename one of them"
    match item, first:
        case EventDeclaration(), EventDeclaration():
            message = f"the event `{name}` is declared twice"
        case Definition(), Definition():
            message = f"the type `{name}` is defined twice"
        case _:
            message = f"`{name}` is a declared event and a type that is defined here"
            hint = "an event occurs by itself, a type is made of others: rename one of them"
    note = Note("here is the first", first.name.span)
    return Diagnostic("CE101", "error", message, item.name.span, hint, (note,))


def _recursion(program: Program) -> Iterator[Diagnostic]:
    """Reports one error for each circle, at the type that comes first in the text."""
    by_name = {definition.name.name: definition for definition in reversed(program.definitions)}
    finished: set[str] = set()
    for definition in program.definitions:
        path: dict[str, Identifier] = {}
        if circle := _circle(definition, by_name, path, finished):
            yield _recursive(circle)


def _circle(
    start: Definition, by_name: dict[str, Definition], path: dict[str, Identifier], finished: set[str]
) -> list[tuple[str, Identifier]]:
    """Returns the types on a circle that can be reached, each with its reference to the next one."""
    pending = [(start.name.name, iter(list(references(start))))]
    if start.name.name in finished:
        return []
    while pending:
        name, rest = pending[-1]
        reference = next(rest, None)
        if reference is None:
            finished.add(name)
            pending.pop()
            continue
        path[name] = reference
        on_path = [each for each, _ in pending]
        if reference.name in on_path:
            circle = on_path[on_path.index(reference.name) :]
            finished.update(on_path)
            return [(each, path[each]) for each in circle]
        if reference.name in by_name and reference.name not in finished:
            pending.append((reference.name, iter(list(references(by_name[reference.name])))))
    return []


def _recursive(circle: list[tuple[str, Identifier]]) -> Diagnostic:
    (first, reference), *others = circle
    way = " → ".join([*(name for name, _ in circle), first])
    message = f"the type `{first}` is made of itself: {way}"
    notes = tuple(Note(f"`{name}` is made of `{each.name}` here", each.span) for name, each in others)
    hint = "a type is made of events and of types that can be detected before it"
    return Diagnostic("CE102", "error", message, reference.span, hint, notes)


#: The times that every instance has, besides its attributes.
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
    #: True if they have old and new values.
    change: bool = False


@dataclass(frozen=True)
class Scope:
    """The components of one type by name. Several of a name are only a mistake where one is meant."""

    type: Complex
    components: Mapping[str, tuple[Operand, ...]]

    def inner(self, operand: Operand) -> bool:
        """Returns whether a component must not occur."""
        return any(operand is each for each in self.type.forbidden)


def scope_of(type_: Complex) -> Scope:
    components: dict[str, tuple[Operand, ...]] = {}
    for operand in type_.operands:
        if operand.name is not None:
            components[operand.name] = (*components.get(operand.name, ()), operand)
    return Scope(type_, components)


def holders(type_: Complex, name: str) -> Iterator[Operand]:
    """Yields the components written as types in which another component has the name."""
    for operand in type_.operands:
        match operand.type:
            case Complex() as inside if any(inner.name == name for inner in inside.operands):
                yield operand
            case Complex() as inside if any(holders(inside, name)):
                yield operand
            case _:
                pass


class KnownAttributes:
    """The known attributes of types, by name."""

    def __init__(self, program: Program) -> None:
        self._items: dict[str, EventDeclaration | Definition] = {}
        for item in program.items:
            if not isinstance(item, Partition):
                self._items.setdefault(item.name.name, item)

    def attributes(self, operand: Operand) -> Attributes | None:
        """Returns the attributes of a component, None where they are open."""
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
