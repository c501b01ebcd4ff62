"""Text and syntax tree: parse(print(p)) = p, and the canonical layout is a fixed point of the formatter.

The laws are asked of programs that make sense, and of any trees that the grammar can read.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import ParsedProgram, parse
from cera.languages.xchangeeq.printer import format_source
from languages.xchangeeq.random_syntax import programs
from properties.generator import Case, cases
from properties.holding import holds_for

CASES = cases() | cases(recursive=True)

#: Any names, any numbers and strings, any nesting: what the grammar allows and no check has looked at.
ANY = programs.map(lambda program: Case(program, ()))


@holds_for(CASES, short=150)
def test_what_is_printed_is_read_back_as_the_same_program(case: Case) -> None:
    assert read(case.text).program == case.program


@holds_for(ANY, short=250, long=4_000)
def test_what_is_printed_is_read_back_even_if_it_makes_no_sense(case: Case) -> None:
    assert read(case.text).program == case.program


@holds_for(CASES | ANY, short=150)
def test_the_canonical_layout_stays_as_it_is(case: Case) -> None:
    assert format_source(Source("generated.xceq", case.text)) == case.text


@holds_for(CASES | ANY)
def test_formatting_brings_any_layout_to_the_canonical_one(case: Case) -> None:
    """Lines are joined, or broken wherever there is a blank outside of strings and regular expressions."""
    joined = " ".join(case.text.split("\n"))
    assert format_source(Source("generated.xceq", joined)) == case.text


@holds_for(st.tuples(CASES | ANY, st.randoms(use_true_random=False)), short=150)
def test_formatting_keeps_every_comment_once_and_changes_nothing_twice(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    text = with_comments_anywhere(with_comments_at_lines(case.text, chance), chance)
    formatted = format_source(Source("commented.xceq", text))
    assert sorted(comments(formatted)) == sorted(comments(text))
    assert read(formatted).program == case.program
    assert format_source(Source("formatted.xceq", formatted)) == formatted


def read(text: str) -> ParsedProgram:
    parsed = parse(Source("generated.xceq", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    return parsed


def comments(text: str) -> list[str]:
    return [comment.span.text.rstrip() for comment in read(text).comments]


def with_comments_at_lines(text: str, chance: random.Random) -> str:
    """Returns the text with comments before, at the end of and between its lines."""
    lines = []
    for number, line in enumerate(text.split("\n")):
        said = f"<remark {number}>"
        match chance.choice(("none", "none", "none", "end", "line", "block", "blank")):
            case "end":
                lines.append(f"{line}  # {said}")
            case "line":
                lines += [f"# {said}", line]
            case "block":
                lines.append(f"/* {said} */ {line}")
            case "blank":
                lines += ["", f"  /* {said}", "     goes on */", "", line]
            case _:
                lines.append(line)
    return "\n".join(lines)


def with_comments_anywhere(text: str, chance: random.Random) -> str:
    """Returns the text with a few comments between tokens, where they are comments and keep the meaning."""
    program, before = read(text).program, len(comments(text))
    for number in range(chance.randint(0, 5)):
        form = chance.choice((" # c{}\n", "\n# c{}\n", " /* c{} */ ", "/* c\n{}*/\n")).format(number)
        gap = chance.choice([at for at, character in enumerate(text) if character in "{}[](),: \n"] or [0])
        parsed = parse(Source("commented.xceq", tried := text[:gap] + form + text[gap:]))
        if not parsed.diagnostics and parsed.program == program and len(parsed.comments) > before:
            text, before = tried, len(parsed.comments)
    return text


@holds_for(CASES)
def test_spans_do_not_change_what_a_program_means(case: Case) -> None:
    """The rules of the text are the rules of the tree that was printed: lowering does not look at places."""
    parsed = parse(Source("generated.xceq", case.text)).program
    read, written = (
        lower([p], calendars=case.calendars, timezone="UTC", semantics=None) for p in (parsed, case.program)
    )
    assert read[0] == written[0]
    assert not read[1]
