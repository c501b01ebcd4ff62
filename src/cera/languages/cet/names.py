"""The names of types: each is defined once, and none is made of itself."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Note
from cera.languages.cet.syntax import Definition, EventDeclaration, Program, references
from cera.languages.text.nodes import Identifier, Partition


def check_names(program: Program) -> Iterator[Diagnostic]:
    """Declarations that are there twice (CE006), names of several types (CE101), types made of themselves (CE102)."""
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
    """One error for each circle, at the type that comes first in the text."""
    by_name = {definition.name.name: definition for definition in reversed(program.definitions)}
    finished: set[str] = set()
    for definition in program.definitions:
        path: dict[str, Identifier] = {}
        if circle := _circle(definition, by_name, path, finished):
            yield _recursive(circle)


def _circle(
    start: Definition, by_name: dict[str, Definition], path: dict[str, Identifier], finished: set[str]
) -> list[tuple[str, Identifier]]:
    """The types on a circle that can be reached, each with the reference in it to the next one."""
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
