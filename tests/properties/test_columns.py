"""Columns against the reference, on random programs: the lines of the answers, byte for byte, in batches of any size.

What they share are the reading of events, the plan of the algebra and the names of its parts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest

from cera.connectors.event_lines import event_line
from cera.engines.columns import readings
from cera.engines.columns.event_tables import EventStore
from cera.engines.columns.lowering import lower
from cera.engines.columns.recording import Batches, ColumnsRecording, different
from cera.engines.columns.rows import OutsideColumnsError, Truths
from cera.model.events.event import Event
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.rules.module import RuleModule
from cera.program import load
from cera.rules.rule import RuleProgram
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.flat_programs import FlatCase, chained_case, choosing_case, flat_case
from properties.local_runs import from_json, in_order

TIMES = TimeFormat("ms")
BATCHES = (1, 7, 1_000)


def by_definition(program: RuleProgram, events: tuple[Event, ...], until: Time | None = None) -> list[str]:
    derived = run_by_definition(program, events, until=until).derived
    return [json.dumps(event_line(one, TIMES), ensure_ascii=False) for one in derived]


def in_columns(
    program: RuleProgram, events: tuple[Event, ...], size: int, until: Time | None = None
) -> list[str] | str:
    """The lines of the answers, or why there are none."""
    longest = max((event.end - event.begin for event in events), default=0)
    plan = lower(RuleModule(program).plan, longest)
    if isinstance(plan, str):
        return plan
    recording = ColumnsRecording(plan, TIMES, until)
    ordered = [from_json(event) for event in in_order(events) if until is None or event.end <= until]
    batches, lines = Batches(iter(ordered)), list[str]()
    while batch := batches.next(len(events) if plan.horizon is None else size):
        try:
            found = recording.answer(different(batch)[0], None if batches.at_end else batch[-1].end)
        except OutsideColumnsError as error:
            return f"data: {error}"
        lines += found.lines
    return lines


def compared(program: RuleProgram, events: tuple[Event, ...], seed: int) -> str | None:
    """Compares the answers; returns why they are not in columns."""
    until = None if seed % 3 else 10_000_000
    expected: list[str] | None = None
    for size in BATCHES:
        found = in_columns(program, events, size, until)
        if isinstance(found, str):
            return found
        expected = by_definition(program, events, until) if expected is None else expected
        assert found == expected, f"seed {seed}, batches of {size}"
    return None


@pytest.mark.parametrize("make", [pytest.param(flat_case, id="flat"), pytest.param(chained_case, id="chained")])
@pytest.mark.parametrize(
    "tried", [pytest.param(examples(35), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]
)
def test_flat_programs_have_the_answers_of_the_reference_and_most_are_covered(
    tried: int, make: Callable[[int], FlatCase]
) -> None:
    reasons: Counter[str] = Counter()
    for seed in range(tried):
        case = make(seed)
        program = load(case.text).checked()
        reason = compared(program, case.events, seed)
        reasons["covered" if reason is None else reason] += 1
    assert reasons["covered"] >= tried // 3, reasons


@pytest.mark.parametrize("make", [pytest.param(choosing_case, id="choosing"), pytest.param(chained_case, id="chained")])
@pytest.mark.parametrize(
    "tried", [pytest.param(examples(60), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]
)
def test_events_that_no_reading_takes_are_dropped_and_change_nothing(
    tried: int, make: Callable[[int], FlatCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "LOOKED_AT_FROM", 1)
    dropped: Counter[str] = Counter()
    keep = EventStore.keep

    def watched(self: EventStore, label: str, chosen: Truths) -> None:
        dropped[label] += int((~chosen).sum())
        keep(self, label, chosen)

    monkeypatch.setattr(EventStore, "keep", watched)
    reasons: Counter[str] = Counter()
    programs = 0
    for seed in range(tried):
        before = dropped.total()
        case = make(seed)
        reason = compared(load(case.text).checked(), case.events, seed)
        reasons["covered" if reason is None else reason] += 1
        programs += dropped.total() > before
    assert make is chained_case or programs >= tried // 3, reasons
