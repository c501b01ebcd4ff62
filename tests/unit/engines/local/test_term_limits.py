"""Terms that would be nested too deep or too large: no event, counted as undefined, alike on both engines."""

from __future__ import annotations

import pytest

from cera.errors import RecursionLimitError
from cera.model.events.event import Event
from cera.model.terms.term import MAX_DEPTH, MAX_SIZE, Term, Value
from cera.model.time.interval import point
from cera.modules.answers.answer import Answer
from cera.program import load
from cera.testing import event

ENGINES = ("reference", "local")


def nested(depth: int) -> Value:
    """A term of the given depth; of depth 0 a number."""
    value: Value = 1
    for _ in range(depth):
        value = Term("x", [value])
    return value


def answer(program: str, engine: str, *events: Event) -> Answer:
    return load(program).run(list(events), engine=engine)


def labels(found: Answer) -> list[str]:
    return [derived.event.label for derived in found.derived]


HEADS = (
    "r{x{var X}}",
    "r[x{var X}]",
    "r{x{var X}, 1}",
    "r{x{var X}, y{1}}",
    "r{x{first(all var X)}}",
    "r{x{all var X}}",
    "r[x[all var X], count(all var X)]",
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("head", HEADS)
def test_a_term_that_would_be_nested_too_deep_is_not_derived_and_counted(head: str, engine: str) -> None:
    too_deep = Event(Term("a", [nested(MAX_DEPTH - 1)]), point(1))
    deep = Event(Term("a", [nested(MAX_DEPTH - 2)]), point(2))
    found = answer(f"DETECT {head} ON a{{var X}} END", engine, too_deep, deep)
    assert [(derived.event.end, derived.event.term.depth) for derived in found.derived] == [(2, MAX_DEPTH)]
    assert found.undefined == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_an_instance_of_all_that_would_be_nested_too_deep_is_left_out(engine: str) -> None:
    too_deep = Event(Term("a", [nested(MAX_DEPTH - 1)]), point(1))
    found = answer("DETECT r{all x{y{var X}}} ON a{var X} END", engine, too_deep)
    assert [derived.event.term for derived in found.derived] == [Term("r")]
    assert found.undefined == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("wrapped", ["r{var X}", "r{var X, 1}", "r[var X]", "r{b{1}, a{var X}}"])
def test_an_event_that_wraps_one_of_the_greatest_depth_is_not_derived(wrapped: str, engine: str) -> None:
    deepest = Event(Term("a", [nested(MAX_DEPTH - 1)]), point(1))
    found = answer(f"DETECT {wrapped} ON var X -> a{{{{}}}} END", engine, deepest, event("a{1}", 2))
    assert labels(found) == ["r"]
    assert found.undefined == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_collected_may_be_too_large_as_well(engine: str) -> None:
    """Two strings that have their place in an event each, and not in one event together."""
    half = "y" * (16 * (MAX_SIZE // 2 + 10))
    days = [event("day{}", 0, 9), event("day{}", 2, 9)]
    sales = [Event(Term("a", [half]), point(1_000_000)), Event(Term("a", ["z" + half]), point(5_000_000))]
    program = "DETECT r{x{first(all var X)}, y{last(all var X)}} ON and {event d: day{}, while d: collect a{var X}} END"
    found = answer(program, engine, *days, *sales)
    assert labels(found) == []  # from 2 on there is one of them only, and it is first and last
    assert found.undefined == 2
    one = answer(program.replace(", y{last(all var X)}", ""), engine, *days, *sales)
    assert labels(one) == ["r", "r"]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_optional_part_that_would_be_too_deep_is_left_out(engine: str) -> None:
    deepest = Event(Term("a", [nested(MAX_DEPTH - 1)]), point(1))
    program = 'DETECT r{optional x{y{var X}} with default "deep"} ON a{var X} END'
    found = answer(program, engine, deepest)
    assert [derived.event.term for derived in found.derived] == [Term("r", ["deep"])]
    assert found.undefined == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_recursive_rule_whose_data_is_too_deep_at_once_goes_on(engine: str) -> None:
    """That is the fault of the data, not of a recursion that does not end."""
    deepest = Event(Term("a", [nested(MAX_DEPTH - 1)]), point(1))
    program = "DETECT p{x{var X}} ON a{var X} END DETECT p{x{var X}} ON p{x{var X}} END"
    found = answer(program, engine, deepest, event("a{1}", 2))
    assert labels(found) == ["p"]
    assert found.undefined == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_recursion_that_wraps_its_own_events_is_an_error(engine: str) -> None:
    with pytest.raises(RecursionLimitError, match=r"rule 'n'.*does not end"):
        answer("DETECT n{x{var X}} ON var X -> n{{}} END", engine, event("n{}", 1))
