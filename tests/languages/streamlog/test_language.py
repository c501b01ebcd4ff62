"""StreamLog as a language: what it claims, what it reads, how it formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.languages.registry import LANGUAGES, understood
from cera.languages.streamlog.language import STREAMLOG

ROOT = Path(__file__).parents[3]
OK = sorted((Path(__file__).parent / "ok").glob("*.slog"))


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_program_is_claimed_and_understood_best(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source = Source("<text>", text)
    others = [language for language in LANGUAGES if language is not STREAMLOG]
    claims = [(language.claims(text), understood(language.parse(source))) for language in others]
    assert (STREAMLOG.claims(text), understood(STREAMLOG.parse(source))) > max(claims)


@pytest.mark.parametrize("ending", sorted({each.ending for each in LANGUAGES if each is not STREAMLOG}))
def test_programs_of_other_languages_stay_theirs(ending: str) -> None:
    [language] = [each for each in LANGUAGES if each.ending == ending]
    paths = sorted((ROOT / "examples").rglob(f"*{ending}"))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        source = Source("<text>", text)
        own = (language.claims(text), understood(language.parse(source)))
        assert own > (STREAMLOG.claims(text), understood(STREAMLOG.parse(source))), path


def test_rules_have_the_names_of_what_they_derive() -> None:
    parsed = STREAMLOG.parse(Source("test.slog", "a(X) <- p(X). now: b(X) <- p(X). c(X) <- p("))
    [module] = parsed.modules
    assert module.definitions == ("a", "b")
    assert [each.code for each in parsed.diagnostics] == ["SL002"]
    assert STREAMLOG.format(Source("test.slog", "a(X)<-p(X)")) == "a(X) <- p(X).\n"
