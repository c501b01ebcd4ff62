"""Which regular expressions are safe for an engine that matches by backtracking, such as Java's.

Such an engine makes a choice at every quantifier and every `|`, and comes back to it when the rest does not match. A
choice is *settled* if the next character decides it: no character that continues the one way can begin the other.
Settled choices cost nothing. An unsettled repetition without a bound is tried at every place of the text; if another
one can take over right there, each trial goes on to the end of the text. Any other unsettled choice multiplies the work
by its number of ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import assert_never

from cera.model.regex.tree import (
    Characters,
    Choice,
    End,
    Ranges,
    Regex,
    Repeat,
    Sequence,
    Start,
    overlap,
    parse_regex,
    union,
)

#: The most passes over a text that choices with a bound may cause.
_MOST_WAYS = 64


@dataclass(frozen=True)
class _NextCharacters:
    """The characters that can come next, and those of them that begin a repetition without a bound."""

    characters: Ranges = ()
    repeated: Ranges = ()


@dataclass(frozen=True)
class _Effort:
    """`ways` times the length of the text to the power of `loops` + 1, at most."""

    ways: int = 1
    loops: int = 0


def is_backtracking_safe(expression: str) -> bool:
    """Returns whether backtracking takes at most quadratic time, and a stack that does not grow with the text.

    Nothing is repeated that contains a quantifier or a choice itself; at most one repetition without a bound is
    unsettled, and no other one that shares a character with it comes next; the other unsettled choices have at most 64
    ways together. Conservative: many expressions that are refused would do no harm. Raises RegexError if the expression
    is malformed.
    """
    tree = parse_regex(expression)
    effort = None if _repeats_a_choice(tree) else _effort(tree, _NextCharacters())
    return effort is not None and effort.loops <= 1 and effort.ways <= _MOST_WAYS


def _repeats_a_choice(tree: Regex) -> bool:
    match tree:
        case Characters() | Start() | End():
            return False
        case Sequence(parts) | Choice(parts):
            return any(_repeats_a_choice(part) for part in parts)
        case Repeat(body, _, most):
            return _repeats_a_choice(body) or (most not in (0, 1) and _has_choice(body))
        case _:
            assert_never(tree)


def _has_choice(tree: Regex) -> bool:
    match tree:
        case Sequence(items):
            return any(_has_choice(item) for item in items)
        case _:
            return isinstance(tree, Choice | Repeat)


def _effort(tree: Regex, following: _NextCharacters) -> _Effort:
    """Returns the cost of the choices in the tree, if after it the text ends or goes on as `following` says."""
    match tree:
        case Characters() | Start() | End():
            return _Effort()
        case Sequence(items):
            efforts = []
            for item in reversed(items):
                efforts.append(_effort(item, following))
                following = _next(item, following)
            return _together(efforts)
        case Choice(alternatives):
            starts = [_next(alternative, following).characters for alternative in alternatives]
            unsettled = any(overlap(one, other) for one, other in combinations(starts, 2))
            empty = sum(_may_be_empty(alternative) for alternative in alternatives) > 1
            own = _Effort(len(alternatives) if unsettled or empty else 1)
            return _together([own, *(_effort(alternative, following) for alternative in alternatives)])
        case Repeat(body, _, _):
            return _together([_own_effort(tree, following), _effort(body, following)])
        case _:
            assert_never(tree)


def _own_effort(repeat: Repeat, following: _NextCharacters) -> _Effort:
    again = _next(repeat.body, _NextCharacters()).characters
    if repeat.least == repeat.most or not (_may_be_empty(repeat.body) or overlap(again, following.characters)):
        return _Effort()
    if repeat.most is not None:
        return _Effort(ways=repeat.most - repeat.least + 1)
    return _Effort(loops=2 if overlap(again, following.repeated) else 1)


def _together(efforts: list[_Effort]) -> _Effort:
    return _Effort(prod(effort.ways for effort in efforts), sum(effort.loops for effort in efforts))


def _next(tree: Regex, following: _NextCharacters) -> _NextCharacters:
    """Returns the characters that can come first: of the tree or, where that can be empty, of what follows."""
    match tree:
        case Characters(ranges):
            return _NextCharacters(ranges)
        case Start() | End():
            return following
        case Sequence(items):
            for item in reversed(items):
                following = _next(item, following)
            return following
        case Choice(alternatives):
            return _either([_next(alternative, following) for alternative in alternatives])
        case Repeat(body, least, most):
            own = _next(body, following)
            if most is None:
                own = _NextCharacters(own.characters, own.characters)
            return own if least else _either([own, following])
        case _:
            assert_never(tree)


def _either(ways: list[_NextCharacters]) -> _NextCharacters:
    return _NextCharacters(union(way.characters for way in ways), union(way.repeated for way in ways))


def _may_be_empty(tree: Regex) -> bool:
    match tree:
        case Characters():
            return False
        case Start() | End():
            return True
        case Sequence(items):
            return all(_may_be_empty(item) for item in items)
        case Choice(alternatives):
            return any(_may_be_empty(alternative) for alternative in alternatives)
        case Repeat(body, least, _):
            return least == 0 or _may_be_empty(body)
        case _:
            assert_never(tree)
