"""StreamLog as a language: what it claims, what it reads, how it formats."""

from __future__ import annotations

from pathlib import Path

import pytest

import cera
from cera.diagnostics import Source
from cera.languages.registry import LANGUAGES, understood
from cera.languages.streamlog.language import STREAMLOG
from cera.program import Program
from event_reading import happened

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


@pytest.mark.parametrize(
    ("program", "answers"),
    [
        ('p(k(K)) <- i: a(k(K)) and i during datetime("1970-01-01T00:00:10", "1970-01-01T00:00:20").', ["p{k{1}}"]),
        ('p(k(iso(datetime("1970-01-01T00:00:10")))) <- a(k(1)).', ['p{k{"1970-01-01T00:00:10Z"}}']),
    ],
    ids=["from one time to another", "in a head"],
)
def test_texts_of_times_are_read(program: str, answers: list[str]) -> None:
    events = [happened("a{k{1}}", 15), happened("a{k{2}}", 25)]
    derived = Program((Source("test.slog", program),)).run(events, engine="reference").derived
    assert [str(one.event.term) for one in derived] == answers


def test_an_interval_that_ends_before_it_begins_is_an_error() -> None:
    text = 'p() <- i: a() and i during datetime("1970-01-02", "1970-01-01").'
    [found] = Program((Source("test.slog", text),)).check()
    assert found.code == "SL003"
    assert "before it begins" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "h(x(X)) <- i: a(k(K)) and w: [b(i), e(i) + 1 min] and NAMED b(k(K), x(X)).",
        "h(x(X)) <- i: a(k(K)) and w: extend[i, 1 min] and (NAMED b(k(K), x(X)) or c(x(X))).",
        "h(x(X)) <- state w: on(k(K)) and NAMED b(k(K), x(X)).",
        "w: on(k(K)): h(x(X)) <- NAMED b(k(K), x(X)).",
    ],
)
def test_a_name_of_a_window_timer_or_state_before_an_atom_is_its_evaluation_time(text: str) -> None:
    events = [
        {"at": 10, "term": {"a": {"k": 1}}},
        {"begin": 15, "end": 80, "state": True, "term": {"on": {"k": 1}}},
        *({"at": at, "term": {"b": {"k": 1, "x": at}}} for at in (5, 20, 75, 90)),
    ]

    def derived(program: str) -> list[str]:
        found = cera.load(program).run(events, time_unit="s").derived
        return [f"{one.event.term} {one.event.interval}" for one in found]

    expected = derived(text.replace("NAMED", "while w:"))
    assert 0 < len(expected) < 4
    assert derived(text.replace("NAMED", "w:")) == expected
