"""Names of files between Python and Spark."""

from __future__ import annotations

import locale
import os
from pathlib import Path

import pytest

from cera.engines.spark.streaming.sources.file_names import literal, local_path, unreadable, utf_8_names


@pytest.mark.parametrize("name", ["log 1", "log%201", "a#b", "a?b", "x%2f..%2foutside", "ü", "back\\slash", "c:d"])
def test_a_path_that_spark_finds_is_the_path_of_the_file(name: str) -> None:
    assert local_path(f"file:/in/{name}.jsonl") == local_path(f"file:///in/{name}.jsonl") == f"/in/{name}.jsonl"


def test_no_character_of_a_folder_is_a_pattern() -> None:
    assert literal(r"/in [1]{2}*?\x") == r"/in \[1\]\{2\}\*\?\\x"


def test_java_reads_names_as_utf_8_whatever_the_locale_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "POSIX")
    monkeypatch.setattr(locale, "getencoding", lambda: "ANSI_X3.4-1968")
    with utf_8_names():
        assert os.environ["LC_ALL"] == "C.UTF-8"
    assert os.environ["LC_ALL"] == "POSIX"


def test_a_file_whose_name_is_not_utf_8_is_told(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in (b"\xfc.jsonl", "ü.jsonl".encode(), b"_\xfc.jsonl"):
        with open(os.path.join(os.fsencode(tmp_path / "below"), name), "w"):
            pass
    [found] = unreadable(tmp_path)
    assert found.place == os.fsdecode(os.fsencode(tmp_path) + b"/below/\xfc.jsonl")
    assert "rename it" in found.reason
