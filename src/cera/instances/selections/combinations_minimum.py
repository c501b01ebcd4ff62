"""combinations minimum: every set of as few instances as are needed, one after the other."""

from __future__ import annotations

from cera.instances.selections.first import First


class CombinationsMinimum(First):
    pass
