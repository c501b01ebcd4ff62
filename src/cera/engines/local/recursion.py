"""Recursive rules in a step: a limit on the events that they derive, and the ranks of their derivations.

Rules that depend on each other are answered semi-naively within a step: a derived event is taken at once, as an
incoming one is, and meets all that is known so far, until nothing new comes. Negation, grouping and timers are never on
such a cycle, so that the order in which its events come makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cera.diagnostics import Span
from cera.engines.local.construction import fits
from cera.errors import RecursionLimitError
from cera.model.events.answer_limits import WAYS_PER_EVENT, dense_recursion, endless_recursion, wrapping_recursion
from cera.model.events.derivation_ranks import ranks

if TYPE_CHECKING:
    from cera.engines.local.derived import RuleDetection


@dataclass(frozen=True)
class RecursiveRule:
    """A rule on a cycle, with the rules of the cycle. `spanning` are the places of a row whose events may have the
    interval of the head and come of the same recursion.
    """

    name: str
    place: Span | None
    cycle: frozenset[str]
    spanning: tuple[int, ...]
    #: How many events of recursions may end at one time.
    limit: int

    def endless(self) -> RecursionLimitError:
        return endless_recursion(self.name, self.place, self.limit)

    def dense(self) -> RecursionLimitError:
        return dense_recursion(self.name, self.place, self.limit)

    @property
    def most_ways(self) -> int:
        """How many derivations of recursions may end at one time."""
        return self.limit * WAYS_PER_EVENT

    def fits(self, child: Any) -> bool:
        """Returns True; raises RecursionLimitError for a draft of a term that has grown too deep or too large."""
        if not fits(child):
            raise wrapping_recursion(self.name, self.place)
        return True


def rank_derivations(recursive: Sequence[tuple[RuleDetection, RuleDetection]]) -> None:
    """Ranks the derivations of a step by recursive rules, each given with its event."""
    if not any(made.head.recursive.spanning for _, made in recursive if made.head.recursive is not None):
        return
    by_number = {event.occurrence.number: event for event, _ in recursive if _is_of_one_recursion(event)}
    derived = [(event.occurrence.number, _causes(made, by_number)) for event, made in recursive]
    if any(causes for _, causes in derived):
        for (_, made), rank in zip(recursive, ranks(derived), strict=True):
            made.rank = rank


def _causes(made: RuleDetection, by_number: Mapping[int, RuleDetection]) -> set[int]:
    """Returns the numbers of the causes that come of the same recursion, in the same interval."""
    rule = made.head.recursive
    assert rule is not None
    row, begin, end = made.leading, made.begin, made.end
    found: set[int] = set()
    for place in rule.spanning:
        event = row[place]
        if event is not None and event.begin == begin and event.end == end:
            cause = by_number.get(event.number)
            if cause is not None and _cycle(cause) == rule.cycle:
                found.add(event.number)
    return found


def _is_of_one_recursion(event: RuleDetection) -> bool:
    """Returns whether the rules that derive an event are all on one cycle, and none has derived it as incoming."""
    return event.occurrence.number >= 0 and all(_cycle(made) == _cycle(event) for made in event.copies)


def _cycle(made: RuleDetection) -> frozenset[str] | None:
    return None if made.head.recursive is None else made.head.recursive.cycle
