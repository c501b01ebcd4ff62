"""The page about StreamLog leaves nothing of the language out. Its examples run with those of other pages."""

from __future__ import annotations

import re

from cera.languages.streamlog.cutting import cut
from cera.languages.streamlog.parser import parse_tree
from cera.languages.text.scanner import scan
from cera.model.expressions.expression import AGGREGATES
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import TIMERS
from docs.blocks import ROOT
from docs.examples import examples

PAGE = ROOT / "docs" / "streamlog.md"
LANGUAGES = ROOT / "src" / "cera" / "languages"
GRAMMARS = ("expressions/expressions.lark", "atoms/atoms.lark", "streamlog/grammar.lark")
GRAMMAR = "".join((LANGUAGES / path).read_text() for path in GRAMMARS)
EXAMPLES = list(examples(PAGE))


def test_every_rule_of_the_grammar_is_used_by_an_example() -> None:
    used = set[str]()
    for example in EXAMPLES:
        text = example.program.text
        for piece in cut(text, [lexeme for lexeme in scan(text) if lexeme.kind != "comment"]):
            used |= {str(node.data) for node in parse_tree(text[piece.start : piece.end], piece.kind).iter_subtrees()}
    rules = set(re.findall(r"-> ([a-z_]+)$", GRAMMAR, re.M)) | set(re.findall(r"^([a-z][a-z_]*):", GRAMMAR, re.M))
    assert rules - used == set()


def test_every_word_of_the_grammar_is_on_the_page() -> None:
    words = set(re.findall(r'^_?[A-Z_.0-9]+: "([A-Za-z-]+)"', GRAMMAR, re.M))
    assert {"unbounded", "while", "within"} <= words
    text = PAGE.read_text()
    assert {word for word in words if not re.search(rf"\b{word}\b", text)} == set()


def test_every_timer_relation_and_aggregate_is_named() -> None:
    text = PAGE.read_text()
    assert {name for name in (*TIMERS, *RELATIONS, *AGGREGATES) if not re.search(rf"\b{name}\b", text)} == set()
