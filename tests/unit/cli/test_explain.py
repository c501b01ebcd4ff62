"""`cera explain`: the rules as they are run, and what depends on what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cera.diagnostics import Source
from cera.explain.program import as_syntax, explain
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import print_rule
from cera.program import Program, load
from unit.cli.command_line import Cera

CHAIN = """
SOURCE buy, sell, order

DETECT trade{ var S } ON or { buy{{ stock{{ var S }} }}, event x: sell{{ stock{{ var S }} }} } END

DETECT volume{ var S, count(all var T) }
ON and { event d: day{{}}, while d: collect var T -> trade{{ var S }} }
END

DETECT day{} ON event o: timer:datetime{{ hour{ 9 } }} END

DETECT quiet{} ON and { event d: day{{}}, while d: not volume{{}} } END

DETECT path{ var A, var B } ON event e: edge{{ var A, var B }} END

DETECT path{ var A, var C }
ON and { event e: path{{ var A, var B }}, event f: path{{ var B, var C }} } where { var A != var C }
END

RAISE to(recipient="http://auditor.com", transport="HTTP") { var B } ON event b: var B -> buy{{}} END
"""


def explained(cera: Cera, folder: Path) -> dict[str, Any]:
    (folder / "chain.xceq").write_text(CHAIN)
    result = cera("explain", "chain.xceq", "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_each_rule_says_what_it_reads_and_derives(cera: Cera, folder: Path) -> None:
    rules = {rule["name"]: rule for rule in explained(cera, folder)["rules"]}
    assert list(rules) == ["trade", "volume", "day", "quiet", "path", "path#2", "raise"]
    assert rules["volume"]["derives"] == "volume{var S, count(all var T)}"
    assert rules["volume"]["reads"] == [
        {"how": "event", "identifier": "d", "query": "day{{}}"},
        {"how": "collect", "window": "d", "query": "var T -> trade{{var S}}"},
    ]
    assert rules["quiet"]["reads"][1] == {"how": "not", "window": "d", "query": "volume{{}}"}
    assert rules["day"]["timers"] == [{"identifier": "o", "timer": "timer:datetime{{hour{9}}}"}]
    assert rules["day"]["reads"] == []
    assert (rules["raise"]["kind"], rules["raise"]["recipient"]) == ("raise", "http://auditor.com")
    assert [name for name, rule in rules.items() if rule["grouping"]] == ["volume"]


def test_a_disjunction_is_shown_as_branches_and_the_nameless_get_names(cera: Cera, folder: Path) -> None:
    trade = explained(cera, folder)["rules"][0]
    assert trade["branches"] == 2
    assert "event buy: buy{{stock{{var S}}}}" in trade["text"]
    assert "event x: sell{{stock{{var S}}}}" in trade["text"]


def test_dependencies_have_their_kinds(cera: Cera, folder: Path) -> None:
    found = {(d["rule"], d["on"], d["kind"]) for d in explained(cera, folder)["dependencies"]}
    assert found == {
        ("volume", "trade", "grouping"),
        ("volume", "day", "grouping"),
        ("quiet", "day", "positive"),
        ("quiet", "volume", "negative"),
        ("path#2", "path", "positive"),
        ("path#2", "path#2", "positive"),
    }


def test_strata_put_a_rule_above_what_must_be_complete_for_it(cera: Cera, folder: Path) -> None:
    explanation = explained(cera, folder)
    assert explanation["strata"] == [["trade", "day", "path", "path#2", "raise"], ["volume"], ["quiet"]]
    assert {rule["name"]: rule["stratum"] for rule in explanation["rules"]}["quiet"] == 3


def test_recursion_is_named(cera: Cera, folder: Path) -> None:
    explanation = explained(cera, folder)
    assert explanation["recursion"] == [["path#2"]]
    assert [rule["name"] for rule in explanation["rules"] if rule["recursive"]] == ["path#2"]


def test_labels_from_outside_are_those_that_no_rule_derives(cera: Cera, folder: Path) -> None:
    explanation = explained(cera, folder)
    assert explanation["input_labels"] == ["buy", "edge", "sell"]
    assert explanation["declared_sources"] == ["buy", "sell", "order"]


def test_the_text_tells_the_same(cera: Cera, folder: Path) -> None:
    explained(cera, folder)
    result = cera("explain", "chain.xceq")
    assert result.exit_code == 0
    for said in (
        "semantics: practical\n",
        "labels from outside: buy, edge, sell\n",
        "rule quiet at chain.xceq:12:1: stratum 3\n",
        "  derives: quiet{}\n",
        "  reads: d: day{{}}\n",
        "  reads: no volume{{}} while d\n",
        "  waits for: o: timer:datetime{{hour{9}}}\n",
        "  to: http://auditor.com by HTTP\n",
        "  2. volume\n",
        "  quiet on volume: negative (chain.xceq:12:",
        "recursion: path#2\n",
    ):
        assert said in result.stdout


def test_a_normalised_rule_reads_back_as_the_same_rule() -> None:
    program = load(CHAIN)
    for rule in program.rules.rules:
        text = print_rule(as_syntax(rule))
        [again] = load(text).rules.rules
        assert (again.head, again.recipient) == (rule.head, rule.recipient)
        for one, other in zip(again.branches, rule.branches, strict=True):
            assert [query.pattern for query in one.events] == [query.pattern for query in other.events]
            assert one.identifiers == other.identifiers
            assert one.accumulations == other.accumulations
            assert one.conditions == other.conditions


def test_a_program_without_rules_is_explained_too() -> None:
    explanation = explain(Program((Source("x", ""),)).checked())
    assert (explanation["rules"], explanation["strata"], explanation["dependencies"]) == ([], [], [])


def test_a_wrong_program_is_not_explained(cera: Cera, folder: Path) -> None:
    (folder / "bad.xceq").write_text("DETECT a{ var X } ON event b: b{{}} END")
    result = cera("explain", "bad.xceq")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[XC201]" in result.stderr


def test_the_data_of_an_explanation_prints_as_json() -> None:
    assert not parse(Source("x", CHAIN)).diagnostics
    json.dumps(explain(load(CHAIN).checked()))


def test_labels_that_modules_derive_do_not_come_from_outside(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text("begin M\n  monitor A;\n  R: A(X) as pair(X.k).\nend.\n")
    (folder / "rule.xceq").write_text("DETECT both{} ON and { event p: pair{{}}, event b: B{{}} } END\n")
    assert "labels from outside: B\n" in cera("explain", "m.epl", "rule.xceq").stdout


def test_event_types_are_explained_with_what_they_remember(cera: Cera, folder: Path) -> None:
    types = [
        "Newest := ;(last: shared: E1, E2) where E1.k = E2.k;",
        "Pair := ;(first: E1, E2);",
        "Soon := ;(first: E1, E2) within 5 min;",
    ]
    (folder / "types.cet").write_text("\n".join(types))
    result = cera("explain", "types.cet")
    assert "a stage is: a change that has a position, or all other events of one time" in result.stdout
    remembers = [line.strip() for line in result.stdout.partition("remembers:\n")[2].splitlines()]
    assert remembers == [
        "`Newest`: no more than the newest of each component, for each value that is equated",
        "`Pair`: every `E1` until an event with `E2` consumes it",
        "`Soon`: what began 5 min ago or later",
    ]
