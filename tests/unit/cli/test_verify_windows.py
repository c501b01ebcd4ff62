"""Constraints on times that a recording does not have: nothing was judged, and nothing held."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main

SHORT = "the recording is shorter than a window of 10 sec"
NO_WHOLE_ONE = "no window of 10 sec lies in the recording as a whole"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdict(constraint: str, times: tuple[int, ...], *options: str) -> tuple[str, str | None]:
    """Returns the outcome of a constraint over events `p` at some times, and why it was not judged."""
    Path("c.escl").write_text(constraint)
    Path("events.jsonl").write_text("".join(f"{json.dumps({'at': at, 'term': {'p': {}}})}\n" for at in times))
    given = ["verify", "c.escl", "--events", "events.jsonl", "--time-unit", "s", "--json", "-q", *options]
    [found] = json.loads(CliRunner().invoke(main, given).stdout)["constraints"]
    return found["outcome"], found.get("why")


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(
    ("times", "options", "expected"),
    [
        ((0, 9), (), ("not judged", SHORT)),  # the window ends a microsecond before 10
        ((0, 10), (), ("violated", None)),
        ((1, 19), (), ("not judged", NO_WHOLE_ONE)),
        ((1, 20), (), ("violated", None)),
        ((-19, -1), (), ("not judged", NO_WHOLE_ONE)),
        ((-20, -10), (), ("violated", None)),
        ((1, 19), ("--from", "0"), ("violated", None)),
        ((0, 25), ("--from", "16"), ("not judged", SHORT)),
        ((1, 30), ("--until", "19"), ("not judged", NO_WHOLE_ONE)),
        ((1, 30), ("--until", "20"), ("violated", None)),
    ],
)
def test_a_count_from_below_needs_a_whole_window(
    engine: str, times: tuple[int, ...], options: tuple[str, ...], expected: tuple[str, str | None]
) -> None:
    many = "WHILE Range 10 sec LET CONSTRAINT many: IN ANY CASE exists >= 5 event: p() group-by {} END END"
    assert verdict(many, times, *options, "--engine", engine) == expected


def test_a_count_from_above_is_judged_in_a_part_of_a_window() -> None:
    few = "WHILE Range 1h LET CONSTRAINT few: IN ANY CASE exists <= 5 event: p() group-by {} END END"
    assert verdict(few, (1, 2)) == ("held", None)


def test_what_has_been_judged_in_one_window_holds() -> None:
    some = "WHILE Range 10 sec LET CONSTRAINT some: IN ANY CASE exists >= 1 event: p() group-by {} END END"
    assert verdict(some, (5, 15, 25)) == ("held", None)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((0, 59), ("not judged", "the recording is shorter than the 1 min before an event")),
        ((0, 60), ("held", None)),
    ],
)
def test_what_must_come_before_an_event_needs_the_time_before_it(
    times: tuple[int, ...], expected: tuple[str, str | None]
) -> None:
    back = "CONSTRAINT back: IF event x: p() and event w: from-start-backward[x, 1 min] THEN while w: event: p() END"
    assert verdict(back, times) == expected


@pytest.mark.parametrize("count", [">= 3", "<= 3", "= 0"])
def test_a_window_of_another_year_is_not_judged(count: str) -> None:
    window = 'WHILE ["2026-01-01", "2026-02-01"] LET'
    january = f"{window} CONSTRAINT january: IN ANY CASE exists {count} event: p() group-by {{}} END END"
    outcome, why = verdict(january, (1, 2))
    assert outcome == "not judged"
    assert why == "the window from 1767225600 to 1769904000 is outside of the recording"


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (">= 3", ("not judged", "the window from 0 to 86400 does not lie in the recording as a whole")),
        ("<= 3", ("held", None)),
    ],
)
def test_a_window_that_the_recording_has_in_part_is_judged_from_above(
    count: str, expected: tuple[str, str | None]
) -> None:
    window = 'WHILE ["1970-01-01", "1970-01-02"] LET'
    day = f"{window} CONSTRAINT day: IN ANY CASE exists {count} event: p() group-by {{}} END END"
    assert verdict(day, (1, 2)) == expected
