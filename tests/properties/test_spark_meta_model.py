"""Random event types over recorded events on Spark against the local engine: many modules over one stream in one job.

The local engine is held to the definitions in `test_meta_model`; streams are in `test_meta_model_streaming`.
"""

from __future__ import annotations

from random import Random

import pytest

from cera.diagnostics import Source
from cera.program import Program
from cera.testing import SECOND, event
from module_runs import run_layers, side_by_side
from properties.test_meta_model_streaming import random_modules, stream_of
from properties.test_spark import derivations

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

#: Programs in `make test`: seed, number of modules, whether they are light and the stream is longer.
SHORT = ((1, 25, True),)

#: So many streams are tried: a short one may have nothing that any of the modules detects.
_MOST_STREAMS = 10

#: Several hundred modules.
LONG = tuple((seed, 12, seed % 2 == 0) for seed in range(100, 150))


def compare(seed: int, count: int, *, light: bool) -> None:
    """A run over the longer stream ends before the stream does. The stream is one in which something is detected."""
    random = Random(seed)
    modules = random_modules(random, count, light=light)
    layers = side_by_side(*modules)
    for _ in range(_MOST_STREAMS):
        events = stream_of(random, modules, 60 if light else 11)
        until = events[-3].end if light else None
        local = run_layers(layers, events, "local", until=until)
        if local.derived:
            break
    assert local.derived
    reference = run_layers(layers, events, "reference", until=until)
    assert reference == local
    spark = run_layers(layers, [*events, *events[:9]], "spark", until=until)
    assert derivations(spark.derived) == derivations(local.derived)
    assert spark == local


@pytest.mark.parametrize(("seed", "count", "light"), SHORT)
def test_random_event_types_detect_the_same_on_every_engine(seed: int, count: int, light: bool) -> None:
    compare(seed, count, light=light)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count", "light"), LONG)
def test_hundreds_of_random_event_types_detect_the_same_on_every_engine(seed: int, count: int, light: bool) -> None:
    compare(seed, count, light=light)


PROGRAM = (
    Source(
        "late.xceq",
        "DETECT late{ k{ var K } }"
        " ON and { event a: A{{ k{{ var K }} }}, event t: timer:from-end[event a, 10 sec] } END",
    ),
    Source(
        "lower.cet",
        "T := every 2 sec after A; U := 3 sec after late; V := every 1 sec after late; W := 2 sec after U;"
        " R := ;(last: shared: A, T); S := ;(late, U); X := ;(late, V); Y := ;(late, W);",
    ),
    Source(
        "upper.cet",
        "Q := 2 sec after S; P := every 2 sec after S until B; Once := ;(S, Q); Often := ;(last: shared: S, P);",
    ),
)


def test_timers_of_several_layers_tick_as_long_on_every_engine() -> None:
    """Those that repeat do until the recording ends, though rules derive events after that; none does after `until`."""
    program = Program(PROGRAM)
    events = [event("A{k{1}}", 1), event("A{k{2}}", 3), event("A{k{3}}", 8), event("C{}", 20.5)]
    for seconds in (0, 5, 12, 13, 20.5, 25, 30):
        until = int(seconds * SECOND)
        reference, local = (program.run(events, engine=name, until=until) for name in ("reference", "local"))
        assert reference == local
        assert all(one.event.end <= until for one in local.derived)
    reference = program.run(events, engine="reference")
    labels = {one.event.label: one.event.end / SECOND for one in reference.derived}
    # the A at 8 is late at 18, which the tick at 19 consumes; S at 21 is followed by one tick at 23
    assert labels == {"late": 18, "R": 20, "S": 21, "X": 19, "Y": 23, "Once": 23, "Often": 20}
    for engine in ("local", "spark"):
        assert program.run(events, engine=engine) == reference
