"""When relations are read again, and what happens where they cannot be."""

from __future__ import annotations

from cera.errors import DataError
from cera.model.events.relation_rows import ReadRows, RelationRow, RelationRows
from cera.model.terms.term import Term
from cera.model.time.durations import Duration
from cera.modules.refreshing import Refresh, RefreshedRelations, Refresher

SECOND = 1_000_000


class Table:
    """A source whose rows change, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rows = 1
        self.reads = 0
        self.taken: list[int] = []
        self.reasons: list[str] = []

    def read(self) -> RelationRows:
        self.reads += 1
        if self.rows < 0:
            raise DataError("a bad row")
        return ReadRows(tuple(RelationRow(Term("r", (number,))) for number in range(self.rows)))

    def refresher(self, every: Duration) -> Refresher:
        def take(name: str, rows: RelationRows) -> None:
            self.taken.append(len(rows.rows))

        def failed(name: str, why: str) -> None:
            self.reasons.append(why)

        return Refresher([Refresh("r", every, self.read)], take, failed, clock=lambda: self.now)


def test_a_relation_is_read_when_its_duration_has_passed_since_it_was_last_tried() -> None:
    table = Table()
    refresher = table.refresher(Duration(0, 10 * SECOND))
    for now, reads in [(9.9, 0), (10, 1), (19.9, 1), (35, 2), (44.9, 2), (45, 3)]:
        table.now = now
        assert refresher.is_due() == (reads > table.reads)
        refresher.poll()
        assert table.reads == reads
    assert table.taken == [1, 1, 1]


def test_months_are_those_of_the_calendar() -> None:
    table = Table()
    refresher = table.refresher(Duration(1, 0))
    assert 28 * 86_400 <= refresher.remaining("r") <= 31 * 86_400


def test_one_that_cannot_be_read_is_tried_again_and_a_reason_is_reported_once() -> None:
    table = Table()
    refresher = table.refresher(Duration(0, SECOND))
    for now, rows in [(1, -1), (2, -1), (3, 2), (4, -1)]:
        table.now, table.rows = now, rows
        refresher.poll()
    assert table.taken == [2]
    assert table.reasons == ["a bad row", "a bad row"]
    assert refresher.unread == 3


def test_a_snapshot_has_the_rows_and_when_they_are_due() -> None:
    table = Table()

    def relations() -> RefreshedRelations:
        found = RefreshedRelations(
            {"r": table.read()}, [Refresh("r", Duration(0, 60 * SECOND), table.read)], lambda name, why: None
        )
        found.refresher.clock = lambda: table.now
        found.refresher.postpone("r", 60)
        return found

    first = relations()
    table.now, table.rows = 20, 5
    snapshot = first.snapshot()
    second = relations()
    assert len(second.relations["r"].rows) == 5
    second.resume(snapshot)
    assert second.relations["r"].rows == first.relations["r"].rows
    assert 39 < second.refresher.remaining("r") <= 40
    table.now = 61
    second.refresher.poll()
    assert len(second.relations["r"].rows) == 5
