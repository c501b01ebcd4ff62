"""Limits on the number of events that one event may end: combining everything with everything exhausts any memory."""

from __future__ import annotations

from collections.abc import Sequence

from cera.diagnostics import Span
from cera.errors import MatchLimitError, RecursionLimitError
from cera.model.message_text import count
from cera.model.terms.term import MAX_DEPTH, MAX_SIZE
from cera.wording import Setting

#: One event may end at most this many events of one rule or type, unless another limit is given.
ANSWER_LIMIT = 1_000_000
#: The same for a type that makes an event of every set: as many as a pattern may have answers on one event.
GROUP_LIMIT = 100_000
#: Recursive rules may derive so many events that end at one time, unless another limit is given.
RECURSION_LIMIT = 10_000
#: And each in so many ways, on average: one that combines its own events has that many long before it has the events.
WAYS_PER_EVENT = 100


def too_many_combinations(rule: str, limit: int, joined: Sequence[str]) -> MatchLimitError:
    """Returns the error for a rule in which one event meets too many combinations of others."""
    among = ", ".join(f"`{name}`" for name in joined[:-1])
    return MatchLimitError(
        f"the rule `{rule}` was cut off: one event makes more than {limit:,} combinations of {among} and "
        f"`{joined[-1]}`. Let a shared variable, a condition on their times or a rule of its own for some of them "
        f"leave fewer, or raise {Setting.ANSWER_LIMIT}"
    )


def endless_recursion(rule: str, place: Span | None, limit: int) -> RecursionLimitError:
    """Returns the error for a recursion that has derived too many events that end at one time."""
    return RecursionLimitError(
        f"rule '{rule}'{_at(place)} is recursive, and its recursion has derived more than {count(limit, 'event')} that "
        f"end{'s' if limit == 1 else ''} at one time; it may never end. Bound it with a condition, or raise the limit "
        f"({Setting.RECURSION_LIMIT})"
    )


def dense_recursion(rule: str, place: Span | None, limit: int) -> RecursionLimitError:
    """Returns the error for a recursion that has derived its events in too many ways."""
    return RecursionLimitError(
        f"rule '{rule}'{_at(place)} is recursive, and its recursion has derived events that end at one time in more "
        f"than {count(limit * WAYS_PER_EVENT, 'way')}; it may never end. Bound it with a condition, or raise the limit "
        f"({Setting.RECURSION_LIMIT}), of which that is {WAYS_PER_EVENT} times as much"
    )


def wrapping_recursion(rule: str, place: Span | None) -> RecursionLimitError:
    """Returns the error for a recursive rule whose terms have grown past all limits."""
    return RecursionLimitError(
        f"rule '{rule}'{_at(place)} derives a term that is nested deeper than {MAX_DEPTH} levels or has more than "
        f"{MAX_SIZE:,} nodes; a recursion that wraps its own events does not end"
    )


def _at(place: Span | None) -> str:
    return f" ({place})" if place is not None else ""


def too_many(what: str, limit: int, why: str, remedy: str) -> MatchLimitError:
    """Returns the error for a rule or a type of which one event ends too many events."""
    return MatchLimitError(
        f"{what} was cut off: one event ends more than {limit:,} of its events{why}. {remedy}, or raise "
        f"{Setting.ANSWER_LIMIT}"
    )
