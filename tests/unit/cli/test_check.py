"""`cera check`: findings for a person and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cera.cli import report
from cera.diagnostics import Diagnostic, Source, Span, render
from unit.cli.command_line import FIRE, Cera

UNBOUND = "DETECT a{ var X }\nON event b: b{{}}\nEND\n"
UNUSED = "DETECT a{}\nON event b: b{{ var X }}\nEND\n"

#: Nothing is to be said about it.
SOON = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{ var A } }}, event t: temp{{ area{ var A } }} } where { {s, t} within 1 min }
END
"""


def test_a_good_program_is_counted(cera: Cera, folder: Path) -> None:
    (folder / "soon.xceq").write_text(SOON)
    result = cera("check", "soon.xceq")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file, 1 rule: no errors, no warnings\n"


def test_several_files_are_one_program(cera: Cera, folder: Path) -> None:
    (folder / "warm.xceq").write_text(UNUSED)
    (folder / "none.xceq").write_text("")
    result = cera("check", "fire.xceq", "warm.xceq", "none.xceq")
    assert result.exit_code == 0
    assert "warning[XC103]" in result.stderr
    assert result.stderr.endswith("3 files, 4 rules: no errors, 1 warning, 2 notes\n")


def test_the_same_file_given_twice_is_one_file(cera: Cera) -> None:
    assert "1 file, 3 rules" in cera("check", "fire.xceq", "fire.xceq").stderr


def test_errors_are_shown_with_place_and_caret_and_end_with_status_1(cera: Cera, folder: Path) -> None:
    (folder / "bad.xceq").write_text(UNBOUND)
    result = cera("check", "bad.xceq")
    assert result.exit_code == 1
    assert "error[XC201]" in result.stderr
    assert "  --> bad.xceq:1:11\n" in result.stderr
    lines = result.stderr.splitlines()
    marks = next(line for line in lines if line.strip(" |^") == "" and "^" in line)
    source = lines[lines.index(marks) - 1]
    assert source[marks.index("^") : marks.rindex("^") + 1] == "var X"
    assert "1 file, 1 rule: 1 error, no warnings" in result.stderr


def test_a_rule_that_runs_in_one_piece_on_a_stream_is_noted(cera: Cera, folder: Path) -> None:
    (folder / "apart.xceq").write_text("DETECT a{}\nON event b: b{{}}\nEND\n")
    (folder / "soon.xceq").write_text(SOON)
    result = cera("check", "apart.xceq", "soon.xceq")
    assert result.exit_code == 0
    assert "note[XC502]: rule 'a' runs in one piece on a stream" in result.stderr
    assert "apart.xceq:1:1" in result.stderr
    assert result.stderr.endswith("no errors, no warnings, 1 note\n")
    [finding] = json.loads(cera("check", "apart.xceq", "--json").stdout)
    assert (finding["code"], finding["severity"]) == ("XC502", "note")


def test_a_rule_that_is_bounded_only_with_max_duration_is_noted(cera: Cera) -> None:
    """The minute of an average is one before the begin of a report, which is known when the report ends."""
    result = cera("check", "fire.xceq")
    assert "note[XC503]: rule 'avg_temp' remembers events for good, unless" in result.stderr
    assert "hint: say it with --max-duration" in result.stderr
    assert result.stderr.endswith("1 file, 3 rules: no errors, no warnings, 1 note\n")


def test_json_gives_the_same_as_data(cera: Cera, folder: Path) -> None:
    (folder / "bad.xceq").write_text(UNBOUND)
    result = cera("check", "bad.xceq", "--json")
    assert result.exit_code == 1
    [finding] = json.loads(result.stdout)
    place = {"file": "bad.xceq", "line": 1, "column": 11, "end_line": 1, "end_column": 16}
    assert finding.items() >= {"code": "XC201", "severity": "error", **place}.items()
    assert result.stderr == ""


def test_json_of_a_good_program_is_an_empty_list(cera: Cera, folder: Path) -> None:
    (folder / "soon.xceq").write_text(SOON)
    assert json.loads(cera("check", "soon.xceq", "--json").stdout) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [("none.xceq", "cannot be read"), ("fire.sql", "ending"), ("folder.xceq", "cannot be read"), ("odd.xceq", "UTF-8")],
)
def test_a_file_that_is_no_program_is_a_wrong_command_line(cera: Cera, folder: Path, name: str, said: str) -> None:
    (folder / "folder.xceq").mkdir()
    (folder / "fire.sql").write_text(FIRE)
    (folder / "odd.xceq").write_bytes(b"DETECT \xff")
    result = cera("check", name)
    assert result.exit_code == 2
    assert name in result.stderr
    assert said in result.stderr


@pytest.mark.parametrize(
    ("before", "columns"),
    [("ab", 2), ("\ta", 2), ("火", 2), ("e\N{COMBINING ACUTE ACCENT}", 1), ("\x1b", 1)],
    ids=["letters", "tab", "wide", "combining", "control"],
)
def test_the_caret_stands_below_the_marked_text(before: str, columns: int) -> None:
    source = Source("x", f"{before}HERE rest")
    diagnostic = Diagnostic("XC001", "error", "m", Span(source, len(before), len(before) + 4))
    _, _, _, line, carets = render(diagnostic).split("\n")
    assert carets == "    | " + " " * columns + "^^^^"
    assert "\t" not in line
    assert "\x1b" not in line


def test_colour_marks_the_title_and_the_caret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    diagnostic = Diagnostic("XC001", "error", "m", Span(Source("x", "abc"), 0, 3))
    red = "\x1b[31m\x1b[1m"
    assert report.coloured(diagnostic).startswith(f"{red}error[XC001]")
    assert f"{red}^^^" in report.coloured(diagnostic)
    monkeypatch.setenv("NO_COLOR", "1")
    assert report.coloured(diagnostic) == render(diagnostic)


def test_constraints_and_automata_are_counted_as_what_they_are(cera: Cera, folder: Path) -> None:
    constraints = ("IF event: order(id(N)) THEN N > 3 END", "IF event: order(id(N)) THEN N < 9 END")
    automaton = (
        "automaton Order(id(O)) { start Open; end Done; enter -> Open: order(id(O*)); Open -> Done: paid(id(O)); }"
    )
    (folder / "shop.escl").write_text("\n".join(constraints))
    (folder / "order.ihta").write_text(automaton)
    assert cera("check", "shop.escl").stderr.endswith("1 file, 2 constraints: no errors, no warnings\n")
    assert cera("check", "order.ihta").stderr.endswith("1 file, 1 automaton: no errors, no warnings\n")
    both = cera("check", "shop.escl", "fire.xceq").stderr
    assert "2 files, 3 rules, 2 constraints: no errors" in both
