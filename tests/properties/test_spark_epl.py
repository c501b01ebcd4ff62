"""Random modules on Spark, over recorded events and as a stream, against the local engine and the reference.

A program has several modules, sometimes between rules of XChangeEQ. The stream is cut into random micro-batches without
Spark; `test_spark_epl_streaming` has one on Spark itself. What this cannot catch: an error in how events become stages
and tuples, which all engines share (`unit/engines`).
"""

from __future__ import annotations

from random import Random

import pytest

from properties.epl_modules import random_program, random_stream
from properties.test_epl_streaming import compare_stream
from properties.test_spark import derivations, detected_once, told_once

pytestmark = pytest.mark.xdist_group("spark")

#: Programs in `make test`: seed, number of modules, whether there are rules as well.
SHORT = ((0, 30, False), (2, 4, True))

#: A few hundred modules.
LONG = tuple((seed, 10, seed % 3 == 0) for seed in range(100, 150))


def compare(seed: int, modules: int, *, rules: bool) -> None:
    random = Random(seed)
    program = random_program(random, modules, rules=rules)
    events = random_stream(random, 60)
    local = program.run(events, engine="local")
    assert local.derived
    reference = program.run(events, engine="reference")
    assert reference.derived == local.derived
    assert (reference.undefined, reference.left_out) == (local.undefined, local.left_out)
    recorded = program.run([*events, *events[:9]], engine="spark", max_duration=max(e.end - e.begin for e in events))
    assert derivations(recorded.derived) == derivations(local.derived)
    assert [one.event for one in recorded.derived] == [one.event for one in local.derived]
    assert recorded.left_out == local.left_out
    if not rules:  # of rules, rows of Spark are counted
        assert recorded.undefined == local.undefined
    if not rules or seed % 2:  # nothing of the lower layers is kept for the others, which takes its time
        assert detected_once(program.layers, events) == told_once(local.derived)
    assert compare_stream(program, events, random, seed) == len(local.derived)


@pytest.mark.parametrize(("seed", "modules", "rules"), SHORT)
@pytest.mark.usefixtures("spark")
def test_random_modules_detect_the_same_on_every_engine(seed: int, modules: int, rules: bool) -> None:
    compare(seed, modules, rules=rules)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "modules", "rules"), LONG)
@pytest.mark.usefixtures("spark")
def test_hundreds_of_random_modules_detect_the_same_on_every_engine(seed: int, modules: int, rules: bool) -> None:
    compare(seed, modules, rules=rules)
