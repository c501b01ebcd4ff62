"""Sampling: the rates of recorded events, read once, in bounded memory, and always the same for the same events.

Different values are counted exactly up to some thousands, and then estimated from those with the least hashes; the same
values are looked at to find out for how long one is in use. Shares are taken of all events of a label up to some
thousands, and then of every second, fourth, … one.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.events.rates import LabelRates, Rates
from cera.model.events.states import is_ending, is_opening
from cera.model.matching.matching import match
from cera.model.terms.term import Term
from cera.model.terms.values import Scalar
from cera.model.time.interval import Time
from cera.optimizer.costs.asked import Question

#: So many values of an attribute are counted exactly, and remembered.
_VALUES = 4_096
#: So many events of a label are asked before only every second one is, and so on.
_ASKED = 10_000
MOST_LABELS = 1_000
MOST_ATTRIBUTES = 200
_SECOND = 1_000_000
_HASHES = 2**64


class DistinctValues:
    """The number of different values, by those with the least hashes (k minimum values), each with its first and last
    time."""

    def __init__(self) -> None:
        self.times: dict[int, tuple[Time, Time]] = {}
        #: The hashes that are remembered, the greatest first, as negative numbers.
        self._greatest: list[int] = []

    def take(self, hashed: int, begin: Time, end: Time) -> None:
        known = self.times.get(hashed)
        if known is not None:
            self.times[hashed] = (min(known[0], begin), max(known[1], end))
            return
        if len(self.times) == _VALUES:
            if hashed > -self._greatest[0]:
                return
            del self.times[-heapq.heapreplace(self._greatest, -hashed)]
        else:
            heapq.heappush(self._greatest, -hashed)
        self.times[hashed] = (begin, end)

    @property
    def count(self) -> float:
        if len(self.times) < _VALUES:
            return float(len(self.times))
        return (_VALUES - 1) * _HASHES / -self._greatest[0]

    @property
    def seconds(self) -> float:
        """The mean time from the first to the last event with one value."""
        return sum(last - first for first, last in self.times.values()) / len(self.times) / _SECOND


@dataclass
class _Label:
    events: int = 0
    lasted: int = 0
    present: dict[str, int] = field(default_factory=dict)
    values: dict[str, DistinctValues] = field(default_factory=dict)
    #: Of what is asked of the label: how many of those that were asked (each counts for as many as it stands for).
    asked: int = 0
    found: dict[str, int] = field(default_factory=dict)
    stride: int = 1
    left: int = _ASKED


@dataclass
class Sampler:
    """The events that have been read, counted. `unused` counts what rates are not made of, by the reason."""

    questions: Mapping[str, Sequence[Question]] = field(default_factory=dict)
    events: int = 0
    unused: dict[str, int] = field(default_factory=dict)
    _labels: dict[str, _Label] = field(default_factory=dict)
    _used: dict[str, DistinctValues] = field(default_factory=dict)
    _first: Time | None = None
    _last: Time = 0
    _evaluator: Evaluator = field(default_factory=Evaluator)

    def take(self, event: Occurrence) -> None:
        """Takes an event into account, whatever the order."""
        if is_opening(event.label) or is_ending(event.label):
            self._left_out("records of states, which have no rates")
            return
        label = self._labels.get(event.label)
        if label is None:
            if len(self._labels) == MOST_LABELS:
                self._left_out(f"events of further labels: there are more than {MOST_LABELS:,}")
                return
            label = self._labels[event.label] = _Label()
        self.events += 1
        self._first = event.end if self._first is None else min(self._first, event.end)
        self._last = max(self._last, event.end)
        label.events += 1
        label.lasted += event.end - event.begin
        children = event.content
        for name, value in children.items() if children is not None else _attributes(event.term):
            self._value(label, name, value, event)
        if event.label in self.questions and (label.events - 1) % label.stride == 0:
            self._ask(label, event)

    def _value(self, label: _Label, name: str, value: Scalar | None, event: Occurrence) -> None:
        if value is None:
            self._left_out("attributes that are not a single value")
            return
        if name not in label.values:
            if len(label.values) == MOST_ATTRIBUTES:
                self._left_out(f"values of further attributes: a label has more than {MOST_ATTRIBUTES}")
                return
            label.values[name] = DistinctValues()
        label.present[name] = label.present.get(name, 0) + 1
        hashed = _hash(value)
        label.values[name].take(hashed, event.begin, event.end)
        self._used.setdefault(name, DistinctValues()).take(hashed, event.begin, event.end)

    def _ask(self, label: _Label, event: Occurrence) -> None:
        label.asked += label.stride
        term = event.term
        for question in self.questions[event.label]:
            matches = match(question.pattern, term)
            asked = question.condition
            if matches and (asked is None or any(self._evaluator.holds(asked, one, {}) for one in matches)):
                label.found[question.key] = label.found.get(question.key, 0) + label.stride
        label.left -= 1
        if not label.left:
            label.stride, label.left = label.stride * 2, _ASKED

    def _left_out(self, reason: str) -> None:
        self.unused[reason] = self.unused.get(reason, 0) + 1

    def rates(self) -> Rates | None:
        """Returns the rates; None if no time passes between the events."""
        if self._first is None or self._last == self._first:
            return None
        seconds = (self._last - self._first) / _SECOND
        asked = {
            question.key: label.found.get(question.key, 0) / label.asked
            for name, label in self._labels.items()
            for question in self.questions.get(name, ())
            if label.asked
        }
        return Rates(
            seconds,
            {name: _rates(label, seconds) for name, label in self._labels.items()},
            {name: values.seconds for name, values in self._used.items()},
            asked,
        )

    def unasked(self) -> list[str]:
        """Returns the labels that rules ask for and no event has."""
        return sorted(self.questions.keys() - self._labels.keys())


def _rates(label: _Label, seconds: float) -> LabelRates:
    missing = {name: 1 - number / label.events for name, number in label.present.items() if number < label.events}
    return LabelRates(
        label.events / seconds,
        {name: values.count for name, values in label.values.items()},
        missing,
        label.lasted / label.events / _SECOND,
    )


def _attributes(term: Term, path: str = "") -> Iterator[tuple[str, Scalar | None]]:
    """Yields the attributes of a term with their values; None for what has several, or none."""
    for child in term.children:
        if isinstance(child, Term) and child.label:
            name = f"{path}{child.label}"
            match child.children:
                case (only,) if not isinstance(only, Term):
                    yield name, only
                case children if children and all(isinstance(each, Term) and each.label for each in children):
                    yield from _attributes(child, f"{name}.")
                case _:
                    yield name, None


def _hash(value: Scalar) -> int:
    """Returns a hash that is the same in every process, and for 1 and 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f"{type(value).__name__} {value!r}"
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
