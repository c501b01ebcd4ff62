"""What a run says about attributes that rules ask for and that no event has: most are misspelt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cera.cli.recording import Counts
from cera.cli.report import warn
from cera.model.events.attributes import ObservedAttributes
from cera.model.events.event import Event
from cera.pipeline import Program

if TYPE_CHECKING:
    from cera.engines.spark.recorded import Recorded


def observed_attributes(program: Program) -> ObservedAttributes:
    """What is to be looked for in the events of a run; what the program derives itself is known already."""
    return program.expectations.observer()


def look_at(program: Program, events: Iterable[Event]) -> ObservedAttributes:
    """What events that are all there have of it."""
    observed = observed_attributes(program)
    for event in events if observed.missing else ():
        observed.look(event)
    return observed


def observed_on_spark(program: Program, recording: Recorded) -> ObservedAttributes:
    """What the events that Spark reads have of it."""
    from cera.engines.spark.reading.observed import observe  # Spark is there if something was recorded with it

    observed = observed_attributes(program)
    observe(recording.reading.tables, observed, program.expectations.attributes)
    return observed


def show_missing_attributes(program: Program, observed: ObservedAttributes, counts: Counts) -> None:
    """Warns of attributes that no event of the label had; of those that a match can do without only if one is near."""
    for text in dict.fromkeys(program.expectations.missing_attributes(observed, counts.labels)):
        warn(text)
