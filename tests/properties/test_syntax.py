"""Text and syntax tree: parse(print(p)) = p, and the canonical layout is a fixed point of the formatter."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.languages.xchangeeq.formatter import format_source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import print_program
from cera.languages.xchangeeq.syntax import ProgramSyntax
from properties.generator import Case, cases
from properties.holding import holds_for
from properties.syntax_trees import programs

CASES = cases() | cases(recursive=True)


@holds_for(CASES, short=150)
def test_what_is_printed_is_read_back_as_the_same_program(case: Case) -> None:
    parsed = parse(Source("generated.xceq", case.text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    assert parsed.program == case.program


@holds_for(programs(), short=150)
def test_what_is_printed_is_read_back_even_if_it_makes_no_sense(program: ProgramSyntax) -> None:
    """Any names, any numbers and strings, any nesting: what the grammar allows and no check has looked at."""
    parsed = parse(Source("generated.xceq", print_program(program)))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    assert parsed.program == program


@holds_for(CASES | programs().map(lambda program: Case(program, ())))
def test_the_canonical_layout_stays_as_it_is(case: Case) -> None:
    assert format_source(Source("generated.xceq", case.text)) == case.text


@holds_for(CASES | programs().map(lambda program: Case(program, ())))
def test_formatting_brings_any_layout_to_the_canonical_one(case: Case) -> None:
    """Lines are joined, or broken wherever there is a blank outside of strings and regular expressions."""
    joined = " ".join(case.text.split("\n"))
    assert format_source(Source("generated.xceq", joined)) == case.text


@holds_for(st.tuples(CASES, st.randoms(use_true_random=False)))
def test_formatting_keeps_every_comment_once_and_changes_nothing_twice(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    text, comments = commented(case.text, chance)
    formatted = format_source(Source("commented.xceq", text))
    assert [formatted.count(comment) for comment in comments] == [1] * len(comments)
    assert parse(Source("formatted.xceq", formatted)).program == case.program
    assert format_source(Source("formatted.xceq", formatted)) == formatted


def commented(text: str, chance: random.Random) -> tuple[str, list[str]]:
    """The text with comments before, at the end of and between its lines, and what they say."""
    lines, comments = [], []
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
                continue
        comments.append(said)
    return "\n".join(lines), comments


@holds_for(CASES)
def test_spans_do_not_change_what_a_program_means(case: Case) -> None:
    """The rules of the text are the rules of the tree that was printed: lowering does not look at places."""
    parsed = parse(Source("generated.xceq", case.text)).program
    read, written = (
        lower([p], calendars=case.calendars, timezone="UTC", semantics=None) for p in (parsed, case.program)
    )
    assert read[0] == written[0]
    assert not read[1]
