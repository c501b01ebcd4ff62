"""What one function can do for an event that is alone in its step: the slots that it finishes itself.

Such a slot gets at most one row of the event, without a loop on the way, and lines can be written that finish it.
"""

from __future__ import annotations

from collections import Counter

from cera.algebra.operators import AntiSemiJoin
from cera.algebra.physical import (
    BoundedWindow,
    ClockWindows,
    Collect,
    Derive,
    Feed,
    Filter,
    Forgetting,
    Match,
    Node,
    Part,
    PhysicalPlan,
    Pick,
    Probe,
    Rule,
    Shared,
    Ticks,
    Timer,
    Wait,
    queries,
)
from cera.engines.local.flat_patterns import is_flat
from cera.engines.local.python_source import MOST_NESTED
from cera.model.events.event import STATES


def feeds_of(plan: PhysicalPlan) -> tuple[Feed, ...]:
    """Returns what happens with the events of each label that rules ask for."""
    asking: dict[str | None, list[Part]] = {}
    for part in plan.parts:
        for label, _ in queries(part):
            asking.setdefault(label, []).append(part)
    single = _single_rows(plan)
    has_ticks = any(isinstance(part, Ticks) for part in plan.parts)
    feeds = []
    for label, parts in asking.items():
        if label is None or has_ticks or plan.queried is None or not _comes_alone(label, plan):
            feeds.append(Feed(label, None, only_forgets=False))
        else:
            feeds.append(Feed(label, single.get(label, frozenset()), all(_only_forgets(part, plan) for part in parts)))
    return tuple(feeds)


def _comes_alone(label: str, plan: PhysicalPlan) -> bool:
    """Returns whether events of a label are neither derived nor the beginnings or ends of states."""
    return plan.derived is not None and label not in plan.derived and not label.startswith(STATES)


def _only_forgets(part: Part, plan: PhysicalPlan) -> bool:
    """Returns whether no answer waits for the event with which groups are over."""
    if not isinstance(part, Forgetting) or part.closing.settles or plan.queries_what_it_derives:
        return False
    return is_flat(part.closing.pattern)


def _single_rows(plan: PhysicalPlan) -> dict[str, frozenset[int]]:
    """Returns, by label, the slots that get at most one row of an event, and can be finished by written lines."""
    written = {part.slot for part in plan.parts if isinstance(part, Derive | Collect) and part.head.written}
    rows: Counter[tuple[str, int]] = Counter()
    for part in plan.parts:
        if isinstance(part, Wait) and not part.timers and part.slot in written:
            source = _source(part.input, plan)
            if source is not None and source.label is not None:
                rows[source.label, part.slot] += 1
    found: dict[str, set[int]] = {}
    for (label, slot), count in rows.items():
        if count == 1:
            found.setdefault(label, set()).add(slot)
    return {label: frozenset(slots) for label, slots in found.items()}


def _source(node: Node | Rule, plan: PhysicalPlan) -> Match | None:
    """Returns the events each of which gives at most one row; None where there is a loop on the way, or a call: stages
    that are nested too deep are functions of their own.
    """
    stages = 0
    while not isinstance(node, Match):
        stages += 1
        match node:
            case Shared():
                node = plan.by_name[node.point]
            case Pick() | Filter() | Timer() | BoundedWindow():
                node = node.input
            case ClockWindows() if node.is_tumbling:
                node = node.input
            case Probe(window=window, input=below) if isinstance(window.operator, AntiSemiJoin):
                if isinstance(below, Wait):
                    return None
                node = below
            case _:
                return None
    return node if stages < MOST_NESTED and is_flat(node.pattern) else None
