"""Relative timers: intervals made from the interval of another event.

    on [b, e] with duration d:
    extend               [b, e+d]      shorten              [b, e-d]
    extend-begin         [b-d, e]      shorten-begin        [b+d, e]
    shift-forward        [b+d, e+d]    shift-backward       [b-d, e-d]
    from-end             [e, e+d]      from-end-backward    [e-d, e]
    from-start           [b, b+d]      from-start-backward  [b-d, b]

A timer whose begin would lie after its end does not happen (X-09, ERR-27). The papers use several names for the
same timer; all of them are read and the ones above are printed (ERR-28, part 5.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from cera.model.time.durations import Duration, shift
from cera.model.time.interval import Interval, Time

Edge = Literal["begin", "end"]
Sign = Literal[-1, 0, 1]

#: For each timer, where its begin and its end lie: an edge of the anchor, moved back (-1), not (0) or forward (1).
TIMERS: Mapping[str, tuple[tuple[Edge, Sign], tuple[Edge, Sign]]] = MappingProxyType(
    {
        "extend": (("begin", 0), ("end", 1)),
        "shorten": (("begin", 0), ("end", -1)),
        "extend-begin": (("begin", -1), ("end", 0)),
        "shorten-begin": (("begin", 1), ("end", 0)),
        "shift-forward": (("begin", 1), ("end", 1)),
        "shift-backward": (("begin", -1), ("end", -1)),
        "from-end": (("end", 0), ("end", 1)),
        "from-end-backward": (("end", -1), ("end", 0)),
        "from-start": (("begin", 0), ("begin", 1)),
        "from-start-backward": (("begin", -1), ("begin", 0)),
    }
)

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in TIMERS},
        "extend-end": "extend",
        "extends": "extend",
        "shorten-end": "shorten",
        "from-begin": "from-start",
        "from-begin-backward": "from-start-backward",
    }
)


def relative_timer(kind: str, anchor: Interval, duration: Duration) -> Interval | None:
    """Returns the interval of a timer (by its canonical name), or None when it does not happen."""
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[kind]
    begin = _moved(getattr(anchor, begin_edge), begin_sign, duration)
    end = _moved(getattr(anchor, end_edge), end_sign, duration)
    if begin is None or end is None or begin > end:
        return None
    return Interval(begin, end)


def _moved(time: Time, sign: Sign, duration: Duration) -> Time | None:
    if sign == 0:
        return time
    return shift(time, duration if sign > 0 else -duration)
