"""Answers over all of a state: which rules have them, and by what they are named before the state ends."""

from __future__ import annotations

import pytest

from cera.connectors.event_lines import event_line
from cera.model.events.event import Derivation, DerivedEvent
from cera.model.events.states import early_id
from cera.model.time.time_text import TimeFormat
from cera.program import load
from cera.rules.whole_states import whole_state
from cera.testing import event, seconds, state

S = "state s: a{{ id{ var A } }}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"and {{ {S}, while s: not b{{{{ id{{ var A }} }}}} }}", "s"),
        (f"and {{ {S}, while s: collect b{{{{ v{{ var V }} }}}} }}", "s"),
        (f"and {{ {S}, event x: b{{{{}}}}, while s: not c{{{{}}}} }} where {{ x in s }}", "s"),
        (f"and {{ {S}, event x: b{{{{}}}}, while s: not c{{{{}}}} }}", None),  # x may end after s
        (f"and {{ {S}, event x: b{{{{}}}} }} where {{ x in s }}", None),
        (f"and {{ {S}, state t: c{{{{}}}}, while s: not b{{{{}}}} }}", None),  # t may begin after s
        (f"and {{ {S}, event w: extend[event s, 1 min], while w: not b{{{{}}}} }}", None),
        (f"and {{ {S}, while s: not b{{{{}}}} }} where {{ length(s) > 5 sec }}", "s"),
        (f"{S}", None),
    ],
)
def test_a_rule_says_whether_its_answers_are_over_all_of_a_state(body: str, expected: str | None) -> None:
    [rule] = load(f"DETECT answer{{}} ON {body} END").checked().rules
    assert whole_state(rule) == expected


def test_a_rule_of_several_branches_is_over_a_state_if_all_are() -> None:
    one = f"and {{ {S}, while s: not b{{{{}}}} }}"
    other = one.replace("a{{", "c{{")
    [both] = load(f"DETECT answer{{}} ON or {{ {one}, {other} }} END").checked().rules
    [mixed] = load(f"DETECT answer{{}} ON or {{ {one}, event x: c{{{{}}}} }} END").checked().rules
    assert (whole_state(both), whole_state(mixed)) == ("s", None)


def test_an_answer_has_a_name_before_its_state_ends_and_the_id_of_its_event_after() -> None:
    program = load(f"DETECT answer{{ var A }} ON and {{ {S}, while s: not b{{{{}}}} }} END")
    [rule] = program.checked().rules
    opened = state("a{id{1}}", 0)
    short, long = ([opened, state("a{id{1}}", 0, end)] for end in (5, 9))
    [[one], [other]] = (program.run(events).derived for events in (short, long))
    names = {
        early_id(d.event.term, d.event.begin, d.derivations[0].causes[whole_state(rule) or ""].id) for d in (one, other)
    }
    assert names == {early_id(one.event.term, 0, opened.id)}
    assert one.event.id == event("answer{1}", 0, 5).id != other.event.id


def test_an_answer_is_known_at_its_end_unless_it_was_certain_before() -> None:
    made = event("answer", 0, 5)
    usual = DerivedEvent(made, (Derivation("r", {}),))
    early = DerivedEvent(made, (Derivation("r", {}),), early=seconds(3))
    assert (usual.known, early.known, usual) == (seconds(5), seconds(3), early)
    assert "known" not in event_line(usual, TimeFormat("s"))
    assert event_line(early, TimeFormat("s"))["known"] == 3


def test_answers_over_two_states_of_one_interval_are_one_event() -> None:
    program = load("DETECT answer{} ON and { state s: a{{}}, while s: not b{{}} } END")
    events = [state("a{id{1}}", 0, 5), state("a{id{2}}", 0, 5)]
    for engine in ("local", "reference"):
        [answer] = program.run(events, engine=engine).derived  # type: ignore[arg-type]
        assert len(answer.derivations) == 2
