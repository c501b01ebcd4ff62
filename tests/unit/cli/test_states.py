"""States on the command line: why, explain, input in the output, late closings, warnings in words of programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
    assert "1 too late for --max-delay" in result.stderr
    [late] = [json.loads(line) for line in Path("late.jsonl").read_text().splitlines()]
    assert (late["term"], late["begin"], late["end"], late["state"]) == ({"auction": {"id": 4}}, 2, 20, True)


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
