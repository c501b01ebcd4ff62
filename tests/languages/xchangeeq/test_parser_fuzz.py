"""Whatever the text is, diagnostics come out and nothing else: no exception, no place outside of the text.

This finds crashes. It cannot tell whether a message is any good; the golden files in `bad/` do that.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cera.diagnostics import Source, render
from cera.languages.xchangeeq.parser import ParsedProgram, parse
from hypothesis_profiles import examples
from languages.xchangeeq.mutations import mutated

PROGRAMS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "ok").glob("*.xceq"))]


def check(text: str) -> ParsedProgram:
    parsed = parse(Source("mutated.xceq", text))
    for diagnostic in parsed.diagnostics:
        assert diagnostic.span is not None
        for span in (diagnostic.span, *(note.span for note in diagnostic.notes)):
            assert span is not None
            assert 0 <= span.start <= span.end <= len(text), f"{diagnostic.message}: {span.start} to {span.end}"
        assert render(diagnostic).startswith(f"error[{diagnostic.code}]: ")
    return parsed


def search(seed: int, count: int) -> None:
    random = Random(seed)
    for _ in range(count):
        text = mutated(random.choice(PROGRAMS), random)
        try:
            check(text)
        except Exception:
            print(repr(text))
            raise


def test_mutated_programs_give_diagnostics_and_nothing_else() -> None:
    search(seed=2006, count=examples(300))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_twenty_thousand_mutated_programs_give_diagnostics_and_nothing_else(seed: int) -> None:
    search(seed, count=2_000)


def test_every_beginning_of_a_program_gives_diagnostics_and_nothing_else() -> None:
    program = PROGRAMS[0]
    for length in range(0, len(program), 7):
        check(program[:length])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("DETECT a ON " + "b{" * 5000 + "}" * 5000 + " END", id="braces"),
        pytest.param("DETECT a ON " + "b{" * 5000, id="open-braces"),
        pytest.param("DETECT a ON " + "and{" * 3000 + "b" + "}" * 3000 + " END", id="conjunctions"),
        pytest.param("DETECT a ON b where { " + "(" * 3000 + "1" + ")" * 3000 + " } END", id="parentheses"),
        pytest.param("DETECT a ON b where { " + "not " * 3000 + "true } END", id="negations"),
        pytest.param("DETECT a ON b where { " + "- " * 3000 + "1 } END", id="signs"),
        pytest.param("DETECT a ON b where { " + "1 + " * 3000 + "1 } END", id="sums"),
        pytest.param("DETECT a ON b{ " + "desc " * 3000 + "c } END", id="descendants"),
        pytest.param("DETECT a ON b{ " + "var X -> " * 3000 + "c } END", id="variables"),
        pytest.param("DETECT a{ " + "all " * 3000 + "c } ON b END", id="groupings"),
        pytest.param("DETECT a ON b{ /" + "(" * 3000 + ")" * 3000 + "/ } END", id="regular-expressions"),
    ],
)
def test_text_nested_thousands_of_levels_deep_is_refused_without_a_recursion_error(text: str) -> None:
    parsed = check(text)
    assert len(parsed.diagnostics) == 1
    assert parsed.program.items == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("DETECT a ON b{ " + "9" * 6000 + " } END", id="integer"),
        pytest.param("DETECT a ON b where { x < " + "9" * 6000 + ".5 } END", id="fraction"),
        pytest.param("DETECT a ON extend[b, " + "9" * 6000 + " min] END", id="duration"),
    ],
)
def test_a_number_of_thousands_of_digits_is_refused(text: str) -> None:
    (diagnostic,) = check(text).diagnostics
    assert diagnostic.code == "XC004"
    assert len(diagnostic.message) < 100
