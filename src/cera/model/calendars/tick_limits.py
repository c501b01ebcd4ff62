"""The limit on the ticks of a timer while nothing else happens: a wrong time, or a silence of years, makes it tick for
hours.

Ticks are counted before the first of them, so that a run stops at once and names the timer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from cera.errors import TickLimitError
from cera.model.calendars.absolute_timers import timer_intervals
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import Time
from cera.model.time.recurrence import SECOND, Calendar
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting

#: The most ticks between two events, unless another limit is given.
TICK_LIMIT = 1_000_000


def check_timer_ticks(
    timer: TimerQuery,
    calendars: Sequence[Calendar],
    first: Time,
    last: Time,
    timezone: str,
    limit: int,
    where: str = "",
) -> None:
    """Raises TickLimitError if an absolute timer ticks too often in [first, last]. None ticks twice in a second."""
    if (last - first) // SECOND < limit:
        return
    found = islice(timer_intervals(timer, calendars, first, last, timezone), limit + 1)
    check_ticks(f"{where}the timer timer:{timer.name}", sum(1 for _ in found), first, last, limit)


def check_ticks(what: str, count: int, first: Time, last: Time, limit: int) -> None:
    """Raises TickLimitError if there are too many ticks of a timer between two times."""
    if count > limit:
        times = TimeFormat()
        raise TickLimitError(
            f"{what} ticks more than {limit:,} times from {times.format(first)} to {times.format(last)}; look whether "
            f"the time of an event is wrong, make the timer coarser, or raise {Setting.TICK_LIMIT}"
        )
