"""From the rows of a step to its derived events, which the rules that query them get to see in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cera.engines.local.heads import Derived, Head
from cera.engines.local.network import Network, Step
from cera.engines.local.occurrence import Draft, Occurrence
from cera.engines.local.rows import Layout, Row
from cera.model.constructs import free_variables
from cera.model.terms import Term


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
            self._derive(step, begin, draft, group)

    def window(self, left: Layout) -> Callable[[Step, list[Row]], None]:
        """Makes events of the rows that one row of the left side was joined to: they are those of one event trace."""
        head, derive = self.head, self._derive
        in_order, build, begin, group_by = head.in_order, head.build, head.begin, head.group_by
        one_group = free_variables(head.construction.head).issubset(left.variables)

        def make(step: Step, rows: list[Row]) -> None:
            rows = in_order(rows)
            for group in (rows,) if one_group else group_by(rows):
                for draft in build(group) or ():
                    if draft.__class__ is tuple or draft.__class__ is Term:
                        derive(step, begin(rows[0]), draft, group)

        return make

    def _derive(self, step: Step, begin: int, draft: Draft | Term, group: Sequence[Row]) -> None:
        qualifier = self.qualifier
        if draft.__class__ is tuple:
            occurrence = Occurrence(begin, step.now, draft[0], None, None, draft, qualifier)
        else:
            assert isinstance(draft, Term)
            occurrence = Occurrence(begin, step.now, draft.label, None, draft, None, qualifier)
        source = (self.head, group)
        if step.derived:
            known = _known(step, occurrence)
            if known is not None:
                known.sources.append(source)
                return
        derived = Derived(occurrence, [source])
        step.derived.append(derived)
        if step.index is not None:
            step.index.setdefault((occurrence.label, begin), []).append(derived)
        network = self.network
        if self.internal and (occurrence.label in network.by_label or network.any_label):
            if step.base and _is_incoming(step, occurrence):
                return
            network.take(step, occurrence)


def _known(step: Step, occurrence: Occurrence) -> Derived | None:
    """The same event, if it was derived in this step already: it is one event with several derivations."""
    if step.index is None:
        step.index = {}
        for derived in step.derived:
            step.index.setdefault((derived.occurrence.label, derived.occurrence.begin), []).append(derived)
    for derived in step.index.get((occurrence.label, occurrence.begin), ()):
        if derived.occurrence.is_same(occurrence):
            return derived
    return None


def _is_incoming(step: Step, occurrence: Occurrence) -> bool:
    """Whether an incoming event of this step is the same event."""
    return any(base.event == occurrence.event for base in step.base if base.label == occurrence.label)
