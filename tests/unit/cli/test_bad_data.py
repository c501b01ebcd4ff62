"""Malformed input: each kind has its message, and none loses the rest of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unit.cli.command_line import STREAM, Cera, records, terms, write_lines

pytestmark = pytest.mark.usefixtures("on_either_engine")

RUN = ("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s")

BAD_LINES = {
    "a line that is not JSON": ("temp is 41", "JSON"),
    "a line cut in the middle": (STREAM[1][:40], "JSON"),
    "an end before its begin": ('{"begin": 9, "end": 8, "term": {"smoke": {}}}', "the end lies before the begin"),
    "a missing time": ('{"term": {"smoke": {}}}', "the time is missing"),
    "a missing end": ('{"begin": 9, "term": {"smoke": {}}}', "the time is missing"),
    "a time that is none": ('{"at": "noon", "term": {"smoke": {}}}', "'noon' is not a time"),
    "a time too large": ('{"at": 1e300, "term": {"smoke": {}}}', "outside of the years 1 to 9999"),
    "a number too large": ('{"at": 9, "term": {"smoke": {"n": 9223372036854775808}}}', "64 bits"),
    "a decimal too large": ('{"at": 9, "term": {"smoke": {"n": 1e999}}}', "1e999"),
    "an unknown field layout": ('{"type": "smoke", "ts": 9, "area": "a"}', "unknown field layout"),
    "no object": ("[1, 2]", "an event is an object"),
    "a key given twice": ('{"at": 9, "at": 9, "term": {"smoke": {}}}', "at"),
    "nesting without end": ('{"at": 9, "term": {"smoke": ' + "[" * 5000 + "]" * 5000 + "}}", "nested"),
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_told_with_place_and_reason_and_loses_no_other(
    cera: Cera, folder: Path, line: str, reason: str
) -> None:
    write_lines(folder / "events.jsonl", [STREAM[0], line, *STREAM[1:]])
    result = cera(*RUN)
    assert result.exit_code == 0
    assert len(records(result.stdout)) == 3
    assert "warning: events.jsonl:2: " in result.stderr
    assert reason in result.stderr
    assert "3 events read; 1 record rejected\n" in result.stderr


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_strict_makes_it_an_error_that_is_shown(cera: Cera, folder: Path, line: str, reason: str) -> None:
    write_lines(folder / "events.jsonl", [STREAM[0], line, *STREAM[1:]])
    result = cera(*RUN, "--strict")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "error: events.jsonl:2: " in result.stderr
    assert reason in result.stderr
    assert "1 malformed record, and --strict allows none" in result.stderr


def test_strict_is_content_with_good_data(cera: Cera) -> None:
    assert cera(*RUN, "--strict").exit_code == 0


def test_the_first_three_are_shown_and_the_others_counted(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [*STREAM, *(f"bad line {number}" for number in range(10))])
    result = cera(*RUN)
    assert result.stderr.count("warning: events.jsonl:") == 3
    assert "  bad line 2\n" in result.stderr
    assert "bad line 3" not in result.stderr
    assert "… and 7 more; --rejected PATH writes all of them to a file" in result.stderr
    assert "10 records rejected" in result.stderr


def test_rejected_records_go_to_their_file_as_json_lines(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", ["eins", *STREAM, '{"at": "zwölf", "term": {"smoke": {}}}'])
    result = cera(*RUN, "--rejected", "bad.jsonl")
    found = records((folder / "bad.jsonl").read_text(encoding="utf-8"))
    assert [(record["place"], record["text"]) for record in found] == [
        ("events.jsonl:1", "eins"),
        ("events.jsonl:5", '{"at": "zwölf", "term": {"smoke": {}}}'),
    ]
    assert all(list(record) == ["place", "reason", "text"] and record["reason"] for record in found)
    assert "eins" not in result.stderr
    assert "2 records rejected, written to bad.jsonl" in result.stderr


def test_the_file_of_rejected_records_is_empty_when_there_are_none(cera: Cera, folder: Path) -> None:
    (folder / "bad.jsonl").write_text("from an earlier run\n")
    cera(*RUN, "--rejected", "bad.jsonl")
    assert (folder / "bad.jsonl").read_text() == ""


def test_strict_writes_the_rejected_records_before_it_ends(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", ["eins", "zwei"])
    assert cera(*RUN, "--strict", "--rejected", "bad.jsonl").exit_code == 3
    assert len(records((folder / "bad.jsonl").read_text())) == 2


def test_a_record_cannot_steer_the_terminal(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", ["\x1b]0;gotcha\x07\x9b2J"])
    result = cera(*RUN)
    assert "\\x1b]0;gotcha\\x07\\x9b2J" in result.stderr
    assert not {"\x1b", "\x07", "\x9b"} & set(result.stderr)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["not json at all"], "error: no record could be used: the only one was rejected\n"),
        (["{", "}"], "error: no record could be used: all 2 were rejected\n"),
        (
            ['{"at": 1, "term": {"Temp": {}}}', '{"at": 1, "term": {"door": {}}}'],
            "error: no event could be used: none of 2 events has a label that the program asks for (`smoke`, `temp`)\n",
        ),
    ],
    ids=["one record", "several", "labels"],
)
def test_a_summary_begins_with_input_of_which_nothing_could_be_used(
    cera: Cera, folder: Path, lines: list[str], said: str
) -> None:
    write_lines(folder / "events.jsonl", lines)
    result = cera(*RUN, "--out", "found.jsonl")
    assert result.exit_code == 7
    assert result.stderr.count(said) == 1
    assert "events read" in result.stderr.split(said)[1].splitlines()[0]
    assert (folder / "found.jsonl").read_text() == ""
    assert cera(*RUN, "--quiet").stderr == said
    assert cera(*RUN, "--strict").exit_code == (7 if "Temp" in lines[0] else 3)


@pytest.mark.parametrize(
    "program",
    [
        "DETECT any ON /door|gate/{{}} END",
        "DETECT tick ON timer:datetime{{ second{ 0 }, minute{ 0 } }} END",
        "DETECT quiet ON and { event w: timer:datetime{{ second{ 7 } }}, while w: not temp{{}} } END",
    ],
    ids=["any label", "no label", "what is absent"],
)
def test_a_program_that_asks_for_no_label_or_answers_all_the_same_can_use_the_input(
    cera: Cera, folder: Path, program: str
) -> None:
    (folder / "fire.xceq").write_text(program)
    write_lines(folder / "events.jsonl", [f'{{"at": {at}, "term": {{"door": {{}}}}}}' for at in (1, 100)])
    assert cera(*RUN).exit_code == 0


@pytest.mark.parametrize("content", ["", "\n\n"], ids=["empty", "blank lines"])
def test_input_without_an_event_is_no_failure_and_is_said(cera: Cera, folder: Path, content: str) -> None:
    (folder / "events.jsonl").write_text(content)
    result = cera(*RUN)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no events read" in result.stderr
    assert "there was no event in the input" in result.stderr


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("evnts.jsonl", "there is no file or folder evnts.jsonl; did you mean 'events.jsonl'?"),
        ("fire.xceq", "its format is not known"),
        ("history.parquet", "Spark"),
        ("empty", "the folder empty is empty: looked for files that end in .jsonl, .ndjson, .json, .csv, .xml"),
    ],
)
def test_a_path_that_cannot_be_read_is_a_wrong_command_line(cera: Cera, folder: Path, path: str, said: str) -> None:
    (folder / "empty").mkdir()
    (folder / "history.parquet").write_bytes(b"PAR1")
    result = cera("run", "fire.xceq", "--events", "events.jsonl", "--events", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


TOO_LARGE = {
    "n.csv": "label,at,n\ntemp,1,1\ntemp,2,99999999999999999999\ntemp,3,3\n",
    "n.xml": '<e>\n<event at="1"><temp><n>1</n></temp></event>\n'
    '<event at="2"><temp><n>99999999999999999999</n></temp></event>\n<event at="3"><temp><n>3</n></temp></event></e>',
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_number_too_large_is_told_with_what_to_do_and_loses_no_other(cera: Cera, folder: Path, name: str) -> None:
    (folder / name).write_text(TOO_LARGE[name])
    result = cera("run", "fire.xceq", "--events", name)
    assert f"warning: {name}:3: in `n`: the number 99999999999999999999 is too large" in result.stderr
    assert "2 events read; 1 record rejected\n" in result.stderr
    assert "give --string-field n" in result.stderr
    told = cera("run", "fire.xceq", "--events", name, "--string-field", "n")
    assert "3 events read\n" in told.stderr


def test_a_folder_of_mixed_formats_is_read_as_one(cera: Cera, folder: Path) -> None:
    history = folder / "history"
    (history / "deep").mkdir(parents=True)
    write_lines(history / "a.jsonl", [STREAM[0]])
    (history / "b.json").write_text(json.dumps([json.loads(STREAM[1])]))
    (history / "deep" / "c.csv").write_text("label,begin,end,area,sensor,value\ntemp,70,80,a,s,41\n")
    (history / "notes.txt").write_text("not events")
    result = cera("run", "fire.xceq", "--events", "history", "--time-unit", "s")
    assert result.exit_code == 0
    assert len(terms(result.stdout)) == 3
    assert "history/notes.txt: unknown ending" in result.stderr
    assert "3 events read; 1 record rejected" in result.stderr
    assert (
        "history has several formats, each file read by its ending: 1 csv file, 1 json file, 1 jsonl file\n"
        in result.stderr
    )
