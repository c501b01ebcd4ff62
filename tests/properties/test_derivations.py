"""Following the first derivations of an event leads back to the input, also in a recursion."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.engines.reference.fixpoint import Model
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.model.events.event import Derivation, Event
from cera.rules.rule import RuleProgram
from cera.testing import event
from properties.generator import Case, cases
from properties.holding import holds_for
from properties.theories import model_of, rules_of

CASES = cases(recursive=True)


def assert_well_founded(model: Model) -> None:
    """Every event is reached from events that are given or were reached before, by first derivations alone."""
    first = {derived.event: derived.derivations[0] for derived in model.derived()}
    grounded = set(model.base)
    waiting = dict(first)
    while ready := [e for e, derivation in waiting.items() if _needs(derivation, first) <= grounded]:
        grounded.update(ready)
        for one in ready:
            del waiting[one]
    assert not waiting, f"these are derived from each other: {', '.join(map(str, waiting))}"


def _needs(derivation: Derivation, derived: dict[Event, Derivation]) -> set[Event]:
    return {cause for cause in (*derivation.causes.values(), *derivation.collected) if cause in derived}


@holds_for(CASES, short=150)
def test_first_derivations_lead_back_to_the_input(case: Case) -> None:
    assert_well_founded(model_of(rules_of(case), case.events))


@holds_for(CASES)
def test_a_recursive_rule_derives_in_every_way_there_is_and_the_first_one_is_one_of_them(case: Case) -> None:
    program = rules_of(case)
    model = model_of(program, case.events)
    for derived in model.derived():
        recorded = model.derivations.get(derived.event) or model.raised[derived.event][1]
        assert {one.key for one in derived.derivations} == set(recorded)


def program_of(text: str) -> RuleProgram:
    return lower([parse(Source("rules.xceq", text)).program], calendars=(), timezone="UTC", semantics=None)[0]


def test_two_events_that_are_derived_from_each_other_have_a_first_derivation_from_the_input() -> None:
    """b comes from a, c from b, and b from c again; by the names of the rules, the last would come first."""
    program = program_of(
        """
        DETECT b{var X} ON event z: c{var X} END
        DETECT b{var X} ON event y: a{var X} END
        DETECT c{var X} ON event y: b{var X} END
        """
    )
    model = model_of(program, [event("a{1}", 1)])
    b, c = model.derived()
    assert [str(cause.term) for d in b.derivations for cause in d.causes.values()] == ["a{1}", "c{1}"]
    assert [str(cause.term) for d in c.derivations for cause in d.causes.values()] == ["b{1}"]
    assert_well_founded(model)


def test_the_first_derivation_is_the_one_with_the_fewest_steps_above_the_input() -> None:
    """p holds all along 1 → 2 → 3, and 1 → 3 directly; then 3 → 1 closes the circle."""
    program = program_of(
        """
        DETECT p{x{var X}, y{var Y}} ON e{x{var X}, y{var Y}} END
        DETECT p{x{var X}, y{var Z}} ON and{ event a: p{x{var X}, y{var Y}}, event b: p{x{var Y}, y{var Z}} } END
        """
    )
    edges = [event(f"e{{x{{{x}}}, y{{{y}}}}}", 1) for x, y in ((1, 2), (2, 3), (3, 1))]
    model = model_of(program, edges)
    assert len(model.derived()) == 9
    assert_well_founded(model)
