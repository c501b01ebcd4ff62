"""How the rules of a program are divided into stateful operators."""

from __future__ import annotations

import pytest

from cera.engines.spark.division.divisions import KeyDivision
from cera.engines.spark.division.operators import Operator, may_repeat
from cera.program import load
from module_runs import rule_operators

FIRE = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, sensor{{ var _S }} }} }
where { s before t, {s, t} within 1 min } END
"""
SILENT = """
DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ sensor{{ var S }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END
"""


def of(text: str, **settings: int) -> tuple[Operator, ...]:
    return rule_operators(load(text).checked(), **settings)


def division(operator: Operator) -> KeyDivision:
    assert isinstance(operator.division, KeyDivision)
    return operator.division


def rules(operator: Operator) -> list[str]:
    return [rule.name for rule in division(operator).rules]


def places(operator: Operator) -> list[dict[str | None, tuple[str, ...]]]:
    return [slot.places for slot in division(operator).slots]


def test_what_stands_in_a_list_divides_no_events() -> None:
    [operator] = of("DETECT stop{ var X } ON trip{{ path[[ var X ]] }} END")
    assert division(operator).slots == ()


def test_a_rule_is_divided_by_the_variable_that_all_its_queries_bind() -> None:
    [operator] = of(FIRE)
    assert places(operator) == [{"smoke": ("area",), "temp": ("area",)}]
    assert operator.layer == 1


def test_rules_with_different_keys_are_different_operators_side_by_side() -> None:
    one, other = of(FIRE + SILENT)
    assert (rules(one), rules(other)) == (["fire"], ["silent"])
    assert one.layer == other.layer == 1


def test_rules_that_divide_their_events_alike_share_an_operator() -> None:
    hot = "DETECT hot{ area{ var X } } ON temp{{ area{{ var X }} }} END"
    [operator] = of(FIRE + hot)
    assert rules(operator) == ["fire", "hot"]


def test_rules_without_common_events_are_apart_even_if_their_keys_look_alike() -> None:
    door = "DETECT open{ area{ var A } } ON door{{ area{{ var A }} }} END"
    assert len(of(FIRE + door)) == 2


def test_a_rule_that_asks_for_more_shares_the_part_of_the_key_that_is_common() -> None:
    both = """DETECT twice{ a{ var A } } ON and { event s: smoke{{ area{{ var A }}, kind{{ var K }} }},
              event t: smoke{{ area{{ var A }}, kind{{ var K }} }} } where { s before t, {s, t} within 1 min } END"""
    [alone] = of(both)
    assert len(division(alone).slots) == 2
    [together] = of(FIRE + both)
    assert places(together) == [{"smoke": ("area",), "temp": ("area",)}]


def test_a_derived_event_that_carries_the_key_is_consumed_in_the_same_operator() -> None:
    alarm = "DETECT alarm{ area{ var B } } ON fire{{ area{{ var B }} }} END"
    [operator] = of(FIRE + alarm)
    assert rules(operator) == ["fire", "alarm"]


def test_a_derived_event_without_the_key_is_consumed_in_a_later_layer() -> None:
    renamed = FIRE.replace("fire{ area{ var A } }", "fire{ zone{ var A } }")
    alarm = "DETECT alarm{ area{ var B } } ON and { event f: fire{{ zone{{ var B }} }}, "
    alarm += "event s: smoke{{ kind{{ var B }} }} } where { s before f, {s, f} within 1 min } END"
    first, second = of(renamed + alarm)
    assert (rules(first), first.layer) == (["fire"], 1)
    assert (rules(second), second.layer) == (["alarm"], 2)


def test_a_rule_without_a_key_is_one_piece_behind_those_that_it_queries() -> None:
    count = "DETECT fires{ count(var A) } ON and { event d: end{}, event w: extend-begin[event d, 1 min], "
    count += "while w: collect fire{{ area{{ var A }} }} } END"
    first, second = of(FIRE + count)
    assert (division(second).slots, second.buckets, second.layer) == ((), 1, 2)
    assert first.buckets > 1


def test_a_key_at_different_places_of_the_same_label_divides_nothing() -> None:
    trade = """DETECT round{ var X }
               ON and { event b: trade{{ buyer{{ var X }} }}, event s: trade{{ seller{{ var X }} }} }
               where { b before s, {b, s} within 1 min } END"""
    [operator] = of(trade)
    assert division(operator).slots == ()


@pytest.mark.parametrize(
    "query", ["desc area{{ var A }}", "area{{ var A }}, area{{ var _B }}", "var A", "var A -> area{{ }}"]
)
def test_a_key_without_one_place_divides_nothing(query: str) -> None:
    [operator] = of(f"DETECT found{{ var A }} ON smoke{{{{ {query} }}}} END")
    assert division(operator).slots == ()


def test_absolute_timers_keep_the_stream_in_one_piece_and_start_with_any_event() -> None:
    daily = """DETECT since{ area{ var A } } ON and { event s: smoke{{ area{{ var A }} }},
               event d: timer:datetime{{ hour{ 9 } }} } where { d before s, {d, s} within 1 hour } END"""
    [operator] = of(daily)
    assert division(operator).slots == ()
    assert operator.takes_all


def test_one_bucket_divides_nothing() -> None:
    assert all(division(operator).slots == () for operator in of(FIRE + SILENT, buckets=1))


def test_derived_events_may_last_longer_than_those_of_the_source() -> None:
    count = "DETECT fires{ count(var A) } ON and { event d: end{}, event w: extend-begin[event d, 1 min], "
    count += "while w: collect fire{{ area{{ var A }} }} } END"
    first, second = of(FIRE + count, max_duration=0)
    assert first.max_duration == 0
    assert second.max_duration == 60_000_000


PATHS = """
DETECT path{ net{ var N }, from{ var X }, to{ var Y } } ON hop{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }} END
DETECT path{ net{ var N }, from{ var X }, to{ var Z } }
ON and { event p: path{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }},
         event h: hop{{ net{{ var N }}, from{{ var Y }}, to{{ var Z }} }} } where { {p, h} within 1 min } END
