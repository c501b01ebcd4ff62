"""cumulative: all instances that there are."""

from __future__ import annotations

from cera.instances.selections.selection import Gathering


class Cumulative(Gathering):
    def __init__(self) -> None:
        super().__init__(anywhere=True)
