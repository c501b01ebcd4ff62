"""Spark over recorded events against the reference, on random programs and random streams.

Compared are the derived events with all their derivations (rules and causes, and their order in recursive programs), of
some programs also as `detect` gives them: each event once, with the first of its derivations. The events come in as
tables of typed columns where they are flat, as terms where they are not; reading files is tested elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession
from rich.console import Console
from rich.table import Table

from cera.engines.spark import engine as spark_engine
from cera.engines.spark.lineage import Lineage
from cera.engines.spark.session.session import session
from cera.engines.spark.tables.event_rows import event_tables
from cera.model.events.event import DerivedEvent, Event
from cera.modules.layering import Layers
from cera.modules.rules.module import rule_layers
from module_runs import run_by_definition, run_on_spark
from properties.generator import FEATURES, Case, constructs, linked_case, seeded_case
from properties.theories import rules_of

pytestmark = pytest.mark.xdist_group("spark")

#: The session of the tests is for little work, because random programs run once, on a few events: it interprets, and
#: plans once. This compiles, and plans again as it goes.
_COMPILED = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
}

#: So many programs to one of which `detect` is asked too.
ONCE_IN = 5

#: Programs in one test of the long run.
PART = 10

#: The programs of `make test`: few that Spark plans soon, with more than half of the constructs, both semantics, and
#: answers. Four of them are asked of `detect` too.
FIRST = (1, 2, 7, 8, 9, 15, 20, 30, 45)

#: Seeds of recursive programs of which some run by key and some in one piece.
RECURSIVE = (7, 9, 11, 39)

#: Seeds of recursions without a key that take three rounds or more: of one rule, of two and of three.
LINKED = (4, 5, 6, 12, 15, 23)

#: Seeds of programs with windows in which a rule that gathers has answers; `make test-long` has all of the first 600.
WINDOWED = (1, 13)


@pytest.fixture
def compiled(spark: SparkSession) -> Iterator[SparkSession]:
    """A session that generates code, as that of a user does."""
    before = {key: spark.conf.get(key) for key in _COMPILED}
    for key, value in _COMPILED.items():
        spark.conf.set(key, value)
    yield spark
    for key, old in before.items():
        if old is not None:
            spark.conf.set(key, old)


def derivations(derived: tuple[DerivedEvent, ...]) -> dict[str, set[tuple[str, tuple[tuple[str, str], ...]]]]:
    return {
        one.event.id: {(d.rule, tuple((name, cause.id) for name, cause in d.causes.items())) for d in one.derivations}
        for one in derived
    }


def told_once(derived: tuple[DerivedEvent, ...]) -> list[tuple[str, str, dict[str, str]]]:
    """What `detect` tells of derived events."""
    firsts = [(one.event.id, one.derivations[0]) for one in derived]
    return sorted((id_, way.rule, {name: cause.id for name, cause in way.causes.items()}) for id_, way in firsts)


def detected_once(program: Layers, events: Sequence[Event]) -> list[tuple[str, str, dict[str, str]]]:
    spark = session()
    rows = spark_engine.answers(program, event_tables(spark, events), spark).events().collect()
    return sorted((row["id"], row["rule"], row["causes"]) for row in rows)


def in_order(derived: Sequence[DerivedEvent]) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """The derivations of each event in their order."""
    return {
        one.event.id: [(way.rule, {name: cause.id for name, cause in way.causes.items()}) for way in one.derivations]
        for one in derived
    }


def compared_recursion(case: Case) -> dict[tuple[str, ...], str]:
    """The ways in which the recursions of a random program ran, on which Spark and the reference agree.

    It runs as over a large recording: in a small one, every recursion runs in one piece.
    """
    program = rules_of(case)
    expected = run_by_definition(program, case.events).derived
    spark = session()
    found = spark_engine.answers(rule_layers(program), event_tables(spark, case.events), spark, small=False)
    lineage = Lineage(program.rules, [*case.events, *found.ticks])
    assert in_order(lineage.derived(found.derivations().collect())) == in_order(expected), repr(case)
    return dict(found.recursion)


def compared(seed: int) -> tuple[Counter[str], int]:
    """The constructs and the number of answers of a random program on which Spark and the reference agree."""
    case = seeded_case(seed)
    program = rules_of(case)
    expected = run_by_definition(program, case.events).derived
    actual = run_on_spark(program, case.events).derived
    assert derivations(actual) == derivations(expected), f"seed {seed}"
    if seed % ONCE_IN == 0:
        assert detected_once(rule_layers(program), case.events) == told_once(expected), f"seed {seed}"
    return Counter(constructs(case.program)), len(expected)


def compare(seeds: Iterable[int]) -> None:
    with ThreadPoolExecutor(2) as pool:  # while one program is planned, another one can run
        found = list(pool.map(compared, seeds))
    used = sum((constructs for constructs, _ in found), Counter[str]())
    programs, answers = len(found), sum(number for _, number in found)
    table = Table("construct", "programs", title=f"{programs} programs with {answers} answers on Spark")
    for name, count in sorted(used.items()):
        table.add_row(name, str(count))
    Console().print(table)
    assert answers > 0


@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference() -> None:
    compare(FIRST)


@pytest.mark.long
@pytest.mark.parametrize("part", range(240))
@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference_on_many_programs(part: int) -> None:
    compare(range(part * PART, (part + 1) * PART))


def compare_recursions(cases: Iterable[Case]) -> list[dict[tuple[str, ...], str]]:
    """The ways of the recursions of each program, by the names of their rules."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compared_recursion, cases))


