"""Recursive rules that can be stratified and end.

A recursion ends because it moves values and never builds larger ones, and because the intervals of its events are hulls
of finitely many; only Fig. 9 of seed 001 nests its own events, and it ends because `before` makes them longer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cera.languages.xchangeeq.syntax import (
    Conjunction,
    DetectHead,
    EventLiteral,
    Identifier,
    Query,
    RelativeTimerLiteral,
    RuleSyntax,
    WhileLiteral,
)
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import (
    Aggregate,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Temporal,
    Variable,
    Within,
)
from cera.model.matching.patterns import TermPattern, VariablePattern
from cera.model.time.durations import Duration
from cera.testing import SECOND

from .choices import Choices
from .expressions import call, duration
from .streams import BASE_LABELS, LAST_SECOND

#: With more events than this a recursion takes long, and two of them with more than these; a linked one needs more.
MOST_EVENTS, MOST_EVENTS_OF_TWO, MOST_LINKS = 5, 3, 8


@dataclass(frozen=True)
class Recursion:
    """Rules that derive the given labels of each other and of events with the label `source`.

    If it is `keyed`, all events behind a derived one have its first value, and under the same label, so that a stream
    can be divided by it. `absent` are labels of events that may be asked to be absent: none of them depends on it.
    If it is `linked`, each step goes from the last value of an event to the next, so that no key is handed on and
    there is something to derive for several rounds.
    """

    labels: tuple[str, str, str]
    source: str = "a"
    keyed: bool = False
    absent: tuple[str, ...] = ("c",)
    linked: bool = False

    def rules(self, choices: Choices) -> list[RuleSyntax]:
        p, q, r = self.labels
        kinds = [(4, "linear"), (2, "square"), (2, "swap")]
        if choices.allows("chain"):
            kinds += [(2, "mutual"), (2, "three"), (0 if self.linked else 2, "copies")]
        start = self._start(choices, p)
        match choices.weighted(kinds):
            case "linear":
                return [start, self._step(choices, p, p, self._other(choices))]
            case "square":
                return [start, self._step(choices, p, p, p)]
            case "swap":
                return [start, self._copy(choices, p, p), self._step(choices, p, p, self._other(choices))]
            case "mutual":
                return [
                    start,
                    self._step(choices, p, q, self.source),
                    self._step(choices, q, p, self._other(choices)),
                ]
            case "three":
                return [
                    start,
                    self._step(choices, q, p, self.source),
                    self._copy(choices, r, q),
                    self._step(choices, p, r, self._other(choices)),
                ]
            case _:
                return [start, self._copy(choices, q, p), self._copy(choices, r, q), self._copy(choices, p, r)]

    def places(self, label: str) -> tuple[str, str]:
        """Returns the labels of the two children that events with a label have."""
        return ("k", "v") if self.keyed or label in BASE_LABELS else ("x", "y")

    def _other(self, choices: Choices) -> str:
        return self.source if self.linked else choices.weighted(((3, self.source), (1, "b")))

    def _start(self, choices: Choices, label: str) -> RuleSyntax:
        """label{x{var K}, y{var V}} ← an event with k and v."""
        identifier = None if choices.may("anonymous literal", 50) else Identifier("i")
        pattern = self._pair(self._other(choices), "K", "V")
        return RuleSyntax(self._head(label, "K", "V"), EventLiteral(identifier, pattern))

    def _copy(self, choices: Choices, head: str, first: str) -> RuleSyntax:
        """The same event with another label, or with its values changed about: both may be derived of each other."""
        x, y = ("X", "Y") if self.keyed or choices.chance(50) else ("Y", "X")
        return RuleSyntax(self._head(head, x, y), EventLiteral(Identifier("i"), self._pair(first, "X", "Y")))

    def _step(self, choices: Choices, head: str, first: str, second: str) -> RuleSyntax:
        """head{x{…}, y{…}} ← first{{x{{var X}}, y{{var Y}}}}, and another event that shares a variable with it or
        not."""
        join = "X" if self.keyed else "Y" if self.linked else choices.one_of(("Y", "X", "K"))
        queries: list[Query] = [
            EventLiteral(Identifier("i"), self._pair(first, "X", "Y")),
            EventLiteral(Identifier("j"), self._pair(second, join, "V")),
        ]
        windows = ["i", "j"]
        if second not in self.labels and choices.may("timer extend", 20):
            queries.append(RelativeTimerLiteral(Identifier("t"), "extend", Identifier("j"), duration(choices)))
            windows = ["t"]
        if choices.may("absence", 25):
            pattern = TermPattern(choices.one_of(self.absent), (), False, False)
            queries.append(WhileLiteral(Identifier(choices.one_of(windows)), True, pattern))
        x = "X" if self.keyed or self.linked else choices.one_of(("X", "Y"))
        y = "V" if self.linked else choices.one_of(("V", "Y", join))
        return RuleSyntax(self._head(head, x, y), Conjunction(tuple(choices.shuffled(queries)), _condition(choices)))

    def above(self, choices: Choices, label: str) -> RuleSyntax | None:
        """Returns a rule that needs complete what the recursion derives; None if no such construct is allowed."""
        makers: list[Callable[[Choices, str], RuleSyntax]] = []
        if choices.allows("timer from-end-backward"):
            makers += [self._absence_above] if choices.allows("absence") else []
            if choices.allows("collection") and choices.allows("aggregate count"):
                makers.append(self._aggregate_above)
        if choices.allows("timer from-end"):
            makers.append(self._timer_above)
        return choices.one_of(makers)(choices, label) if makers else None

    def _absence_above(self, choices: Choices, label: str) -> RuleSyntax:
        queries = (*_window(self._pair("a", "K", "V")), WhileLiteral(Identifier("t"), True, self._pair_of(choices)))
        return RuleSyntax(_value_head(label, Variable("K")), Conjunction(queries))

    def _aggregate_above(self, choices: Choices, label: str) -> RuleSyntax:
        queries = (*_window(self._pair("a", "K", "V")), WhileLiteral(Identifier("t"), False, self._pair_of(choices)))
        return RuleSyntax(_value_head(label, Aggregate("count", Variable("Y"))), Conjunction(queries))

    def _timer_above(self, choices: Choices, label: str) -> RuleSyntax:
        event = EventLiteral(Identifier("i"), self._pair(self.labels[0], "K", "Y"))
        queries: list[Query] = [
            event,
            RelativeTimerLiteral(Identifier("t"), "from-end", Identifier("i"), duration(choices)),
        ]
        if choices.may("absence", 50):
            queries.append(WhileLiteral(Identifier("t"), True, self._pair("a", "K", "V")))
        return RuleSyntax(_value_head(label, Variable("K")), Conjunction(tuple(queries)))

    def _pair_of(self, choices: Choices) -> TermPattern:
        """Returns a pattern for what the recursion derives, whether it shares a value with the other event or not."""
        return self._pair(self.labels[0], choices.one_of(("K", "X")), "Y")

    def _head(self, label: str, x: str, y: str) -> DetectHead:
        values = zip(self.places(label), (x, y), strict=True)
        return DetectHead(
            ConstructTerm(
                label, tuple(ConstructTerm(place, (ConstructValue(Variable(name)),)) for place, name in values)
            )
        )

    def _pair(self, label: str, x: str, y: str) -> TermPattern:
        values = zip(self.places(label), (x, y), strict=True)
        children = [TermPattern(place, (VariablePattern(name),), False, False) for place, name in values]
        return TermPattern(label, tuple(children), False, False)


def sequence_rule(label: str) -> RuleSyntax:
    """Fig. 9 of seed 001."""
    queries = tuple(EventLiteral(Identifier(name.lower()), VariablePattern(name)) for name in ("X", "Y"))
    head = ConstructTerm(label, (ConstructValue(Variable("X")), ConstructValue(Variable("Y"))), ordered=True)
    before = Temporal("before", EventReference("x"), EventReference("y"))
    return RuleSyntax(DetectHead(head), Conjunction(queries, (before,)))


def _window(pattern: TermPattern) -> tuple[Query, Query]:
    """An event, and the whole stream before it as a window."""
    long = Duration(0, LAST_SECOND * SECOND)
    return (
        EventLiteral(Identifier("j"), pattern),
        RelativeTimerLiteral(Identifier("t"), "from-end-backward", Identifier("j"), long),
    )


def _value_head(label: str, value: Expression) -> DetectHead:
    return DetectHead(ConstructTerm(label, (ConstructTerm("x", (ConstructValue(value),)),)))


def _condition(choices: Choices) -> tuple[Expression, ...]:
    i, j = EventReference("i"), EventReference("j")
    options: list[Expression] = []
    if choices.allows("allen before"):
        options.append(Temporal("before", i, j))
    if choices.allows("within"):
        options.append(Within((i, j), DurationLiteral(duration(choices))))
    if choices.allows("comparison <") and choices.allows("function end"):
        options.append(Comparison("<", call("end", i), call("end", j)))
    return (choices.one_of(options),) if options and choices.may("body where", 75) else ()
