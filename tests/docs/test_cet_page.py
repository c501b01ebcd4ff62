"""The page about complex event types is true and complete: examples run, and nothing of the language is left out."""

from __future__ import annotations

import re

import pytest

from cera.languages.cet.modes import COMPONENT_MODES, OPERATOR_MODES
from cera.languages.cet.parser import cut, parse_tree
from cera.languages.text.scanner import scan
from docs.blocks import ROOT
from docs.cet_examples import CetExample, cet_examples, problems_of

PAGE = ROOT / "docs" / "complex-event-types.md"
FOLDER = ROOT / "src" / "cera" / "languages"
GRAMMAR = "".join(
    (FOLDER / name).read_text() for name in ("expressions/expressions.lark", "cet/shared.lark", "cet/grammar.lark")
)
EXAMPLES = list(cet_examples(PAGE))


def place(example: CetExample) -> str:
    return (example.history or example.program).place


@pytest.mark.parametrize("example", EXAMPLES, ids=place)
def test_an_example_does_what_the_page_says(example: CetExample) -> None:
    assert not list(problems_of(example)), "\n".join(problems_of(example))


def test_every_rule_of_the_grammar_is_used_by_an_example() -> None:
    used = set()
    for example in EXAMPLES:
        text = example.program.text
        for piece in cut(text, [lexeme for lexeme in scan(text) if lexeme.kind != "comment"]):
            tree = parse_tree(text[piece.start : piece.end], piece.kind)
            used |= {str(node.data) for node in tree.iter_subtrees()}
    rules = set(re.findall(r"-> ([a-z_]+)$", GRAMMAR, re.M)) | set(re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.M))
    unnamed = {"primitive", "timer", "clause", "nested_alias"}  # each of their alternatives has a name
    assert rules - used == unnamed


def test_every_word_of_the_grammar_is_on_the_page() -> None:
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([a-z]+)"', GRAMMAR, re.M)) | {*COMPONENT_MODES, *OPERATOR_MODES}
    words = {re.sub("^(in|out)side .*", r"\1side", word) for word in words}
    assert {"event", "until", "within", "combinations minimum", "right-to-left"} <= words
    text = PAGE.read_text()
    assert {word for word in words if not re.search(rf"\b{word}\b", text)} == set()
