"""Recursive rules over recorded events on Spark: by key, in rounds over the delta, in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

import cera.spark
from cera.cli.main import main
from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.engines.spark.engine import answers
from cera.engines.spark.explaining import explain_spark, spark_lines
from cera.engines.spark.lineage import Lineage
from cera.engines.spark.reading import recordings
from cera.engines.spark.recorded import recorded
from cera.engines.spark.recursion import recursion
from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.tables.event_rows import event_tables
from cera.errors import RecursionLimitError
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.event import DerivedEvent, Event
from cera.modules.rules.module import rules_of
from cera.program import Program, load
from cera.testing import event

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

#: No variable is in all queries of the second rule.
REACHES = """
DETECT reaches{ from{ var A }, to{ var B } } ON event l: link{{ from{{ var A }}, to{{ var B }} }} END
DETECT reaches{ from{ var A }, to{ var C } }
ON and{ event r: reaches{{ from{{ var A }}, to{{ var B }} }}, event l: link{{ from{{ var B }}, to{{ var C }} }} } END
"""
#: Every query has the variable G.
IN_GROUPS = """
DETECT reaches{ group{ var G }, from{ var A }, to{ var B } }
ON event l: link{{ group{{ var G }}, from{{ var A }}, to{{ var B }} }} END
DETECT reaches{ group{ var G }, from{ var A }, to{ var C } }
ON and{ event r: reaches{{ group{{ var G }}, from{{ var A }}, to{{ var B }} }},
        event l: link{{ group{{ var G }}, from{{ var B }}, to{{ var C }} }} } END
