"""Refuted absence: what an absence waits for in vain is forgotten, and so is what has come (section 8.1 of seed 002).

    h ← B, not q in w      →      h ← B, not q in w, refuted by q(K)

    if each event of B ends no later than every q with the same values, w is the only window that the answers wait for,
    one of the clock around events of B, and K are the variables that q shares with B

A row of B that waits for the end of w is there when q comes, and w has begun with one of its events: so q lies in w,
and the row has no answer. No row comes later that q could refute, so that q is not kept for one. Where q ends with an
event of B, or lasts, it is kept as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.constraints.subsumption.atoms import FlatAtom, extended, flat_pattern
from cera.model.matching import patterns
from cera.optimizer.semantic.orders import Order
from cera.rules.analysis.unification import query_label
from cera.rules.rule import Accumulation, Branch, PeriodicWindow, Rule
from cera.rules.settlements import RefutingEvent, Settlement, settles_answers

LAW = "refuted absence"


def refuting_events(
    rule: Rule, orders: Sequence[Order], settling: Sequence[Settlement] = ()
) -> Iterator[tuple[RefutingEvent, Order]]:
    """Yields the event that refutes an absence of a rule for good, with an order that says so.

    There is one at most: what it refutes is found by its values, among what waits for what else settles the rule.
    """
    if len(rule.branches) != 1 or rule.recipient is not None:
        return
    [branch] = rule.branches
    if not _waits_for_one_window(branch):
        return
    others = frozenset(name for each in settling if settles_answers(each) for name in each.by)
    for absence in branch.absences:
        by = patterns.bound_variables(absence.pattern) & branch.bound_variables
        found = _last_of_all(absence, branch, orders)
        if found is not None and others <= by:
            reason = f"{LAW}, constraint {found.clause.constraint}"
            yield RefutingEvent(absence.pattern, absence.window, tuple(sorted(by)), reason), found
            return


def _waits_for_one_window(branch: Branch) -> bool:
    """Returns whether the rows of a branch are events that wait for one window of the clock around some of them, and
    for nothing else."""
    if branch.relations or branch.absolute_timers or branch.relative_timers or branch.collections:
        return False
    events = all(query.kind == "event" and not query.auxiliary for query in branch.events)
    window = branch.windows[0] if len(branch.windows) == 1 else None
    return events and isinstance(window, PeriodicWindow) and not window.auxiliary


def _last_of_all(absence: Accumulation, branch: Branch, orders: Sequence[Order]) -> Order | None:
    """Returns an order by which what is absent comes no sooner than all events of the branch; None if it may."""
    atom = flat_pattern(absence.pattern)
    plain = absence.containment == "inside" and absence.opening is None and not absence.conditions
    if atom is None or not plain or patterns.optional_variables(absence.pattern):
        return None
    found: list[Order] = []
    for query in branch.events:
        event = flat_pattern(query.pattern)
        if event is None or query_label(query.pattern) == query_label(absence.pattern):  # one event might be both
            return None
        order = next((each for each in orders if _says(each, event, atom)), None)
        if order is None:
            return None
        found.append(order)
    return found[0]


def _says(order: Order, event: FlatAtom, absent: FlatAtom) -> bool:
    """Returns whether an order is about an event and what is absent, with values that are the same in both."""
    first = extended(order.first, event, {})
    if first is None:
        return False
    common = {name: first[name] for name in order.first.variables & order.last.variables}
    return extended(order.last, absent, common) is not None