def rounds_of(way: str) -> int:
    """How many rounds a recursion took; 0 if it ran in another way, or had nothing to derive."""
    found = re.fullmatch(r"in rounds over the delta: (\d+)", way)
    return int(found[1]) if found else 0


@pytest.mark.usefixtures("spark")
def test_recursive_programs_on_spark_agree_with_the_reference_in_every_way() -> None:
    runs = compare_recursions([*(seeded_case(seed, recursive=True) for seed in RECURSIVE), *map(linked_case, LINKED)])
    ways = {way.partition(" (")[0].partition(":")[0] for found in runs for way in found.values()}
    assert ways == {"by key", "in rounds over the delta", "in one piece"}
    linked = runs[len(RECURSIVE) :]
    assert {len(names) for found in linked for names in found} == {1, 2, 3}
    assert all(rounds_of(way) >= 3 for found in linked for way in found.values()), linked  # the last adds nothing


def test_the_recursions_in_rounds_have_absences_and_bounds_of_time_or_not() -> None:
    texts = [linked_case(seed).text for seed in LINKED]
    assert any(re.search(r"not [cm]\{", text) for text in texts)
    bounded = [bool(re.search(r"within|before j|end\(i\) < end\(j\)", text)) for text in texts]
    assert {True, False} == set(bounded)
    assert all(len(linked_case(seed).events) >= 6 for seed in LINKED)


def compared_windows(seed: int) -> int:
    """The number of answers of a random program with windows and gathered events, on which both engines agree."""
    case = seeded_case(seed, FEATURES - {"recursion"}, windowed=True)
    program = rules_of(case)
    expected = run_by_definition(program, case.events).derived
    assert derivations(run_on_spark(program, case.events).derived) == derivations(expected), f"seed {seed}"
    return len(expected)


def compare_windows(seeds: Iterable[int]) -> int:
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(compared_windows, seeds))


@pytest.mark.usefixtures("spark")
def test_windows_and_gathered_events_on_spark_agree_with_the_reference() -> None:
    """Each of these programs has an answer of a rule that gathers."""
    assert compare_windows(WINDOWED)


@pytest.mark.long
@pytest.mark.parametrize("part", range(60))
@pytest.mark.usefixtures("spark")
def test_many_programs_with_windows_on_spark_agree_with_the_reference(part: int) -> None:
    compare_windows(range(part * PART, (part + 1) * PART))


@pytest.mark.long
@pytest.mark.parametrize("part", range(40))
@pytest.mark.usefixtures("spark")
def test_many_recursive_programs_on_spark_agree_with_the_reference(part: int) -> None:
    seeds = range(part * PART, (part + 1) * PART)
    assert compare_recursions(seeded_case(seed, recursive=True) for seed in seeds)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
@pytest.mark.usefixtures("spark")
def test_many_recursions_in_rounds_agree_with_the_reference(part: int) -> None:
    runs = compare_recursions(linked_case(seed) for seed in range(part * PART, (part + 1) * PART))
    assert any(rounds_of(way) >= 3 for found in runs for way in found.values())


@pytest.mark.usefixtures("compiled")
def test_spark_with_generated_code_agrees_with_the_reference() -> None:
    compare(range(10_000, 10_006))
