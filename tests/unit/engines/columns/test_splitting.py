"""Which rules of a program are answered in columns, and in which groups, where not all are."""

from __future__ import annotations

import pytest

from cera.engines.columns.splitting import Split, split
from cera.modules.rules.module import RuleModule
from cera.program import load

NEAR = "event x: a{{k{{var K}}}}, event y: b{{k{{var K}}}} } where { {x, y} within 3 sec }"
PAIRS = f"DETECT pairs{{k{{var K}}}} ON and {{ {NEAR} END\n"
HOT = "DETECT hot{k{var K}} ON event e: a{{k{{var K}}}} END\n"
DEEP = "DETECT deep{k{var K}} ON event e: a{{desc k{{var K}}}} END\n"
READS_HOT = "DETECT next{k{var K}} ON event e: hot{{desc k{{var K}}}} END\n"
READS_NEXT = "DETECT last{k{var K}} ON event e: next{{k{{var K}}}} END\n"


def divided(text: str, max_duration: int | None = 0) -> Split:
    [module] = load(text).layers.modules
    assert isinstance(module, RuleModule)
    return split(module.plan, max_duration)


def groups(text: str) -> list[tuple[tuple[str, ...], bool]]:
    return [(each.rules, each.columns is not None) for each in divided(text).groups]


def test_rules_that_need_nothing_of_each_other_are_a_group_for_each_way() -> None:
    assert groups(PAIRS + DEEP + HOT) == [(("pairs", "hot"), True), (("deep",), False)]


def test_a_group_reads_what_groups_before_it_derive() -> None:
    found = groups(READS_NEXT + PAIRS + READS_HOT + HOT)
    assert found == [(("pairs", "hot"), True), (("next",), False), (("last",), True)]


def test_a_group_knows_how_long_the_events_last_that_it_reads() -> None:
    found = divided("DETECT hot{k{var K}} ON and { " + NEAR + " END\n" + READS_HOT)
    assert [each.max_duration for each in found.groups] == [0, 3_000_000]


def test_the_plan_of_a_group_takes_what_others_derive_from_the_stream() -> None:
    _, reading = divided(HOT + READS_HOT).groups
    assert [point.name for point in reading.plan.points if point.result] == ["next"]


def test_rules_that_derive_one_label_are_one_group() -> None:
    found = divided(PAIRS + HOT + HOT.replace("k{{", "desc k{{"))
    assert [each.rules for each in found.groups] == [("pairs",), ("hot", "hot#2")]
    assert found.reasons["hot"] == "rules that are answered event by event derive hot too"


def test_what_reads_events_that_are_not_flat_goes_with_them() -> None:
    nested = "DETECT hot{n{k{var K}}} ON event e: a{{k{{var K}}}} END\n"
    found = divided(PAIRS + nested + "DETECT next{} ON event e: hot{{}} END\n")
    assert found.reasons["next"] == "it reads what rule 'hot' derives, which is not flat"


def test_recursive_rules_and_the_rules_before_and_behind_them_are_three_groups() -> None:
    again = "event s: spread{{k{{var K}}}}, event h: hot{{k{{var K}}}} } where { {s, h} within 4 sec }"
    first = "DETECT spread{k{var K}} ON event h: hot{{k{{var K}}}} END\n"
    size = "DETECT size{k{var K}} ON event s: spread{{k{{var K}}}} END\n"
    found = groups(HOT + first + "DETECT spread{k{var K}} ON and { " + again + " END\n" + size)
    assert [(len(rules), in_columns) for rules, in_columns in found] == [(1, True), (2, False), (1, True)]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("DETECT r{k{var K}} ON and { event s: a{{k{{var K}}}}, event m: extend[s, 1 month] } END\n", "counts months"),
        ("DETECT r{v{1 / var V}} ON event e: a{{v{{var V}}}} END\n", "divides by what is read"),
        ("DETECT r{} ON and { event x: a{{}}, event y: b{{}} } END\n", "matter for good"),
        ("DETECT r{k{var K}} ON and { event x: a{{}}, relation t{{k{{var K}}}} } END\n", "relations"),
    ],
)
def test_a_rule_that_is_not_in_columns_has_a_reason(rule: str, reason: str) -> None:
    found = divided(('RELATION t{k} FROM "t.csv"\n' if "relation" in rule else "") + PAIRS + rule)
    assert reason in (found.reasons["r"] or "")
    assert found.reasons["pairs"] is None


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("DETECT r{} ON and { event e: a{{}}, state s: on{{}} } END\n", "states"),
        ("DETECT r{} ON event t: timer:datetime{{hour{12}}} END\n", "absolute timers"),
        (DEEP + READS_HOT.replace("hot", "deep"), None),
    ],
)
def test_a_program_without_rules_in_columns_has_no_groups(rule: str, reason: str | None) -> None:
    found = divided(rule if reason is None else PAIRS + rule)
    assert not found.groups
    assert all(found.reasons.values())
    assert reason is None or reason in (found.reasons["pairs"] or "")
