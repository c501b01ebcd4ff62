"""The layout of documents: groups, indentation, forced breaks, text at the end of a line."""

from __future__ import annotations

from cera.languages.text.layout import HARD, SPACE, Document, Group, Suffix, bracket, concat, join, render


def words(*items: Document) -> Document:
    return bracket("f(", items, ")")


def test_a_group_that_fits_stays_on_one_line() -> None:
    assert render(words("a", "b"), width=7) == "f(a, b)"


def test_a_group_that_does_not_fit_breaks_at_all_of_its_lines() -> None:
    assert render(words("a", "b"), width=6) == "f(\n  a,\n  b\n)"


def test_what_follows_a_group_on_its_line_counts() -> None:
    assert render(concat(words("a", "b"), ";"), width=7) == "f(\n  a,\n  b\n);"


def test_a_group_that_follows_may_break_by_itself() -> None:
    both = concat(words("a", "b"), words("c", "d"))
    assert render(both, width=9) == "f(a, b)f(\n  c,\n  d\n)"


def test_only_the_groups_that_need_it_are_broken_from_the_outside_in() -> None:
    assert render(words(words("a", "b"), words("cccc", "dddd")), width=12) == (
        "f(\n  f(a, b),\n  f(\n    cccc,\n    dddd\n  )\n)"
    )


def test_a_hard_line_breaks_every_group_around_it() -> None:
    assert render(words("a", concat("b", HARD, "c"))) == "f(\n  a,\n  b\n  c\n)"


def test_a_suffix_goes_to_the_end_of_its_line_and_breaks_the_groups_around_it() -> None:
    assert render(words(concat("a", Suffix("  # one")), "b")) == "f(\n  a,  # one\n  b\n)"


def test_a_suffix_takes_no_room() -> None:
    inner = Group(concat("b", SPACE, "c"))
    assert render(concat("a", Suffix("  # " + "long " * 30), inner), width=10).startswith("ab c  # long")


def test_empty_lines_have_no_spaces() -> None:
    assert render(words(concat("a", HARD, HARD, "b"))) == "f(\n  a\n\n  b\n)"


def test_without_a_limit_nothing_breaks_that_need_not() -> None:
    assert render(words(*["word"] * 100), width=None) == f"f({', '.join(['word'] * 100)})"


def test_brackets_without_items_have_nothing_inside() -> None:
    assert render(bracket("{", [], "}", SPACE)) == "{}"
    assert render(bracket("{", ["a"], "}", SPACE)) == "{ a }"


def test_join_puts_the_separator_between() -> None:
    assert render(join("-", ["a", "b", "c"])) == "a-b-c"
    assert render(join("-", [])) == ""
