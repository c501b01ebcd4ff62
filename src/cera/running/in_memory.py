"""A program over events that are kept in this process, as Python gives and takes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from cera.connectors.records.layout import Rejected
from cera.connectors.sink import StandardOutput
from cera.model.events.event import Event
from cera.model.events.states import is_opening
from cera.modules.answers.answer import Answer
from cera.modules.expectations import Expectations
from cera.modules.layering import Layers
from cera.modules.module import known
from cera.running.derived_states import with_known_causes
from cera.running.engine import answer
from cera.running.listener import Collected, Unattended
from cera.running.outcome import Outcome
from cera.running.request import Request
from cera.running.run import Run


def answer_in_memory(
    layers: Layers,
    expectations: Expectations,
    timezone: str,
    request: Request,
    *,
    reject: Callable[[Rejected], object] | None = None,
    late: Callable[[Event], object] | None = None,
) -> tuple[Answer, Outcome]:
    """Returns the answers of a program over a request that is `in_memory`, and what became of the run."""
    found = Collected()
    events: list[Event] = []
    states = any(is_opening(label) for module in layers.modules for label in known(module.derives))
    run = Run(
        layers,
        expectations,
        timezone,
        request,
        StandardOutput(),
        lambda: nullcontext(found),
        Unattended(),
        events.append if states else None,
        reject=reject,
        late=late,
    )
    outcome = answer(run)
    derived = with_known_causes(found.derived, events) if states else found.derived
    return Answer(tuple(derived), outcome.undefined, outcome.left_out, outcome.open_states), outcome
