"""The versions of relations that a stream reads again, as an engine sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class RelationVersions(Protocol):
    """Relations that are read again, of which a folder announces the versions that count next."""

    @property
    def announcements(self) -> Path: ...

    @property
    def unread(self) -> int:
        """How often a relation could not be read."""

    def open(self) -> None:
        """Announces what was read when the stream was opened; called before it starts."""

    def follow(self) -> None:
        """Reads the relations again from now on."""

    def stop(self) -> None: ...
