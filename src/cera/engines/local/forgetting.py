"""Groups that are over: an event has come after which nothing more comes that has its values.

The rows of such a group can meet nothing any more, so the stores of its rule forget them. Where the key of a store has
other variables, too, they are dropped when there are many, in one pass over the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cera.algebra.physical import Store
from cera.engines.local.group_keys import part_of_key
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.state import State
from cera.model.matching import patterns
from cera.rules.settlements import ClosingEvent

if TYPE_CHECKING:
    from cera.engines.local.network import Network

#: After so many groups that are over it is looked whether stores have fewer than four keys for each of them.
_FEW = 64
_KEYS_FOR_EACH = 4


class EndedGroups:
    """The stores of a rule that forget the groups with some values, which are named by a closing event."""

    def __init__(self, number: int, by: Sequence[str], stores: Sequence[tuple[Store, tuple[str, ...]]]) -> None:
        self.number = number
        self._by = tuple(sorted(by))
        self._stores = stores

    @cached_property
    def _own(self) -> list[tuple[int, Callable[[Any], Any] | None]]:
        """The stores that only this rule looks into, and how the values follow from each key; None if they are it."""
        return [(store.number, part_of_key(names, self._by)) for store, names in self._stores if store.windows <= 1]

    @cached_property
    def exact(self) -> tuple[int, ...]:
        """The stores whose keys are the values."""
        return tuple(number for number, part in self._own if part is None)

    @cached_property
    def _partial(self) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
        """The stores whose keys have other values, too."""
        return tuple((number, part) for number, part in self._own if part is not None)

    @property
    def has_partial(self) -> bool:
        return bool(self._partial)

    @property
    def stores(self) -> tuple[int, ...]:
        """The numbers of the stores."""
        return (*self.exact, *(number for number, _ in self._partial))

    def forget(self, state: State, values: Any) -> None:
        """Forgets a group, at once or later."""
        for number in self.exact:
            state.stores[number].pop(values, None)
        if self._partial:
            over = state.over.get(self.number)
            if over is None:
                over = state.over[self.number] = {}
            over[values] = None
            if not len(over) % _FEW:
                self._sweep_many(state, over)

    def forget_later(self, state: State, groups: Sequence[Any]) -> None:
        """Forgets what stores by other values, too, have of several groups, at once or later."""
        if not groups:
            return
        over = state.over.setdefault(self.number, {})
        over.update(dict.fromkeys(groups))
        if len(over) >= _FEW:
            self._sweep_many(state, over)

    def _sweep_many(self, state: State, over: dict[Any, None]) -> None:
        """Drops the rows of groups that are over, if there are many among the keys."""
        if len(over) * _KEYS_FOR_EACH <= max(len(state.stores[number]) for number, _ in self._partial):
            return
        for number, part in self._partial:
            store = state.stores[number]
            for key in [key for key in store if part(key) in over]:
                del store[key]
        del state.over[self.number]


class EndingStage(Stage):
    """The stage of an event with which a group is over: at the end of the step it is forgotten."""

    def __init__(self, groups: EndedGroups, closing: ClosingEvent, network: Network) -> None:
        self.groups = groups
        self.closing = closing
        self.positions = closing_positions(closing)
        self.network = network

    @property
    def only_forgets(self) -> bool:
        """Whether no answer waits for the event, so that it does not matter when the group is forgotten."""
        return not self.closing.settles and not self.network.plan.queries_what_it_derives

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns lines that forget the group at the end of the step, after answers were given; at once where the event
        is all that the step has and no answer waits, since it is connected after all else of its rule.
        """
        if not self.groups.stores:  # several windows look into each, so that nothing is forgotten
            return ["pass"]
        values = key_of([cells[position] for position in self.positions])
        forget = f"{writer.name(self.groups.forget)}(state, {values})"
        now = f"if {' or '.join(f'stores[{number}]' for number in self.groups.stores)}: {forget}"
        later = f"state.settled.append(({-1 - self.groups.number}, 0, {values}, None))"
        if writer.alone and self.only_forgets:
            return [now]
        if self.network.settles_at_once(writer):
            return [f"if state.due or state.settled: {later}", f"el{now}"]
        return [later]


class ForgettingStage(Stage):
    """The stage of one of several events with which groups are over, and nothing else happens: stores by their values
    forget them at once; what others forget later is collected in `over_…` of the function around it.
    """

    def __init__(self, ending: EndingStage) -> None:
        self.groups = ending.groups
        self.positions = ending.positions

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        values = key_of([cells[position] for position in self.positions])
        at_once = [f"stores[{number}].pop({values}, None)" for number in self.groups.exact]
        later = [f"over_{self.groups.number}.append({values})"] if self.groups.has_partial else []
        return [*at_once, *later] or ["pass"]


def closing_positions(closing: ClosingEvent) -> list[int]:
    """Returns where a row of a closing event has the values that it names."""
    bound = sorted(patterns.bound_variables(closing.pattern) | patterns.optional_variables(closing.pattern))
    return [bound.index(name) for name in sorted(closing.by)]
