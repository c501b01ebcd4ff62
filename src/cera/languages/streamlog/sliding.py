"""Aggregates over `[now - d, now]`: an answer for each match of the body, over the matches in the window that it ends.

The body stands twice in such a branch: once for the match that the window ends with, which is the event trace, and once
for the matches in the window, which are gathered. Both have the variables of the head outside of its aggregates in
common. Where the body is one event, those in the window are collected, which Spark does in one pass over sorted events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cera.languages.streamlog.atoms import group_variables, has_aggregate, head_of
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.branches import BranchLowering, check_begins, gathered
from cera.languages.streamlog.demands import SpanTime
from cera.languages.streamlog.syntax import Leaf
from cera.model.expressions.expression import event_references
from cera.rules.rule import Accumulation, Branch

#: What is added to the identifiers of matches in a window, and to the variables of the match that it ends with.
_INSIDE, _LAST = "#in", "now"

MakeBody = Callable[[], Body]


def branches_of(alternatives: Sequence[Sequence[Leaf]], make: MakeBody) -> Iterator[Branch | None]:
    """Yields the branches of the alternatives of a body; None for one that is refused."""
    slides = [_slides(leaves, make()) for leaves in alternatives]
    if not any(slides):
        yield from (BranchLowering(make(), leaves).branch() for leaves in alternatives)
        return
    if not all(slides):
        body = make()
        hint = "give the rule the evaluation time"
        message = "only some alternatives of this aggregate are evaluated in `[now - d, now]`"
        body.context.refuse("SL303", message, None, hint)
        return
    for last in alternatives:
        for inside in alternatives:
            yield _SlidingLowering(make, last, inside, alone=len(alternatives) == 1).branch()


def _slides(leaves: Sequence[Leaf], body: Body) -> bool:
    """Returns whether a body is aggregated over `[now - d, now]`. The body is used up."""
    if not has_aggregate(body.context.source.head.atom):
        return False
    time = BranchLowering(body, leaves).time
    return time is not None and isinstance(body.times.get(time), SpanTime)


@dataclass(frozen=True)
class _SlidingLowering:
    make: MakeBody
    last: Sequence[Leaf]
    inside: Sequence[Leaf]
    alone: bool

    def branch(self) -> Branch | None:
        """Returns the branch with the body twice; None if it is refused."""
        body = self.make()
        shared = group_variables(body.context.source.head.atom)
        ending = BranchLowering(replace(body, shared=shared, variable_mark=_LAST), self.last)
        ending.place()
        time = ending.time
        if time is None:
            return None
        around = replace(self.make(), names=body.names, mark=_INSIDE, variable_mark="in", outer=time)
        around.forgotten = body.forgotten
        within = BranchLowering(around, self.inside)
        within.place()
        if body.context.refused:
            return None
        head = head_of(body.context.source.head.atom)
        made = ending.body.parts.branch(head)
        check_begins(ending.body, made)
        collected = self._collected(within, time)
        if collected is not None:
            made = replace(made, collections=(collected,))
            return replace(made, forgotten=made.bound_variables & body.forgotten)
        kept = (time, *(query.identifier for query in made.events))
        return gathered(within.body, _joined(made, within.body.parts.branch(head)), kept)

    def _collected(self, within: BranchLowering, time: str) -> Accumulation | None:
        """Returns the events in the window as a collection, if a match is one event and conditions on its values."""
        parts = within.body.parts
        others = (parts.states, parts.timers, parts.relations, parts.windows, parts.absences, parts.absent_states)
        if not self.alone or len(parts.events) != 1 or any(others) or any(within.body.members.values()):
            return None
        if any(map(event_references, within.conditions)):
            return None
        [event] = parts.events
        return Accumulation(time, event.pattern, False, within.conditions, event.span, with_anchor=True)


def _joined(one: Branch, other: Branch) -> Branch:
    return replace(
        one,
        events=one.events + other.events,
        relative_timers=one.relative_timers + other.relative_timers,
        relations=one.relations + other.relations,
        absences=one.absences + other.absences,
        conditions=one.conditions + other.conditions,
        windows=one.windows + other.windows,
    )
