"""Slots of correlation keys: for the events of each label, where the value stands by which they are divided.

A slot belongs to one or more rules; in each of them a variable stands for it that every event query binds. Events with
the same value in all slots of an operator go to the same bucket, so that the events behind an answer are together.

A place is the path of labels from the event to the term whose one child is the value: in `temp{{ area{{ var A }} }}`
the variable A stands at ("area",). Only such places are known that every match shares, and that a column or a field of
JSON can stand for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cera.algebra.correlation_keys import correlation_key
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.rule import Rule

Place = tuple[str, ...]


def places(pattern: Pattern, variable: str) -> frozenset[Place]:
    """Returns the places of a variable in a pattern; several stand for the same value."""
    return frozenset(_places(_inner(pattern), variable, ()))


def _places(pattern: Pattern | None, variable: str, path: Place) -> list[Place]:
    if not isinstance(pattern, TermPattern):
        return []
    found: list[Place] = []
    labels = Counter(label for child in pattern.children if (label := _label(child)) is not None)
    for child in pattern.children:
        inner = _inner(child)
        if isinstance(child, VariablePattern) and child.name == variable and child.pattern is None:
            in_list = pattern.ordered and not pattern.total  # `path[[var X]]` is for terms of many values
            if path and len(pattern.children) == 1 and not in_list:
                found.append(path)
        elif isinstance(inner, TermPattern) and isinstance(inner.label, str) and labels[inner.label] == 1:
            found += _places(inner, variable, (*path, inner.label))
    return found


def _inner(pattern: Pattern) -> Pattern | None:
    """Returns the pattern of the term that a variable is bound to; any other pattern as it is."""
    while isinstance(pattern, VariablePattern):
        if pattern.pattern is None:
            return None
        pattern = pattern.pattern
    return pattern


def _label(pattern: Pattern) -> str | None:
    inner = _inner(pattern)
    return inner.label if isinstance(inner, TermPattern) and isinstance(inner.label, str) else None


def value_at(head: Construct, place: Place) -> ConstructValue | None:
    """Returns the value that stands at a place in every event of a head, if it is a single value."""
    construct = head
    for label in place:
        if not isinstance(construct, ConstructTerm):
            return None
        below = [child for child in construct.children if isinstance(child, ConstructTerm) and child.label == label]
        if len(below) != 1 or not all(isinstance(child, ConstructTerm) for child in construct.children):
            return None
        [construct] = below
    match construct:
        case ConstructTerm(children=(ConstructValue() as value,)):
            return value
        case _:
            return None


def variable_at(head: Construct, place: Place) -> str | None:
    """Returns the variable whose value, and nothing else, every event of a head has at a place."""
    value = value_at(head, place)
    return value.expression.name if value is not None and isinstance(value.expression, Variable) else None


#: The label of a pattern that matches events of any label.
ANY = None


@dataclass(frozen=True)
class Slot:
    """One part of a key. `variables` names it in each rule; `choices` are the places it can be read from."""

    variables: Mapping[str, str]
    choices: Mapping[str | None, frozenset[Place]]

    @cached_property
    def places(self) -> dict[str | None, Place]:
        """The place that is read, for each label."""
        return {label: min(choices) for label, choices in self.choices.items()}

    def place(self, label: str) -> Place | None:
        """Returns where the value stands in events of a label; None if no query of the operator matches such events."""
        return self.places.get(label, self.places.get(ANY))

    def joined(self, other: Slot) -> Slot | None:
        """Returns both as one slot, if they read the same value from every event that both divide."""
        choices = {**other.choices, **self.choices}
        for label in self.choices.keys() & other.choices.keys():
            choices[label] = self.choices[label] & other.choices[label]
        if ANY in choices:
            choices = {label: found & choices[ANY] for label, found in choices.items()}
        if not all(choices.values()):
            return None
        return Slot({**self.variables, **other.variables}, choices)

    def carried_by(self, producer: Rule, label: str | None) -> bool:
        """Returns whether what a rule derives holds its value of the slot where events of its label have it."""
        place = self.places.get(ANY) if label is None else self.place(label)
        variable = self.variables.get(producer.name)
        return place is not None and variable is not None and variable_at(producer.head, place) == variable


def slots(rule: Rule, producers: Sequence[Rule] = ()) -> tuple[Slot, ...]:
    """Returns the slots by which a rule can be divided; none if it runs in one piece.

    An absolute timer ticks from the first event of the whole stream on, which no part of it can know. What other rules
    derive must have one value for each slot.
    """
    if any(branch.absolute_timers for branch in rule.branches):
        return ()
    found = (_slot(rule, variable) for variable in correlation_key(rule))
    carried = (_for_producers(slot, producers) for slot in found if slot is not None)
    return tuple(slot for slot in carried if slot is not None)


def _for_producers(slot: Slot, producers: Sequence[Rule]) -> Slot | None:
    choices = dict(slot.choices)
    for producer in producers:
        label = head_label(producer.head)
        if label is None:
            return None
        key = label if label in choices else ANY
        choices[key] = frozenset(place for place in choices[key] if value_at(producer.head, place) is not None)
    return Slot(slot.variables, choices) if all(choices.values()) else None


def _slot(rule: Rule, variable: str) -> Slot | None:
    slot: Slot | None = None
    for query in event_patterns(rule):
        here = Slot({rule.name: variable}, {query_label(query.pattern): places(query.pattern, variable)})
        slot = here if slot is None else slot.joined(here)
        if slot is None or not all(slot.choices.values()):
            return None
    return slot
