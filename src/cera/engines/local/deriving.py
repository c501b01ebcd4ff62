"""From the rows of a step to its derived events, which the rules that query them get to see in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from cera.engines.local.heads import Derived, Head
from cera.engines.local.network import Network, Step
from cera.engines.local.occurrence import Draft, Occurrence
from cera.engines.local.rows import Layout, Row
from cera.model.constructs import free_variables
from cera.model.terms import Term
from cera.rules.unification import head_label


class Deriving:
    """A head at work in a network."""

    def __init__(self, head: Head, network: Network) -> None:
        self.head = head
        self.network = network
        self.qualifier = head.qualifier
        self.internal = head.construction.recipient is None

    def rows(self, step: Step, rows: list[Row]) -> None:
        """Makes events of all rows of a step."""
        for begin, draft, group in self.head.events(rows):
            self.derive(step, begin, draft, group)

    def window(self, left: Layout) -> Callable[[Step, list[Row]], None]:
        """Makes events of the rows that one row of the left side was joined to: they are those of one event trace."""
        head, derive = self.head, self.derive
        in_order, build, begin, group_by = head.in_order, head.build, head.begin, head.group_by
        one_group = free_variables(head.construction.head).issubset(left.variables)

        def make(step: Step, rows: list[Row]) -> None:
            rows = in_order(rows)
            for group in (rows,) if one_group else group_by(rows):
                for draft in build(group) or ():
                    if draft.__class__ is tuple or draft.__class__ is Term:
                        derive(step, begin(rows[0]), draft, group)

        return make

    def derive(self, step: Step, begin: int, content: Draft | Term, group: Sequence[Row]) -> None:
        """An event of the step; it is one event with several derivations if it was derived in it already."""
        derived = Derived(begin, step.now, content, self.qualifier, (self.head, group))
        if step.derived:
            known = _known(step, derived)
            if known is not None:
                known.sources += derived.sources
                return
        step.derived.append(derived)
        if step.index is not None:
            step.index.setdefault((derived.label, begin), []).append(derived)
        if self.heard:
            occurrence = derived.occurrence
            if not (step.base and _is_incoming(step, occurrence)):
                self.network.take(step, occurrence)

    @cached_property
    def heard(self) -> bool:
        """Whether some rule may query what this one derives; known when the network is complete."""
        label = head_label(self.head.construction.head)
        network = self.network
        return self.internal and (label is None or label in network.by_label or bool(network.any_label))


def _known(step: Step, new: Derived) -> Derived | None:
    if step.index is None:
        step.index = {}
        for derived in step.derived:
            step.index.setdefault((derived.label, derived.begin), []).append(derived)
    same_place = step.index.get((new.label, new.begin), ())
    return next((derived for derived in same_place if derived.occurrence.is_same(new.occurrence)), None)


def _is_incoming(step: Step, occurrence: Occurrence) -> bool:
    """Whether an incoming event of this step is the same event."""
    return any(base.event == occurrence.event for base in step.base if base.label == occurrence.label)
