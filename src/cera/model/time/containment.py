"""When something lies in a window, where states take part: an event in a state, a state in an event or a window.

A state holds for [begin, end[, an event and a window are closed. The relations of Allen are in `allen`.
"""

from __future__ import annotations

from typing import Literal

from cera.model.time.interval import Interval

#: When the event of an accumulation lies in its window:
#:     inside     it lies in the closed interval
#:     in-state   the window is a state, and the event is in it (ERR-51)
#:     holding    the window is an event, and is in the state that the pattern asks for
#:     sharing    the closed window and the state that the pattern asks for share a point of time
#:     common     the window is a state, and shares a point of time with the one that the pattern asks for
Containment = Literal["inside", "in-state", "holding", "sharing", "common"]


def is_in_state(event: Interval, state: Interval) -> bool:
    """Returns whether an event is in a state [b, e[: what closes a state happened in it, what opened it did not."""
    return state.begin <= event.begin and state.begin < event.end <= state.end  # ERR-51


def shares_time(window: Interval, state: Interval) -> bool:
    """Returns whether a state [b, e[ and a closed window share a point of time.

    A state of no length shares one where it lies inside.
    """
    if state.begin == state.end:
        return window.begin <= state.begin <= window.end
    return state.begin <= window.end and window.begin < state.end


def states_share_time(window: Interval, state: Interval) -> bool:
    """Returns whether a state and another one, [b, e[ both, share a point of time; one of no length where it lies
    inside."""
    if state.begin == state.end:
        return window.begin <= state.begin <= window.end
    return state.begin < window.end and window.begin < state.end
