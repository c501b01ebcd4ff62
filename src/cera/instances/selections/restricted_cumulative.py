"""restricted cumulative: all instances that the event condition allows."""

from __future__ import annotations

from cera.instances.selections.selection import Gathering


class RestrictedCumulative(Gathering):
    def __init__(self) -> None:
        super().__init__(anywhere=False)
