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


class ObservedAttributes:
    """The attributes seen in events of the labels that are asked for; events are looked at only while something is
    missing.

    An event whose children have the same labels as those of an earlier one is skipped.
    """

    def __init__(self, asked: Iterable[AskedAttribute]) -> None:
        self._missing: dict[str, set[Path]] = {}
        for each in asked:
            self._missing.setdefault(each.label, set()).add(each.path)
        self._depth = {label: max(map(len, paths)) for label, paths in self._missing.items()}
        self._shapes: dict[str, set[Any]] = {label: set() for label in self._missing}
        self._seen: dict[str, set[Path]] = {label: set() for label in self._missing}

    def look(self, event: Occurrence | Event) -> None:
        """Takes the attributes of an event into account."""
        label = event.label
        if label not in self._missing:
            return
        content = None if isinstance(event, Event) else event.content
        shape = tuple(content) if content is not None else None
        shapes = self._shapes[label]
        if shape is not None and shape in shapes:
            return
        if shape is not None and len(shapes) < _MOST:
            shapes.add(shape)
        if content is not None:
            self.see(label, ((name,) for name in content))
        elif not isinstance(event, Event) and event.nested is not None:
            self.see(label, _nested(event.nested))
        else:
            self.look_at_term(event.term)

    def look_at_term(self, term: Term) -> None:
        """Takes the attributes of an event with this term into account."""
        if term.label in self._missing:
            self.see(term.label, _paths(term, self._depth[term.label]))

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
        if not missing:
            del self._missing[label]

    @property
    def missing(self) -> Mapping[str, set[Path]]:
        """The attributes that were asked for and not seen yet, by label."""
        return self._missing

    def seen(self, label: str, parent: Path = ()) -> frozenset[str]:
        """Returns the attributes that were seen inside the parent in events with the label."""
        return frozenset(path[-1] for path in self._seen.get(label, ()) if path[:-1] == parent)


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
