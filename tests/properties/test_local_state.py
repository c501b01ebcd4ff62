"""The state of the local engine: bounded where the rules are, and good for another process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from cera.engines.local import engine as local
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.time.interval import Interval
from cera.modules.driving import Driver
from cera.program import load
from cera.testing import SECOND, assert_same_events, event
from conformance.asking import FIRE_RULES
from properties.generator import FEATURES, LAST_SECOND, Case, cases
from properties.holding import holds_for
from properties.local_runs import in_order, processor_of
from properties.theories import rules_of

#: Constructs that reach further than the few minutes that the stream below lasts.
LONG_LASTING = {"calendar months", "absolute timer", "periodic", "calendar", "timer variable"}
REPETITIONS, PERIOD = 14, (LAST_SECOND + 1) * SECOND


BOUNDED = FEATURES - LONG_LASTING


@holds_for(cases(BOUNDED, most_events=8) | cases(BOUNDED, recursive=True), short=60, long=1_000)
def test_the_state_of_bounded_rules_does_not_grow(case: Case) -> None:
    """The stream comes again and again; the most that is remembered is the same every time in the end."""
    processor = processor_of(rules_of(case), case.events)
    horizons = processor.network.horizons
    if not all(horizon is not None and horizon < 5 * PERIOD for horizon in horizons):
        return
    host = Driver(processor)
    peaks: list[int] = []
    for repetition in range(REPETITIONS):
        live = [0]
        for one in in_order(case.events):
            host.push([occurrence(moved(one, repetition * PERIOD))])
            live.append(host.counts.in_state)
        peaks.append(max(live))
    assert peaks[-1] == peaks[-2] == peaks[-3]


def moved(event: Event, by: int) -> Event:
    return Event(event.term, Interval(event.begin + by, event.end + by), event.qualifier)


def peaks_of(program: str, lengths: Sequence[int]) -> list[int]:
    """The most tuples that are remembered over streams of several lengths: a reading a second, smoke now and then."""
    plan = local.plan_of(load(program).checked())
    found = []
    for length in lengths:
        host = Driver(RuleProcessor(plan, max_duration=0))
        peak = 0
        for second in range(length):
            happening = [event(f'temp{{area{{"a"}}, sensor{{{second % 5}}}, value{{{second % 60}}}}}', second)]
            happening += [event('smoke{area{"a"}}', second)] if second % 7 == 0 else []
            for one in happening:
                host.push([occurrence(one)])
            host.advance_to(second * SECOND)
            peak = max(peak, host.counts.in_state)
        found.append(peak)
    return found


def test_the_state_of_the_sensor_program_is_the_same_on_a_short_and_on_a_long_stream() -> None:
    short, long = peaks_of(FIRE_RULES, (300, 3_000))
    assert short == long < 300


@pytest.mark.slow
def test_the_state_of_an_unbounded_rule_grows_with_the_stream() -> None:
    program = """
    DETECT pair{} ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ value{{ var T }} }} }
    where { var T < string-length(var A) - 1000 } END
    """  # the condition speaks of both, so that it cannot be applied before they are stored
    short, long = peaks_of(program, (300, 1_500))
    assert short == 300 + 43
    assert long == 1_500 + 215


JOIN_ON_TERMS = "DETECT h{var X} ON and { event a: a{{var X}}, event b: b{{var X}} } where { {a, b} within 1 min } END"


@pytest.mark.processes
def test_a_state_written_by_another_process_is_read_back() -> None:
    """Python's hashes of strings differ from process to process, and stores are looked into by hash."""
    script = (
        "import sys; from cera.program import load; from cera.testing import event\n"
        f"session = load({JOIN_ON_TERMS!r}).session()\n"
        "session.push(event('a{x{\"v\"}}', 0), event('a{y}', 1))\n"
        "sys.stdout.buffer.write(session.save())\n"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    written = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True).stdout
    session = load(JOIN_ON_TERMS).session()
    session.restore(written)
    found = [*session.push(event('b{x{"v"}}', 2)), *session.close()]
    assert_same_events(found, [event('h{x{"v"}}', 0, 2)])
