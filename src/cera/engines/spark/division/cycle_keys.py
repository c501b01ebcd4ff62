"""Keys of recursive rules: what the rules of a cycle have in common from round to round.

Events of a cycle stay in one part of a stream only if every rule hands the value of a slot on: its head has it where
the queries of the cycle read it. So the variable of one rule decides those of the rules that it queries, and, all
around the cycle, those of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cera.engines.spark.division.slots import ANY, Slot, slots, variable_at
from cera.rules.analysis.unification import head_label
from cera.rules.rule import Rule


def cycle_key(rules: Sequence[Rule], producers: Mapping[str, Sequence[Rule]]) -> tuple[Slot, ...]:
    """Returns the slots by which rules that depend on each other can be divided; none if they run in one piece.

    `producers` are the rules whose events a rule queries, by its name; on the cycle and others.
    """
    own = {rule.name: {s.variables[rule.name]: s for s in slots(rule, producers[rule.name])} for rule in rules}
    found = (_around(slot, rules, own, producers) for slot in own[rules[0].name].values())
    return tuple(slot for slot in found if slot is not None)


def _around(
    start: Slot, rules: Sequence[Rule], own: Mapping[str, Mapping[str, Slot]], producers: Mapping[str, Sequence[Rule]]
) -> Slot | None:
    """Returns the slot of the whole cycle that begins with one of its first rule; None if a rule does not hand it on.

    `own` has the slots of each rule by their variables.
    """
    whole = start
    reached = [rules[0]]
    for rule in reached:  # grows as it goes
        for producer in _inside(producers[rule.name], own):
            if producer.name in whole.variables:
                continue
            variable = _handed_on(whole, producer)
            slot = None if variable is None else own[producer.name].get(variable)
            joined = None if slot is None else whole.joined(slot)
            if joined is None:
                return None
            whole = joined
            reached.append(producer)
    return whole if all(whole.carried_by(rule, head_label(rule.head)) for rule in rules) else None


def _inside(producers: Sequence[Rule], cycle: Mapping[str, object]) -> Iterator[Rule]:
    return (producer for producer in producers if producer.name in cycle)


def _handed_on(slot: Slot, producer: Rule) -> str | None:
    """Returns the variable of a rule that stands where its events are read."""
    label = head_label(producer.head)
    place = slot.places.get(ANY) if label is None else slot.place(label)
    return None if place is None else variable_at(producer.head, place)
