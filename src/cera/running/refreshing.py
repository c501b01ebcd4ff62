"""Relations with REFRESH in runs in which time goes on: sessions, and streams on Spark."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cera.connectors.relations.versions import StoredRows, VersionFolder
from cera.errors import CeraError, CeraWarning, UsageError
from cera.model.events.relation_rows import ReadRows, RelationRows
from cera.modules.layering import Layers
from cera.modules.refreshing import RefreshedRelations, Refresher, RefreshThread
from cera.running.relations import read_relations, refreshes, without_refresh
from cera.wording import in_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def session_relations(
    layers: Layers, given: Mapping[str, object], timezone: str
) -> tuple[dict[str, RelationRows], RefreshedRelations | None]:
    """Returns the rows of a session, and those among them that are read again; None if there are none."""
    wanted = refreshes(layers, given, timezone)
    rows = read_relations(layers, given, timezone)
    if not wanted:
        return rows, None
    refreshed = RefreshedRelations(rows, wanted, _warn)
    return {**rows, **refreshed.relations}, refreshed


def _warn(name: str, why: str) -> None:
    warnings.warn(in_python(not_read_again(name, why)), CeraWarning, stacklevel=6)


def not_read_again(name: str, why: str) -> str:
    """Returns the warning that a relation keeps its rows."""
    return f"{why if name in why else f'the relation {name}: {why}'}; its rows stay as they were"


class StreamVersions:
    """The relations of a stream that are read again, their versions in a folder, and the thread that reads them.

    They are read when the stream starts, and a version of an earlier run counts on where that fails. `failed` takes the
    name of a relation that could not be read, and why.
    """

    def __init__(
        self,
        layers: Layers,
        given: Mapping[str, object],
        timezone: str,
        folder: Path,
        failed: Callable[[str, str], object],
        *,
        is_needed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._folder = VersionFolder(folder)
        self._is_needed = is_needed
        self._refresher = Refresher(refreshes(layers, given, timezone), self._take, failed)
        self._thread: RefreshThread | None = None
        self._read: dict[str, RelationRows] = {}
        self.relations: dict[str, StoredRows] = {}
        for refresh in self._refresher.refreshes:
            newest = self._folder.newest(refresh.name)
            try:
                self._read[refresh.name] = ReadRows(refresh.read().rows)
            except CeraError as error:
                if newest is None:
                    raise
                self._refresher.fail(refresh.name, error.message)
            self.relations[refresh.name] = StoredRows(folder.resolve(), refresh.name, newest or 1)

    @property
    def announcements(self) -> Path:
        """The folder of files that say which versions count next."""
        return self._folder.announcements

    @property
    def unread(self) -> int:
        """How often a relation could not be read."""
        return self._refresher.unread

    def open(self) -> None:
        """Keeps what was read when the stream started, and announces it: parts without memory do not know it."""
        for name, rows in self._read.items():
            self.relations[name].begin_with(self._folder.keep(name, rows))
        self._read.clear()
        self._folder.announce({name: rows.first for name, rows in self.relations.items()})

    def follow(self) -> None:
        """Reads relations again from now on."""
        self._thread = RefreshThread(self._poll)
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.stop()

    def _poll(self) -> None:
        if self._refresher.is_due() and self._is_needed():
            self._folder.drop_replaced()
            self._refresher.poll()

    def _take(self, name: str, rows: RelationRows) -> None:
        before = self._folder.newest(name)
        number = self._folder.keep(name, rows)
        if number != before:
            self._folder.announce({name: number})


def stream_versions(
    layers: Layers,
    given: Mapping[str, object],
    timezone: str,
    folder: Path,
    failed: Callable[[str, str], object],
    *,
    is_needed: Callable[[], bool] = lambda: True,
) -> tuple[dict[str, RelationRows], StreamVersions | None]:
    """Returns the rows of a stream, and the versions of those with REFRESH; None if none has."""
    plain = read_relations(layers, given, timezone, only=without_refresh(layers))
    if not refreshes(layers, given, timezone):
        return plain, None
    versions = StreamVersions(layers, given, timezone, folder, failed, is_needed=is_needed)
    return {**plain, **versions.relations}, versions


def detected_versions(
    layers: Layers, given: Mapping[str, object], timezone: str, folder: str | Path | None, events: DataFrame
) -> tuple[dict[str, RelationRows], StreamVersions | None]:
    """Returns the same for a query that someone else starts: relations are read again while a query of Spark is active.

    Raises UsageError if there is no folder for the versions.
    """
    wanted = refreshes(layers, given, timezone)
    if wanted and folder is None:
        raise UsageError(
            f"the relation {wanted[0].name} is read again, and what was read has to be kept: give `versions`, a folder "
            "beside the checkpoint of the query"
        )
    spark = events.sparkSession

    def is_running() -> bool:
        """Returns whether a query is running; one that was stopped may be started again."""
        return spark.sparkContext._jsc is not None and bool(spark.streams.active)

    path = Path("" if folder is None else folder)
    rows, versions = stream_versions(layers, given, timezone, path, _log, is_needed=is_running)
    if versions is not None:
        versions.open()
        versions.follow()
    return rows, versions


def _log(name: str, why: str) -> None:
    logging.getLogger("cera").warning("%s", in_python(not_read_again(name, why)))
