"""`cera fmt`: canonical layout, every comment kept, nothing else changed; for random programs in properties."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.xchangeeq.parser import ParsedProgram, parse
from cera.languages.xchangeeq.printer import format_source

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted([*ROOT.glob("examples/**/*.xceq"), *ROOT.glob("tests/languages/xchangeeq/ok/**/*.xceq")])


def read(text: str) -> ParsedProgram:
    parsed = parse(Source("test.xceq", text))
    assert [str(d) for d in parsed.diagnostics] == []
    return parsed


def formatted(text: str) -> str:
    return format_source(Source("test.xceq", dedent(text)))


def comments(text: str) -> list[str]:
    return [comment.span.text.rstrip() for comment in read(text).comments]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """\
            # a licence

            # about the rule
            DETECT a{} # the head
            # before the body
            ON and { # the body
              # the first
              x{{}}, # still the first
              # the second
              y{{}}
              # that is all
            } where { # when
              1 < 2, # always
              # never
              2 < 1
            } # end of the body
            END # end of the rule

            # the end
            """,
            """\
            # a licence

            # about the rule
            DETECT a{}  # the head
            # before the body
            ON and {
              # the body
              # the first
              x{{}},  # still the first
              # the second
              y{{}}
              # that is all
            } where {
              # when
              1 < 2,  # always
              # never
              2 < 1
            }  # end of the body
            END  # end of the rule

            # the end
            """,
            id="every-place",
        ),
        pytest.param(
            "DETECT a{b, # one\nc} ON x{{ /* two */ y, z }} END",
            """\
            DETECT a{
              b{},  # one
              c{}
            }
            ON x{{
              /* two */
              y{},
              z{}
            }}
            END
            """,
            id="a-comment-breaks-the-line-it-is-in",
        ),
        pytest.param(
            "DETECT a{} ON x{{}} where { 1 + # one\n 2 < # two\n 3 } END",
            """\
            DETECT a{}
            ON x{{}} where {
              # one
              # two
              1 + 2 < 3
            }
            END
            """,
            id="a-comment-inside-an-expression-goes-before-it",
        ),
        pytest.param(
            "SOURCE a, # one\n b # two\nSEMANTICS formal # three\n"
            "DETECT # four\n a{} ON # five\n event x: # six\n y END",
            """\
            # one
            SOURCE a, b  # two
            SEMANTICS formal  # three

            # four
            DETECT a{}
            # five
            # six
            ON event x: y{}
            END
            """,
            id="a-comment-after-a-keyword-goes-before-what-it-introduces",
        ),
        pytest.param(
            "DETECT a{} ON # one\n event t: extend[o, 1 min] where { 1 < 2 } # two\n END",
            """\
            DETECT a{}
            # one
            ON and {
              event t: extend[o, 1 min]
            } where { 1 < 2 }  # two
            END
            """,
            id="conditions-after-a-timer",
        ),
        pytest.param("# only\n\n\n  # comments\n", "# only\n\n# comments\n", id="only-comments"),
        pytest.param("  \n\n", "", id="empty"),
    ],
)
def test_comments_stay_where_they_belong(text: str, expected: str) -> None:
    assert formatted(text) == dedent(expected)
    assert formatted(expected) == dedent(expected)


def test_what_does_not_parse_is_refused_with_its_diagnostics() -> None:
    with pytest.raises(ProgramError) as raised:
        formatted("DETECT a{ ON b END")
    assert raised.value.diagnostics


def test_formatting_keeps_the_order_of_rules_and_directives() -> None:
    text = "DETECT b{} ON x END SEMANTICS formal DETECT a{} ON y END SOURCE x, y"
    assert read(formatted(text)).program == read(text).program


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_programs_of_this_repository_survive_formatting(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = format_source(Source(path.name, text))
    assert read(once).program == read(text).program
    assert comments(once) == comments(text)
    assert format_source(Source(path.name, once)) == once
