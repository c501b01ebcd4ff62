"""Timers that would tick for decades, or every microsecond, are refused before they do, and the limit can be raised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.messages.messages import LatePolicy, pack_events
from cera.engines.spark.streaming.state.kernel import Kernel
from cera.errors import TickLimitError
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.program import Program, load
from cera.testing import event, seconds
from every_engine import EVERY_ENGINE

SECONDS = (
    "DETECT busy{var S} ON and { event t: timer:datetime{{second{var S}}}, event w: a{{}} } where { w meets t } END"
)
YEAR_9999 = 253_402_300_799


def xceq(folder: Path) -> Program:
    return load(SECONDS)


def cet(folder: Path) -> Program:
    (folder / "t.cet").write_text("Tick := every 1 sec after a;\nOften := ;(last: shared: a, Tick);\n")
    return load(folder / "t.cet")


def snoop(folder: Path) -> Program:
    (folder / "t.snoop").write_text("Beep := P(a, [1 sec], c);\n")
    return load(folder / "t.snoop")


PROGRAMS = [xceq, cet, snoop]
Made = Callable[[Path], Program]


@pytest.mark.parametrize("made", PROGRAMS)
@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_a_silence_of_many_ticks_is_refused_at_a_limit_that_can_be_raised(
    made: Made, engine: str, tmp_path: Path
) -> None:
    program = made(tmp_path)
    events = [event("a{}", 0), event("a{}", 100)]
    kind = Exception if engine == "spark" else TickLimitError  # Spark has its own words around those of its workers
    with pytest.raises(kind, match=r"ticks more than 50 times .*raise (`tick_limit`|⟦tick_limit⟧)"):
        program.run(events, engine=engine, tick_limit=50)
    assert program.run(events, engine=engine, tick_limit=101).derived


@pytest.mark.parametrize("made", PROGRAMS[1:])
def test_a_timer_is_named_with_the_times_between_which_it_ticks(made: Made, tmp_path: Path) -> None:
    with pytest.raises(TickLimitError) as refused:
        made(tmp_path).run([event("a{}", 0), event("a{}", YEAR_9999)], engine="local")
    assert "ticks more than 1,000,000 times from 1970-01-01T00:00:01Z to 9999-12-31T23:59:5" in str(refused.value)


@pytest.mark.parametrize("made", PROGRAMS)
def test_a_stream_counts_the_ticks_up_to_the_watermark(made: Made, tmp_path: Path) -> None:
    program = made(tmp_path)
    for limit, refused in ((50, True), (101, False)):
        [operator] = operators(program.layers, tick_limit=limit)
        kernel = Kernel(operator.processor())
        part = kernel.load(None)
        first = [(occurrence(event("a{}", 0)), LatePolicy.REPORT)]
        kernel.advance(part, [pack_events(first)], seconds(0))
        if refused:
            with pytest.raises(TickLimitError, match="more than 50 times"):
                kernel.advance(part, [], seconds(100))
        else:
            assert kernel.advance(part, [], seconds(100)).derived


@pytest.mark.parametrize("made", PROGRAMS)
def test_ticks_are_counted_between_events_and_not_in_all(made: Made, tmp_path: Path) -> None:
    session = made(tmp_path).session(tick_limit=50)
    for second in range(0, 400, 40):
        session.push(event("a{}", second))
    with pytest.raises(TickLimitError):
        session.push(event("a{}", 1_000), event("a{}", 2_000))


def test_a_timer_that_was_stopped_does_not_count(tmp_path: Path) -> None:
    program = snoop(tmp_path)
    events: list[Event] = [event("a{}", 0), event("c{}", 10), event("b{}", 1_000), event("a{}", 1_001)]
    for engine in ("local", "reference"):
        assert len(program.run(events, engine=engine, tick_limit=50).derived) == 10


def test_a_processor_alone_counts_by_the_default_limit() -> None:
    for limit in (None, 10):
        processor = load(SECONDS).processor(tick_limit=limit)
        state = processor.start()
        processor.advance(state, [occurrence(event("a{}", 0))], 1)
        if limit is None:
            assert not processor.advance(state, [], seconds(1_000))  # it ticks, and nothing else happens
        else:
            with pytest.raises(TickLimitError, match="in rule 'busy': the timer timer:datetime ticks more than 10 tim"):
                processor.advance(state, [], seconds(1_000))
