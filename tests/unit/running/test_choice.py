"""`--engine auto` takes the engine that can run what is asked for, and then the one that is faster by the clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.errors import UsageError
from cera.program import load
from cera.running import choice, engine, in_memory
from cera.running.choice import Recording, choose
from cera.running.outcome import Outcome
from cera.running.run import Run
from cera.testing import event
from cera.wording import Setting, on_command_line


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "e.jsonl"
    path.write_text('{"at": 1, "term": {"b": {}}}\n')
    return path


def chosen(*paths: object, **options: object) -> str:
    recording = Recording([source_of(str(path)) for path in paths], Layout(), **options)  # type: ignore[arg-type]
    return on_command_line(str(choose(recording)))


def test_a_small_recording_is_answered_locally(events: Path) -> None:
    assert chosen(events) == "engine: local (29 bytes of input)"


def test_a_large_recording_is_answered_by_spark(events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "SPARK_FROM", 29)
    monkeypatch.setattr(choice, "_lacking_for_spark", lambda: None)
    assert chosen(events) == "engine: spark (29 bytes of input)"
    assert chosen(events.parent) == "engine: spark (29 bytes of input)"
    monkeypatch.setattr(choice, "SPARK_FROM", 30)
    assert chosen(events) == "engine: local (29 bytes of input)"
    assert chosen(events, events) == "engine: spark (58 bytes of input)"


@pytest.mark.parametrize("lacking", ["pyspark", "Java"])
def test_an_engine_that_is_not_installed_is_not_taken(
    lacking: str, events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "SPARK_FROM", 1)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(choice.shutil, "which", lambda name: None)
    if lacking == "pyspark":
        monkeypatch.setattr(choice, "find_spec", lambda name: None)
    expected = f"29 bytes of input would be for Spark, and {lacking} is not installed"
    assert chosen(events) == f"engine: local ({expected})"


def test_what_only_spark_takes_decides_first(events: Path, tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    assert chosen(events, spark_setting=Setting.MASTER) == "engine: spark (--master is given)"
    assert chosen(events, writes_parquet=True) == "engine: spark (Parquet is written)"
    assert chosen(tmp_path / "t.parquet") == chosen(tmp_path) == "engine: spark (Parquet is read)"
    assert choose(Recording([source_of(str(events))], Layout(format="parquet"))).engine == "spark"


def test_events_that_come_one_by_one_are_answered_locally(events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "SPARK_FROM", 1)
    assert chosen(events, sorted_within_delay=True) == "engine: local (--max-delay is given)"
    assert chosen("-", events) == "engine: local (events come from standard input)"
    assert chosen("db:sqlite:bank.db") == "engine: local (events come from a database)"


def test_a_file_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file or folder"):
        chosen(tmp_path / "none.jsonl")


def test_sizes_are_written_as_people_say_them() -> None:
    sizes = {0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1_234: "1 kB", 999_600: "1 MB", 81_000_000: "81 MB"}
    assert {size: choice._bytes(size) for size in sizes} == sizes
    assert choice._bytes(3_400_000_000) == "3.4 GB"


def test_python_answers_locally_recursive_rules_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def answer(run: Run) -> Outcome:
        taken.append(run.request.engine)
        return engine.answer(run)

    monkeypatch.setattr(in_memory, "answer", answer)
    load("DETECT a ON b{{}} END").run([event("b{}", 1)])
    load("DETECT a{var X} ON a{{x{{var X}}}} END").run([event("a{x{1}}", 1)])
    load("DETECT a ON b{{}} END").run([event("b{}", 1)], engine="reference")
    assert taken == ["local", "local", "reference"]
