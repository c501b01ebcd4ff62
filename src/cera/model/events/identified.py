"""Events whose ids were computed before they came to an operator."""

from __future__ import annotations

from typing import Any

from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term

_UNSIGNED = 2**64
_SIGN = 2**63


def halves(id_: str) -> tuple[int, int]:
    """The two halves of an id, as signed integers."""
    first, second = (int(digits, 16) for digits in (id_[:16], id_[16:]))
    return (first + _SIGN) % _UNSIGNED - _SIGN, (second + _SIGN) % _UNSIGNED - _SIGN


class Identified(Occurrence):
    """An event with the two halves of its id, as signed integers."""

    __slots__ = ("h1", "h2")

    def __init__(
        self,
        begin: int,
        end: int,
        label: str,
        content: dict[str, Any] | None,
        known: Term | None,
        qualifier: str | None,
        h1: int,
        h2: int,
        nested: dict[str, Any] | None = None,
    ) -> None:
        self.begin = begin  # all of it here: a call of the inherited one would cost as much again
        self.end = end
        self.label = label
        self.content = content
        self.nested = nested
        self.draft = self._event = None
        self.qualifier = qualifier
        self.number = -1
        self._known = known
        self.h1 = h1
        self.h2 = h2

    @property
    def id(self) -> str:
        return f"{self.h1 % _UNSIGNED:016x}{self.h2 % _UNSIGNED:016x}"

    @property
    def event(self) -> Event:
        event = Occurrence.event.fget(self)  # type: ignore[attr-defined]
        event.__dict__.setdefault("id", self.id)
        assert isinstance(event, Event)
        return event

    def __getstate__(self) -> tuple[Any, ...]:
        return (super().__getstate__(), self.h1, self.h2)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        inner, self.h1, self.h2 = state
        super().__setstate__(inner)
