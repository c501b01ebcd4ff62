"""Random rules that derive states, as text and by their meaning, which is written from DESIGN and knows no supports.

a derivation begins when its last event has happened and its last state has begun; all its states hold then
it ends with the first of: the end of one of its states, an event behind `until` that lies in it, the evaluation time
a state is what derivations of one term cover that begin while an earlier one holds
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cera.model.events.event import Event
from cera.model.events.states import OPEN, announced_end, is_opening, state_term
from cera.model.terms.term import Term
from cera.testing import SECOND, event, state

Values = Mapping[str, object]


@dataclass(frozen=True)
class Found:
    """An event or a state that a literal has found."""

    values: Values
    begin: int
    end: int


@dataclass(frozen=True)
class StateRule:
    """`TIME: state: head(…) until u(…) <- events and states`; each attribute has the variable of its name."""

    head: str
    shown: tuple[str, ...]
    events: tuple[str, ...]
    states: tuple[str, ...]
    until: tuple[str, ...] | None = None
    #: `Range` and `Slide`, or the length of `from-end[c, d]`, in seconds.
    window: tuple[int, int] | None = None
    timer: int | None = None

    def __str__(self) -> str:
        until = "" if self.until is None else f" until u({_attributes(self.until)})"
        body = [f"{label}(k(K), v(V))" for label in self.events]
        body += [f"state: {label}(k(K))" for label in self.states]
        text = f"state: {self.head}({_attributes(self.shown)}){until} <- {' and '.join(body)}."
        if self.window is not None:
            return f"Range {self.window[0]} s Slide {self.window[1]} s:\n  {text}"
        if self.timer is not None:
            return f"from-end[c(k(K)), {self.timer} s]:\n  {text}"
        return f"unbounded:\n  {text}" if self.states == () or len(self.states) > 1 else text


def _attributes(names: Sequence[str]) -> str:
    return ", ".join(f"{name}({name.upper()})" for name in names)


def some_rules(chance: random.Random) -> list[StateRule]:
    """Rules of which later ones may ask for the states of earlier ones."""
    rules: list[StateRule] = []
    labels = ["s"]
    for number in range(chance.randint(1, 3)):
        way = chance.choice(("plain", "plain", "window", "timer", "states"))
        head = chance.choice([f"p{number}", *(rule.head for rule in rules[-1:] if rule.states == ())])
        states = tuple(chance.choice(labels) for _ in range(chance.randint(0, 2))) if way in ("plain", "states") else ()
        states = tuple(label for label in dict.fromkeys(states) if label != head)
        events = tuple(chance.sample(("a", "b"), chance.choice((1, 1, 2)))) if way != "states" or not states else ()
        shown = ("k", "v") if events and chance.random() < 0.4 else ("k",)
        keys = [("k",), ("k",), *([("v",), ("k", "v")] if events else [])]
        until = chance.choice(keys) if chance.random() < 0.6 else None
        window = (chance.choice((5, 10)), chance.choice((3, 5, 12))) if way == "window" else None
        rules.append(StateRule(head, shown, events, states, until, window, 6 if way == "timer" else None))
        labels.append(head)
    return rules


def some_events(chance: random.Random) -> list[Event]:
    found: list[Event] = []
    for _ in range(chance.randint(3, 14)):
        begin = chance.randint(0, 30)
        end = begin + chance.choice((0, 0, 0, 1, 4))
        label, k, v = chance.choice(("a", "a", "b", "u", "u", "c", "s")), chance.randint(1, 2), chance.randint(1, 2)
        if label == "s":
            found.append(state(f"s{{k{{{k}}}}}", begin, chance.choice((None, begin, begin + 3, begin + 9))))
        else:
            found.append(event(f"{label}{{k{{{k}}}, v{{{v}}}}}", begin, end))
    return list(dict.fromkeys(found))


def text_of(rules: Sequence[StateRule]) -> str:
    seen = [
        f"seen{number}(k(K), v(V)) <- a(k(K), v(V)) and state: {label}(k(K))."
        for number, label in enumerate(dict.fromkeys(rule.head for rule in rules))
    ]
    # rules without an evaluation time stand first
    texts = sorted(map(str, rules), key=lambda text: text[0] != "s" or text.startswith("unbounded"))
    timed = [text for text in texts if not text.startswith("state")]
    plain = [text for text in texts if text.startswith("state")]
    return "\n".join([*plain, *seen, *timed]) + "\n"


def meaning(rules: Sequence[StateRule], events: Sequence[Event]) -> set[tuple[Term, int, int]]:
    """Returns the derived states: term, begin and end."""
    known = {label: _records(label, events) for label in ("a", "b", "c", "u")}
    states = {"s": _states(events)}
    answer: set[tuple[Term, int, int]] = set()
    for head in dict.fromkeys(rule.head for rule in rules):
        periods: dict[Term, list[tuple[int, int]]] = {}
        for rule in rules:
            if rule.head == head:
                for values, begin, end in _derivations(rule, known, states):
                    term = Term(head, [Term(name, [values[name]]) for name in rule.shown])  # type: ignore[list-item]
                    periods.setdefault(term, []).append((begin, end))
        found = {(term, *period) for term, several in periods.items() for period in _joined(several)}
        states[head] = [Found(_values(term), begin, end) for term, begin, end in found]
        answer |= found
    return answer


def _joined(periods: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the parts of time that are covered; parts that only touch stay apart."""
    waiting = sorted(periods)
    while waiting:
        begin, end = waiting.pop(0)
        while waiting and waiting[0][0] < end:
            end = max(end, waiting.pop(0)[1])
        yield begin, end


