"""Which rows are remembered: a store for each side of a join whose rows can be met later, one for all windows that look
into the same rows by the same key, and for how long each keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cera.algebra.layouts import Layout, shared_variables
from cera.algebra.operators import AntiSemiJoin, Expression, Join, Renaming, TemporalJoin
from cera.algebra.physical import First, Store
from cera.algebra.relevance import Relevance
from cera.rules.earliest import Earliest


@dataclass
class ChosenStore:
    """A store of which more becomes known with every window that looks into it."""

    number: int
    of: tuple[str, ...]
    key: tuple[str, ...]
    horizon: int | None
    windows: int = 0
    summed: set[int] = field(default_factory=set)
    with_state: dict[int, int] = field(default_factory=dict)
    with_open: tuple[str, int | None] | None = None

    @property
    def final(self) -> Store:
        """The store, once all that looks into it is known."""
        summed = frozenset(self.summed)
        return Store(
            self.number, self.of, self.key, self.horizon, self.windows, summed, self.with_state, self.with_open
        )


class StoreChoice:
    """The stores of a plan, in the order of their numbers."""

    def __init__(self, relevance: Relevance) -> None:
        self.relevance = relevance
        self.stores: list[ChosenStore] = []
        self._of_windows: dict[tuple[Expression, tuple[int, ...]], ChosenStore] = {}

    def _new(self, layout: Layout, key: tuple[str, ...], horizon: int | None) -> ChosenStore:
        self.stores.append(ChosenStore(len(self.stores), layout.identifiers, key, horizon))
        return self.stores[-1]

    def for_join(self, join: Join, left: Layout, right: Layout) -> tuple[ChosenStore | None, ChosenStore | None]:
        """Returns the stores of both sides; None where a row could never be used later (a horizon below zero)."""
        key = tuple(shared_variables(left, right))
        chosen: list[ChosenStore | None] = []
        for layout, horizon in zip((left, right), self.relevance.join_horizons(join), strict=True):
            chosen.append(None if horizon is not None and horizon < 0 else self._new(layout, key, horizon))
        sides = zip(
            chosen, (left, right), self.relevance.join_slacks(join), self.relevance.join_needs_open(join), strict=True
        )
        for store, layout, slacks, needed in sides:
            if store is not None:
                store.with_state = {layout.event(state): slack for state, slack in slacks.items()}
                if needed is not None:
                    opening = None if needed.opening is None else layout.event(needed.opening)
                    store.with_open = (needed.label, opening)
        return chosen[0], chosen[1]

    def for_first(self, earliest: Earliest, layout: Layout, own: ChosenStore | None, key: tuple[str, ...]) -> First:
        """Returns how the rows are found of which only those with the first of some events are needed.

        Where the rows that are stored for the join have the same key, these say which was the first.
        """
        data = tuple(name for name in layout.variables if name not in earliest.own)
        others = tuple(layout.event(name) for name in layout.identifiers if name != earliest.identifier)
        event, edge = layout.event(earliest.identifier), earliest.edge
        if own is not None and not others and earliest.period is None and sorted(data) == sorted(key):
            return First(own.number, tuple(map(layout.data, key)), None, event, edge, None)
        store = self._new(layout, data, 0 if own is None else own.horizon)
        if own is not None:
            store.with_state, store.with_open = own.with_state, own.with_open
        return First(store.number, tuple(map(layout.data, data)), others, event, edge, earliest.period)

    def for_window(
        self, operator: TemporalJoin | AntiSemiJoin, left: Layout, right: Layout
    ) -> tuple[ChosenStore, tuple[int, ...], bool]:
        """Returns the store of a window, the columns of its key, and whether it is a new one."""
        horizon = self.relevance.window_horizon(operator)
        key = tuple(shared_variables(left, right))
        positions = tuple(map(right.data, key))
        relation = operator.right
        while isinstance(relation, Renaming):  # rows are the same under other names
            relation = relation.input
        store, slacks = self._of_windows.get((relation, positions)), self._needed_with_state(operator, right)
        is_new = store is None
        if store is None:
            store = self._new(right, key, None if horizon is None else max(horizon, 0))
            self._of_windows[relation, positions] = store
            store.with_state = slacks
        else:
            store.horizon = None if horizon is None or store.horizon is None else max(horizon, store.horizon)
            both = store.with_state.keys() & slacks.keys()
            store.with_state = {at: max(store.with_state[at], slacks[at]) for at in both}
        store.windows += 1
        return store, positions, is_new

    def _needed_with_state(self, operator: TemporalJoin | AntiSemiJoin, right: Layout) -> dict[int, int]:
        """Returns the columns of openings with whose states a row is no longer needed, and how much later."""
        slack = self.relevance.window_slack(operator)
        if slack is None:
            return {}
        beside = [name for name in right.identifiers if name != operator.element]  # the opening of the state
        return {right.event(name): slack for name in beside or [operator.element]}
