"""The end of a recording, as constraints over all of time see it."""

from __future__ import annotations

from cera.model.events.event import Event
from cera.model.events.states import opening
from cera.modules.module import Settings
from conformance.constraint_steps import meaning, stepped
from conformance.constraints import SECOND, event, term
from conformance.violations import module_of


def test_where_records_differ_about_the_end_of_a_state_the_recording_is_over_with_the_first_end() -> None:
    module = module_of("CONSTRAINT twice: IN ANY CASE exists >= 2 state: open(k(K)) group-by {} END")
    other = event("other", 2)
    is_open = term("open", {"k": 1})
    ends = (27 * SECOND, 26 * SECOND)
    events = [Event(other.term, other.interval), *(opening(is_open, 19 * SECOND, end) for end in ends)]
    found = stepped(module, events, Settings())
    assert [at for at, *_ in found] == [26 * SECOND]
    assert found == meaning(module, events, Settings())
