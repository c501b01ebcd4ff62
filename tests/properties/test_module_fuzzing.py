"""Damaged programs of EPL, event types, Snoop, Datalog_1S and IHTA give diagnostics and nothing else.

What fails is written out with its seed; `damaged_program(ending, seed)` makes it again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from cera.diagnostics import Source, render
from cera.languages.cet.printer import format_source as format_cet
from cera.languages.datalog.formatter import format_source as format_datalog
from cera.languages.epl.printer import format_source as format_epl
from cera.languages.ihta.printer import format_source as format_ihta
from cera.languages.snoop.printer import format_source as format_snoop
from cera.program import Program
from docs.blocks import blocks
from hypothesis_profiles import examples
from properties.mutation import damaged

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"(EP|CE|SN|DL|IH)\d{3}")
FORMATTERS: dict[str, Callable[[Source], str]] = {
    "epl": format_epl,
    "cet": format_cet,
    "snoop": format_snoop,
    "dl1s": format_datalog,
    "ihta": format_ihta,
}

#: What is put into the programs of each language: its words, and what slips.
PIECES = {
    "epl": (
        *("begin", "end", "monitor", "relation", "partition by", "granularity", "within", "in chronicle context", "as"),
        *(
            "update",
            "insert(R)",
            "any",
            "first(",
            "prior(",
            "*:",
            "!",
            "&",
            "->",
            "write",
            "sql",
            "system",
            "asctime(X)",
        ),
    ),
    "cet": (
        *("event", "partition by", "where", "within", "as", "and", "or", ":=", "(", "last:", "first:", "cumulative:"),
        *("combinations", "exclusive", "shared", "count(", "avg(", "[1]", "every", "not", "@", "update(R)"),
    ),
    "snoop": (
        *(
            "recent",
            "chronicle",
            "continuous",
            "cumulative",
            "unrestricted",
            ";",
            "A*(",
            "P(",
            "P*(",
            "ANY(",
            "not(",
            ":=",
        ),
        *("where", "within", "as", "partition by", "TIMES", "last", "samos", "ode", "+ 5 sec", "^", "|"),
    ),
    "dl1s": (
        *(
            "module",
            "monitor",
            "relation",
            "partition by",
            "granularity",
            "detect",
            "as",
            "<-",
            "s(J)",
            "J",
            "not",
            "_",
        ),
        *("t.t", "any(J)", "time(T, J)", "0", "N + 1", "X.v", "mod", ".", "%", "update(R)"),
    ),
    "ihta": (
        *("automaton", "strict", "use", "state", "start", "end", "enter", "schema", "while", "for", "...", "->", ";"),
        *("not", "and", "or", "unique X*", "X*", "var X", "var X*", "a{{", "}}", "desc", "without", "optional", "/x/"),
        *("this", "last", "now", "e(last)", "e(this) - e(last) < 3 s", "finishedInstances(b) >= 2", "a.b", "j: ", "="),
        *('"states": [', '"to": "S"', '{"automaton": "A"', "null", "true"),
    ),
}
SLIPS = (
    *('"', '"\\x"', '"\\ud800"', "\ud800", "\x00", "\u2028", "99999999999999999999", "1e999", "9999999999999 years"),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ":",
        "'",
        "\\",
        "/*",
        "#",
        "%",
        "ä",
        "()",
        "1 hour",
        "-1 sec",
        "X.",
        ".x",
    ),
)

SHORT, PART = examples(150), 1_000
PARTS = [
    pytest.param(range(SHORT), id="short"),
    *(
        pytest.param(range(first, first + PART), id=f"from {first}", marks=pytest.mark.long)
        for first in range(SHORT, SHORT + 5 * PART, PART)
    ),
]


@cache
def sample_programs(ending: str) -> tuple[str, ...]:
    """The programs of the examples, of the tests and of the documents."""
    files = [path for folder in ("examples", "tests") for path in sorted((ROOT / folder).rglob(f"*.{ending}"))]
    pages = sorted((ROOT / "docs").rglob("*.md"))
    written = [block.text for page in pages for block in blocks(page) if block.language == ending]
    return (*(path.read_text(encoding="utf-8") for path in files), *written)


def damaged_program(ending: str, seed: int) -> str:
    chance = random.Random(f"{ending} {seed}")
    return damaged(chance.choice(sample_programs(ending)), (*PIECES[ending], *SLIPS), chance)


@pytest.mark.parametrize("ending", FORMATTERS)
@pytest.mark.parametrize("seeds", PARTS)
def test_a_damaged_program_of_modules_gives_nothing_but_diagnostics(ending: str, seeds: range) -> None:
    assert len(sample_programs(ending)) > 5
    for seed in seeds:
        text = damaged_program(ending, seed)
        try:
            look_at(text, ending)
        except Exception as error:
            raise AssertionError(f"{ending}, seed {seed}: {error!r} for the program\n{text}") from error


def look_at(text: str, ending: str) -> None:
    source = Source(f"damaged.{ending}", text)
    program = Program((source,))
    found = [*program.check(), *program.notes]
    for diagnostic in found:
        assert CODE.fullmatch(diagnostic.code)
        assert diagnostic.message
        assert render(diagnostic)
        assert diagnostic.as_json()
        for span in (diagnostic.span, *(note.span for note in diagnostic.notes)):
            assert span is None or 0 <= span.start <= span.end <= len(text)
    if program.errors:
        return
    formatted = FORMATTERS[ending](source)
    assert FORMATTERS[ending](Source(f"formatted.{ending}", formatted)) == formatted
    program.processor()
