"""The declarations of a program about the events that come from outside: their labels, attributes and kinds of
values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from cera.diagnostics import Span
from cera.model.time.durations import Duration

#: The kinds of values that can be declared.
DeclaredKind = Literal["string", "number", "boolean"]


@dataclass(frozen=True)
class Attribute:
    """`temp`, `temp: number` or `position{ x, y }`: a child, its kind if declared, its own children if declared."""

    name: str
    kind: str | None = None
    children: tuple[Attribute, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class SourceLabel:
    """`reading` or `reading{ fridge, temp }`: a label, and the attributes such events can have, if declared."""

    label: str
    attributes: tuple[Attribute, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelationDeclaration:
    """`RELATION ventilation{ area, direction } FROM "ventilation.csv" REFRESH 1 hour VALID FROM since BY area`.

    A relation is a set of rows, which are read when a run starts. `source` is a path, relative to the program's file,
    or a URL; None if who runs the program gives it. `refresh` is how often a stream reads it again. With `valid_from`
    a row is valid from the time in that attribute until that of the next row with the same values of `versions_of`;
    without these, until any later one.
    """

    name: str
    attributes: tuple[Attribute, ...] | None = None
    source: str | None = None
    refresh: Duration | None = None
    valid_from: str | None = None
    versions_of: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def folder(self) -> Path | None:
        """The folder of the program's file; None if the program is a text."""
        file = "" if self.span is None else self.span.source.name
        return None if file.startswith("<") else Path(file).parent

    def has_the_rows_of(self, other: RelationDeclaration) -> bool:
        """Returns whether two declarations name one place: the same path means other rows in another folder."""
        if self.source is None or self.source != other.source:
            return self.source == other.source
        return Path(self.source).is_absolute() or _absolute(self.folder) == _absolute(other.folder)


def _absolute(folder: Path | None) -> str:
    return os.path.abspath(folder or Path())


def declared_attributes(sources: Iterable[SourceLabel]) -> Mapping[str, tuple[Attribute, ...]]:
    """Returns the declared attributes of each label that has some; its declarations are taken together."""
    found: dict[str, tuple[Attribute, ...]] = {}
    for source in sources:
        if source.attributes is not None:
            found[source.label] = _together((*found.get(source.label, ()), *source.attributes))
    return MappingProxyType(found)


def _together(attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
    """Returns the attributes, each name once; where two differ about a name, it is left open."""
    found: dict[str, Attribute] = {}
    for attribute in attributes:
        known = found.setdefault(attribute.name, attribute)
        if known != attribute:
            nested = known.children is not None and attribute.children is not None
            children = _together((*(known.children or ()), *(attribute.children or ()))) if nested else None
            kind = known.kind if known.kind == attribute.kind else None
            found[attribute.name] = replace(known, kind=kind, children=children)
    return tuple(found.values())
