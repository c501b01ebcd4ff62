"""Random expressions of every kind, for comparing one interpretation of them with another."""

from __future__ import annotations

import random

from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Temporal,
    Variable,
    Within,
)
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval
from cera.model.time.timers import SYNONYMS
from spark_values import FRACTIONS, IDENTIFIERS, INTEGERS, LARGEST, NUMBERS, STRINGS, TIMES, VARIABLES

ARITHMETIC = ("+", "-", "*", "/", "mod")
COMPARISON = ("=", "!=", "<", "<=", ">", ">=")
DURATIONS = (
    Duration(0, 1),
    Duration(0, 1_000_000),
    Duration(0, 86_400_000_000),
    Duration(1),
    Duration(12),
    Duration(1, 5_000_000),
    Duration(120_000),
)


class Expressions:
    """Draws expressions; `depth` bounds how deep they are nested."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def data(self, depth: int) -> Expression:
        draw = self.rng.choice((self.number, self.number, self.string, self.any_variable, self.truth))
        return draw(depth)

    def any_variable(self, depth: int) -> Expression:
        return Variable(self.rng.choice(list(VARIABLES)))

    def truth(self, depth: int) -> Expression:
        return self.condition(depth - 1) if depth > 1 else Variable("B")

    def number(self, depth: int) -> Expression:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            if rng.random() < 0.3:
                return Literal(rng.choice((*INTEGERS, *LARGEST, *FRACTIONS)))
            return Variable(rng.choice(NUMBERS if rng.random() < 0.9 else list(VARIABLES)))
        match rng.randrange(10):
            case 0:
                return Negative(self.number(depth - 1))
            case 1:
                return Call(rng.choice(("abs", "round", "floor", "ceiling")), (self.number(depth - 1),))
            case 2:
                return Call(rng.choice(("least", "greatest")), self.some(self.number, depth))
            case 3:
                return Call("number", (self.data(depth - 1),))
            case 4:
                return Call("string-length", (self.string(depth - 1),))
            case 5:
                unit = rng.choice(("seconds", "milliseconds", "microseconds"))
                return Call(unit, (rng.choice((self.length, self.interval))(depth - 1),))
            case _:
                return Arithmetic(rng.choice(ARITHMETIC), self.number(depth - 1), self.number(depth - 1))

    def string(self, depth: int) -> Expression:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return Literal(rng.choice(STRINGS)) if rng.random() < 0.4 else Variable(rng.choice("SSSM"))
        inner = self.string(depth - 1)
        match rng.randrange(8):
            case 0:
                return Call(rng.choice(("upper-case", "lower-case", "trim")), (inner,))
            case 1:
                return Call("concat", self.some(self.string, depth))
            case 2:
                return Call("substring", (inner, Variable(rng.choice(NUMBERS))))
            case 3:
                return Call("substring", (inner, Literal(rng.choice((0, 1, 2))), Literal(rng.choice((0, 1, 2, 2**40)))))
            case 4:
                return Call("replace", (inner, self.string(depth - 1), self.string(depth - 1)))
            case 5:
                return Call(rng.choice(("least", "greatest")), self.some(self.string, depth))
            case 6:
                return Call("string", (Variable(rng.choice("IJSBX")),))
            case _:
                return Call("iso", (self.interval(depth - 1),))

    def some(self, draw: object, depth: int) -> tuple[Expression, ...]:
        return tuple(draw(depth - 1) for _ in range(self.rng.choice((1, 2, 2, 3))))  # type: ignore[operator]

    def interval(self, depth: int) -> Expression:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.25:
            if rng.random() < 0.15:
                begin, end = sorted(rng.choice(TIMES) for _ in range(2))
                return DateTime(("", ""), Interval(begin, end))
            return EventReference(rng.choice(IDENTIFIERS))
        match rng.randrange(5):
            case 0:
                return Call(rng.choice(("begin", "end")), (self.interval(depth - 1),))
            case 1:
                return Call("hull", self.some(self.interval, depth))
            case 2:
                return Call(rng.choice(list(SYNONYMS)), (self.interval(depth - 1), self.length(depth - 1)))
            case 3:
                return Arithmetic(rng.choice(("+", "-")), self.point(depth - 1), self.duration(depth - 1))
            case _:
                return Arithmetic("+", self.duration(depth - 1), self.point(depth - 1))

    def point(self, depth: int) -> Expression:
        return (
            Call(self.rng.choice(("begin", "end")), (self.interval(depth),))
            if self.rng.random() < 0.8
            else (self.interval(depth))
        )

    def duration(self, depth: int) -> Expression:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            return DurationLiteral(rng.choice(DURATIONS))
        match rng.randrange(5):
            case 0:
                return Arithmetic(rng.choice(("+", "-")), self.duration(depth - 1), self.duration(depth - 1))
            case 1:
                return Arithmetic("*", self.duration(depth - 1), self.number(depth - 1))
            case 2:
                return Arithmetic("*", self.number(depth - 1), self.duration(depth - 1))
            case 3:
                return Arithmetic(rng.choice(("+", "-")), self.distance(depth - 1), self.length(depth - 1))
            case _:
                return Negative(self.duration(depth - 1))

    def distance(self, depth: int) -> Expression:
        match self.rng.randrange(4):
            case 0:
                return Call("length", (self.interval(depth - 1),))
            case 1:
                return Call("timeDiff", (self.interval(depth - 1), self.interval(depth - 1)))
            case 2 if depth > 0:
                return Negative(self.distance(depth - 1))
            case _:
                return Arithmetic("-", self.point(depth - 1), self.point(depth - 1))

    def length(self, depth: int) -> Expression:
        return self.rng.choice((self.duration, self.distance))(depth)

    def condition(self, depth: int) -> Expression:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return Variable(rng.choice("BM"))
        draw = self.condition
        match rng.randrange(12):
            case 0:
                return And(tuple(draw(depth - 1) for _ in range(2)))
            case 1:
                return Or(tuple(draw(depth - 1) for _ in range(2)))
            case 2:
                return Not(draw(depth - 1))
            case 3 | 4:
                return Temporal(rng.choice(list(RELATIONS)), self.interval(depth - 1), self.interval(depth - 1))
            case 5:
                return Within(self.some(self.interval, depth), self.length(depth - 1))
            case 6:
                function = rng.choice(("contains", "starts-with", "ends-with"))
                return Call(function, (self.string(depth - 1), self.string(depth - 1)))
            case 7:
                return self._comparison(self.length(depth - 1), self.length(depth - 1))
            case 8:
                return self._comparison(self.point(depth - 1), self.point(depth - 1))
            case 9:
                return self._comparison(self.number(depth - 1), self.number(depth - 1))
            case _:
                return self._comparison(self.data(depth - 1), self.data(depth - 1))

    def _comparison(self, left: Expression, right: Expression) -> Expression:
        return Comparison(self.rng.choice(COMPARISON), left, right)
