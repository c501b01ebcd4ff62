"""Automata of other files, and automata as JSON on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import cera
from cera.cli.main import main

PARCEL = "automaton Parcel { start Packed; end Gone; Packed -> Gone: fetched(id(O), parcel(P)); }\n"
ORDER = """\
automaton Order(id(O)) {
  start Open;
  end Done;
  state Parcel(id(O), parcel(P));
  enter -> Open: ordered(id(O*));
  Open -> Packed: packed(id(O), parcel(P*));
  Gone -> Done: closed(id(O));
}
"""


def check(path: Path) -> list[str]:
    return [f"{each.code} {each.message}" for each in cera.load(str(path)).check()]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.ihta").write_text(text)


def test_the_path_begins_where_the_file_is_and_files_may_use_others(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    write(tmp_path, order=f'use "parts/all.ihta";\n{ORDER}')
    write(tmp_path / "parts", all='use "parcel.ihta";\n', parcel=PARCEL)
    assert check(tmp_path / "order.ihta") == []


def test_a_file_that_is_used_may_be_json(tmp_path: Path) -> None:
    write(tmp_path, plain=f'use "parcel.ihta";\n{ORDER}', parcel=PARCEL)
    state = {"name": "Packed", "start": True}, {"name": "Gone", "end": True}
    event = {
        "label": "fetched",
        "attributes": [{"path": ["id"], "variable": "O"}, {"path": ["parcel"], "variable": "P"}],
    }
    automaton = {
        "automaton": "Parcel",
        "states": state,
        "transitions": [{"from": "Packed", "to": "Gone", "event": event}],
    }
    write(tmp_path, parcel_json=json.dumps(automaton), other=f'use "parcel_json.ihta";\n{ORDER}')
    texts = [
        CliRunner().invoke(main, ["translate", str(tmp_path / f"{name}.ihta"), "--to", "ihta"])
        for name in ("plain", "other")
    ]
    assert [each.exit_code for each in texts] == [0, 0]
    assert texts[0].stdout == texts[1].stdout


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"order": f'use "none.ihta";\n{ORDER}'},
            'IH105 the file "none.ihta" cannot be read: No such file or directory',
        ),
        ({"order": f'use "order.ihta";\n{ORDER}'}, "IH105 a file uses itself"),
        ({"order": f'use "a.ihta";\n{ORDER}', "a": 'use "b.ihta";', "b": 'use "a.ihta";'}, "IH105 a file uses itself"),
        (
            {"order": f'use "a.ihta"; use "b.ihta";\n{ORDER}', "a": PARCEL, "b": PARCEL},
            "IH105 the files that are used have two automata `Parcel`",
        ),
        ({"order": f'use "a.ihta";\n{ORDER}', "a": PARCEL.replace("start Packed;", "start Packed")}, "IH001 expected"),
        ({"order": ORDER}, "IH104 the state `Parcel` has no states of its own"),
        (
            {"order": f'use "a.ihta";\n{ORDER}', "a": PARCEL.replace("end Gone;", "end Gone; state Parcel;")},
            "IH104 the automaton `Parcel` contains itself",
        ),
    ],
)
def test_what_is_wrong_with_files_that_are_used(files: dict[str, str], expected: str, tmp_path: Path) -> None:
    write(tmp_path, **files)
    assert any(each.startswith(expected) for each in check(tmp_path / "order.ihta"))


def test_a_file_that_two_others_use_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, a='use "parcel.ihta";', b='use "parcel.ihta";', parcel=PARCEL)
    write(tmp_path, order=f'use "a.ihta"; use "b.ihta";\n{ORDER}')
    assert check(tmp_path / "order.ihta") == []


def test_json_and_text_run_alike(tmp_path: Path) -> None:
    write(tmp_path, order=f'use "parcel.ihta";\n{ORDER}', parcel=PARCEL)
    events = tmp_path / "events.csv"
    events.write_text("type,at,id,parcel\nordered,0,1,\npacked,1,1,a\nfetched,2,1,a\nclosed,3,1,\nclosed,4,1,\n")
    as_json = CliRunner().invoke(main, ["translate", str(tmp_path / "order.ihta"), "--to", "json"])
    assert json.loads(as_json.stdout)["automaton"] == "Order"
    write(tmp_path, again=as_json.stdout)
    options = ["--events", str(events), "--label-field", "type", "--as", "jsonl", "--engine", "local"]
    answers = [
        CliRunner().invoke(main, ["run", str(tmp_path / f"{name}.ihta"), *options]).stdout
        for name in ("order", "again")
    ]
    assert len(answers[0].splitlines()) == 6
    assert answers[0] == answers[1]
    for command in (["check"], ["fmt", "--check"], ["explain"]):
        assert CliRunner().invoke(main, [*command, str(tmp_path / "again.ihta")]).exit_code == 0


def test_several_automata_are_a_list(tmp_path: Path) -> None:
    other = ORDER.replace("Order", "Other")
    write(tmp_path, both=f'use "parcel.ihta";\n{ORDER}{other}', parcel=PARCEL)
    as_json = CliRunner().invoke(main, ["translate", str(tmp_path / "both.ihta"), "--to", "json"])
    assert [each["automaton"] for each in json.loads(as_json.stdout)] == ["Order", "Other"]
    write(tmp_path, again=as_json.stdout)
    assert check(tmp_path / "again.ihta") == []
