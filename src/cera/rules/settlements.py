"""Settlements: why an answer is certain before its windows end.

A constraint on the stream may say that nothing more can come that would change an answer. A rule with settlements
gives such answers early, and forgets what it has remembered for them; they are the same answers, with the same times
and ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cera.model.matching.patterns import Pattern
from cera.model.tags import added_later, tagged


@tagged("ClosingEvent")
@dataclass(frozen=True)
class ClosingEvent:
    """An event after which none comes that belongs to a match with the same values of the variables `by`.

    "After" means that it ends later: what ends together with the closing event may still belong to a match. The
    variables are bound by the pattern, by every match of the rule, and one answer has one value of each.
    """

    pattern: Pattern
    by: tuple[str, ...]
    #: The law and the constraint that it follows from; only shown.
    source: str = field(default="", compare=False)
    #: Whether answers that wait for the end of a window are complete with it.
    settles: bool = added_later("settles", True)
    #: Whether none comes for any query of the rule, so that nothing needs to be remembered of these values.
    forgets: bool = added_later("forgets", False)


@tagged("MostMatches")
@dataclass(frozen=True)
class MostMatches:
    """A bound on the events that match with the same window and the same values of the variables `by`: when there are
    `most`, there will be no other. The rule gathers one event, over windows of the clock.
    """

    most: int
    by: tuple[str, ...]
    source: str = field(default="", compare=False)


@tagged("FirstMatch")
@dataclass(frozen=True)
class FirstMatch:
    """That the first match with a window and values of the variables `by` decides the answer: all others give the same.
    The answers of the rule differ in nothing but these. It gathers events over windows of the clock.
    """

    by: tuple[str, ...]
    source: str = field(default="", compare=False)


@tagged("OnlyPartner")
@dataclass(frozen=True)
class OnlyPartner:
    """That in a window of the clock in which all events of a match lie, at most one comes for the query `event` with
    the same values of the variables `by`: what it has been joined with meets no other.
    """

    event: str
    by: tuple[str, ...]
    source: str = field(default="", compare=False)


@tagged("RefutingEvent")
@dataclass(frozen=True)
class RefutingEvent:
    """An event that refutes the absence of `pattern` in `window`, the window of the clock that all rows wait for: with
    it and after it none comes of the other events of a match with the same values of the variables `by`, which are all
    that it shares with them.
    """

    pattern: Pattern
    window: str
    by: tuple[str, ...]
    source: str = field(default="", compare=False)


Settlement = ClosingEvent | MostMatches | FirstMatch | OnlyPartner | RefutingEvent


def settles_answers(settlement: Settlement) -> bool:
    """Returns whether answers are certain before their end, and not only rows of joins forgotten."""
    match settlement:
        case ClosingEvent():
            return settlement.settles
        case OnlyPartner() | RefutingEvent():
            return False
        case _:
            return True


def without_early_answers(settlements: Sequence[Settlement]) -> Iterator[Settlement]:
    """Yields what is left where no answer is to be certain before its end: what lets a rule forget."""
    for each in settlements:
        if not settles_answers(each):
            yield each
        elif isinstance(each, ClosingEvent) and each.forgets:
            yield replace(each, settles=False)