def _derivations(
    rule: StateRule, known: Mapping[str, list[Found]], states: Mapping[str, list[Found]]
) -> Iterator[tuple[Values, int, int]]:
    anchors = known["c"] if rule.timer is not None else [None]
    events, asked = [known[label] for label in rule.events], [states[label] for label in rule.states]
    for anchor, *rest in itertools.product(anchors, *events, *asked):
        chosen, holding = rest[: len(events)], rest[len(events) :]
        values = _agreed([*([] if anchor is None else [Found({"k": anchor.values["k"]}, 0, 0)]), *chosen, *holding])
        if values is None:
            continue
        times = [*chosen, *([] if anchor is None else [anchor])]
        begin = max([*(one.end for one in times), *(one.begin for one in holding)])
        ends = [one.end for one in holding]
        if len(holding) == 1 and not all(_is_in(one, holding[0]) for one in chosen):
            continue
        if any(not one.begin <= begin < one.end for one in holding):
            continue
        if rule.window is not None:
            length, slide = (each * SECOND for each in rule.window)
            start = min(one.begin for one in chosen) // slide * slide
            if max(one.end for one in chosen) >= start + length:
                continue
            ends.append(start + length)
        if anchor is not None and rule.timer is not None:
            last = anchor.end + rule.timer * SECOND
            if not all(anchor.end <= one.begin and one.end <= last for one in chosen):
                continue
            ends.append(last)
        if rule.until is not None:
            for one in known["u"]:
                same = all(one.values[name] == values[name] for name in rule.until)
                ends += [one.end] if same and begin <= one.begin and begin < one.end else []
        end = min([OPEN, *ends])
        if begin < end:
            yield values, begin, end


def _is_in(one: Found, held: Found) -> bool:
    return held.begin <= one.begin and held.begin < one.end <= held.end


def _agreed(found: Sequence[Found]) -> Values | None:
    values: dict[str, object] = {}
    for one in found:
        for name, value in one.values.items():
            if values.setdefault(name, value) != value:
                return None
    return values


def _records(label: str, events: Sequence[Event]) -> list[Found]:
    return [Found(_values(each.term), each.begin, each.end) for each in events if each.label == label]


def _values(term: Term) -> Values:
    return {child.label: child.children[0] for child in term.children if isinstance(child, Term)}


def _states(events: Sequence[Event]) -> list[Found]:
    """Returns the states that come in; where records differ about the end, the first end counts."""
    ends: dict[tuple[Term, int], int] = {}
    for each in events:
        if is_opening(each.label):
            key = (state_term(each), each.begin)
            end = announced_end(each.qualifier)
            ends[key] = min(ends.get(key, OPEN), OPEN if end is None else end)
    return [Found(_values(term), begin, end) for (term, begin), end in ends.items()]
