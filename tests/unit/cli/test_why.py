"""`cera why`: trees of causes, and ids that are found or explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unit.cli.command_line import Cera, records, write_lines

WHY = ("why", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s", "--event")


@pytest.fixture
def ids(cera: Cera) -> dict[str, str]:
    """The ids of the events of Fig. 1 by label, input events included (of two, the later)."""
    result = cera("run", "fire.xceq", "--events", "events.jsonl", "--base")
    return {next(iter(record["term"])): record["id"] for record in records(result.stdout)}


def tree(cera: Cera, *arguments: str) -> list[str]:
    """The lines of the tree below the line with the id."""
    result = cera(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()[1:]


def test_fire_comes_from_smoke_and_heat(cera: Cera, ids: dict[str, str]) -> None:
    assert tree(cera, *WHY, ids["fire"]) == [
        'fire{area{"a"}} [65, 80]',
        '└─ by rule fire (fire.xceq:1:1) with A = "a", T = 41',
        '   ├─ s: smoke{area{"a"}} [65, 68]',
        '   ├─ t: temp{area{"a"}, sensor{"s"}, value{41}} [70, 80]',
        "   └─ where s before t, {s, t} within 1 min, var T > 40",
    ]


def test_burnt_down_comes_from_heat_a_timer_and_silence(cera: Cera, ids: dict[str, str]) -> None:
    assert tree(cera, *WHY, ids["burnt_down"]) == [
        'burnt_down{sensor{"s"}} [70, 92]',
        '└─ by rule burnt_down (fire.xceq:8:1) with S = "s", T = 41',
        '   ├─ n: temp{area{"a"}, sensor{"s"}, value{41}} [70, 80]',
        "   ├─ i: timer from-end 12 sec [80, 92]",
        "   ├─ no temp{{sensor{{var S}}}} while i [80, 92]",
        "   └─ where var T > 40",
    ]


def test_an_average_comes_from_what_was_collected(cera: Cera, ids: dict[str, str]) -> None:
    assert tree(cera, *WHY, ids["avg_temp"]) == [
        'avg_temp{sensor{"s"}, value{40}} [10, 80]',
        '└─ by rule avg_temp (fire.xceq:16:1) with S = "s"',
        '   ├─ m: temp{area{"a"}, sensor{"s"}, value{41}} [70, 80]',
        "   ├─ i: timer from-start-backward 1 min [10, 70]",
        "   └─ collected",
        '      └─ temp{area{"a"}, sensor{"s"}, value{40}} [60, 63]',
    ]


def test_several_events_are_shown_one_after_the_other_in_the_order_asked(cera: Cera, ids: dict[str, str]) -> None:
    fire, loss = cera(*WHY, ids["fire"]).stdout, cera(*WHY, ids["burnt_down"]).stdout
    assert fire.splitlines()[1].startswith("fire{")
    assert loss.splitlines()[1].startswith("burnt_down{")
    assert cera(*WHY, ids["burnt_down"], "--event", ids["fire"]).stdout == f"{loss}\n{fire}"


def test_an_event_that_is_asked_for_twice_is_shown_once(cera: Cera, ids: dict[str, str]) -> None:
    assert cera(*WHY, ids["fire"], "--event", ids["fire"][:8]).stdout == cera(*WHY, ids["fire"]).stdout


def test_one_unknown_id_among_several_is_told_before_anything_is_shown(cera: Cera, ids: dict[str, str]) -> None:
    result = cera(*WHY, ids["fire"], "--event", "zzzzzz")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'zzzzzz'" in result.stderr


def test_json_of_several_events_is_one_graph_with_every_event_once(cera: Cera, ids: dict[str, str]) -> None:
    graph = json.loads(cera(*WHY, ids["fire"], "--event", ids["burnt_down"], "--json").stdout)
    assert graph["asked"] == [ids["fire"], ids["burnt_down"]]
    labels = [next(iter(event["term"])) for event in graph["events"]]
    assert labels[:2] == ["fire", "burnt_down"]
    assert sorted(labels[2:]) == ["smoke", "temp", "timer:from-end"]


def test_an_input_event_has_no_causes(cera: Cera, ids: dict[str, str]) -> None:
    assert tree(cera, *WHY, ids["smoke"]) == ['smoke{area{"a"}} [65, 68]']


def test_a_timer_of_the_causes_is_found_too(cera: Cera) -> None:
    run = cera("run", "fire.xceq", "--events", "events.jsonl", "--select", "burnt_down")
    timer = records(run.stdout)[0]["causes"]["i"]
    assert tree(cera, *WHY, timer) == ["timer from-end 12 sec [80, 92]"]


def test_the_first_line_is_the_whole_id(cera: Cera, ids: dict[str, str]) -> None:
    assert cera(*WHY, ids["fire"][:4]).stdout.splitlines()[0] == ids["fire"]


def test_an_id_may_be_cut_and_in_capitals(cera: Cera, ids: dict[str, str]) -> None:
    assert tree(cera, *WHY, ids["fire"][:6].upper())[0].startswith("fire{")


def test_chained_rules_are_followed_down_to_the_input(cera: Cera, folder: Path) -> None:
    (folder / "chain.xceq").write_text(
        "DETECT b{ var X } ON event i: a{{ var X }} END\nDETECT c{ var X } ON event j: b{{ var X }} END\n"
    )
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"a": 7}}'])
    options = ("chain.xceq", "--events", "a.jsonl", "--time-unit", "s")
    top = records(cera("run", *options, "--select", "c").stdout)[0]["id"]
    assert tree(cera, "why", *options, "--event", top) == [
        "c{7} [1, 1]",
        "└─ by rule c (chain.xceq:2:1) with X = 7",
        "   └─ j: b{7} [1, 1]",
        "      └─ by rule b (chain.xceq:1:1) with X = 7",
        "         └─ i: a{7} [1, 1]",
    ]


def why_one(cera: Cera, folder: Path, program: str, events: list[str], label: str) -> list[str]:
    """The tree of the first event with the label."""
    (folder / "p.xceq").write_text(program)
    write_lines(folder / "p.jsonl", events)
    options = ("p.xceq", "--events", "p.jsonl", "--time-unit", "s")
    run = cera("run", *options, "--select", label)
    return tree(cera, "why", *options, "--event", records(run.stdout)[0]["id"])


def test_all_derivations_are_shown(cera: Cera, folder: Path) -> None:
    program = "DETECT b{} ON event i: a{{ x{{}} }} END DETECT b{} ON event j: a{{ y{{}} }} END"
    lines = why_one(cera, folder, program, ['{"at": 1, "term": {"a": {"x": {}, "y": {}}}}'], "b")
    assert lines == [
        "b{} [1, 1]",
        "├─ by rule b (p.xceq:1:1)",
        "│  └─ i: a{x{}, y{}} [1, 1]",
        "└─ by rule b#2 (p.xceq:1:41)",
        "   └─ j: a{x{}, y{}} [1, 1]",
    ]


def test_the_branch_that_fired_is_the_one_that_is_shown(cera: Cera, folder: Path) -> None:
    program = """
        DETECT b{} ON or {
          and { event i: a{{ var X }}, while i: not never{{}} } where { var X > 10 },
          and { event i: a{{ var X }}, while i: not silence{{}} } where { var X < 10 }
        } END"""
    lines = why_one(cera, folder, program, ['{"at": 1, "term": {"a": 5}}'], "b")
    assert "   ├─ no silence{{}} while i [1, 1]" in lines
    assert not any("never" in line for line in lines)


def test_an_event_that_comes_up_again_is_not_unfolded_again(cera: Cera, folder: Path) -> None:
    program = """
        DETECT b{ var X } ON event i: a{{ var X }} END
        DETECT c{} ON and { event i: b{{ var X }}, event j: b{{ var X }} } END"""
    lines = why_one(cera, folder, program, ['{"at": 1, "term": {"a": 5}}'], "c")
    assert "   ├─ i: b{5} [1, 1]" in lines
    assert "   └─ j: b{5} [1, 1] (see above)" in lines
    assert sum("by rule b" in line for line in lines) == 1


def test_a_long_list_of_collected_events_is_cut(cera: Cera, folder: Path) -> None:
    program = "DETECT s{ sum(all var X) } ON and { event d: day{{}}, while d: collect a{{ var X }} } END"
    events = ['{"begin": 0, "end": 100, "term": {"day": {}}}']
    events += [f'{{"at": {number}, "term": {{"a": {number}}}}}' for number in range(1, 26)]
    lines = why_one(cera, folder, program, events, "s")
    assert sum("─ a{" in line for line in lines) == 20
    assert lines[-1].endswith("└─ … and 5 more")


def test_a_long_chain_is_cut_with_the_id_to_go_on_with(cera: Cera, folder: Path) -> None:
    program = "DETECT n{ var N + 1 } ON event e: n{{ var N }} where { var N < 200 } END"
    (folder / "p.xceq").write_text(program)
    write_lines(folder / "p.jsonl", ['{"at": 1, "term": {"n": 0}}'])
    options = ("p.xceq", "--events", "p.jsonl")
    last = max(records(cera("run", *options).stdout), key=lambda record: record["term"]["n"])
    lines = tree(cera, "why", *options, "--event", last["id"])
    [cut] = [line for line in lines if "--event " in line]
    assert "n{150}" in cut
    further = cut.split("--event ")[1]
    assert tree(cera, "why", *options, "--event", further)[0].startswith("n{150}")
    graph = json.loads(cera("why", *options, "--event", last["id"], "--json").stdout)
    assert len(graph["events"]) == 201


def test_an_absolute_timer_is_shown_by_its_name(cera: Cera, folder: Path) -> None:
    program = "DETECT noon{} ON event d: timer:datetime{{ hour{12} }} END"
    events = ['{"at": "2006-09-18T09:00Z", "term": {"a": 1}}', '{"at": "2006-09-18T13:00Z", "term": {"a": 2}}']
    lines = why_one(cera, folder, program, events, "noon")
    assert lines[-1].lstrip(" └─").startswith("d: timer:datetime{")
    assert "hour{12}" in lines[-1]


def test_the_recipient_of_a_raised_event_is_shown(cera: Cera, folder: Path) -> None:
    program = 'RAISE to(recipient="http://auditor.com") { b{} } ON event i: a{{}} END'
    lines = why_one(cera, folder, program, ['{"at": 1, "term": {"a": 5}}'], "b")
    assert lines[0] == "b{} [1, 1] to http://auditor.com"


def test_an_input_event_is_found_by_the_id_of_its_source(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", ['{"id": "m-17", "at": 1, "term": {"smoke": {}}}'])
    assert tree(cera, *WHY, "m-17") == ["smoke{} [1, 1] with id m-17"]
    write_lines(folder / "events.jsonl", ['{"id": 3, "at": 1, "term": {"smoke": {}}}'])
    assert tree(cera, *WHY, "3") == ["smoke{} [1, 1] with id 3"]


def test_a_source_id_that_two_events_have_is_ambiguous(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [f'{{"id": "m-17", "at": {n}, "term": {{"smoke": {{}}}}}}' for n in (1, 2)])
    result = cera(*WHY, "m-17")
    assert result.exit_code == 2
    assert "the id of 2 events" in result.stderr
    assert "smoke{} [1, 1]" in result.stderr
    assert "smoke{} [2, 2]" in result.stderr


def test_a_begin_of_two_ids_is_ambiguous_and_both_are_listed(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [f'{{"at": {n}, "term": {{"smoke": {{}}}}}}' for n in range(1000)])
    found: dict[str, list[str]] = {}
    for record in records(cera("run", "fire.xceq", "--events", "events.jsonl", "--base").stdout):
        found.setdefault(record["id"][:4], []).append(record["id"])
    begin, several = next((begin, several) for begin, several in found.items() if len(several) > 1)
    result = cera(*WHY, begin)
    assert result.exit_code == 2
    assert f"the begin of the ids of {len(several)} events" in result.stderr
    assert all(whole in result.stderr for whole in several)


@pytest.mark.parametrize("name", ["zzzzzz", "", "abc"])
def test_an_unknown_or_too_short_id_is_answered_with_ids_that_there_are(
    cera: Cera, ids: dict[str, str], name: str
) -> None:
    result = cera(*WHY, name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"'{name}'" in result.stderr
    assert ids["fire"] in result.stderr


def test_an_id_with_a_wrong_digit_is_answered_with_the_closest(cera: Cera, ids: dict[str, str]) -> None:
    wrong = ids["fire"][:-1] + "x"
    result = cera(*WHY, wrong)
    assert result.exit_code == 2
    assert ids["fire"] in result.stderr
    assert ids["smoke"] not in result.stderr


def test_a_label_in_the_place_of_an_id_is_answered_with_its_events(cera: Cera, ids: dict[str, str]) -> None:
    result = cera(*WHY, "fire")
    assert result.exit_code == 2
    assert "'fire' is a label" in result.stderr
    assert ids["fire"] in result.stderr
    assert ids["smoke"] not in result.stderr


def test_why_over_no_event_at_all(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [])
    result = cera(*WHY, "abcdef")
    assert result.exit_code == 2
    assert "no event at all" in result.stderr


def test_json_has_every_event_once_and_refers_by_id(cera: Cera, ids: dict[str, str]) -> None:
    graph: dict[str, Any] = json.loads(cera(*WHY, ids["burnt_down"], "--json").stdout)
    assert graph["asked"] == [ids["burnt_down"]]
    loss, heat, timer = graph["events"]
    assert [event["kind"] for event in graph["events"]] == ["derived", "input", "timer"]
    assert (timer["begin"], timer["end"]) == (80, 92)
    [derivation] = loss["derivations"]
    assert derivation["rule"] == "burnt_down"
    assert derivation["causes"] == {"n": heat["id"], "i": timer["id"]}
    assert derivation["variables"] == {"S": '"s"', "T": "41"}
    assert derivation["conditions"] == ["var T > 40"]
    absence = {"query": "temp{{sensor{{var S}}}}", "window": "i", "begin": 80, "end": 92, "conditions": []}
    assert derivation["absent"] == [absence]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_in_a_recursion_the_first_derivation_leads_back_to_the_input(engine: str, cera: Cera, folder: Path) -> None:
    (folder / "round.xceq").write_text(
        "DETECT b{} ON event x: c{} END\nDETECT b{} ON event y: a{} END\nDETECT c{} ON event z: b{} END\n"
    )
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"a": {}}}'])
    replay = ("round.xceq", "--events", "a.jsonl", "--time-unit", "s", "--engine", engine)
    b, c = records(cera("run", *replay).stdout)
    assert (b["rule"], list(b["causes"])) == ("b#2", ["y"])
    assert tree(cera, "why", *replay, "--event", c["id"]) == [
        "c{} [1, 1]",
        "└─ by rule c (round.xceq:3:1)",
        "   └─ z: b{} [1, 1]",
        "      ├─ by rule b#2 (round.xceq:2:1)",
        "      │  └─ y: a{} [1, 1]",
        "      └─ by rule b (round.xceq:1:1)",
        "         └─ x: c{} [1, 1] (see above)",
    ]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_first_shows_one_derivation_of_each_event_down_to_the_input(engine: str, cera: Cera, folder: Path) -> None:
    (folder / "reach.xceq").write_text(
        "DETECT r[ var A, var B ] ON event l: link[ var A, var B ] END\n"
        "DETECT r[ var A, var C ] ON and{ event x: r[ var A, var B ], event l: link[ var B, var C ] } END\n"
    )
    pairs = [(1, 2), (2, 3), (3, 4), (4, 1), (2, 4), (1, 3)]
    write_lines(folder / "l.jsonl", [f'{{"at": 1, "term": {{"link": [{a}, {b}]}}}}' for a, b in pairs])
    replay = ("reach.xceq", "--events", "l.jsonl", "--time-unit", "s", "--engine", engine)
    [asked] = [one for one in records(cera("run", *replay).stdout) if one["term"] == {"r": [1, 4]}]
    why = ("why", *replay, "--event", asked["id"])
    every, lines = tree(cera, *why), tree(cera, *why, "--first")
    assert any("(see above)" in line for line in every)  # r[1, 4] is derived from r[1, 2], and that also from r[1, 4]
    assert not any("see above" in line for line in lines)
    rules = [line.partition("by rule ")[2].partition(" ")[0] for line in lines if "by rule" in line]
    assert rules[0] == "r#2"
    assert rules[-1] == "r"  # which asks for nothing but input
    others = sum(line.startswith(("├─ by rule", "└─ by rule")) for line in every) - 1
    assert others > 0
    assert lines[-1] == f"└─ … and {others} other derivation{'' if others == 1 else 's'}: --all"
    graph = json.loads(cera(*why, "--first", "--json").stdout)
    assert graph["events"][0]["other_derivations"] == others
    assert all(len(one["derivations"]) <= 1 for one in graph["events"])
    assert graph["events"][0]["derivations"][0]["causes"] == asked["causes"]


def test_first_says_nothing_of_others_where_there_are_none(cera: Cera, ids: dict[str, str]) -> None:
    assert cera(*WHY, ids["fire"], "--first").stdout == cera(*WHY, ids["fire"]).stdout
    assert cera(*WHY, ids["fire"], "--first", "--json").stdout == cera(*WHY, ids["fire"], "--json").stdout


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_of_very_many_derivations_the_tree_has_the_first_ten(engine: str, cera: Cera, folder: Path) -> None:
    (folder / "some.xceq").write_text("DETECT some{} ON event x: p{{}} END\n")
    write_lines(folder / "p.jsonl", [f'{{"at": 1, "term": {{"p": {{"n": {n}}}}}}}' for n in range(15)])
    replay = ("some.xceq", "--events", "p.jsonl", "--time-unit", "s", "--engine", engine)
    [some] = records(cera("run", *replay).stdout)
    why = ("why", *replay, "--event", some["id"])
    short, every = tree(cera, *why), tree(cera, *why, "--all")
    assert sum("by rule some" in line for line in every) == 15
    assert not any("other derivation" in line for line in every)
    assert sum("by rule some" in line for line in short) == 10
    assert short[:-1] == every[: len(short) - 1]
    assert short[-1] == "└─ … and 5 other derivations: --all"
    assert tree(cera, *why, "--first")[-1] == "└─ … and 14 other derivations: --all"
    whole = json.loads(cera(*why, "--json").stdout)
    assert len(whole["events"][0]["derivations"]) == 15
    assert "other_derivations" not in whole["events"][0]


def test_an_event_of_many_derivations_is_explained_by_the_first_of_them(cera: Cera, folder: Path) -> None:
    (folder / "late.xceq").write_text("DETECT late{} ON and { event p: p{{ }}, event d: done{{ }} } END\n")
    waiting = [f'{{"at": 51, "term": {{"p": {{"n": {number}}}}}}}' for number in range(15)]
    write_lines(folder / "p.jsonl", [*waiting, '{"at": 100, "term": {"done": {}}}'])
    replay = ("late.xceq", "--events", "p.jsonl", "--time-unit", "s", "--engine", "local")
    [late] = records(cera("run", *replay).stdout)
    short = tree(cera, "why", *replay, "--event", late["id"])
    assert sum("by rule late" in line for line in short) == 10
    assert short[-1] == "└─ … and 5 other derivations: --all"


def test_a_count_over_many_events_is_explained_by_the_first_ones_that_are_enough(cera: Cera, folder: Path) -> None:
    (folder / "few.escl").write_text(
        "CONSTRAINT few: IF event x: done() and event w: from-start-backward[x, 50 sec] "
        "THEN while w: exists <= 1 event: p() END\n"
    )
    counted = [f'{{"at": {at}, "term": {{"p": {{"n": {at}}}}}}}' for at in range(51, 57)]
    write_lines(folder / "p.jsonl", ['{"at": 0, "term": {"z": {}}}', *counted, '{"at": 100, "term": {"done": {}}}'])
    replay = ("few.escl", "--events", "p.jsonl", "--time-unit", "s", "--engine", "local")
    [violation] = records(cera("run", *replay).stdout)
    lines = tree(cera, "why", *replay, "--event", violation["id"])
    assert sum("by constraint few.few" in line for line in lines) == 1
    assert [number for number in range(51, 57) if any(f"p{{n{{{number}}}}}" in line for line in lines)] == [51, 52]


def test_one_derivation_and_all_of_them_exclude_each_other(cera: Cera, ids: dict[str, str]) -> None:
    result = cera(*WHY, ids["fire"], "--first", "--all")
    assert result.exit_code == 2
    assert "--first shows one derivation of each event and --all every one; give one of them" in result.stderr


def test_a_violation_comes_from_its_constraint_whichever_of_its_rules_found_it(cera: Cera) -> None:
    Path("paid.escl").write_text(
        "CONSTRAINT paid: IF event o: order(id(N)) and event t: from-end[o, 1 min]\n"
        "THEN while t: exists = 1 event: payment(id(N)) END\n"
    )
    orders = [(0, "order"), (10, "payment"), (12, "payment")]
    write_lines(Path("paid.jsonl"), (json.dumps({"at": at, "term": {label: {"id": 1}}}) for at, label in orders))
    given = ("paid.escl", "--events", "paid.jsonl", "--time-unit", "s", "--engine", "local")
    [violation] = records(cera("run", *given).stdout)
    assert violation["rule"] == "paid.paid"
    lines = tree(cera, "why", *given, "--event", violation["id"])
    assert lines[1:5] == [
        "└─ by constraint paid.paid (paid.escl:1:1)",
        "   ├─ o: order{id{1}} [0, 0]",
        "   ├─ payment: payment{id{1}} [10, 10]",
        "   ├─ payment 2: payment{id{1}} [12, 12]",
    ]
    assert lines[5].startswith("   ├─ 2 payment(id(N)) while t [0, 60], expected exactly 1 payment")


def test_what_a_constraint_misses_is_said_in_its_own_words(cera: Cera) -> None:
    Path("shop.escl").write_text(
        "WHILE state: open(day(D)) LET\n"
        "CONSTRAINT sold: IF event o: order(id(N)) and not event: refund(id(N))\n"
        "THEN exists >= 1 event: sale(id(N)) END and\n"
        'CONSTRAINT named: IF event: order(id(N), by(B)) THEN B != "" END END\n'
    )
    stream = [
        {"begin": 0, "end": 10, "state": True, "term": {"open": {"day": 1}}},
        {"at": 5, "term": {"order": {"id": 1, "by": ""}}},
    ]
    write_lines(Path("shop.jsonl"), map(json.dumps, stream))
    given = ("shop.escl", "--events", "shop.jsonl", "--time-unit", "s", "--engine", "local")
    named, sold = records(cera("run", *given).stdout)
    assert [*sold["causes"]] == ["o", "open"]  # the module's state has no identifier in the text
    assert tree(cera, "why", *given, "--event", sold["id"])[1:-1] == [
        "└─ by constraint shop.sold (shop.escl:2:1)",
        '   ├─ o: order{by{""}, id{1}} [5, 5]',
        "   ├─ open: state open{day{1}} [0, 10[",
        "   ├─ no refund(id(N)) while state open(day(D))",
        "   ├─ no sale(id(N)) while state open(day(D)) [0, 10]",
    ]
    assert '   ├─ not B != ""' in tree(cera, "why", *given, "--event", named["id"])
    [record, *_] = json.loads(cera("why", *given, "--event", sold["id"], "--json").stdout)["events"]
    [derivation] = record["derivations"]
    assert [(each["query"], each["window"]) for each in derivation["absent"]] == [
        ("refund(id(N))", "state open(day(D))"),
        ("sale(id(N))", "state open(day(D))"),
    ]
