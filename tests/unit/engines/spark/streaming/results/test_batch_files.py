"""The files of a stream: one for each micro-batch, whole or not there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cera.connectors.sink import BatchFolder
from cera.engines.spark.streaming.messages.stage_results import DerivedResult
from cera.engines.spark.streaming.results.batch_files import BatchFiles, derived_line, in_order
from cera.errors import UsageError
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting


def result(id_: str, end: int, rule: str = "r", begin: int = 0, term: str = '{"a": 1}') -> DerivedResult:
    return DerivedResult(id_, begin, end, "a", term, rule, '{"e": "1"}', None, None, (rule,))


def test_a_batch_that_is_run_again_replaces_its_file(tmp_path: Path) -> None:
    files = BatchFiles(Setting.SINK, tmp_path, "run")
    files.write_lines(3, ["one", "two"])
    files.write_lines(3, ["one", "two"])
    assert [file.name for file in tmp_path.iterdir()] == ["run-000000003.jsonl"]
    assert next(tmp_path.iterdir()).read_text() == "one\ntwo\n"


def test_an_empty_batch_has_no_file(tmp_path: Path) -> None:
    files = BatchFiles(Setting.SINK, tmp_path, "run")
    files.write_lines(1, [])
    files.write_table(1, [])
    assert not list(tmp_path.iterdir())


def test_an_event_of_two_parts_is_written_once_with_its_first_derivation() -> None:
    assert [one.rule for one in in_order([result("x", 5, "second"), result("x", 5, "first")])] == ["first"]


def test_events_are_written_by_end_begin_and_term() -> None:
    late, early = result("1", 9), result("2", 5, begin=3)
    first, second = result("3", 5, term='{"a": 2}'), result("4", 5, term='{"a": 10}')
    assert in_order([late, second, early, first]) == [first, second, early, late]


def test_a_line_is_that_of_cera_run() -> None:
    line = json.loads(derived_line(result("x", 5_000_000), TimeFormat("s")))
    assert line == {"begin": 0, "end": 5, "term": {"a": 1}, "rule": "r", "id": "x", "causes": {"e": "1"}}
    raised = result("x", 5)._replace(recipient="mail:me", transport="smtp")
    assert json.loads(derived_line(raised, TimeFormat("us")))["to"] == {"recipient": "mail:me", "transport": "smtp"}


def test_a_line_says_when_an_answer_was_certain_if_that_was_before_its_end() -> None:
    early = result("x", 5_000_000)._replace(known=2_000_000)
    assert json.loads(derived_line(early, TimeFormat("s")))["known"] == 2
    assert "known" not in json.loads(derived_line(result("x", 5_000_000), TimeFormat("s")))


def test_a_table_has_times_and_causes(tmp_path: Path) -> None:
    BatchFiles(Setting.SINK, tmp_path, "run").write_table(0, [result("x", 5_000_000)])
    [row] = pq.read_table(tmp_path / "run-000000000.parquet").to_pylist()
    assert row["end"].isoformat() == "1970-01-01T00:00:05+00:00"
    assert (row["term"], row["causes"], row["to"]) == ('{"a": 1}', [("e", "1")], None)


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match=r"--sink: .*out is a file; name a folder"):
        BatchFolder(tmp_path / "out").check(str(Setting.SINK))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be written to"):
        BatchFolder(tmp_path).check(str(Setting.SINK))


def test_a_sink_that_is_gone_is_an_error_when_it_is_written_to(tmp_path: Path) -> None:
    files = BatchFiles(Setting.SINK, tmp_path / "gone", "run")
    with pytest.raises(UsageError, match=r"--sink: .* cannot be written: No such file"):
        files.write_lines(0, ["x"])
