"""Reading and checking IHTA: mistakes with the messages as users see them, and programs that are nearly wrong.

Each folder in `bad/` has a program and what is said about it, as the command line prints it; `near.ihta` beside it is
right. `CERA_UPDATE_PAGES=1` writes the messages anew.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from cera.automata.module import AutomatonModule
from cera.diagnostics import Diagnostic, Source, render
from cera.errors import ProgramError
from cera.languages.ihta.parser import ParsedProgram, parse
from cera.languages.ihta.printer import format_source, print_program
from cera.languages.registry import LANGUAGES, understood
from cera.program import Program

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BAD = sorted((HERE / "bad").iterdir())
NEAR = sorted((HERE / "bad").glob("*/near.ihta"))
OK = sorted(
    [*(HERE / "ok").glob("*.ihta"), *(ROOT / "examples").rglob("*.ihta"), *(ROOT / "benchmarks").rglob("*.ihta")]
)


def read(text: str) -> ParsedProgram:
    return parse(Source("test.ihta", text))


def diagnose(text: str) -> list[Diagnostic]:
    program = Program((Source("program.ihta", text),))
    return [*program.check(), *program.notes]


@pytest.mark.parametrize("folder", BAD, ids=lambda folder: folder.name)
def test_a_bad_program_is_explained(folder: Path) -> None:
    found = diagnose((folder / "program.ihta").read_text(encoding="utf-8"))
    printed = "\n\n".join(render(diagnostic) for diagnostic in found) + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("CERA_UPDATE_PAGES"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NEAR, ids=lambda path: path.parent.name)
def test_a_program_that_is_nearly_wrong_is_right(path: Path) -> None:
    found = diagnose(path.read_text(encoding="utf-8"))
    assert [str(each) for each in found if each.severity != "note"] == []


def test_every_code_has_a_bad_program() -> None:
    codes = {page.stem for page in (ROOT / "docs" / "diagnostics").glob("IH*.md")}
    found = set(re.findall(r"IH\d{3}", "".join((folder / "expected.txt").read_text() for folder in BAD)))
    assert codes - found == set()


@pytest.mark.parametrize("path", [*OK, *NEAR], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_program_is_read_back_as_it_is_printed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    parsed = read(text)
    assert not parsed.diagnostics, parsed.diagnostics[0]
    printed = print_program(parsed.program)
    assert printed.isascii()
    assert read(printed).program == parsed.program
    formatted = format_source(Source("test.ihta", text))
    assert format_source(Source("test.ihta", formatted)) == formatted
    after = read(formatted)
    assert after.program == parsed.program
    assert sorted(comment.text for comment in after.comments) == sorted(comment.text for comment in parsed.comments)


@pytest.mark.parametrize("path", [*OK, *NEAR], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_automaton_as_text_and_as_json_is_the_same_one(path: Path) -> None:
    program = Program((Source(str(path), path.read_text(encoding="utf-8")),))
    for each in program.modules.found:
        for form in ("json", "ihta"):
            text = each.text(form)
            assert text is not None
            [again] = Program((Source("again.ihta", text),)).modules.found
            assert again.text(form) == text
            assert isinstance(each.module, AutomatonModule)
            assert isinstance(again.module, AutomatonModule)
            one, other = each.module.automaton, again.module.automaton
            assert (one.root, one.is_strict) == (other.root, other.is_strict)
            assert Counter(one.transitions) == Counter(other.transitions)


@pytest.mark.parametrize("path", [*OK, *NEAR], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_text_is_claimed_and_understood_best(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    [best] = {max(LANGUAGES, key=lambda each: (each.claims(text), understood(each.parse(Source("<text>", text))))).name}
    assert best == "IHTA"


def test_formatting_keeps_blank_lines_and_comments_where_they_are() -> None:
    text = """\
automaton A(id(O)) {
  # States

  start S;  # first

  # the others
  T;
  end E;

  enter -> S: a(id(O*));
  S -> T: b{{
    id{{var O}},
    # inside of a pattern
    x{{var X*}}
  }};

  T -> E: c(id(O));
  # at the end
}
"""
    assert format_source(Source("test.ihta", text)) == text
    wide = text.replace("\n\n", "\n\n\n\n").replace("automaton A(id(O)) {\n", "automaton A(id(O)) {\n\n")
    assert format_source(Source("test.ihta", wide)) == text


def test_what_cannot_be_read_is_not_formatted() -> None:
    for text in ("automaton A {", '{"automaton": 3}'):
        with pytest.raises(ProgramError):
            format_source(Source("test.ihta", text))
    assert format_source(Source("test.ihta", "# one\n\n# two\n")) == "# one\n\n# two\n"


def test_signs_and_words_are_the_same() -> None:
    labels = "S -> E: a(x(X*)) and X >= 3 and X != 2; S -> E: not b and now - e(last) <= 1 s;"
    words = f"automaton A {{ start S; end E; {labels} }}"
    signs = words.replace("->", "→").replace(" and ", " ∧ ").replace("not b", "¬ b")
    signs = signs.replace("!=", "≠").replace(">=", "≥").replace("<=", "≤")
    assert read(words).program == read(signs).program
    assert not read(signs).diagnostics
