"""Attributes of events: the children that programs ask for, and those that events turn out to have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cera.diagnostics import Span
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term

#: The labels from a child of an event downwards: `("position", "x")`.
Path = tuple[str, ...]

#: At most this many different shapes and paths are remembered for the events of one label.
_MOST = 1_000


@dataclass(frozen=True)
class AskedAttribute:
    """An attribute of the events with a label that a program asks for.

    `needed`: no match without it; not so under `optional`, `without`, `not` or in one branch of `or`. `any_case`: it is
    found whatever the case of its letters.
    """

    label: str
    path: Path
    needed: bool = True
    any_case: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True)
class AskedValue:
    """A value of an attribute of the events with a label without which something that a program asks for is not there.

    `text` is the value as it is written without quotes: `urgent`, `7`, `true`.
    """

    label: str
    name: str
    text: str


def value_text(value: object) -> str | None:
    """Returns a string, an integer or a truth value as it is compared here; None for others, which are not."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


class ObservedAttributes:
    """The attributes, and some of their values, seen in events of the labels that are asked for; events are looked at
    only while something is missing.

    While no value is missing, an event whose children have the same labels as those of an earlier one is skipped.
    """

    def __init__(self, asked: Iterable[AskedAttribute], values: Iterable[AskedValue] = ()) -> None:
        self._missing: dict[str, set[Path]] = {}
        self._values: dict[str, set[AskedValue]] = {}
        for value in values:
            self._missing.setdefault(value.label, set())
            self._values.setdefault(value.label, set()).add(value)
        for each in asked:
            self._missing.setdefault(each.label, set()).add(each.path)
        self._depth = {label: max(map(len, paths), default=1) for label, paths in self._missing.items()}
        self._shapes: dict[str, set[Any]] = {label: set() for label in self._missing}
        self._seen: dict[str, set[Path]] = {label: set() for label in self._missing}

    def look(self, event: Occurrence | Event) -> None:
        """Takes the attributes of an event into account."""
        label = event.label
        if label not in self._missing:
            return
        content = None if isinstance(event, Event) else event.content
        if content is not None and label in self._values:
            known = {each for each in self._values[label] if value_text(content.get(each.name)) == each.text}
            if known:
                self.see_values(known)
        shape = tuple(content) if content is not None else None
        shapes = self._shapes[label]
        if shape is not None and shape in shapes:
            return
        if shape is not None and len(shapes) < _MOST:
            shapes.add(shape)
        if content is not None:
            self.see(label, ((name,) for name in content))
        elif not isinstance(event, Event) and event.nested is not None and label not in self._values:
            self.see(label, _nested(event.nested))
        else:
            self.look_at_term(event.term)

    def look_at_term(self, term: Term) -> None:
        """Takes the attributes of an event with this term into account."""
        if term.label in self._missing:
            self.see(term.label, _paths(term, self._depth[term.label]))
            inside = {(child.label, value_text(each)) for child in _terms_of(term) for each in child.children}
            self.see_values({each for each in self._values.get(term.label, ()) if (each.name, each.text) in inside})

    def see(self, label: str, paths: Iterable[Path]) -> None:
        """Takes into account that some event with the label has these attributes."""
        missing = self._missing.get(label)
        if missing is None:
            return
        seen = self._seen[label]
        for path in paths:
            missing.discard(path)
            if len(seen) < _MOST:
                seen.add(path)
        if not missing and label not in self._values:
            del self._missing[label]

    def see_values(self, values: Iterable[AskedValue]) -> None:
        """Takes into account that events have these values."""
        for value in values:
            missing = self._values.get(value.label, set())
            missing.discard(value)
            if not missing:
                self._values.pop(value.label, None)
                self.see(value.label, ())

    @property
    def missing_values(self) -> frozenset[AskedValue]:
        """The values that were asked for and not seen yet."""
        return frozenset(each for several in self._values.values() for each in several)

    @property
    def missing(self) -> Mapping[str, set[Path]]:
        """The attributes that were asked for and not seen yet, by label."""
        return self._missing

    def seen(self, label: str, parent: Path = ()) -> frozenset[str]:
        """Returns the attributes that were seen inside the parent in events with the label."""
        return frozenset(path[-1] for path in self._seen.get(label, ()) if path[:-1] == parent)


def _terms_of(term: Term) -> Iterator[Term]:
    return (child for child in term.children if isinstance(child, Term))


def _nested(content: Mapping[str, Any]) -> Iterator[Path]:
    for name, value in content.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, inner) for inner in value)


def _paths(term: Term, depth: int, parent: Path = ()) -> Iterator[Path]:
    for child in term.children:
        if isinstance(child, Term):
            path = (*parent, child.label)
            yield path
            if len(path) < depth:
                yield from _paths(child, depth, path)
