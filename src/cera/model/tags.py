"""Tags: the names of classes in saved data.

    @tagged("Variable")
    @dataclass(frozen=True)
    class Variable: ...

Saved data belongs to a program by a fingerprint of its rules, which are data of many classes. Each of them has a tag,
which stays as it is when the class is renamed or moved. A class without a tag cannot be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, field
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_TAGS: dict[type, str] = {}
_MEMBER_TAGS: dict[type[Enum], Mapping[str, str]] = {}
_LATER = "cera: added later"


def tagged(tag: str) -> Callable[[type[T]], type[T]]:
    """Gives a class its tag, which never changes. It is not inherited."""

    def give(kind: type[T]) -> type[T]:
        _TAGS[kind] = tag
        return kind

    return give


def tagged_members(**tags: str) -> Callable[[type[E]], type[E]]:
    """Gives the members of an enumeration their tags, which never change."""

    def give(kind: type[E]) -> type[E]:
        if tags.keys() != kind.__members__.keys():
            raise TypeError(f"{kind.__qualname__} has the members {', '.join(kind.__members__)}, not {', '.join(tags)}")
        _MEMBER_TAGS[kind] = tags
        return kind

    return give


def tag_of(kind: type) -> str:
    """Returns the tag of a class; raises TypeError if it has none."""
    tag = _TAGS.get(kind)
    if tag is None:
        raise TypeError(f"{kind.__qualname__} is a part of what is saved, and has no tag; give it one with @tagged")
    return tag


def tag_of_member(member: Enum) -> str:
    """Returns the tag of a member of an enumeration; raises TypeError if it has none."""
    tags = _MEMBER_TAGS.get(type(member))
    if tags is None:
        raise TypeError(f"{member} is a part of what is saved, and has no tag; give it one with @tagged_members")
    return tags[member.name]


def added_later(tag: str, default: T) -> T:
    """Returns a field that a class did not have when its first instances were saved.

    While it has its default, an instance is saved as before the field existed; else its tag distinguishes it from other
    such fields.
    """
    made: T = field(default=default, metadata={_LATER: tag})
    return made


def later_tag(part: Field[Any]) -> str | None:
    """Returns the tag of a field that was added later; None for one that existed from the beginning."""
    return part.metadata.get(_LATER)
