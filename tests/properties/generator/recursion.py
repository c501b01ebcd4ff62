"""Recursive rules that can be stratified and end.

A recursion ends because it moves values and never builds larger ones, and because the intervals of its events are hulls
of finitely many; only Fig. 9 of seed 001 nests its own events, and it ends because `before` makes them longer.
"""

from __future__ import annotations

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
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Temporal,
    Variable,
    Within,
)
from cera.model.matching.patterns import TermPattern, VariablePattern

from .choices import Choices
from .expressions import call, duration
from .streams import BASE_LABELS

#: With more events than this a recursion takes long.
MOST_EVENTS = 5


def recursive_rules(choices: Choices, labels: tuple[str, str]) -> list[RuleSyntax]:
    """Rules that derive the given labels and query them."""
    kinds = [(4, "linear"), (3, "square"), *([(3, "mutual")] if choices.allows("chain") else [])]
    match choices.weighted(kinds):
        case "linear":
            return [_start(choices, labels[0]), _step(choices, labels[0], labels[0], "a")]
        case "square":
            return [_start(choices, labels[0]), _step(choices, labels[0], labels[0], labels[0])]
        case _:
            return [
                _start(choices, labels[0]),
                _step(choices, labels[0], labels[1], "a"),
                _step(choices, labels[1], labels[0], choices.weighted(((3, "a"), (1, "b")))),
            ]


def _start(choices: Choices, label: str) -> RuleSyntax:
    """label{x{var K}, y{var V}} ← an event with k and v."""
    identifier = None if choices.may("anonymous literal", 50) else Identifier("i")
    pattern = _pair(choices.weighted(((3, "a"), (1, "b"))), "k", "K", "v", "V")
    return RuleSyntax(_head(label, "K", "V"), EventLiteral(identifier, pattern))


def _step(choices: Choices, head: str, first: str, second: str) -> RuleSyntax:
    """head{x{…}, y{…}} ← first{{x{{var X}}, y{{var Y}}}}, and another event that shares a variable with it or not."""
    join = choices.one_of(("Y", "X", "K"))
    places = ("k", "v") if second in BASE_LABELS else ("x", "y")
    queries: list[Query] = [
        EventLiteral(Identifier("i"), _pair(first, "x", "X", "y", "Y")),
        EventLiteral(Identifier("j"), _pair(second, places[0], join, places[1], "V")),
    ]
    if second in BASE_LABELS and choices.may("timer extend", 20):
        queries.append(RelativeTimerLiteral(Identifier("t"), "extend", Identifier("j"), duration(choices)))
        if choices.may("absence", 50):
            queries.append(WhileLiteral(Identifier("t"), True, TermPattern("c", (), False, False)))
    x, y = choices.one_of(("X", "Y")), choices.one_of(("V", "Y", join))
    return RuleSyntax(_head(head, x, y), Conjunction(tuple(choices.shuffled(queries)), _condition(choices)))


def sequence_rule(label: str) -> RuleSyntax:
    """Fig. 9 of seed 001."""
    queries = tuple(EventLiteral(Identifier(name.lower()), VariablePattern(name)) for name in ("X", "Y"))
    head = ConstructTerm(label, (ConstructValue(Variable("X")), ConstructValue(Variable("Y"))), ordered=True)
    before = Temporal("before", EventReference("x"), EventReference("y"))
    return RuleSyntax(DetectHead(head), Conjunction(queries, (before,)))


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


def _head(label: str, x: str, y: str) -> DetectHead:
    children = [ConstructTerm(place, (ConstructValue(Variable(name)),)) for place, name in (("x", x), ("y", y))]
    return DetectHead(ConstructTerm(label, tuple(children)))


def _pair(label: str, place: str, variable: str, other_place: str, other_variable: str) -> TermPattern:
    children = [
        TermPattern(name, (VariablePattern(value),), False, False)
        for name, value in ((place, variable), (other_place, other_variable))
    ]
    return TermPattern(label, tuple(children), False, False)