"""
TURNS = """
DETECT ping{ a{ var X }, b{ var Y } } ON pong{{ c{{ var Y }}, d{{ var X }} }} END
DETECT pong{ c{ var X }, d{ var Y } } ON pang{{ e{{ var X }}, f{{ var Y }} }} END
DETECT pang{ e{ var X }, f{ var Y } } ON ping{{ a{{ var Y }}, b{{ var X }} }} END
"""


def test_a_recursion_is_divided_by_what_its_rules_hand_on() -> None:
    [operator] = of(PATHS)
    assert rules(operator) == ["path", "path#2"]
    assert places(operator) == [{"path": ("net",), "hop": ("net",)}]


def test_a_recursion_whose_key_changes_from_round_to_round_is_one_piece() -> None:
    without = PATHS.replace("net{ var N }, ", "").replace("net{{ var N }}, ", "")
    start, step = of(without)
    assert (rules(start), len(division(start).slots), start.layer) == (["path"], 2, 1)
    assert (rules(step), division(step).slots, step.buckets, step.layer) == (["path#2"], (), 1, 2)


def test_rules_that_depend_on_each_other_are_together_whatever_their_variables_are_called() -> None:
    [operator] = of(TURNS)
    assert rules(operator) == ["ping", "pong", "pang"]
    assert [slot.variables for slot in division(operator).slots] == [
        {"ping": "X", "pong": "Y", "pang": "Y"},
        {"ping": "Y", "pong": "X", "pang": "X"},
    ]
    [turned] = of(TURNS.replace("a{ var X }, b{ var Y }", "a{ var Y }, b{ var X }"))
    assert division(turned).slots == ()


def test_a_rule_joins_a_recursion_only_by_the_key_that_it_hands_on() -> None:
    seen = "DETECT seen{ net{ var N } } ON path{{ net{{ var N }}, from{{ var X }} }} END"
    [operator] = of(PATHS + seen)
    assert rules(operator) == ["path", "path#2", "seen"]
    by_end = "DETECT reached{ to{ var Y } } ON path{{ to{{ var Y }} }} END"
    recursion, behind = of(PATHS + by_end)
    assert (rules(recursion), rules(behind), behind.layer) == (["path", "path#2"], ["reached"], 2)


def test_two_recursions_with_one_key_and_common_events_share_an_operator() -> None:
    back = PATHS.replace("path", "way")
    [operator] = of(PATHS + back)
    assert rules(operator) == ["path", "path#2", "way", "way#2"]


def test_derived_events_of_a_recursion_are_known_to_last_for_a_time() -> None:
    _, step = of(PATHS.replace("net{ var N }, ", "").replace("net{{ var N }}, ", ""), max_duration=0)
    assert step.max_duration == 0  # what it gets from others; its own are its own matter
    behind = "DETECT reached{ to{ var Y } } ON path{{ to{{ var Y }} }} END"
    assert of(PATHS + behind, max_duration=0)[1].max_duration == 60_000_000


def test_limits_are_not_part_of_the_identity_of_a_state() -> None:
    [usual], [other] = of(PATHS), of(PATHS, tick_limit=3, recursion_limit=5)
    assert (other.tick_limit, other.recursion_limit) == (3, 5)
    assert usual.identity == other.identity


def test_the_identity_of_an_operator_is_that_of_its_rules_and_not_of_their_place_in_the_text() -> None:
    [alone] = of(FIRE)
    moved = [operator for operator in of(SILENT + "\n\n" + FIRE) if rules(operator) == ["fire"]]
    assert [operator.identity for operator in moved] == [alone.identity]
    [changed] = of(FIRE.replace("1 min", "2 min"))
    assert changed.identity != alone.identity
    assert of(FIRE, buckets=4)[0].identity != alone.identity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIRE, False),
        (SILENT + FIRE, False),
        (FIRE.replace("fire{ area{ var A } }", "fire{}"), True),
        (FIRE + SILENT.replace("silent{ sensor", "fire{ area"), True),
        (FIRE.replace("fire{ area{ var A } }", "fire{ all area{ var A } }"), True),
    ],
)
def test_parts_can_derive_the_same_event_unless_it_carries_the_key(text: str, expected: bool) -> None:
    assert may_repeat(of(text)) == expected
