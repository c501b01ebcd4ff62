"""Only partner: what is joined with an event of which there is one at most meets no other (section 8.1 of seed 002).

    h ← B, j: q, all in one w      →      h ← B, j: q, all in one w, each B forgotten with its first j with the same K

    if in each window w there is at most one event that a more general atom finds with the same values of G, and of what
    G is in the rule, K are the variables

That is the paper's "scan reduction" and its "choice of join algorithms from cardinalities": rows that have met the only
event that they can meet are taken out of the store of the join as they are read. A later one that meets them lies in a
window with them, and with the first one, which came in between: so windows may overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.constraints.cardinalities.cardinality import Cardinality
from cera.constraints.cardinalities.laws import greatest
from cera.constraints.cardinalities.windows import transferred
from cera.constraints.subsumption.atoms import FlatAtom, Name, extended, flat_pattern
from cera.model.expressions.expression import EventReference, InOneWindow
from cera.model.matching import patterns
from cera.model.time.periodic_windows import Period
from cera.rules.rule import Branch, PeriodicWindow, Rule
from cera.rules.settlements import OnlyPartner

LAW = "only partner"


def only_partners(rule: Rule, cardinalities: Sequence[Cardinality]) -> Iterator[tuple[OnlyPartner, Cardinality]]:
    """Yields the events of joins of which there is one at most for what they are joined with, each with the first
    cardinality that says so.
    """
    if len(rule.branches) != 1:
        return
    [branch] = rule.branches
    period = _common_window(branch)
    if period is None or len(branch.events) < 2:
        return
    for query in branch.events:
        atom = flat_pattern(query.pattern) if query.kind == "event" and not query.auxiliary else None
        found = None if atom is None else _at_most_one(atom, period, cardinalities, _joined(branch, query.identifier))
        if found is not None:
            by, fact = found
            yield OnlyPartner(query.identifier, by, f"{LAW}, constraint {', '.join(fact.because)}"), fact


def _at_most_one(
    atom: FlatAtom, period: Period, cardinalities: Sequence[Cardinality], joined: frozenset[str]
) -> tuple[tuple[str, ...], Cardinality] | None:
    """Returns the variables with whose values there is at most one event, if they are all joined."""
    for fact in cardinalities:
        substitution = None if fact.given or not fact.numbers else extended(fact.atom, atom, {})
        if substitution is None:
            continue
        numbers = transferred(fact.numbers, fact.period, period, longest=None)
        by = frozenset(v.name for name in fact.group if isinstance(v := substitution[name], Name))
        if numbers and greatest(numbers) == 1 and by <= joined:
            return tuple(sorted(by)), fact
    return None


def _joined(branch: Branch, identifier: str) -> frozenset[str]:
    """Returns the variables that every other event of a branch binds: whichever it is joined with, they are in the key
    of the join."""
    others = (each.pattern for each in branch.events if each.identifier != identifier)
    first, *rest = map(patterns.bound_variables, others)
    return first.intersection(*rest)


def _common_window(branch: Branch) -> Period | None:
    """Returns the window of the clock in which all events of a match lie; None if there is none."""
    events = {query.identifier for query in branch.events}
    for window in branch.windows:
        if isinstance(window, PeriodicWindow) and events <= {*window.over}:
            return window.period
    for condition in branch.conditions:
        if isinstance(condition, InOneWindow):
            inside = {each.identifier for each in condition.intervals if isinstance(each, EventReference)}
            if events <= inside:
                return condition.period
    return None
