"""What every engine gives back for a recorded stream."""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.events import DerivedEvent


@dataclass(frozen=True)
class Answer:
    """The derived events in the order of output, and how often an expression had no value."""

    derived: tuple[DerivedEvent, ...]
    undefined: int = 0
