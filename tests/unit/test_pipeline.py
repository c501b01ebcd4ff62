"""Programs from files and texts, and what keeps a run from going wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors.event_lines import base_line
from cera.connectors.files import Layout
from cera.connectors.source import source_of
from cera.errors import RecursionLimitError, UsageError
from cera.languages.registry import language_of
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.program import load
from cera.testing import event


def test_a_text_without_braces_is_a_program_all_the_same() -> None:
    assert [d.event.label for d in load("DETECT a ON b END").run([event("b", 1)]).derived] == ["a"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("event A; X := or(A)", "complex event types"),
        ("/* c */ X := ;(A, B);", "complex event types"),
        ("partition by k; event A; X := recent A ; B", "Snoop"),
        ('DETECT a{"x := y"} ON b{{}} END', "XChangeEQ"),
        ("% x := y\np(X, J) <- q(X, J).", "Datalog_1S"),
        ("# c\nbegin M monitor A; R: A(X). end.", "EPL"),
    ],
)
def test_the_language_of_a_text_is_found(text: str, language: str) -> None:
    [source] = load(text).sources
    assert language_of(source).name == language
    assert [each for each in load(text).check() if each.severity == "error"] == []


@pytest.mark.parametrize("program", [None, 3, ["fire.xceq", None]])
def test_what_is_no_program_is_refused(program: Any) -> None:
    with pytest.raises(UsageError, match="a program is a text, the path of a file, or several of these"):
        load(program)


def test_naive_times_of_a_file_are_read_in_the_time_zone_of_the_program(tmp_path: Path) -> None:
    events = tmp_path / "e.jsonl"
    events.write_text('{"at": "2026-07-01T00:00", "term": {"b": {}}}\n')
    [derived] = load("DETECT a ON b END", timezone="Europe/Berlin").run(events).derived
    assert TimeFormat().format(derived.event.begin) == "2026-06-30T22:00:00Z"


@pytest.mark.parametrize("options", [{"semantics": "foo"}, {"timezone": "Mars"}])
def test_an_option_that_means_nothing_is_refused_at_once(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        load("DETECT a ON b END", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("DETECT r{} ON event e: x{{h{var H}}} where { e equals timer:datetime{{hour{var H}}} } END", "XC404"),
        ("DETECT r{} ON event e: timer:datetime{{month{2}, day{30}}} END", "XC403"),
        ("DETECT r{} ON event e: timer:datetime{{year{2026}, month{2}, day{29}}} END", "XC403"),
    ],
)
def test_a_timer_that_means_nothing_is_told(program: str, code: str) -> None:
    assert code in [d.code for d in load(program).check()]


@pytest.mark.parametrize("day", ["{{month{2}, day{29}}}", "{{hour{9}}}"])
def test_a_timer_that_happens_is_not(day: str) -> None:
    assert load(f"DETECT r{{}} ON event e: timer:datetime{day} END").check() == ()


@pytest.mark.parametrize(
    ("program", "start"),
    [
        ("DETECT n{var X + 1} ON n{var X} END", "n{1}"),
        ("DETECT n{concat(var X, var X)} ON n{var X} END", 'n{"ab"}'),
        ("DETECT n{x{var X}} ON var X -> n{{}} END", "n{}"),
    ],
)
@pytest.mark.slow
def test_a_recursion_that_grows_stops_with_an_error_that_names_the_rule(program: str, start: str) -> None:
    with pytest.raises(RecursionLimitError, match="'n'"):
        load(program).run([event(start, 1)], engine="reference")


def test_a_file_that_is_read_is_not_overwritten(tmp_path: Path) -> None:
    program, events = tmp_path / "p.xceq", tmp_path / "e.jsonl"
    program.write_text("DETECT a ON b END")
    events.write_text('{"at": 1, "term": {"b": {}}}\n')
    before = events.read_text()
    for option in ("--out", "--rejected"):
        result = CliRunner().invoke(main, ["run", str(program), "--events", str(events), option, str(events)])
        assert result.exit_code == 2
        assert events.read_text() == before


def test_an_event_with_an_id_of_its_source_is_the_same_after_it_was_written_and_read(tmp_path: Path) -> None:
    original = event("b{1}", 1, id="x1")
    path = tmp_path / "e.jsonl"
    path.write_text(json.dumps(base_line(original, TimeFormat())) + "\n")
    [again] = source_of(str(path)).events(Layout())
    assert isinstance(again, Event)
    assert again == original


def test_a_bracket_in_the_middle_of_a_number_is_told() -> None:
    assert "XC002" in [d.code for d in load("DETECT p{y{-1}1}} ON a{{}} END").check()]
