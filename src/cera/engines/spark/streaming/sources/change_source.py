"""The changes of a database, spooled to files: Spark can read a file again after a restart, but not a database's
earlier positions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from cera.connectors.change_spool import ChangeSpool
from cera.connectors.databases.reading import problems
from cera.connectors.databases.urls import UnreachableError
from cera.connectors.records.layout import Rejected
from cera.errors import CeraError, EngineError

#: Seconds to wait before looking for new changes, and before trying an unreachable database again.
SECONDS = 0.5
AWAY_SECONDS = 5.0


class ChangeSource:
    """Copies the changes of one database, until it is stopped.

    `away` is called with the reason when the database stops answering, and with None when it does again.
    """

    def __init__(self, url: str, folder: Path, place: Path, away: Callable[[str | None], object]) -> None:
        self._url = url
        self._folder = folder
        self._place = place
        self._away = away
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self.failure: CeraError | None = None

    def problems(self) -> list[Rejected]:
        """Returns the tables of which not all is recorded; none where the database does not answer."""
        try:
            return problems(self._url)
        except UnreachableError:
            return []

    def copy(self) -> None:
        """Copies all changes that are there now. Raises UnreachableError where the database is away."""
        spool = self._spool()
        while spool.copy():
            pass

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _spool(self) -> ChangeSpool:
        return ChangeSpool(self._url, self._folder, self._place, None)

    def _run(self) -> None:
        try:
            self._follow(self._spool())
        except CeraError as error:
            self.failure = error
        except OSError as error:
            self.failure = EngineError(f"changes cannot be kept in {self._folder}: {error.strerror or error}")

    def _follow(self, spool: ChangeSpool) -> None:
        away = False
        while not self._stopped.wait(AWAY_SECONDS if away else SECONDS):
            try:
                while spool.copy() and not self._stopped.is_set():
                    pass
            except UnreachableError as error:
                if not away:
                    self._away(error.message)
                away = True
            else:
                if away:
                    self._away(None)
                away = False
