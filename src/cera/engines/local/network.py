"""A plan compiled to a network of functions: each new row is pushed through the operators that use it.

This is finite differencing (Fig. 11 of seed 000, corrected), one new row at a time:

    Δ(R ⋈ S)      a new row of R meets the rows of S known so far, a new row of S those of R; whichever comes second
                  finds the other, so that each pair is found once
    Δ(R ⋈ X)      a timer is computed with its anchor (ERR-08); the row waits for the timer's end before a window or the
                  head looks at it
    Δ(R ⋈_{i⊒j} S), Δ(R ▷_{i⊒j} S)
                  ΔR against all of S up to now (ERR-01): a window has ended when its row comes, so nothing of S is
                  missing. All rows of the step are known first (ERR-09)
    Δ(σ, π, ρ, μ, C, Q)   the operator on the new rows

Within a step the points of the plan are finished one after the other, each after those that it queries. Most steps
have one event: for these there are functions that do all of it at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop
from typing import Any

from cera.algebra.layouts import Row
from cera.algebra.physical import PhysicalPlan
from cera.engines.local.derived import EarlyAnswer, RuleDetection
from cera.engines.local.forgetting import EndedGroups
from cera.engines.local.pattern_rows import Matcher
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.row_stages import Stage
from cera.engines.local.settling import SettledSlot, SettlingRows
from cera.engines.local.state import State
from cera.engines.local.storage import drop_before, retain_open, sweep
from cera.model.events.event import STATES
from cera.model.events.occurrence import Occurrence, Opening
from cera.model.events.states import ENDING, OPEN, OPENING, announced_end, is_ending
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import MAX_TIME, Time

#: Rows about states that have ended are dropped when so many more have ended than are open.
_ENDED = 64

#: The rows of a slot that never had one.
_NOTHING: list[Any] = [{}, {}, {}, {}, {}]

#: Of so many labels it is remembered whether a rule asks for them.
_LABELS = 10_000

#: Matches an event and pushes its rows on.
Feed = Callable[[State, Occurrence], None]

#: Finishes rows as if the end of their windows had come.
Settler = Callable[[State, Time, list[Row]], None]

#: Finishes what waits in a slot for some values, given the data of the slot.
Closer = Callable[[State, list[Any], Any], None]


class Finisher(ABC):
    """The work on the rows of a slot at the end of a step."""

    @abstractmethod
    def __call__(self, state: State, rows: list[Row]) -> None: ...

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns the same for one row, as lines over `state`, `stores` and `now`, where the plan has them written."""
        raise AssertionError(f"{type(self).__name__} is not written for one row")

    def of_one_trace(self, variables: Sequence[str]) -> Callable[[State, list[Row]], None] | None:
        """Returns the same for rows of one event trace that have the same values of some variables; None if that is not
        simpler.
        """
        return None


