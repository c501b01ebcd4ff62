"""Relations in runs in which time goes on: sessions, and streams on Spark. Those with REFRESH are read again."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cera.connectors.relations.versions import KeptRows, StoredRows, VersionFolder
from cera.errors import CeraError, CeraWarning, UsageError
from cera.model.events.relation_rows import RelationRows
from cera.modules.layering import Layers
from cera.modules.refreshing import RefreshedRelations, Refresher, RefreshThread
from cera.running.relations import read_relations, refreshes, used_relations, without_refresh
from cera.running.streams.versions import Keep
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


class StreamRelations:
    """The relations of a stream, of which a folder has what was read: its workers read the rows from there.

    They are read when the stream starts. Those with REFRESH are read again, by a thread; a version of an earlier run
    counts on where they cannot be read at the start. `failed` takes the name of such a relation, and why. Large files
    and tables, and DataFrames, are read by the engine when it opens the stream.
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
        self._folder = VersionFolder(folder.resolve())
        self._is_needed = is_needed
        self._failed = failed
        self._refresher = Refresher(refreshes(layers, given, timezone, in_place=True), self._take, self._fail)
        self._thread: RefreshThread | None = None
        self._keep: Keep = _keep_here
        plain = read_relations(layers, given, timezone, only=without_refresh(layers), in_place=True)
        self._read: dict[str, RelationRows] = dict(plain)
        self._kept = {name: KeptRows(self._folder.path, name, 1, rows) for name, rows in plain.items()}
        self._stored: dict[str, StoredRows] = {}
        for refresh in self._refresher.refreshes:
            newest = self._folder.newest(refresh.name)
            with self._unless_known(refresh.name, newest):
                self._read[refresh.name] = refresh.read()
            self._stored[refresh.name] = StoredRows(self._folder.path, refresh.name, newest or 1)

    @property
    def rows(self) -> dict[str, RelationRows]:
        """The rows by the names of relations."""
        return {**self._kept, **self._stored}

    @property
    def announcements(self) -> Path | None:
        """The folder of files that say which versions count next; None if no relation is read again."""
        return self._folder.announcements if self._stored else None

    @property
    def unread(self) -> int:
        """How often a relation could not be read."""
        return self._refresher.unread

    def open(self, keep: Keep) -> None:
        """Keeps what is read when the stream starts, by a function that may read it elsewhere.

        It is announced too where it is read again: parts without memory do not know it.
        """
        self._keep = keep
        for name, kept in self._kept.items():
            number = keep(self._folder, name, self._read[name])
            kept.begin_with(number)
            self._folder.drop_older(name, number)
        for name, stored in self._stored.items():
            if name in self._read:
                with self._unless_known(name, self._folder.newest(name)):
                    stored.begin_with(keep(self._folder, name, self._read[name]), self._read[name])
        self._read.clear()
        if self._stored:
            self._folder.announce({name: rows.first for name, rows in self._stored.items()})

    def follow(self) -> None:
        """Reads relations again from now on."""
        if self._stored:
            self._thread = RefreshThread(self._poll)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.stop()

    @contextmanager
    def _unless_known(self, name: str, newest: int | None) -> Iterator[None]:
        """Reports an error where there is a version of the relation, and raises it where there is none."""
        try:
            yield
        except CeraError as error:
            if newest is None:
                raise
            self._refresher.fail(name, error.message)

    def _fail(self, name: str, why: str) -> None:
        if self._thread is None or not self._thread.is_stopped:  # what is read when a stream ends is given up
            self._failed(name, why)

    def _poll(self) -> None:
        if self._refresher.is_due() and self._is_needed():
            self._folder.drop_replaced()
            self._refresher.poll()

    def _take(self, name: str, rows: RelationRows) -> None:
        before = self._folder.newest(name)
        number = self._keep(self._folder, name, rows)
        if number != before:
            self._folder.announce({name: number})


def _keep_here(folder: VersionFolder, name: str, rows: RelationRows) -> int:
    return folder.keep(name, rows.each())


def detected_relations(
    layers: Layers, given: Mapping[str, object], timezone: str, folder: str | Path | None, events: DataFrame
) -> StreamRelations | None:
    """Returns the same for a query that someone else starts: relations are read again while a query of Spark is active.

    Without a folder the rows are in one of this machine, if its workers run here; None if they run elsewhere.

    Raises UsageError if there is no folder for what is read again.
    """
    from cera.engines.spark.reading.kept_relations import keep_rows, local_folder

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

    path = local_folder(spark) if folder is None and used_relations(layers) else folder
    if path is None:
        return None
    relations = StreamRelations(layers, given, timezone, Path(path), _log, is_needed=is_running)
    relations.open(partial(keep_rows, spark))
    relations.follow()
    return relations


def _log(name: str, why: str) -> None:
    logging.getLogger("cera").warning("%s", in_python(not_read_again(name, why)))
