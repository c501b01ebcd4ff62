"""Which language a source is in, and how often it is read to find out."""

from __future__ import annotations

from collections import Counter

import pytest

from cera.diagnostics import Source
from cera.languages.registry import LANGUAGES, language_of, recognize
from cera.program import load

SNOOP = "X := recent A ; B"


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each language reads a source."""
    counts: Counter[str] = Counter()

    def counted(language: type, name: str) -> None:
        parse = language.parse  # type: ignore[attr-defined]

        def counting(self: object, source: Source) -> object:
            counts[name] += 1
            return parse(self, source)

        monkeypatch.setattr(language, "parse", counting)

    for language in LANGUAGES:
        counted(type(language), language.name)
    return counts


def test_a_text_is_read_once_in_each_language_that_it_may_be_in(parses: Counter[str]) -> None:
    program = load(SNOOP)
    program.check()
    assert program.errors == ()
    assert program.layers.modules
    assert parses == {"Snoop": 1, "complex event types": 1}


def test_what_looks_like_one_language_only_is_read_in_no_other(parses: Counter[str]) -> None:
    program = load(["DETECT a{} ON b{{}} END", "begin M monitor A; R: A(X). end."])
    program.check()
    assert parses == {"XChangeEQ": 1, "EPL": 1}


def test_a_file_is_read_once_also_where_some_of_its_modules_are_enabled(parses: Counter[str]) -> None:
    text = "begin M monitor A; R: A(X). end. begin N monitor A; R: A(X). end."
    program = load(Source("m.epl", text), enable=["N"])
    assert [each.module.name for each in program.modules.found] == ["N"]
    assert parses == {"EPL": 1}


def test_of_two_languages_that_claim_a_text_the_one_is_meant_in_which_it_goes_wrong_later() -> None:
    assert recognize(Source("<text>", "X := recent A ;; B")).language.name == "Snoop"
    assert recognize(Source("<text>", "X := ;(last: A, B) where where")).language.name == "complex event types"


def test_a_file_has_the_language_of_its_ending_whatever_it_looks_like() -> None:
    assert language_of(Source("a.epl", SNOOP)).name == "EPL"
    assert language_of(Source("a.unknown", SNOOP)) is LANGUAGES[0]


def test_endings_names_and_targets_are_of_one_language_each() -> None:
    targets = [language.target.name for language in LANGUAGES if language.target is not None]
    for values in ([each.ending for each in LANGUAGES], [each.name for each in LANGUAGES], targets):
        assert len(set(values)) == len(values)
    assert {form for language in LANGUAGES for form in language.forms} <= {*targets, "json"}  # every program has JSON