@dataclass
class Network:
    """The compiled, read-only form of a plan."""

    plan: PhysicalPlan
    by_label: dict[str, Feed] = field(default_factory=dict)
    #: For steps of one event and nothing else, by its label; absent where more may happen.
    alone: dict[str, Feed] = field(default_factory=dict)
    #: For events of a label that does nothing but end groups.
    forgetting: dict[str, Callable[[State, Sequence[Occurrence]], None]] = field(default_factory=dict)
    any_label: list[Feed] = field(default_factory=list)
    timers: list[tuple[TimerQuery, Matcher, Stage]] = field(default_factory=list)
    #: By the numbers of the slots, which are in the order of the plan.
    finishers: dict[int, Finisher] = field(default_factory=dict)
    #: The stores that forget groups which are over.
    ended_groups: list[EndedGroups] = field(default_factory=list)
    #: By the names of rules, what derives an answer that has waited for the end of its state.
    derivers: dict[str, Callable[..., None]] = field(default_factory=dict)
    #: The slots whose rows can be settled before their windows end.
    settled_slots: list[SettledSlot] = field(default_factory=list)

    @property
    def horizons(self) -> list[int | None]:
        """How long each store keeps a row past its end; None keeps it always."""
        return [store.horizon for store in self.plan.stores]

    def ignores(self, label: str) -> bool:
        """Returns whether no rule asks for the events of a label, and none can be derived when one comes alone."""
        ignored = label not in self.by_label and not self.any_label and not self.timers
        return ignored and (not label.startswith(STATES) or self._leaves_out_states(label))

    @cached_property
    def asks(self) -> Mapping[str, bool]:
        """Whether the events of each label are taken."""
        return _AskedLabels(self)

    def start(self) -> State:
        return State([{} for _ in self.plan.stores])

    def step(
        self, state: State, now: int, occurrences: list[Occurrence], ticks: list[tuple[int, Occurrence]]
    ) -> list[RuleDetection]:
        """Takes all events that end now, the absolute timers among them as (number of the timer, occurrence)."""
        if now >= state.sweep_at:
            self.sweep(state, now)
        if state.closed_gates:
            state.close_gates()
        if state.ended > _ENDED + len(state.open):
            self._drop_ended(state, now)
        state.now = now
        labels = self.plan.derived
        if labels is None or labels:
            state.base = [o for o in occurrences if labels is None or o.label in labels]
        ending = self._wake(state, now)
        for opening in (*ending, *_closed(state, occurrences)):
            if opening.id in state.open:
                opening.until = now
        for occurrence in occurrences:
            if occurrence.label.startswith(STATES):
                self._take_state(state, occurrence, occurrences)
            else:
                self.take(state, occurrence)
        for occurrence in state.due_events:
            if not state.is_incoming(occurrence):
                self.take(state, occurrence)
        state.due_events = []
        for number, occurrence in ticks:
            state.counter += 1
            occurrence.number = state.counter
            _, matcher, stage = self.timers[number]
            for row in matcher(occurrence):
                stage(state, row)
        for opening in (*ending, *self._wake(state, now)):
            self._end(state, opening)
        self.finish(state, len(self.finishers))
        if state.settled:
            self.settle(state)
        return state.taken()

    def _wake(self, state: State, now: Time) -> list[Opening]:
        """Puts the rows whose timers end now into their slots; returns the states that end now."""
        ending = state.wake(now)
        if state.due_groups:
            for slot, until in state.due_groups:
                for row in self._settling[slot].due(state.settling[slot], until):
                    state.make_ready(slot, row)
            state.due_groups = []
        return ending

    def settle(self, state: State) -> None:
        """Finishes the rows that are settled as if the ends of their windows had come; what they derive is known now,
        and rules see it when it ends.

        Nothing that comes later can change it, so what the windows hold now is what they will hold then.
        """
        settled, state.settled = state.settled, []
        for slot, number, values, end in settled:
            data = state.settling.get(slot)
            if data is not None:
                for until, rows in self._settling[slot].take_settled(state, data, number, values, end):
                    self.settlers[slot](state, until, rows)
        for slot, _, values, _ in settled:
            if slot < 0:
                self.ended_groups[-1 - slot].forget(state, values)
        if state.stale:
            self.drop_settled(state)

    def closer(self, slot: SettledSlot, number: int) -> Closer:
        """Returns what finishes the rows of a slot that wait for a closing event, which is all that the step has."""
        settle, settling = self.settlers[slot.number], self._settling[slot.number]

        def close(state: State, data: list[Any], values: Any) -> None:
            for until, rows in settling.take_settled(state, data, number, values, None):
                settle(state, until, rows)
            if state.stale:
                self.drop_settled(state)

        def close_group(state: State, data: list[Any], values: Any) -> None:
            ends = data[3]
            for until, rows in settling.of_ends(data[0].pop(values)):
                with_end = ends[until]
                del with_end[values]
                if not with_end:
                    state.stale += 1
                settle(state, until, rows)
            if state.stale:
                self.drop_settled(state)

        return close if slot.partial or slot.limits else close_group

    def settles_at_once(self, writer: SourceWriter) -> bool:
        """Returns whether rows may be settled before the end of a function: it is for the only event of a step, no row
        is finished behind, and no rule sees what is derived.
        """
        return writer.alone and not writer.finished and not self.plan.queries_what_it_derives

    def drop_settled(self, state: State) -> None:
        """Drops ends for which no group waits any more, if there are many."""
        if state.has_stale_ends:
            state.drop_settled(lambda slot, until: self._settling[slot].awaits(state.settling[slot], until))

    @cached_property
    def _settling(self) -> dict[int, SettlingRows]:
        return {each.number: SettlingRows(each) for each in self.settled_slots}

    @cached_property
    def settlers(self) -> dict[int, Settler]:
        """What finishes rows that are settled together, of one group and end, by slot."""
        return {each.number: self._settler(each) for each in self.settled_slots}

    @cached_property
    def state_slots(self) -> list[SettledSlot]:
        """The slots whose rows wait for the ends of states."""
        return [each for each in self.settled_slots if each.state is not None]

    def _settler_in_state(self, slot: SettledSlot) -> Settler:
        """Returns what finishes rows before their state ends. Their answers are kept until it does, and all that is
        reported of them now is what they say."""
        assert slot.state is not None
        finisher, slots, (position, opened) = self.finishers[slot.number], len(self.finishers), slot.state

        def settle(state: State, until: Any, rows: list[Row]) -> None:
            now, derived = state.now, state.derived
            assert now is not None
            opening = rows[0][opened]
            state.derived, state.index, state.is_opening = [], None, True
            finisher(state, [slot.ended(row, now) for row in rows])
            if state.due:
                self.finish(state, slots)
            kept = state.complete.setdefault(until, [])
            for answer in state.derived:
                if all(answer.content != content for *_, content, _, _ in kept):
                    derived.append(EarlyAnswer(answer, opening.id))
                kept += [(each.rule, each.begin, each.content, each.bare, (position, opened)) for each in answer.copies]
            if not kept:
                del state.complete[until]
            state.derived, state.index, state.is_opening = derived, None, False

        return settle

    def _settler(self, slot: SettledSlot) -> Settler:
        if slot.state is not None:
            return self._settler_in_state(slot)
        finisher, finish, slots = self.finishers[slot.number], self.finish, len(self.finishers)
        finish_rows = (finisher.of_one_trace(slot.variables) if slot.has_one_trace else None) or finisher

        def settle(state: State, until: Time, rows: list[Row]) -> None:
            now, derived = state.now, state.derived
            state.now, state.derived, state.index, state.is_settling = until, [], None, True
            finish_rows(state, rows)
            if state.due:
                finish(state, slots)
            for one in state.derived:
                one.early = now
            derived += state.derived
            state.now, state.derived, state.index, state.is_settling = now, derived, None, False

        return settle

    @cached_property
    def forget(self) -> Callable[[State, Sequence[Occurrence]], None]:
        """What takes events that do nothing but end groups, after the steps up to them."""
        by_label = self.forgetting
        if len(by_label) == 1:
            [only] = by_label.values()
            return only

        def forget(state: State, events: Sequence[Occurrence]) -> None:
            for label in {event.label for event in events}:
                by_label[label](state, [event for event in events if event.label == label])

        return forget

    def _take_state(self, state: State, occurrence: Occurrence, others: list[Occurrence]) -> None:
        """Takes the opening of a state, which may announce its end, or the end of one that is open."""
        if is_ending(occurrence.label):
            known = state.open.get(occurrence.id) if state.open else None
            if known is not None:
                self._end(state, known)
            return
        if not self.asks_for_states(occurrence.label):
            return
        known = state.open.get(occurrence.id)
        end = announced_end(occurrence.qualifier)
        if known is None:
            known = Opening(occurrence, OPEN)
            state.open_state(known)
            if any(_ends_state(other, state.now) and other.id == known.id for other in others):
                known.until = occurrence.end  # it has no length
            self.take(state, known)
        if end is not None:
            state.announce(known, end)

    def _leaves_out_states(self, label: str) -> bool:
        """Returns whether no rule queries or derives the states that a label opens or ends."""
        opening = OPENING + label.removeprefix(OPENING).removeprefix(ENDING)
        labels = {opening, ENDING + opening.removeprefix(OPENING)}
        derived = self.plan.derived is None or not labels.isdisjoint(self.plan.derived)
        return not derived and not self.asks_for_states(opening)

    def asks_for_states(self, label: str) -> bool:
        """Returns whether a rule queries the states whose openings have a label."""
        return label in self.by_label or ENDING + label.removeprefix(OPENING) in self.by_label

    def _end(self, state: State, opening: Opening) -> None:
        """Ends a state, unless it has ended already."""
        if state.open.pop(opening.id, None) is None:
            return
        assert state.now is not None
        opening.until = state.now
        for slot in self.state_slots:
            for row in self._settling[slot.number].due_state(state.settling.get(slot.number) or _NOTHING, opening):
                state.make_ready(slot.number, row)
        for answer in state.complete.pop(opening.id, ()):
            self.derivers[answer[0]](state, *answer[1:])
        state.ended += 1
        state.closed_gates.append(opening.label)
        self.take(state, opening.relabelled(ENDING + opening.label.removeprefix(OPENING), state.now))

    def finish(self, state: State, before: int) -> None:
        """Finishes the slots below a number that have rows."""
        due = state.due
        while due and due[0] < before:
            slot = heappop(due)
            self.finishers[slot](state, state.ready.pop(slot))

    def take(self, state: State, occurrence: Occurrence) -> None:
        """Tries every pattern that could match a new event."""
        state.counter += 1
        occurrence.number = state.counter
        by_label = self.by_label.get(occurrence.label)
        if by_label is not None:
            by_label(state, occurrence)
        if self.any_label and not occurrence.label.startswith(STATES):
            for feed in self.any_label:
                feed(state, occurrence)

    def _drop_ended(self, state: State, now: int) -> None:
        """Drops the rows that only states that have ended could have needed."""
        state.ended = 0
        oldest: dict[str, Time] = {}
        for each in state.open.values():
            oldest[each.label] = min(each.begin, oldest.get(each.label, each.begin))
        for use, store in zip(self.plan.stores, state.stores, strict=True):
            for position, slack in use.with_state.items():
                retain_open(store, position, now - slack)
            if use.with_open is not None:
                label, opening = use.with_open
                since = oldest.get(label, now)
                if opening is None:
                    drop_before(store, since)
                else:
                    retain_open(store, opening, since)

    def sweep(self, state: State, now: int) -> None:
        """Sweeps the stores that are due, and schedules their next sweep."""
        sweeps = state.sweeps
        for number, horizon in self._swept:
            if now >= sweeps[number]:
                sweep(state.stores[number], now - horizon)
                sweeps[number] = now + horizon + 1
        state.sweep_at = min([sweeps[number] for number, _ in self._swept], default=MAX_TIME)

    @cached_property
    def _swept(self) -> list[tuple[int, int]]:
        """The stores that do not keep their rows always, with their horizons; known when the network is complete."""
        return [(use.number, use.horizon) for use in self.plan.stores if use.horizon is not None]


class _AskedLabels(dict[str, bool]):
    """Whether a network takes the events of a label, looked up once for each of the first labels."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def __missing__(self, label: str) -> bool:
        asked = not self._network.ignores(label)
        if len(self) < _LABELS:
            self[label] = asked
        return asked


def _closed(state: State, occurrences: list[Occurrence]) -> list[Opening]:
    """Returns the open states of which events say that they end in this step, before conditions are decided."""
    if not state.open:
        return []
    return [state.open[o.id] for o in occurrences if _ends_state(o, state.now) and o.id in state.open]


def _ends_state(occurrence: Occurrence, now: int | None) -> bool:
    if not occurrence.label.startswith(STATES):
        return False
    return is_ending(occurrence.label) or announced_end(occurrence.qualifier) == now
