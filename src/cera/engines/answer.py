"""What every engine gives back for a recorded stream."""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.events import DerivedEvent


@dataclass(frozen=True)
class Answer:
    """The derived events in the order of output, and how often an expression had no value.

    `left_out` are the events that lacked the attribute by which a module is partitioned.
    """

    derived: tuple[DerivedEvent, ...]
    undefined: int = 0
    left_out: int = 0
