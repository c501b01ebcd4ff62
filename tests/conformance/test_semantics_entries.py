"""X-17 to X-27: the model theory and the fixpoint theory. What programs answer is in the folders of `entries`."""

from __future__ import annotations

from itertools import product

import pytest

from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.enumeration import matches
from cera.engines.reference.fixpoint import immediate_consequence, intended_model
from cera.model.time.interval import Interval
from cera.program import load
from cera.rules.analysis.strata import stratify
from cera.testing import event
from conformance.asking import AVERAGE, BURNT_DOWN, FIRE, FIRE_RULES, codes, fire_stream, temp

M1 = [FIRE, BURNT_DOWN, AVERAGE]


def is_model(program: str, events: Interpretation) -> bool:
    rules = load(program).checked().rules
    return all(e in events for e in immediate_consequence(rules, events, Theory()))


def test_X_21_an_unjustified_event_makes_a_model_that_is_not_the_intended_one() -> None:
    unjustified = temp(20, 1, 2, area="b", sensor="t")
    assert is_model(FIRE_RULES, Interpretation([*fire_stream(), *M1]))
    assert is_model(FIRE_RULES, Interpretation([*fire_stream(), *M1, unjustified]))
    answer = load(FIRE_RULES).run(fire_stream(), engine="reference")
    assert unjustified not in [derived.event for derived in answer.derived]


@pytest.mark.parametrize("missing", range(3))
def test_X_21_without_one_of_its_events_it_is_no_model(missing: int) -> None:
    rest = [e for i, e in enumerate(M1) if i != missing]
    assert not is_model(FIRE_RULES, Interpretation([*fire_stream(), *rest]))


def test_X_22_one_application_in_one_stratum_reaches_the_fixpoint() -> None:
    rules = load(FIRE_RULES).checked().rules
    assert [len(stratum) for stratum in stratify(rules).strata] == [3]
    base = Interpretation(fire_stream())
    assert set(immediate_consequence((), base, Theory())) == set(base)
    once = immediate_consequence(rules, base, Theory())
    assert set(once) == {*fire_stream(), *M1}
    assert set(immediate_consequence(rules, once, Theory())) == set(once)


MUTUAL = """
DETECT p[var X] ON and { event w: s[var X], while w: not q[var X] } END
DETECT q[var X] ON and { event w: s[var X], while w: not p[var X] } END
"""


def test_X_24_a_program_with_two_symmetric_models_is_rejected() -> None:
    assert codes(MUTUAL) == ["XC301"]


def test_X_24_both_models_are_models_and_a_naive_application_derives_both() -> None:
    rules = load(MUTUAL).rules.rules
    s, p, q = (event(f"{label}[1]", 1, 3) for label in "spq")
    for model in ([s, p], [s, q]):
        interpretation = Interpretation(model)
        assert set(immediate_consequence(rules, interpretation, Theory())) == set(model)
    assert set(immediate_consequence(rules, Interpretation([s]), Theory())) == {s, p, q}  # ERR-33


def test_X_27_the_model_is_computed_stratum_by_stratum() -> None:
    program = """
    DETECT b{var X} ON a{var X} END
    DETECT c{} ON and { event w: w{{}}, while w: not b{2} } END
    DETECT d{} ON and { event w: w{{}}, while w: not c{{}} } END
    """
    rules = load(program).checked().rules
    assert [[rule.name for rule in stratum] for stratum in stratify(rules).strata] == [["b"], ["c"], ["d"]]
    window = event("w{}", 0, 10)
    assert {e.label for e in intended_model(rules, [window, event("a{1}", 5)], Theory()).events} == set("wabc")
    assert {e.label for e in intended_model(rules, [window, event("a{2}", 5)], Theory()).events} == set("wabd")


def test_X_17_entailment_and_its_enumeration_agree_on_the_sensor_program() -> None:
    """Every (τ, σ) over all events of the stream that entails a body is a match, and the other way round."""
    events = Interpretation(fire_stream())
    theory = Theory()
    values = [{"A": "a", "T": t, "S": "s"} for t in (40, 41)]
    [fire, _, _] = load(FIRE_RULES).checked().rules
    [branch] = fire.branches
    entailed = {
        (s, t, sigma["T"])
        for s, t in product(events, repeat=2)
        for sigma in values
        if theory.entails(
            events,
            sigma,
            {"s": s, "t": t},
            branch,
            Interval(min(s.begin, t.begin), max(s.end, t.end)),
        )
    }
    matched = {(m.trace["s"], m.trace["t"], m.values["T"]) for m in matches(theory, events, branch)}
    assert entailed == matched == {(fire_stream()[1], fire_stream()[2], 41)}


@pytest.mark.parametrize("rule", [1, 2])
def test_X_18_accumulation_is_entailed_exactly_for_the_matches(rule: int) -> None:
    events = Interpretation(fire_stream())
    theory = Theory()
    branch = load(FIRE_RULES).checked().rules[rule].branches[0]
    [match] = matches(theory, events, branch)
    assert theory.entails(events, match.values, match.trace, branch, match.interval)
    assert not theory.entails(events, {**match.values, "S": "other"}, match.trace, branch, match.interval)
    shifted = Interval(match.interval.begin, match.interval.end + 1)
    assert not theory.entails(events, match.values, match.trace, branch, shifted)
