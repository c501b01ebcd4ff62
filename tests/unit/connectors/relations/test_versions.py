"""Versions of relations in a folder: what is kept, announced and dropped."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from cera.connectors.relations.relation import Record, Relation
from cera.connectors.relations.versions import KeptRows, StoredRows, VersionFolder
from cera.errors import EngineError
from cera.model.events.relation_rows import RelationRows

RELATION = Relation("a/b ü", None, "since", ("item",))


def rows(*values: object) -> RelationRows:
    return RELATION.rows(
        Record(f"row {n}", {"item": value, "since": n, "nested": {"a": [1, "x"]}, "part": 0.1, "true": True})
        for n, value in enumerate(values)
    )


def test_a_version_is_read_as_it_was_kept_wherever_its_object_goes(tmp_path: Path) -> None:
    folder = VersionFolder(tmp_path / "versions")
    given = rows("tea", "tea", 'quo"te\n', 3, 2**62)
    assert folder.newest(RELATION.name) is None
    assert folder.keep(RELATION.name, given.each()) == 1
    stored = pickle.loads(pickle.dumps(StoredRows(folder.path, RELATION.name, 1)))
    assert sorted(stored.rows, key=repr) == sorted(given.rows, key=repr)


def test_the_same_rows_are_the_same_version_in_whatever_order_they_come(tmp_path: Path) -> None:
    folder = VersionFolder(tmp_path)
    given = rows("tea", "cup")
    assert folder.keep("r", given.each()) == 1
    assert folder.keep("r", reversed(given.rows)) == 1
    assert folder.keep("r", rows("cup").each()) == 2
    assert folder.keep("r", given.each()) == 3
    assert VersionFolder(tmp_path).newest("r") == 3


def test_versions_follow_each_other_where_they_are_looked_up(tmp_path: Path) -> None:
    folder = VersionFolder(tmp_path)
    for given in (rows("tea"), rows("cup", "pot")):
        folder.keep("r", given.each())
    stored = StoredRows(tmp_path, "r", 1)
    assert [len(stored.rows), stored.current is stored.current] == [1, True]
    stored.use(2)
    assert len(stored.rows) == 2
    stored.use(7)
    with pytest.raises(EngineError, match="version 7 of the relation r is not in"):
        stored.rows  # noqa: B018


def test_older_versions_are_dropped_when_the_announcement_of_a_later_one_is_gone(tmp_path: Path) -> None:
    def numbers() -> list[str]:
        return sorted(file.name for file in tmp_path.rglob("*.jsonl"))

    before = VersionFolder(tmp_path)
    before.announce({"r": before.keep("r", rows("tea").each())})
    folder = VersionFolder(tmp_path)
    folder.announce({"r": folder.keep("r", rows("cup").each())})
    folder.drop_replaced()
    assert numbers() == ["000001.jsonl", "000002.jsonl"]
    first, second = sorted(folder.announcements.glob("*.json"))
    second.unlink()  # as Spark does when the micro-batch that took it is done
    folder.drop_replaced()
    assert numbers() == ["000002.jsonl"]
    assert not first.exists()
    assert not list(tmp_path.rglob(".*"))


def test_rows_of_one_start_are_read_from_the_file_by_every_process_and_the_one_before_is_kept(tmp_path: Path) -> None:
    folder = VersionFolder(tmp_path)
    for number, item in enumerate(("tea", "cup", "pot"), 1):
        kept = KeptRows(tmp_path, "r", 1, rows(item))
        kept.begin_with(folder.keep("r", rows(item).each()))
        folder.drop_older("r", number)
        there = pickle.loads(pickle.dumps(kept))
        assert there.rows == rows(item).rows
        assert there.origin is None, "what was read stays where it was read"
    assert sorted(file.stem for file in tmp_path.rglob("*.jsonl")) == ["000002", "000003"]
    with pytest.raises(EngineError, match=r"version 1 of the relation r is not in .*: No such file"):
        list(KeptRows(tmp_path, "r", 1).each())


def test_the_rows_of_another_folder_in_the_same_place_are_others(tmp_path: Path) -> None:
    VersionFolder(tmp_path).keep("r", rows("tea").each())
    assert len(StoredRows(tmp_path, "r", 1).rows) == 1
    [file] = tmp_path.rglob("*.jsonl")
    file.unlink()
    VersionFolder(tmp_path).keep("r", rows("tea", "cup").each())
    assert len(StoredRows(tmp_path, "r", 1).rows) == 2
