"""The relations of a stream, as an engine sees them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from cera.connectors.relations.versions import VersionFolder
from cera.model.events.relation_rows import RelationRows

#: Keeps the rows of a relation in a folder, and returns the number of the version that has them.
Keep = Callable[[VersionFolder, str, RelationRows], int]


class RelationVersions(Protocol):
    """Relations whose rows are in a folder, which announces the versions that count next of those read again."""

    @property
    def announcements(self) -> Path | None:
        """The folder of announcements; None if no relation is read again."""

    @property
    def unread(self) -> int:
        """How often a relation could not be read."""

    def open(self, keep: Keep) -> None:
        """Keeps what counts when the stream starts; called before it does."""

    def follow(self) -> None:
        """Reads the relations again from now on."""

    def stop(self) -> None: ...