"""
#: The head has terms inside.
NESTED = """
DETECT way{ ends{ from{ var A }, to{ var B } } } ON event l: link{{ from{{ var A }}, to{{ var B }} }} END
DETECT way{ ends{ from{ var A }, to{ var C } } }
ON and{ event r: way{{ ends{{ from{{ var A }}, to{{ var B }} }} }}, event l: link{{ from{{ var B }}, to{{ var C }} }} }
END
"""
EVERY_WAY = [
    pytest.param(REACHES, "in rounds over the delta: 4", id="rounds"),
    pytest.param(IN_GROUPS, "by key (var G)", id="key"),
    pytest.param(NESTED, "in one piece", id="piece"),
]


def link(start: str, end: str, at: int, group: int = 1) -> Event:
    return event(f'link{{group{{{group}}}, from{{"{start}"}}, to{{"{end}"}}}}', at)


#: A circle at one time, and a link that comes later.
CIRCLE = [link("a", "b", 1), link("b", "c", 1), link("c", "a", 1), link("c", "d", 2), link("a", "x", 1, group=2)]


def on_spark(
    program: Program, events: Sequence[Event], *, small: bool = False, limit: int = RECURSION_LIMIT
) -> tuple[list[DerivedEvent], dict[tuple[str, ...], str]]:
    """The derived events with all derivations, and how each recursion ran."""
    spark = cera.spark.session()
    with engine_failure():
        found = answers(program.layers, event_tables(spark, events), spark, small=small, recursion_limit=limit)
        rows = found.derivations().collect()
    lineage = Lineage(rules_of(program.layers), [*events, *found.ticks])
    return lineage.derived(rows), dict(found.recursion)


def shown(derived: Sequence[DerivedEvent]) -> dict[str, list[tuple[int, str, dict[str, str]]]]:
    return {
        str(one.event): [(d.rank, d.rule, {n: str(c) for n, c in d.causes.items()}) for d in one.derivations]
        for one in derived
    }


@pytest.mark.parametrize(("text", "way"), EVERY_WAY)
def test_a_recursion_has_the_answers_and_the_ranks_of_the_reference(text: str, way: str) -> None:
    program = load(text)
    found, ways = on_spark(program, CIRCLE)
    expected = program.run(CIRCLE, engine="reference").derived
    assert shown(found) == shown(expected)
    assert max(each.rank for one in expected for each in one.derivations) > 2
    assert list(ways.values()) == [way]


@pytest.mark.parametrize("text", [REACHES, IN_GROUPS], ids=["without-key", "key"])
def test_a_small_recording_runs_in_one_piece_whatever_the_rules(text: str) -> None:
    program = load(text)
    found, ways = on_spark(program, CIRCLE, small=True)
    assert shown(found) == shown(program.run(CIRCLE, engine="reference").derived)
    assert list(ways.values()) == ["in one piece"]


@pytest.mark.parametrize("size", [1 << 20, 0], ids=["small", "large"])
def test_the_progress_of_a_run_says_how_a_recursion_runs(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "_SMALL", size)
    file = tmp_path / "links.jsonl"
    file.write_text("".join(f'{{"at": 1, "term": {{"link": {{"from": {n}, "to": {n + 1}}}}}}}\n' for n in range(3)))
    told: list[str] = []
    found = recorded(
        load(REACHES).layers,
        [source_of(str(file))],
        Layout(),
        until=None,
        max_duration=None,
        tick_limit=10,
        recursion_limit=100,
        timezone="UTC",
        master="local[2]",
        settings={},
        tell=told.append,
    )
    assert any("recursion of `reaches#2`, round 2" in each for each in told) == (size == 0)
    assert found.activity == ("answering, recursion of `reaches#2` in one piece" if size else "answering")
    assert len(list(found.rows((), base=False))) == 6


@pytest.mark.parametrize(("text", "way"), EVERY_WAY)
def test_an_event_that_came_in_is_no_part_of_the_recursion(text: str, way: str) -> None:
    program = load(text)
    given = event('reaches{group{1}, from{"a"}, to{"c"}}', 1), event('way{ends{from{"a"}, to{"c"}}}', 1)
    named = Event(given[0].term, given[0].interval, "1"), Event(given[1].term, given[1].interval, "1")
    flat = event('reaches{from{"a"}, to{"c"}}', 1)
    events = [*CIRCLE, *given, *named, flat, Event(flat.term, flat.interval, "2")]
    found, _ = on_spark(program, events)
    assert shown(found) == shown(program.run(events, engine="reference").derived)


ENDLESS = {
    "rounds": "DETECT n{ v{ var N + 1 } } ON event e: n{{ v{{ var N }} }} END",
    "key": "DETECT n{ k{ var K }, v{ var N + 1 } } ON event e: n{{ k{{ var K }}, v{{ var N }} }} END",
    "piece": "DETECT n{ v{ w{ var N + 1 } } } ON event e: n{{ v{{ w{{ var N }} }} }} END",
}


@pytest.mark.parametrize("small", [False, True], ids=["large", "small"])
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_a_recursion_that_does_not_end_stops_at_the_limit(text: str, small: bool) -> None:
    program = load(text)
    events = [event("n{k{1}, v{1}}", 1), event("n{v{w{1}}}", 1)]
    with pytest.raises(RecursionLimitError, match=r"rule 'n' .* more than 4 events .*`recursion_limit`"):
        on_spark(program, events, small=small, limit=4)


@pytest.mark.parametrize("small", [False, True], ids=["large", "small"])
def test_a_recursion_that_combines_its_own_events_stops_at_the_limit_of_ways(small: bool) -> None:
    program = load("""
        DETECT n{ v{ var A + var B + var C } }
        ON and{ event a: n{{ v{{ var A }} }}, event b: n{{ v{{ var B }} }}, event c: n{{ v{{ var C }} }} } END
    """)
    with pytest.raises(RecursionLimitError, match=r"rule 'n' .* in more than 10,000 ways; .*`recursion_limit`"):
        on_spark(program, [event("n{v{1}}", 1), event("n{v{2}}", 1)], small=small, limit=100)


def test_the_limit_is_on_events_that_end_at_one_time() -> None:
    program = load(REACHES)
    chain = [link(str(number), str(number + 1), number) for number in range(5)]
    found, _ = on_spark(program, chain, limit=4)
    assert shown(found) == shown(program.run(chain, engine="reference").derived)
    with pytest.raises(RecursionLimitError, match="more than 3 events"):
        on_spark(program, chain, limit=3)


def test_after_many_rounds_a_recursion_goes_on_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recursion, "MOST_ROUNDS", 2)
    program = load(REACHES)
    found, ways = on_spark(program, CIRCLE)
    assert shown(found) == shown(program.run(CIRCLE, engine="reference").derived)
    assert list(ways.values()) == ["in rounds over the delta, at most 2; then in one piece"]


def test_texts_that_grow_end_a_recursion_in_rounds() -> None:
    program = load("DETECT n{ v{ concat(var S, var S) } } ON event e: n{{ v{{ var S }} }} END")
    with pytest.raises(RecursionLimitError, match=r"rule 'n' .* derives a term"):
        on_spark(program, [event(f'n{{v{{"{"x" * 100_000}"}}}}', 1)])


def test_an_event_with_several_keys_keeps_a_recursion_together() -> None:
    program = load(IN_GROUPS)
    several = event('link{group{1}, group{2}, from{"d"}, to{"e"}}', 3)
    found, ways = on_spark(program, [*CIRCLE, several])
    assert shown(found) == shown(program.run([*CIRCLE, several], engine="reference").derived)
    assert list(ways.values()) == ["in one piece"]  # its group may be a term, which columns do not hold


def test_rules_that_query_each_other_share_their_rounds() -> None:
    program = load("""
        DETECT even{ n{ var N } } ON event s: start{{ n{{ var N }} }} END
        DETECT odd{ n{ var M } }
        ON and{ event e: even{{ n{{ var N }} }}, event s: step{{ from{{ var N }}, to{{ var M }} }} } END
        DETECT even{ n{ var M } }
        ON and{ event o: odd{{ n{{ var N }} }}, event s: step{{ from{{ var N }}, to{{ var M }} }} } END
        DETECT seen{ n{ count(all var N) } }
        ON and{ event l: last{{ }}, event t: extend-begin[event l, 10 sec], while t: collect odd{{ n{{ var N }} }} } END
    """)
    events = [event("start{n{0}}", 1), *(event(f"step{{from{{{n}}}, to{{{(n + 1) % 5}}}}}", 2) for n in range(5))]
    events.append(event("last{}", 3))
    found, ways = on_spark(program, events)
    assert shown(found) == shown(program.run(events, engine="reference").derived)
    assert [len(names) for names in ways] == [2]


@pytest.mark.parametrize("head", ["late{ n{ var N + 1 } }", "late{ n{ m{ var N + 1 } } }"], ids=["rounds", "piece"])
def test_a_recursion_may_have_an_absolute_timer(head: str) -> None:
    query = head.replace("{", "{{").replace("}", "}}").replace(" + 1", "")
    program = load(f"""
        DETECT {head.replace("var N + 1", "0")} ON event s: start{{{{ }}}} END
        DETECT {head}
        ON and{{ event l: {query}, event t: timer:datetime{{{{ second{{{{ 0 }}}} }}}} }}
        where {{ l before t, var N < 3 }} END
        DETECT echo{{ }} ON and{{ event s: start{{{{ }}}}, event x: extend[event s, 2 min] }} END
    """)
    events = [event("other{}", 0), event("start{}", 1), event("other{}", 250)]
    found, _ = on_spark(program, events)
    expected = program.run(events, engine="reference").derived
    assert shown(found) == shown(expected)
    assert len(expected) > 3


@pytest.mark.parametrize(("text", "_way"), EVERY_WAY[:2])
def test_detect_gives_typed_children_of_recursive_rules(text: str, _way: str, spark: SparkSession) -> None:
    rows = [("link", datetime.fromtimestamp(1, UTC), 1, a, b) for a, b in (("a", "b"), ("b", "c"))]
    table = spark.createDataFrame(rows, "kind string, at timestamp, group bigint, from string, to string")
    found = load(text).detect(cera.spark.events(table, label="kind", time="at"), label="reaches")
    pairs = sorted((row["children"]["from"], row["children"]["to"]) for row in found.collect())
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (REACHES, "in rounds over the delta, at most 100; then in one piece; small recordings in one piece"),
        (IN_GROUPS, "by key (var G); small recordings in one piece"),
        (NESTED, "in one piece"),
    ],
    ids=["rounds", "key", "piece"],
)
def test_explain_says_how_a_recursion_runs(text: str, way: str) -> None:
    lines = list(spark_lines(explain_spark(load(text).layers, max_duration=None, timezone="UTC")))
    found = {line.strip() for line in lines if line.strip().startswith("recursion, ")}
    assert found == {f"recursion, {way}"}


@pytest.mark.parametrize("text", [ENDLESS["rounds"], ENDLESS["key"]], ids=["rounds", "key"])
def test_the_command_line_names_the_rule_that_does_not_end(text: str, tmp_path: Path) -> None:
    rules, events = tmp_path / "n.xceq", tmp_path / "events.jsonl"
    rules.write_text(text)
    events.write_text('{"at": 1, "term": {"n": {"k": 1, "v": 1}}}\n')
    run = CliRunner().invoke(
        main, ["run", str(rules), "--events", str(events), "--engine", "spark", "--recursion-limit", "3"]
    )
    assert run.exit_code == 4
    assert "rule 'n'" in run.stderr
    assert "raise the limit (--recursion-limit)" in run.stderr
