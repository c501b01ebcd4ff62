"""The page about EPL is true and complete: its examples run, and nothing of the language is left out."""

from __future__ import annotations

import re

import pytest

from cera.languages.epl.parser import cut, parse_tree
from cera.languages.text.scanner import scan
from docs.blocks import ROOT
from docs.epl_examples import EplExample, epl_examples, problems_of

PAGE = ROOT / "docs" / "epl.md"
LANGUAGES = ROOT / "src" / "cera" / "languages"
GRAMMAR = "".join((LANGUAGES / path).read_text() for path in ("expressions/expressions.lark", "epl/grammar.lark"))
EXAMPLES = list(epl_examples(PAGE))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.program.place)
def test_an_example_does_what_the_page_says(example: EplExample) -> None:
    assert not list(problems_of(example)), "\n".join(problems_of(example))


def test_every_rule_of_the_grammar_is_used_by_an_example() -> None:
    used = set()
    for example in EXAMPLES:
        text = example.program.text
        for piece in cut(text, [lexeme for lexeme in scan(text) if lexeme.kind != "comment"]):
            if piece.kind in ("beginning", "declaration", "rule"):
                tree = parse_tree(text[piece.start : piece.end], piece.kind)
                used |= {str(node.data) for node in tree.iter_subtrees()}
    rules = set(re.findall(r"-> ([a-z_]+)$", GRAMMAR, re.M)) | set(re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.M))
    unnamed = {"event_type"}  # each of its alternatives has a name
    mistakes = {"reference"}
    assert rules - used == unnamed | mistakes


def test_every_word_of_the_grammar_is_on_the_page() -> None:
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([a-z]+)"', GRAMMAR, re.M))
    assert {"monitor", "chronicle", "within"} <= words
    text = PAGE.read_text()
    assert {word for word in words if not re.search(rf"\b{word}\b", text)} == set()
