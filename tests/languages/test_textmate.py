"""The TextMate grammars colour every word of their languages, and the example programs as one expects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lark import Lark

from cera.languages.cet.modes import COMPONENT_MODES, OPERATOR_MODES
from cera.languages.cet.parser import lark as cet_lark
from cera.languages.datalog.parser import lark as datalog_lark
from cera.languages.epl.parser import lark as epl_lark
from cera.languages.escl.parser import lark as escl_lark
from cera.languages.ihta.parser import lark as ihta_lark
from cera.languages.snoop.parser import lark as snoop_lark
from cera.languages.streamlog.parser import lark as streamlog_lark
from cera.languages.xchangeeq.grammar import lark as xchangeeq_lark
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.time.durations import UNITS
from cera.model.time.timers import TIMERS
from docs.blocks import blocks
from languages.finite_words import finite_words
from languages.textmate import FOLDER, GRAMMARS, Grammar

ROOT = Path(__file__).parents[2]
ENDINGS = {
    "xchangeeq": "xceq",
    "epl": "epl",
    "datalog-1s": "dl1s",
    "event-types": "cet",
    "snoop": "snoop",
    "streamlog": "slog",
    "ihta": "ihta",
    "escl": "escl",
}
LARKS = {
    "xchangeeq": xchangeeq_lark,
    "epl": epl_lark,
    "datalog-1s": datalog_lark,
    "event-types": cet_lark,
    "snoop": snoop_lark,
    "streamlog": streamlog_lark,
    "ihta": ihta_lark,
    "escl": escl_lark,
}
#: What has to follow a word for it to be one: each is tried, and one of them has to do.
AFTER = (" X", "{x}", " (", "(", " [", ": A", " x.", " :1", ".", " by x")
KEYWORDS = ("keyword.", "storage.modifier", "support.function", "constant.language", "variable.language")


def words_of(lark: Lark) -> set[str]:
    """The words that terminals of a grammar stand for, where these are finitely many."""
    found: set[str] = set()
    for terminal in lark.terminals:
        found |= finite_words(terminal.pattern.to_regexp()) or set()
    return {word for word in found if re.search("[A-Za-z]{2}|^[AP]", word)}


def programs(ending: str) -> Iterator[str]:
    for folder in ("examples", "tests/languages", "tests/conformance/cases", "tests/conformance/entries"):
        for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
            if "bad" not in path.parts:
                yield path.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        yield from (block.text for block in blocks(page) if block.language == ending)


def is_coloured(grammar: Grammar, word: str) -> bool:
    """Whether a word is one token that is a keyword, before something that can follow it."""
    for after in AFTER:
        first = grammar.tokens(f"{word}{after}")[0]
        if first.text.rstrip() == word and first.scope.startswith(KEYWORDS):
            return True
    return False


def test_there_is_a_grammar_for_every_language_and_the_extension_lists_them() -> None:
    assert set(GRAMMARS) == set(ENDINGS)
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["contributes"]
    assert {each["language"]: each["path"] for each in package["grammars"]} == {
        language: f"./{language}.tmLanguage.json" for language in ENDINGS
    }
    assert {each["id"]: each["extensions"] for each in package["languages"]} == {
        language: [f".{ending}"] for language, ending in ENDINGS.items()
    }
    for language in package["languages"]:
        assert (FOLDER / language["configuration"]).exists()
    for language, grammar in GRAMMARS.items():
        assert grammar.data["scopeName"] == f"source.{language}"
        assert grammar.data["fileTypes"] == [ENDINGS[language]]


@pytest.mark.parametrize("language", ENDINGS)
def test_every_regular_expression_compiles_and_has_a_scope(language: str) -> None:
    grammar = GRAMMARS[language]
    for rule in grammar.rules([{"include": f"#{name}"} for name in grammar.data["repository"]]):
        assert rule["name"].endswith(f".{language}")
        for key in ("match", "begin", "end"):
            re.compile(rule.get(key, ""))
    used = {each["include"].removeprefix("#") for each in grammar.data["patterns"]}
    assert used == set(grammar.data["repository"])


@pytest.mark.parametrize("language", ENDINGS)
def test_every_word_of_the_grammar_is_coloured(language: str) -> None:
    found = words_of(LARKS[language]())
    assert len(found) > 10
    assert [word for word in sorted(found) if not is_coloured(GRAMMARS[language], word)] == []


@pytest.mark.parametrize("language", ENDINGS)
def test_every_function_and_unit_is_coloured(language: str) -> None:
    grammar = GRAMMARS[language]
    for function in FUNCTIONS:
        assert grammar.tokens(f"{function}(")[0].scope.startswith(("support.function", "keyword")), function
    if language != "datalog-1s":
        for unit in UNITS:
            assert grammar.tokens(f"10 {unit}")[0].scope == "constant.numeric.duration", unit


def test_modes_and_timers_are_coloured() -> None:
    for mode in (*COMPONENT_MODES, *OPERATOR_MODES):
        for spelled in (mode, mode.replace("-", " ")):
            assert GRAMMARS["event-types"].tokens(f"{spelled}: A")[0].scope == "storage.modifier.mode", spelled
    for timer in TIMERS:
        assert GRAMMARS["xchangeeq"].tokens(f"{timer}[event a, 1 sec]")[0].scope == "support.function.timer", timer
        assert GRAMMARS["streamlog"].tokens(f"{timer}[a, 1 sec]")[0].scope == "support.function.timer", timer


@pytest.mark.parametrize("language", ENDINGS)
def test_programs_are_coloured_throughout(language: str) -> None:
    """No sign is left without a scope, and no comment or string is left open."""
    found = list(programs(ENDINGS[language]))
    assert len(found) >= 3
    for text in found:
        tokens = GRAMMARS[language].tokens(text)
        assert [token for token in tokens if not token.scope] == [], text
        assert "".join(re.sub(r"\s", "", token.text) for token in tokens) == re.sub(r"\s", "", text)


EXPECTED = [
    ("xchangeeq", "# note\nDETECT a{ var X } ON event e: b{{ /x.y/ }} where { var X > 10 min } END", {
        "# note": "comment.line.number-sign", "DETECT": "keyword.control", "a{": "entity.name.tag",
        "var X": "variable.other", "event": "keyword.other", "e:": "entity.name.label", "/x.y/": "string.regexp",
        ">": "keyword.operator", "10 min": "constant.numeric.duration", "END": "keyword.control",
    }),
    ("epl", 'begin M monitor A; R: [A(X, X.v = "a\\n" and true), *:any] within 1 hour -> write("%d", 1.5). end.', {
        "begin": "keyword.control", "A;": "entity.name.tag", "R:": "entity.name.function", "X,": "variable.other",
        "X.v": "variable.other.attribute", '"a': "string.quoted.double", "\\n": "constant.character.escape",
        "and": "keyword.operator.word", "true": "constant.language", "any": "keyword.other",
        "1 hour": "constant.numeric.duration", "write": "keyword.other.action", "1.5": "constant.numeric",
    }),
    ("datalog-1s", "% note\nmonitor A.\np(X, s(J)) <- A(X, s(J)), not q(_, J), X.v > 3.", {
        "% note": "comment.line.percentage", "monitor": "keyword.control", "p(": "entity.name.function",
        "X,": "variable.other", "s(J)": "variable.language.stage", "<-": "keyword.operator",
        "not q": "keyword.operator.word", "X.v": "variable.other.attribute", "3": "constant.numeric",
    }),
    ("event-types", "event A;\nT := ;(last: shared: A as a, B) where a.v > 1 within 1 min as t(n: count(B));", {
        "event": "keyword.control", "T": "entity.name.type", ":=": "keyword.operator", "last": "storage.modifier.mode",
        "shared": "storage.modifier.mode", "as a": "keyword.other", "a.v": "variable.other.attribute",
        "1 min": "constant.numeric.duration", "n:": "entity.name.label", "count": "support.function",
    }),
    ("snoop", "T := recent A ; NOT(B)[C, D] where A.v = 1 /* or */ within 1 min as t()", {
        "T": "entity.name.type", "recent": "storage.modifier.context", "A ;": "entity.name.tag",
        ";": "keyword.operator",
        "NOT": "keyword.operator.word", "where": "keyword.other", "A.v": "variable.other.attribute",
        "/*": "comment.block", "within": "keyword.other",
    }),
    ("streamlog", "Range 1h Slide 30min:\n  state: hot(area(A)) <- i: temp(area(red)) ∧ not b(i) < V and i before j.", {
        "Range": "keyword.control", "1h": "constant.numeric.duration", "Slide": "keyword.control",
        "state": "keyword.other", "hot(": "entity.name.tag", "A)": "variable.other", "<-": "keyword.operator",
        "i:": "entity.name.label", "red": "string.unquoted", "∧": "keyword.operator", "not": "keyword.operator.word",
        "b(i)": "support.function", "V and": "variable.other", "before": "keyword.operator.temporal",
    }),
    ("ihta", "automaton A(id(O)) { start S;  # note\nS -> E: j: bid(x(unique X* for 1 d), c{{var Y*}}) and now - e(last) < 3s; }", {  # noqa: E501
        "automaton": "keyword.control", "A(": "entity.name.tag", "O)": "variable.other", "start": "keyword.control",
        "# note": "comment.line.number-sign", "S ->": "entity.name.type", "->": "keyword.operator",
        "j:": "entity.name.label", "bid(": "entity.name.tag", "unique": "keyword.other", "X*": "variable.other",
        "1 d": "constant.numeric.duration", "c{{": "entity.name.tag", "var Y*": "variable.other",
        "and": "keyword.operator.word", "now": "variable.language", "e(": "support.function",
        "last)": "variable.language", "3s": "constant.numeric.duration",
    }),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "scopes"), EXPECTED, ids=[each[0] for each in EXPECTED])
def test_a_program_is_coloured_as_expected(language: str, text: str, scopes: dict[str, str]) -> None:
    grammar = GRAMMARS[language]
    assert {word: grammar.scope_of(word, text) for word in scopes} == scopes
