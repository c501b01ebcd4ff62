"""Whether a query could match an event that a rule derives: q ≼ c' of seed 001 section 4.2, footnote 8 (X-26).

The variables of the query and of the head are different ones, and each occurrence of one is taken separately. So the
answer "no" is certain and "yes" may be too much: a dependency is never overlooked. A child of a head is a slot: `all`
fills it any number of times, `optional` perhaps not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import assert_never

from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Literal
from cera.model.matching.assignment import arrange
from cera.model.matching.matching import compile_regex
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.term import same
from cera.model.terms.values import Scalar, is_number
from cera.rules.reasoning.expression_kinds import kind_of


@dataclass(frozen=True)
class _Slot:
    """A place among the children of a head: what can stand there, whether something must, whether often."""

    choices: tuple[ConstructTerm | ConstructValue, ...]
    required: bool = True
    repeated: bool = False


def could_match(pattern: Pattern, head: Construct) -> bool:
    """Returns whether the pattern matches some event that the head could yield."""
    return _fits_slot(pattern, _slot(head))


def query_label(pattern: Pattern) -> str | None:
    """Returns the label of every term that the pattern matches, if there is one."""
    match pattern:
        case TermPattern(label=str() as label):
            return label
        case VariablePattern(pattern=inner) if inner is not None:
            return query_label(inner)
        case _:
            return None


def head_label(head: Construct) -> str | None:
    """Returns the label of every event that the head yields, if there is one."""
    labels = {choice.label if isinstance(choice, ConstructTerm) else None for choice in _slot(head).choices}
    return labels.pop() if len(labels) == 1 else None


def choices_of(construct: Construct) -> tuple[ConstructTerm | ConstructValue, ...]:
    """Returns what can stand in the place of the construct."""
    return _slot(construct).choices


def _slot(construct: Construct) -> _Slot:
    match construct:
        case ConstructTerm() | ConstructValue():
            return _Slot((construct,))
        case All():
            return replace(_slot(construct.construct), required=False, repeated=True)
        case OptionalConstruct():
            slot = _slot(construct.construct)
            if construct.default is None:
                return replace(slot, required=False)
            default = _slot(construct.default)
            return _Slot(
                slot.choices + default.choices,
                slot.required and default.required,
                slot.repeated or default.repeated,
            )
        case _:
            assert_never(construct)


def _fits_slot(pattern: Pattern, slot: _Slot) -> bool:
    return any(_fits(pattern, choice) for choice in slot.choices)


def _fits(pattern: Pattern, choice: ConstructTerm | ConstructValue) -> bool:
    match pattern:
        case VariablePattern():
            return pattern.pattern is None or _fits(pattern.pattern, choice)
        case Descendant():
            return _fits(pattern.pattern, choice) or (
                isinstance(choice, ConstructTerm)
                and any(_fits_slot(pattern, _slot(child)) for child in choice.children)
            )
        case Without() | OptionalPattern():
            return True
        case TermPattern():
            if isinstance(choice, ConstructValue):
                return _can_be_anything(choice)
            return _labels_agree(pattern.label, choice.label) and _children_agree(pattern, choice)
        case ScalarPattern():
            return isinstance(choice, ConstructValue) and _can_be(choice, pattern.value)
        case RegexPattern():
            return isinstance(choice, ConstructValue) and _can_match(choice, pattern.expression)
        case _:
            assert_never(pattern)


def _can_be_anything(choice: ConstructValue) -> bool:
    return kind_of(choice.expression) not in ("number", "string", "boolean")


def _can_be(choice: ConstructValue, value: Scalar) -> bool:
    if isinstance(choice.expression, Literal):
        return same(choice.expression.value, value)
    match kind_of(choice.expression):
        case "number":
            return is_number(value)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case _:
            return True


def _can_match(choice: ConstructValue, expression: str) -> bool:
    if isinstance(choice.expression, Literal):
        value = choice.expression.value
        return isinstance(value, str) and _matches(expression, value)
    return kind_of(choice.expression) not in ("number", "boolean")


def _labels_agree(label: Label, other: str) -> bool:
    match label:
        case AnyLabel():
            return True
        case RegexLabel():
            return _matches(label.expression, other)
        case str():
            return label == other
        case _:
            assert_never(label)


@cache
def _matches(expression: str, text: str) -> bool:
    return compile_regex(expression).matches(text)


def _children_agree(pattern: TermPattern, term: ConstructTerm) -> bool:
    required = [p for p in pattern.children if not isinstance(p, Without | OptionalPattern)]
    slots = [_slot(child) for child in term.children]
    if not pattern.ordered:
        return _in_any_order(pattern, required, slots)
    if term.ordered:
        return _in_order(pattern, slots)
    # an ordered pattern matches unordered data with at most one child
    if not required and not any(slot.required for slot in slots):
        return True
    single = [
        slot
        for index, slot in enumerate(slots)
        if not any(other.required for at, other in enumerate(slots) if at != index)
    ]
    return any(_in_order(pattern, [replace(slot, required=True, repeated=False)]) for slot in single)


def _in_any_order(pattern: TermPattern, required: Sequence[Pattern], slots: Sequence[_Slot]) -> bool:
    """Returns whether the children agree without an order: different children of the pattern need different children of
    the term, and in a total one all are needed.

    If one assignment serves all required patterns and another all required slots, then a third does both (Mendelsohn
    and Dulmage), so each is looked for separately.
    """
    places = [slot for slot in slots for _ in range(len(pattern.children) if slot.repeated else 1)]
    if arrange([_fitting(p, places) for p in required], ordered=False) is None:
        return False
    if not pattern.total:
        return True
    matched = [_inner(p) for p in pattern.children if not isinstance(p, Without)]
    options = [[i for i, p in enumerate(matched) if _fits_slot(p, slot)] for slot in slots if slot.required]
    return arrange(options, ordered=False) is not None


def _fitting(pattern: Pattern, places: Sequence[_Slot]) -> list[int]:
    return [i for i, slot in enumerate(places) if _fits_slot(pattern, slot)]


def _inner(pattern: Pattern) -> Pattern:
    return pattern.pattern if isinstance(pattern, OptionalPattern) else pattern


def _in_order(pattern: TermPattern, slots: Sequence[_Slot]) -> bool:
    """Returns whether children of the pattern from left to right fit into the slots from left to right.

    A state (i, j, used) has i children of the pattern placed or left out, stands at slot j, and has used it or not.
    """
    children = [p for p in pattern.children if not isinstance(p, Without)]
    states = {(0, 0, False)}
    waiting = list(states)
    while waiting:
        i, j, used = waiting.pop()
        if i == len(children) and j == len(slots):
            return True
        following: list[tuple[int, int, bool]] = []
        if i < len(children) and isinstance(children[i], OptionalPattern):
            following.append((i + 1, j, used))
        if j < len(slots):
            if used or not pattern.total or not slots[j].required:
                following.append((i, j + 1, False))
            if i < len(children) and (not used or slots[j].repeated) and _fits_slot(_inner(children[i]), slots[j]):
                following.append((i + 1, j, True))
        for state in following:
            if state not in states:
                states.add(state)
                waiting.append(state)
    return False
