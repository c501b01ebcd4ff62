"""States on the command line: why, explain, input in the output, late closings, warnings in words of programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cera import load
from every_engine import EVERY_ENGINE
from unit.cli.command_line import Cera, records, write_lines

PROGRAM = """\
DETECT alert{ var V }
ON and { state s: auction{{ id{ var A } }}, event b: bid{{ id{ var A }, v{ var V } }} } where { b in s }
END

DETECT unsold{ var A } ON and { state s: auction{{ id{ var A } }}, while s: not bid{{ id{ var A } }} } END

DETECT refused{ var V }
ON and { event b: bid{{ id{ var A }, v{ var V } }}, while b: not state auction{{ id{ var A } }} }
END
"""
EVENTS = (
    '{"begin": 0, "state": true, "term": {"auction": {"id": 1}}}',
    '{"begin": 5, "end": 9, "state": true, "term": {"auction": {"id": 2}}}',
    '{"at": 6, "term": {"bid": {"id": 1, "v": 7}}}',
    '{"at": 7, "term": {"bid": {"id": 3, "v": 8}}}',
    '{"at": 30, "term": {"other": {}}}',
    '{"begin": 0, "end": 20, "state": true, "term": {"auction": {"id": 1}}}',
    '{"begin": 2, "end": 20, "state": true, "term": {"auction": {"id": 4}}}',
)
RUN = ("run", "p.xceq", "--events", "s.jsonl", "--time-unit", "s")


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    (folder / "p.xceq").write_text(PROGRAM)
    write_lines(folder / "s.jsonl", EVENTS)


def ids(cera: Cera) -> dict[str, str]:
    return {record["rule"]: record["id"] for record in records(cera(*RUN).stdout)}


@pytest.mark.usefixtures("on_either_engine")
def test_a_recording_is_complete_and_no_record_of_it_is_late(cera: Cera) -> None:
    found = [(r["begin"], r["end"], r["term"]) for r in records(cera(*RUN).stdout)]
    assert found == [
        (6, 6, {"alert": 7}),
        (7, 7, {"refused": 8}),
        (5, 9, {"unsold": 2}),
        (2, 20, {"unsold": 4}),
    ]


@pytest.mark.usefixtures("on_either_engine")
def test_as_it_happens_a_closing_without_an_opening_is_late(cera: Cera) -> None:
    result = cera(*RUN, "--max-delay", "0 sec", "--late", "late.jsonl")
    assert [r["term"] for r in records(result.stdout)] == [{"alert": 7}, {"refused": 8}, {"unsold": 2}]
    assert "1 too late for --max-delay, 1 of them the end of a state that is not open, written to" in result.stderr
    [late] = [json.loads(line) for line in Path("late.jsonl").read_text().splitlines()]
    assert (late["term"], late["begin"], late["end"], late["state"]) == ({"auction": {"id": 4}}, 2, 20, True)


@pytest.mark.usefixtures("on_either_engine")
@pytest.mark.parametrize("until", [(), ("--until", "35")])
def test_ends_that_come_too_late_are_repaired_and_counted(cera: Cera, folder: Path, until: tuple[str, ...]) -> None:
    later = '{"begin": 5, "end": 50, "state": true, "term": {"auction": {"id": 6}}}'  # its end is still to come
    opened = ('{"begin": 5, "state": true, "term": {"auction": {"id": 6}}}', *EVENTS[:6], later)
    write_lines(folder / "s.jsonl", sorted(opened[:2]) + list(opened[2:]))
    result = cera(*RUN, "--max-delay", "0 sec", *until)
    assert "8 events read; 1 late end of a state repaired: it was moved to the first time that" in result.stderr
    assert "too late" not in result.stderr


OPEN = (
    '{"begin": 7, "state": true, "term": {"auction": {"id": 8}}}',
    '{"begin": 7, "state": true, "term": {"shop": {}}}',
)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_states_that_are_still_open_are_counted(cera: Cera, folder: Path, engine: str) -> None:
    write_lines(folder / "s.jsonl", [*EVENTS, *OPEN, OPEN[0]])
    shown = cera(*RUN, "--engine", engine).stderr
    assert "1 state still open at the end: auction 1; what waits for its end is not answered" in shown
    shown = cera(*RUN, "--engine", engine, "--until", "8").stderr
    assert "4 states still open at the end: auction 4; what waits for their ends is not answered" in shown
    shown = cera(*RUN, "--engine", engine, "--until", "6").stderr
    assert "3 states still open at the end: auction 3" in shown


def test_states_whose_ends_nobody_waits_for_are_not_counted(cera: Cera, folder: Path) -> None:
    (folder / "p.xceq").write_text(PROGRAM.split("DETECT unsold")[0])
    assert "still open" not in cera(*RUN).stderr


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_python_has_the_number_of_open_states(engine: Any) -> None:
    rows = [json.loads(line) for line in (*EVENTS, *OPEN)]
    answer = load(PROGRAM).run(rows, time_unit="s", engine=engine)
    assert answer.open_states == {"auction": 1}
    assert load(PROGRAM).run(rows, time_unit="s", engine=engine, until="1970-01-01T00:00:08Z").open_states == {
        "auction": 4
    }


@pytest.mark.usefixtures("on_either_engine")
def test_until_a_time_late_closings_count_too(cera: Cera, folder: Path) -> None:
    write_lines(folder / "s.jsonl", (EVENTS[0], EVENTS[4], EVENTS[5], '{"at": 40, "term": {"other": {}}}'))
    found = records(cera(*RUN, "--max-delay", "0 sec", "--until", "35").stdout)
    assert [(r["begin"], r["end"], r["term"]) for r in found] == [(0, 30, {"unsold": 1})]


@pytest.mark.usefixtures("on_either_engine")
def test_the_input_in_the_output_is_what_was_read(cera: Cera) -> None:
    found = [record for record in records(cera(*RUN, "--base").stdout) if "state" in record]
    assert sorted(((r["term"]["auction"]["id"], r["begin"], r["end"]) for r in found), key=str) == [
        (1, 0, 20),
        (1, 0, None),
        (2, 5, 9),
        (4, 2, 20),
    ]
    assert len({r["id"] for r in found}) == 3


def test_the_output_can_be_read_again(cera: Cera) -> None:
    cera(*RUN, "--base", "--out", "all.jsonl")
    again = cera("run", "p.xceq", "--events", "all.jsonl", "--time-unit", "s")
    assert records(again.stdout) == records(cera(*RUN).stdout)


def test_why_shows_how_long_a_state_held(cera: Cera) -> None:
    found = ids(cera)
    why = ("why", "p.xceq", "--events", "s.jsonl", "--time-unit", "s", "--event")
    assert cera(*why, found["alert"]).stdout.splitlines()[1:] == [
        "alert{7} [6, 6]",
        "└─ by rule alert (p.xceq:1:1) with A = 1, V = 7",
        "   ├─ b: bid{id{1}, v{7}} [6, 6]",
        "   ├─ s: state auction{id{1}} [0, …[",
        "   └─ where b in s",
    ]
    assert cera(*why, found["unsold"]).stdout.splitlines()[3:] == [
        "   ├─ s: state auction{id{4}} [2, 20[",
        "   └─ no bid{{id{var A}}} while s [2, 20[",
    ]
    assert "no state auction{{id{var A}}} while b [7, 7]" in cera(*why, found["refused"]).stdout
    graph = json.loads(cera(*why, found["alert"], "--json").stdout)
    [state] = [each for each in graph["events"] if each["kind"] == "state"]
    assert (state["term"], state["begin"], state["end"]) == ({"auction": {"id": 1}}, 0, None)


def test_explain_shows_states_as_they_were_written_and_how_long_they_are_kept(cera: Cera) -> None:
    shown = cera("explain", "p.xceq").stdout
    assert "labels from outside: bid, state auction" in shown
    assert "reads: s: state auction{{id{var A}}}" in shown
    assert "Auction_s := Q[s: state auction{{id{var A}}} opens](E)" in shown
    assert "s is kept until the state ends" in shown
    assert "for good" not in shown
    assert "state:opens" not in shown


def test_labels_that_no_state_has_are_reported_in_words_of_the_program(cera: Cera, folder: Path) -> None:
    write_lines(folder / "s.jsonl", ['{"begin": 0, "state": true, "term": {"auctoin": {"id": 1}}}', EVENTS[2]])
    shown = cera(*RUN).stderr
    assert "the program asks for `state auction`, and no event has this label; did you mean `state auctoin`?" in shown
    assert "state:" not in shown


def test_what_is_wrong_with_a_state_is_rejected_with_its_place(cera: Cera, folder: Path) -> None:
    write_lines(folder / "s.jsonl", [*EVENTS, '{"at": 3, "state": true, "term": {"auction": {"id": 9}}}'])
    result = cera(*RUN)
    assert "s.jsonl:8" in result.stderr
    assert "a state has its times in `begin` and, once it has ended, in `end`" in result.stderr


@pytest.mark.usefixtures("on_either_engine")
@pytest.mark.parametrize("changes", [(), ("--changes",)])
def test_derived_states_that_are_still_open_are_counted_where_something_waits_for_them(
    cera: Cera, folder: Path, changes: tuple[str, ...]
) -> None:
    text = "state: burning(area(A)) until clear(area(A)) <- fire(area(A)).\n"
    waiting = "burning(area(A)): number(area(A), n(count(V))) <- temp(area(A), v(V)).\n"
    lines = [('fire": {"area": "a"}', 1), ('fire": {"area": "b"}', 2), ('clear": {"area": "a"}', 9)]
    write_lines(folder / "s.jsonl", [f'{{"at": {at}, "term": {{"{term}}}}}' for term, at in lines])
    for program, expected in ((text + waiting, True), (text, False)):
        (folder / "p.slog").write_text(program)
        shown = cera("run", "p.slog", "--events", "s.jsonl", "--time-unit", "s", *changes).stderr
        assert ("1 state still open at the end: burning 1; what waits for its end is not answered" in shown) == expected
