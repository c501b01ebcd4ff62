"""Constraints as a processor: events and states come in step by step, violations go out when they are certain."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from cera.constraints.goals import ClauseGoals
from cera.constraints.memory import Change, Place
from cera.constraints.obligations import Obligation
from cera.constraints.reports import unknown_place_event, violation_event
from cera.constraints.stream import Happening
from cera.constraints.verifier import Verifier
from cera.constraints.verifier_data import pack, unpack
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import DerivedEvent
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.states import OPEN, announced_end, is_ending, is_opening, state_term, without_announcement
from cera.model.time.interval import MIN_TIME, Time
from cera.modules.detection import TermDetection, Way, together
from cera.modules.driving import SteppingProcessor
from cera.modules.module import Settings
from cera.modules.processor import Counts, Detection

if TYPE_CHECKING:
    from cera.constraints.module import ConstraintModule

_BY_END = attrgetter("end")


class Report(TermDetection):
    """A violation, or a place that nobody knows."""

    __slots__ = ("_derivation",)

    def __init__(self, derived: DerivedEvent) -> None:
        super().__init__(derived.event.term, derived.event.begin, derived.event.end)
        [self._derivation] = derived.derivations

    def ways(self) -> Iterator[Way]:
        yield self._derivation.rule, [(name, occurrence(each)) for name, each in self._derivation.causes.items()]


#: A time at which something has to be done: when, the number of the entry, and with what: an
#: obligation by its clause and number, the end of a state by its id, or a window that begins.
_Wakeup = tuple[Time, int, tuple[Any, ...]]


class ConstraintState:
    """What is known, and when there is something to do although no event comes."""

    def __init__(self) -> None:
        #: None before something happens.
        self.verifier: Verifier | None = None
        self.closing = False
        #: Whether all of time was judged.
        self.is_judged = False
        #: The last time that is decided.
        self.reached: Time | None = None
        #: The last end of a state that was announced: the recording goes on until then.
        self.announced: Time = MIN_TIME
        self.wakeups: list[_Wakeup] = []
        self._queued = 0

    def wake(self, time: Time, what: tuple[Any, ...]) -> None:
        self._queued += 1
        heapq.heappush(self.wakeups, (time, self._queued, what))


class ConstraintProcessor(SteppingProcessor[ConstraintState]):
    """The clauses of a module, verified step by step."""

    def __init__(self, module: ConstraintModule, settings: Settings) -> None:
        self.module = module
        self._settings = settings
        self.evaluator = Evaluator((), settings.timezone)
        self._labels = module.reads
        self._clauses: list[ClauseGoals] = []
        first = 0
        for clause in module.clauses:
            made = ClauseGoals(clause, first)
            first += len(made.goals)
            self._clauses.append(made)

    @property
    def identity(self) -> object:
        return self.module.identity

    def start(self) -> ConstraintState:
        return ConstraintState()

    def new_verifier(self) -> Verifier:
        module, settings = self.module, self._settings
        return Verifier(
            self._clauses,
            settings.relations,
            module.locations,
            self.evaluator,
            module.origin,
            module.since,
            settings.begins,
            settings.max_duration,
        )

    # Steps

    def advance(self, state: ConstraintState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        found: list[Detection] = []
        if before is None and state.closing and state.reached is not None:
            end = max(state.reached, state.announced)
            found += super().advance(state, (), end + 1)
            found += self._ended(state, end)
        found += super().advance(state, events, before)
        if before is not None:
            state.reached = before - 1
            until = self._settings.until
            if until is not None and state.reached >= until:
                found += self._ended(state, until)
        return found if len(found) < 2 else together(sorted(found, key=_BY_END))  # two bodies may be violated alike

    def step(self, state: ConstraintState, now: Time, events: list[Occurrence]) -> list[Report]:
        arrived: list[Occurrence] = []
        ends: dict[str, Time] = {}  # where records differ about the end of a state, the first end counts
        for event in events:
            if event.qualifier is not None and (end := announced_end(event.qualifier)) is not None:
                ends[event.id] = min(end, ends.get(event.id, end))
            if event.label in self._labels:
                arrived.append(event)
        state.announced = max(state.announced, *ends.values()) if ends else state.announced
        due: list[tuple[Any, ...]] = []
        while state.wakeups and state.wakeups[0][0] <= now:
            due.append(heapq.heappop(state.wakeups)[2])
        verifier = state.verifier
        if verifier is None:
            verifier = state.verifier = self.new_verifier()
        if not events and not due:
            return []
        verifier.known.now = now
        if events:
            verifier.known.see(min(event.begin for event in events))
        return list(self._take(state, verifier, arrived, due))

    def _take(
        self,
        state: ConstraintState,
        verifier: Verifier,
        events: Sequence[Occurrence],
        due: Sequence[tuple[Any, ...]],
    ) -> Iterator[Report]:
        now = verifier.known.now
        obligations: dict[int, list[Obligation]] = {}
        ended: list[Happening] = []
        for kind, *what in due:
            if kind == "end":
                happening = verifier.open.pop(what[0], None)
                if happening is not None:
                    ended.append(happening)
            elif kind == "look":
                clause, number = what
                obligation = verifier.clauses[clause].obligations.get(number)
                if obligation is not None and obligation.wakeup is not None and obligation.wakeup <= now:
                    obligation.wakeup = None
                    obligations.setdefault(clause, []).append(obligation)
        new = self._new(state, verifier, events, ended)
        for happening in ended:
            happening.end = now
        changes: list[Change] = []
        for happening in new:
            place: Place = (happening.kind, happening.term.label)
            verifier.store.add(place, happening)
            changes.append((place, happening))
        changes += (((each.kind, each.term.label), each) for each in ended if each not in new)
        if changes:
            verifier.take_step()
        yield from self._verified(state, verifier, changes, obligations)
        verifier.forget()

    def _verified(
        self,
        state: ConstraintState,
        verifier: Verifier,
        changes: Sequence[Change],
        obligations: Mapping[int, Sequence[Obligation]],
    ) -> Iterator[Report]:
        for number in verifier.concerned(changes, obligations):
            clause = verifier.clauses[number]

            def wake(obligation: Obligation, time: Time, number: int = number) -> None:
                if time < OPEN and (obligation.wakeup is None or time < obligation.wakeup):
                    obligation.wakeup = time
                    state.wake(time, ("look", number, obligation.number))

            window = clause.next_window()
            for violation in clause.step(changes, obligations.get(number, ()), bool(changes), wake):
                yield Report(violation_event(self.module.name, violation, self.module.unit))
            following = clause.next_window()
            if following is not None and following != window:
                state.wake(following, ("window",))
            for name in clause.unknown_places():
                if name not in verifier.told:
                    verifier.told.add(name)
                    yield Report(unknown_place_event(self.module.name, name, verifier.known.now))

    def _new(
        self,
        state: ConstraintState,
        verifier: Verifier,
        events: Sequence[Occurrence],
        ended: list[Happening],
    ) -> list[Happening]:
        """Returns what begins to be known now, and notes which states end."""
        now = verifier.known.now
        new: list[Happening] = []
        ending: list[str] = []
        for event in events:
            if is_ending(event.label):
                ending.append(event.id)
            elif is_opening(event.label):
                end = announced_end(event.qualifier)
                if event.id not in verifier.open:
                    opened = without_announcement(event.event)
                    happening = Happening(state_term(opened), event.begin, OPEN, "state", opened)
                    verifier.open[event.id] = happening
                    new.append(happening)
                if end is not None and end <= now:
                    ending.append(event.id)
                elif end is not None:
                    state.wake(end, ("end", event.id))
            else:
                new.append(Happening(event.term, event.begin, event.end, "event", event.event))
        for identity in ending:
            found = verifier.open.pop(identity, None)
            if found is not None:
                ended.append(found)
        new.sort(key=lambda each: each.order)
        for happening in new:
            happening.number = next(verifier.numbers)
        return new

    def next_wakeup(self, state: ConstraintState) -> Time | None:
        wakeups = state.wakeups
        while wakeups and not self._is_current(state, wakeups[0]):
            heapq.heappop(wakeups)
        return wakeups[0][0] if wakeups else None

    def _is_current(self, state: ConstraintState, wakeup: _Wakeup) -> bool:
        time, _, (kind, *what) = wakeup
        verifier = state.verifier
        if verifier is None:
            return False
        if kind == "look":
            obligation = verifier.clauses[what[0]].obligations.get(what[1])
            return obligation is not None and obligation.wakeup == time
        return what[0] in verifier.open if kind == "end" else not state.closing

    # The end of a recording

    def close(self, state: ConstraintState) -> None:
        state.closing = True

    def _ended(self, state: ConstraintState, end: Time) -> list[Report]:
        """Judges all of time, at the end of a recording."""
        found: list[Report] = []
        if state.is_judged:
            return found
        state.is_judged = True
        verifier = state.verifier
        if verifier is None:
            return found
        verifier.known.now = end
        verifier.known.at_end = end
        obligations = {number: list(clause.obligations.values()) for number, clause in enumerate(verifier.clauses)}
        return list(self._verified(state, verifier, [], obligations))

    def counts(self, state: ConstraintState) -> Counts:
        return Counts(0 if state.verifier is None else state.verifier.size, 0, self.evaluator.undefined)

    def is_open(self, state: ConstraintState, opening: Occurrence) -> bool:
        if opening.label not in self._labels:
            return True
        return state.verifier is not None and opening.id in state.verifier.open

    def trim(self, state: ConstraintState) -> bool:
        return state.verifier is None

    def pack(self, state: ConstraintState) -> Any:
        return pack(state)

    def unpack(self, data: Any) -> ConstraintState:
        return unpack(data, self)
