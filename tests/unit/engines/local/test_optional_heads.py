"""`optional` in a head: what is missing is left out or replaced, and nobody is told, because it may be missing."""

from __future__ import annotations

import pytest

from cera.program import load
from cera.testing import event

ENGINES = ("reference", "local")


def answer(program: str, engine: str, *terms: str) -> tuple[list[str], int]:
    found = load(program).run([event(term, at) for at, term in enumerate(terms)], engine=engine)
    return [str(derived.event.term) for derived in found.derived], found.undefined


@pytest.mark.parametrize("engine", ENGINES)
def test_an_all_without_an_instance_gives_the_default(engine: str) -> None:
    program = "DETECT r[optional (all p{var P}) with default none] ON a{{optional p{var P}}} END"
    assert answer(program, engine, "a{p{1}, p{2}}", "a{}") == (["r[p{1}, p{2}]", "r[none{}]"], 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_optional_inside_of_an_optional_with_a_default_gives_the_default(engine: str) -> None:
    program = "DETECT r[optional (optional p{var P}) with default none] ON a{{optional p{var P}}} END"
    assert answer(program, engine, "a{p{1}}", "a{}") == (["r[p{1}]", "r[none{}]"], 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "part",
    ["optional p{var P}", "optional p{1 / var N}", "optional p{var P + 1} with default 0", "optional (all var P)"],
)
def test_what_is_optional_and_missing_is_not_counted_as_undefined(part: str, engine: str) -> None:
    terms, undefined = answer(f"DETECT r{{{part}}} ON a{{{{n{{var N}}, optional p{{var P}}}}}} END", engine, "a{n{0}}")
    assert terms == ["r{0}" if "default" in part else "r{}"]
    assert undefined == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_default_that_is_undefined_is_counted_and_the_event_is_not_derived(engine: str) -> None:
    program = "DETECT r{optional p{var P} with default q{1 / var N}} ON a{{n{var N}, optional p{var P}}} END"
    assert answer(program, engine, "a{n{0}}", "a{n{2}}") == (["r{q{0.5}}"], 1)
