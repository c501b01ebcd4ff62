"""Limits on the number of events that one event may end: combining everything with everything exhausts any memory."""

from __future__ import annotations

from collections.abc import Sequence

from cera.errors import MatchLimitError
from cera.wording import Setting

#: One event may end at most this many events of one rule or type, unless another limit is given.
ANSWER_LIMIT = 1_000_000
#: The same for a type that makes an event of every set: as many as a pattern may have answers on one event.
GROUP_LIMIT = 100_000


def too_many_combinations(rule: str, limit: int, joined: Sequence[str]) -> MatchLimitError:
    """Returns the error for a rule in which one event meets too many combinations of others."""
    among = ", ".join(f"`{name}`" for name in joined[:-1])
    return MatchLimitError(
        f"the rule `{rule}` was cut off: one event makes more than {limit:,} combinations of {among} and "
        f"`{joined[-1]}`. Let a shared variable, a condition on their times or a rule of its own for some of them "
        f"leave fewer, or raise {Setting.ANSWER_LIMIT}"
    )


def too_many(what: str, limit: int, why: str, remedy: str) -> MatchLimitError:
    """Returns the error for a rule or a type of which one event ends too many events."""
    return MatchLimitError(
        f"{what} was cut off: one event ends more than {limit:,} of its events{why}. {remedy}, or raise "
        f"{Setting.ANSWER_LIMIT}"
    )
