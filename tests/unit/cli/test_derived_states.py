"""States that rules derive, on the command line: when they are written, --changes, --select, why, explain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from unit.cli.command_line import Cera, records, write_lines

PROGRAM = """\
state: onFire(area(A)) until allClear(area(A)) <- fire(area(A)).
state: evacuated(area(A)) <- left(area(A)) and state: onFire(area(A)).
alarm(area(A)) <- temp(area(A)) and state: onFire(area(A)).
"""
EVENTS = (
    '{"at": 1, "term": {"fire": {"area": "a"}}}',
    '{"at": 2, "term": {"temp": {"area": "a"}}}',
    '{"at": 3, "term": {"fire": {"area": "a"}}}',
    '{"at": 4, "term": {"left": {"area": "a"}}}',
    '{"at": 5, "term": {"allClear": {"area": "a"}}}',
    '{"at": 6, "term": {"temp": {"area": "a"}}}',
    '{"at": 7, "term": {"fire": {"area": "b"}}}',
    '{"at": 8, "term": {"temp": {"area": "b"}}}',
)
RUN = ("run", "p.slog", "--events", "s.jsonl", "--time-unit", "s")
A, B = {"onFire": {"area": "a"}}, {"onFire": {"area": "b"}}
EVACUATED = {"evacuated": {"area": "a"}}


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    (folder / "p.slog").write_text(PROGRAM)
    write_lines(folder / "s.jsonl", EVENTS)


def shown(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(r["begin"], r["end"], r.get("state", False), r["term"]) for r in found]


@pytest.mark.usefixtures("on_either_engine")
def test_a_state_is_written_when_it_has_ended_and_open_ones_follow_at_the_end(cera: Cera) -> None:
    result = cera(*RUN)
    assert shown(records(result.stdout)) == [
        (2, 2, False, {"alarm": {"area": "a"}}),
        (1, 5, True, A),
        (4, 5, True, EVACUATED),
        (8, 8, False, {"alarm": {"area": "b"}}),
        (7, None, True, B),
    ]
    assert "5 events derived: alarm 2, state evacuated 1, state onFire 2\n" in result.stderr


@pytest.mark.usefixtures("on_either_engine")
def test_changes_are_written_as_they_happen(cera: Cera) -> None:
    result = cera(*RUN, "--changes", "--select", "onFire,evacuated")
    assert shown(records(result.stdout)) == [
        (1, None, True, A),
        (4, None, True, EVACUATED),
        (1, 5, True, A),
        (4, 5, True, EVACUATED),
        (7, None, True, B),
    ]
    assert "5 events derived: alarm 2, state evacuated 1, state onFire 2\n" in result.stderr


@pytest.mark.usefixtures("on_either_engine")
def test_a_run_up_to_a_time_leaves_states_open(cera: Cera) -> None:
    found = records(cera(*RUN, "--until", "4", "--select", "onFire").stdout)
    assert shown(found) == [(1, None, True, A)]


def test_opening_and_closing_have_one_id_and_the_same_causes(cera: Cera) -> None:
    first, *_ = [r for r in records(cera(*RUN, "--changes").stdout) if r["term"] == A]
    again = [r for r in records(cera(*RUN).stdout) if r["term"] == A]
    assert [(r["id"], r["causes"], r["rule"]) for r in again] == [(first["id"], first["causes"], "onFire")]
    assert list(first["causes"]) == ["fire"]


def test_what_is_written_can_be_read_as_states(cera: Cera, folder: Path) -> None:
    cera(*RUN, "--changes", "--select", "onFire", "--out", "states.jsonl")
    (folder / "q.slog").write_text("hot(area(A)) <- temp(area(A)) and state: onFire(area(A)).\n")
    temps = [line for line in EVENTS if "temp" in line]
    write_lines(folder / "temps.jsonl", temps)
    result = cera("run", "q.slog", "--events", "states.jsonl", "--events", "temps.jsonl", "--time-unit", "s")
    assert [r["begin"] for r in records(result.stdout)] == [2, 8]


def test_why_shows_what_a_state_came_from(cera: Cera) -> None:
    alarm = next(r for r in records(cera(*RUN).stdout) if r["rule"] == "alarm")
    state = next(r for r in records(cera(*RUN).stdout) if r["term"] == EVACUATED)
    result = cera("why", *RUN[1:], "--event", alarm["id"], "--event", state["id"])
    lines = [line for line in result.stdout.splitlines() if "by rule" not in line]
    assert lines[1:6] == [
        'alarm{area{"a"}} [2, 2]',
        '   ├─ temp: temp{area{"a"}} [2, 2]',
        '   ├─ onFire: state onFire{area{"a"}} [1, …[',
        '   │     └─ fire: fire{area{"a"}} [1, 1]',
        "   └─ where temp in onFire",
    ]
    assert 'state evacuated{area{"a"}} [4, 5[' in lines
    assert '   ├─ left: left{area{"a"}} [4, 4]' in lines


def test_explain_says_what_supports_a_state_and_what_ends_it(cera: Cera) -> None:
    text = cera("explain", "p.slog").stdout
    assert "state:support:onFire until state:release:onFire happens with the same A" in text
    assert "state:support:evacuated until onFire ends" in text


def test_events_that_compose_states_are_never_written(cera: Cera) -> None:
    everything = cera(*RUN, "--changes", "--base").stdout + cera(*RUN, "--as", "table").stdout
    assert "state:" not in everything


def test_a_select_with_a_typo_names_states(cera: Cera) -> None:
    assert "nothing has the label `onFir`; did you mean `onFire`?" in cera(*RUN, "--select", "onFir").stderr
