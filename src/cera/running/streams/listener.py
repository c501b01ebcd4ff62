"""Who follows a stream while it runs: the command line, a test, a page."""

from __future__ import annotations

from collections.abc import Sequence

from cera.connectors.records.layout import Rejected
from cera.running.streams.running_stream import BatchReport
from cera.wording import in_python


class StreamListener:
    """Takes what a stream reports; this one passes over it."""

    def words(self, text: str) -> str:
        """Returns a reason with its settings as they are named here; it goes into files."""
        return in_python(text)

    def operators(self, descriptions: Sequence[str]) -> None:
        """Takes the parts that the program is divided into, before anything is opened."""

    def lines(self, lines: Sequence[str]) -> None:
        """Takes the lines of derived events, for standard output."""

    def batch(self, report: BatchReport) -> None:
        """Takes the counts of a micro-batch that is done."""

    def rejected(self, records: Sequence[Rejected]) -> None:
        """Takes malformed records, where no folder was named for them."""

    def stalled(self, source: str, watermark: int | None, live: int) -> None:
        """Takes the source for which time has not moved on for a while."""

    def quiet(self, sources: Sequence[str]) -> None:
        """Takes the sources of which nothing has come since the start."""

    def resumed(self) -> None:
        """Takes that a process was killed, and the stream goes on from its checkpoint."""

    def late(self, late: int, events: int, watermark: int | None) -> None:
        """Takes that nearly all of the last events were late; once."""

    def version(self, relation: str, number: int, since: int) -> None:
        """Takes the number of a relation's new version, and the time from which it counts."""

    def unread(self, relation: str, why: str) -> None:
        """Takes why a relation could not be read again; it keeps the rows that it has."""

    def away(self, source: str, why: str | None) -> None:
        """Takes why a database does not answer, or None when it does again."""
