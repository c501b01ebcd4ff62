"""ESCL as a language: what it claims and reads, how it formats, and what it says of texts that are wrong.

`CERA_UPDATE_BAD=1` writes the messages anew; look at each before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cera.diagnostics import Source, render
from cera.errors import ProgramError
from cera.languages.escl.language import ESCL
from cera.languages.escl.parser import parse
from cera.languages.escl.printer import format_source
from cera.languages.registry import LANGUAGES, recognize, understood
from cera.program import Program
from cera.wording import on_command_line

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
OK = sorted((FOLDER / "ok").glob("*.escl"))
BAD = sorted((FOLDER / "bad").iterdir())


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_text_is_claimed_and_understood_best(path: Path) -> None:
    assert recognize(Source("<text>", path.read_text())).language is ESCL


@pytest.mark.parametrize("ending", sorted({each.ending for each in LANGUAGES if each is not ESCL}))
def test_programs_of_other_languages_stay_theirs(ending: str) -> None:
    [language] = [each for each in LANGUAGES if each.ending == ending]
    for path in sorted((ROOT / "examples").rglob(f"*{ending}")):
        source = Source("<text>", path.read_text(encoding="utf-8"))
        own = (language.claims(source.text), understood(language.parse(source)))
        assert own > (ESCL.claims(source.text), understood(ESCL.parse(source))), path


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_formatting_changes_nothing_but_the_layout(path: Path) -> None:
    source = Source(path.name, path.read_text())
    once = format_source(source)
    assert parse(Source(path.name, once)).program == parse(source).program
    assert format_source(Source(path.name, once)) == once
    assert [each.text for each in parse(Source(path.name, once)).comments] == [e.text for e in parse(source).comments]


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_right_text_has_no_errors(path: Path) -> None:
    program = Program((Source(path.name, path.read_text()),))
    assert [str(each) for each in program.check() if each.severity == "error"] == []


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_wrong_text_gets_these_messages(folder: Path) -> None:
    source = Source("program.escl", (folder / "program.escl").read_text())
    found = "\n\n".join(on_command_line(render(each)) for each in parse(source).diagnostics) + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("CERA_UPDATE_BAD"):
        expected.write_text(found)
    assert expected.read_text() == found
    with pytest.raises(ProgramError):
        format_source(source)


def test_comments_stay_with_what_they_are_about() -> None:
    text = """# about the module
WHILE state: open(day(D)) # while it is open
LET
  # about the first
  IN ANY CASE exists <= 3 event: visit(day(D)) END and  # few
  IF event: a(x(X)) and # an a
     event: b(x(X))
  THEN X > 0 END
END
"""
    formatted = format_source(Source("x.escl", text))
    assert formatted == format_source(Source("x.escl", formatted))
    for comment in ("# about the module", "# while it is open", "# about the first", "# few", "# an a"):
        assert formatted.count(comment) == 1


def test_one_broken_constraint_does_not_take_the_others_with_it() -> None:
    text = "IF event: a(x(X)) THEN event: b(x(X) END\nCONSTRAINT kept: IN ANY CASE not event: c(x(X)) END\n"
    parsed = parse(Source("x.escl", text))
    assert [each.name for each in parsed.program.constraints] == ["kept"]
    assert [each.code for each in parsed.diagnostics] == ["EC002"]
