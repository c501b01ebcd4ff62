"""Rules that constraints have rewritten answer on Spark as the plain ones do by definition (R-11).

Many triples run in one query, each with labels of its own. A recording is complete, so that nothing is early there:
what is tested is that eliminated joins and conditions, filters and answers that are known change nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count, islice

import pytest

from conformance.rules_side_by_side import answers_side_by_side
from module_runs import run_by_definition
from properties.triples import Triple, triple_of

#: So many triples are planned together in reasonable time.
TOGETHER = 10


def _rewritten_triples(first: int, number: int) -> list[tuple[int, Triple]]:
    """Returns so many triples of seeds from one on in which a law was used, and an answer is left."""
    found = ((seed, triple_of(seed)) for seed in count(first))
    used = (
        (seed, triple)
        for seed, triple in found
        if triple is not None
        and triple.rewritten().program.rules
        and any(rule.rewritings for rule in triple.rewritten().rules)
        and run_by_definition(triple.program, triple.events).derived
    )
    return list(islice(used, number))


def _of_most_laws(triples: Sequence[tuple[int, Triple]], number: int) -> list[tuple[int, Triple]]:
    """Returns so many triples, each the one that adds the most laws to those before it."""
    chosen: list[tuple[int, Triple]] = []
    known: set[str] = set()
    for _ in range(number):
        best = max(triples, key=lambda each: len(_laws(each[1]) - known))
        known |= _laws(best[1])
        chosen.append(best)
    return chosen


def _laws(triple: Triple) -> set[str]:
    return {each.law for rule in triple.rewritten().rules for each in rule.rewritings}


def _agree(triples: Sequence[tuple[int, Triple]]) -> Counter[str]:
    rewritten = [triple.rewritten() for _, triple in triples]
    runs = [(each.program, triple.events) for each, (_, triple) in zip(rewritten, triples, strict=True)]
    for (seed, triple), found in zip(triples, answers_side_by_side(runs, "spark"), strict=True):
        expected = sorted(str(one.event) for one in run_by_definition(triple.program, triple.events).derived)
        assert sorted(str(one.event) for one in found) == expected, f"seed {seed}\n{triple}"
    return Counter(each.law for program in rewritten for rule in program.rules for each in rule.rewritings)


@pytest.mark.usefixtures("spark")
def test_rewritten_rules_answer_on_spark_as_the_plain_ones_do_by_definition() -> None:
    assert len(_agree(_of_most_laws(_rewritten_triples(300, 30), 3))) >= 4, "too few laws were used"


@pytest.mark.long
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("part", range(10))
def test_many_rewritten_rules_answer_on_spark_as_the_plain_ones_do_by_definition(part: int) -> None:
    print(dict(_agree(_rewritten_triples(500_000 + 1_000 * part, TOGETHER))))
