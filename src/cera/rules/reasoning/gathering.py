"""Gathered events that might end after the answer which is made of them.

An answer ends with what remains of its event trace. Were an event of its group still to come, the answer would depend
on what has not happened yet; so each gathered event has to end, by the conditions and windows of its branch, no later
than one that remains.
"""

from __future__ import annotations

from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, gathered_order, trace_order


def late_gathered(branch: Branch) -> tuple[str, ...]:
    """Returns the gathered identifiers of which it does not follow that they end no later than the answer."""
    if not branch.gathered:
        return ()
    network = time_network(branch)
    if network.contradiction is not None:  # there are no matches
        return ()

    def end(name: str) -> TimePoint:
        return TimePoint(name, "begin" if name in branch.openings else "end")  # the opening of a state is a point

    remaining = [end(name) for name in trace_order(branch)]

    def ends_in_time(name: str) -> bool:
        bounds = (network.least(end(name), other) for other in remaining)
        return any(bound is not None and bound <= 0 for bound in bounds)

    return tuple(name for name in gathered_order(branch) if not ends_in_time(name))
