"""Verifying clauses step by step: what a step of a stream adds to what is known, and which violations are certain then.

Each seed of a clause is an obligation. It is judged by the definition over what is known, which says that it holds, or
since when it is refuted. Refuted up to now is a violation; refuted at a time in the future means to look again then.
Otherwise it waits for events and states that its head and its counts ask for, and ends when none can come any more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cera.constraints.binding import Binding
from cera.constraints.derived import derived_happening
from cera.constraints.goals import ClauseGoals, Goal, Watch
from cera.constraints.groups import binds
from cera.constraints.locations import Locations
from cera.constraints.memory import Asked, Known, Place, Store, View
from cera.constraints.obligations import Key, Obligation, horizon, key_of, watch_key
from cera.constraints.places import located_literals, unknown_place
from cera.constraints.queries import Literal, WindowLiteral
from cera.constraints.retention import Retention, retentions, steps_kept
from cera.constraints.seeding import Chosen, Seeder
from cera.constraints.semantics import Judge, Violation, violation_of
from cera.constraints.stream import Happening
from cera.constraints.times import sliding
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.relation_rows import RelationRows
from cera.model.events.states import OPEN
from cera.model.expressions.atoms import Sliding
from cera.model.terms.term import Value
from cera.model.time.interval import Time

#: What is new, or has ended: where it is looked up, and itself.
Change = tuple[Place, Happening]


class ClauseVerifier:
    """One clause over the stream so far."""

    def __init__(
        self, goals: ClauseGoals, known: Known, store: Store, evaluator: Evaluator, origin: Time, numbers: Iterator[int]
    ) -> None:
        self.goals = goals
        self._known = known
        indexed: dict[Place, set[str]] = {}
        for place, name in goals.indexed():
            indexed.setdefault(place, set()).add(name)
        self.local = Store(indexed)
        self.view = View(known, store, self.local, goals.asked)
        self.judge = Judge(self.view, evaluator, origin)
        self.judge.know(goals.clause)
        self._origin = origin
        self._numbers = numbers
        self.seeders = {goal.number: Seeder(goal, self.view, self.judge) for goal in goals.goals}
        self.obligations: dict[int, Obligation] = {}
        self._by_key: dict[tuple[int, Key], Obligation] = {}
        self._by_state: dict[int, dict[int, Obligation]] = {}
        self._watchers: dict[tuple[int, int], dict[Key, dict[int, Obligation]]] = {}
        #: What definitions have derived, and the states that each derived state rests on.
        self.derived: dict[object, Happening] = {}
        self.supports: dict[int, list[tuple[Happening, ...]]] = {}
        #: The begin of the last window that has made seeds, by goal and place.
        self.windows: dict[tuple[int, int], Time] = {}
        self.is_started = False
        self._changes: Sequence[Change] = ()
        self._by_place = {goal.number: _by_place(goal, self.view) for goal in goals.goals}
        self._is_grouped = _is_grouped(goals.goal)
        self._located = located_literals(goals.clause)
        #: The literals by where they are looked up, with how long what they find is kept.
        self._kept_by: dict[Place, list[tuple[Asked, Sequence[Retention], Seeder]]] = {}
        for goal in goals.goals:
            for literal, several in retentions(goal).items():
                asked = goals.asked[literal]
                if asked.literal.kind != "relation":
                    self._kept_by.setdefault(asked.place, []).append((asked, several, self.seeders[goal.number]))

    # Steps

    def step(
        self,
        changes: Sequence[Change],
        due: Iterable[Obligation],
        is_step: bool,
        wake: Callable[[Obligation, Time], object],
    ) -> Iterator[Violation]:
        """Takes what happens now, and the obligations whose time has come."""
        changes = [*changes, *self._ended_derived()]
        woken = {each.number: each for each in due if each.number in self.obligations}
        for goal in self.goals.goals:
            for place, happening in changes:
                self._wake_by(goal, place, happening, woken)
            todo = [each for each in woken.values() if each.goal is goal]
            todo += self._seeds(goal, changes, is_step)
            todo.sort(key=lambda each: each.order)
            for obligation in todo:
                if goal.definition is None:
                    yield from self._judged(obligation, wake)
                else:
                    changes += self._derived(obligation, wake)
        self.is_started = True
        self._changes = changes

    def unknown_places(self) -> Iterator[str]:
        """Yields the places of what was new in the last step that conditions ask for and nobody knows."""
        for located in self._located:
            asked = self.view.asked(located.literal)
            for place, happening in self._changes:
                if place == asked.place and self._known.matches(asked, happening):
                    name = unknown_place(happening.term, located.needs, self._known.locations)
                    if name is not None:
                        yield name

    def _wake_by(self, goal: Goal, place: Place, happening: Happening, woken: dict[int, Obligation]) -> None:
        for each in self._by_state.get(happening.number, {}).values():
            each.binding = None
            woken[each.number] = each
        for watch in self._by_place[goal.number][0].get(place, ()):
            known = self._watchers.get((goal.number, watch.number))
            if known:
                for values in self._known.matches(watch.asked, happening):
                    woken.update(known.get(watch_key(watch, values), {}))

    # Seeds

    def _seeds(self, goal: Goal, changes: Sequence[Change], is_step: bool) -> Iterator[Obligation]:
        seeder = self.seeders[goal.number]
        now = self._known.now
        seen: set[tuple[object, ...]] = set()
        if not goal.literals and not goal.windows:
            if not self.is_started:
                yield from self._obliged(goal, seeder, {}, seen, MIN)
            return
        for place, happening in changes:
            for at in self._by_place[goal.number][1].get(place, ()):
                for chosen in seeder.of_happening(happening, at):
                    yield from self._obliged(goal, seeder, chosen, seen, now)
        for at in goal.windows:
            for time in self._new_windows(goal, at, is_step):
                for chosen in seeder.of_window(at, time):
                    yield from self._obliged(goal, seeder, chosen, seen, MIN)

    def _new_windows(self, goal: Goal, place: int, is_step: bool) -> Iterable[Time]:
        part = goal.seed[place]
        assert isinstance(part, WindowLiteral)
        if not isinstance(part.window, Sliding):
            return (self._known.now,) if is_step else ()
        if not needs_new_windows(goal, place):
            return ()
        last = self.windows.get((goal.number, place))
        first = self._known.begin if last is None else last + 1
        begins = [begin for begin, _ in sliding(part.window, self._origin, first, self._known.last)]
        found = [begin for begin in begins if last is None or begin > last]
        if found:
            self.windows[goal.number, place] = found[-1]
        return found

    def next_window(self) -> Time | None:
        """Returns when the next window begins that makes seeds by itself."""
        found: list[Time] = []
        for goal in self.goals.goals:
            for place in goal.windows:
                part = goal.seed[place]
                assert isinstance(part, WindowLiteral)
                last = self.windows.get((goal.number, place))
                if isinstance(part.window, Sliding) and last is not None and self._known.at_end is None:
                    found.append(last + (part.window.slide or part.window.range).microseconds)
        return min(found, default=None)

    def _obliged(
        self, goal: Goal, seeder: Seeder, chosen: Chosen, seen: set[tuple[object, ...]], since: Time
    ) -> Iterator[Obligation]:
        """Yields the obligations of a seed, unless it was certain before."""
        mark = tuple(each if not isinstance(each, Happening) else each.number for _, each in sorted(chosen.items()))
        if mark in seen:
            return
        seen.add(mark)
        for binding in seeder.bindings(chosen):
            key = key_of(binding, binding.values)
            if binding.at < since or (goal.number, key) in self._by_key:
                continue
            made = Obligation(next(self._numbers), goal, chosen, binding.values, key)
            made.binding = binding
            self.add(made)
            yield made

    # Obligations

    def add(self, obligation: Obligation) -> None:
        """Enters an obligation where it is found by what can change it."""
        goal, number = obligation.goal, obligation.number
        self.obligations[number] = obligation
        self._by_key[goal.number, obligation.key] = obligation
        for state in obligation.states:
            self._by_state.setdefault(state.number, {})[number] = obligation
        for watch in goal.watches:
            known = self._watchers.setdefault((goal.number, watch.number), {})
            known.setdefault(watch_key(watch, obligation.values), {})[number] = obligation

    def _remove(self, obligation: Obligation) -> None:
        goal, number = obligation.goal, obligation.number
        del self.obligations[number]
        del self._by_key[goal.number, obligation.key]
        for each in obligation.chosen.values():
            if isinstance(each, Happening) and each.number in self._by_state:
                self._by_state[each.number].pop(number, None)
                if not self._by_state[each.number]:
                    del self._by_state[each.number]
        for watch in goal.watches:
            known = self._watchers[goal.number, watch.number]
            values = watch_key(watch, obligation.values)
            del known[values][number]
            if not known[values]:
                del known[values]

    def _bound(self, obligation: Obligation) -> Binding | None:
        """Returns the substitution of a seed as it is now; None if it does not hold any more."""
        if obligation.binding is None:
            for binding in self.seeders[obligation.goal.number].bindings(obligation.chosen):
                if _same_values(binding, obligation):
                    obligation.binding = binding
                    break
        return obligation.binding

    def _judged(self, obligation: Obligation, wake: Callable[[Obligation, Time], object]) -> Iterator[Violation]:
        binding = self._bound(obligation)
        now = self._known.now
        if binding is None:
            self._remove(obligation)
            return
        if binding.at > now:
            wake(obligation, binding.at)
            return
        goal = obligation.goal
        times: list[Time] = []
        is_refuted = False
        for full in self.judge.bindings(goal.rest, binding):
            for refutation in self.judge.refuted(goal.heads, full):
                is_refuted = True
                violation = violation_of(goal.clause, full, refutation, self._known.start)
                if violation.at > now:
                    times.append(violation.at)
                    continue
                key = key_of(full, dict(violation.values))
                if key not in obligation.reported:
                    obligation.reported.add(key)
                    yield violation
        last = horizon(goal, binding)
        if last <= now or self._is_over(obligation, is_refuted, binding):
            self._remove(obligation)
            return
        times += [last] if last < OPEN else []
        if times:
            wake(obligation, min(times))

    def _is_over(self, obligation: Obligation, is_refuted: bool, binding: Binding) -> bool:
        """Returns whether a seed is violated, or satisfied, whatever comes."""
        goal, now = obligation.goal, self._known.now
        if goal.rest.parts or self._is_grouped:
            return False
        if obligation.reported:
            return True
        return not is_refuted and any(
            found.at <= now for head in goal.heads for found in self.judge.bindings(head, binding)
        )

    # Forgetting

    def needs(self, place: Place, happening: Happening, now: Time) -> bool:
        """Returns whether something can still matter."""
        if happening.is_open:
            return True
        last = max(happening.end, happening.since)
        for asked, several, seeder in self._kept_by.get(place, ()):
            values = None
            for retention in several:
                if retention.duration is not None and retention.state is None and last + retention.duration < now:
                    continue
                values = self._known.matches(asked, happening) if values is None else values
                if values and (retention.state is None or self._has_state(seeder.goal, retention, values, last, now)):
                    return True
        return False

    def _has_state(
        self, goal: Goal, retention: Retention, values: Sequence[Mapping[str, Value]], last: Time, now: Time
    ) -> bool:
        assert retention.state is not None
        assert retention.duration is not None
        if now <= last + retention.before:
            return True
        asked = self.view.asked(goal.literal(retention.state))
        for each in values:
            for state in self.view.find(asked, each):
                ends = state.is_open or state.end + retention.duration >= now
                if ends and state.begin <= last + retention.before:
                    return True
        return False

    def forget(self, now: Time) -> None:
        """Forgets what definitions have derived and cannot matter any more."""
        for place, some in self.local.by_label.items():
            for happening in list(some.values()):
                if not self.needs(place, happening, now):
                    self.local.remove(place, happening)
                    self.derived.pop(_derived_key(happening), None)
                    self.supports.pop(happening.number, None)

    # Definitions

    def _derived(self, obligation: Obligation, wake: Callable[[Obligation, Time], object]) -> Iterator[Change]:
        binding = self._bound(obligation)
        now = self._known.now
        if binding is None:
            self._remove(obligation)
            return
        if binding.at > now:
            wake(obligation, binding.at)
            return
        goal = obligation.goal
        assert goal.definition is not None
        times: list[Time] = []
        for full in self.judge.bindings(goal.rest, binding):
            if full.at > now:
                times.append(full.at)
                continue
            found = derived_happening(goal.definition.head, full)
            if found is not None:
                yield from self._derive(found)
        last = horizon(goal, binding)
        if not goal.rest.parts or last <= now:
            self._remove(obligation)
            return
        times += [last] if last < OPEN else []
        if times:
            wake(obligation, min(times))

    def _derive(self, found: Happening) -> Iterator[Change]:
        """Yields what was derived, unless it was before."""
        label = found.term.label
        is_state = found.kind == "state"
        known = self.derived.get(_derived_key(found))
        states = tuple(each for each in found.sources if each.kind == "state")
        if known is not None:
            if is_state and states not in self.supports[known.number]:
                self.supports[known.number].append(states)
                known.end = max(known.end, found.end)
            return
        found.number = next(self._numbers)
        self.know_derived(found)
        if is_state:
            self.supports[found.number] = [states]
        place: Place = (None, label)
        self.local.add(place, found)
        yield place, found

    def know_derived(self, found: Happening) -> None:
        self.derived[_derived_key(found)] = found

    def _ended_derived(self) -> Iterator[Change]:
        """Yields the derived states that end now, because what they rest on does."""
        for happening in self.derived.values():
            if happening.kind == "state" and happening.is_open:
                ends = (min((state.end for state in each), default=OPEN) for each in self.supports[happening.number])
                end = max(ends)
                if end < OPEN:
                    happening.end = end
                    yield (None, happening.term.label), happening


MIN: Time = -OPEN


def _derived_key(found: Happening) -> tuple[object, ...]:
    return (found.term, found.begin) if found.kind == "state" else (found.term, found.begin, found.end)


def _same_values(binding: Binding, obligation: Obligation) -> bool:
    return binding.values == obligation.values


def _by_place(goal: Goal, view: View) -> tuple[Mapping[Place, list[Watch]], Mapping[Place, list[int]]]:
    """Returns the watches, and the places of the literals of the seed, by where they are looked up."""
    watches: dict[Place, list[Watch]] = {}
    for watch in goal.watches:
        watches.setdefault(watch.asked.place, []).append(watch)
    literals: dict[Place, list[int]] = {}
    for place in goal.literals:
        literals.setdefault(view.asked(goal.literal(place)).place, []).append(place)
    return watches, literals


def _is_grouped(goal: Goal) -> bool:
    """Returns whether a head speaks of groups that nothing else gives values, so that it can be violated for each."""
    known = frozenset[str]().union(*map(binds, goal.seed))
    for head in goal.heads:
        uncounted = (binds(part) for part in head.parts if isinstance(part, Literal) and part.count is None)
        given = known.union(*uncounted)
        for part in head.parts:
            if isinstance(part, Literal) and part.count is not None and set(part.group_by or ()) - given:
                return True
    return False


def needs_new_windows(goal: Goal, place: int) -> bool:
    """Returns whether a window of the clock makes seeds by itself: no event that comes later does it."""
    return all(goal.literal(each).kind == "state" for each in goal.inside[place])


#: From so many events and states on the verifier looks which of them are needed; then whenever there are twice as many.
SWEEP_FROM = 1000
SWEEP_GROWTH = 2


def _steps_kept(clauses: Sequence[ClauseGoals]) -> Time | None:
    """Returns for how long the times at which something happens are needed; None if for good."""
    found = [steps_kept(goal) for clause in clauses for goal in clause.goals]
    known = [each for each in found if each is not None]
    return max(known, default=0) if len(known) == len(found) else None


class Verifier:
    """The clauses of a module over one history."""

    def __init__(
        self,
        clauses: Sequence[ClauseGoals],
        relations: Mapping[str, RelationRows],
        locations: Locations,
        evaluator: Evaluator,
        origin: Time,
        since: Time | None = None,
        begins: Sequence[tuple[Time, Time]] = (),
    ) -> None:
        self.known = Known(relations, locations, evaluator.timezone, since, begins)
        indexed: dict[Place, set[str]] = {}
        for clause in clauses:
            for place, name in clause.indexed():
                indexed.setdefault(place, set()).add(name)
        self.store = Store(indexed)
        self.next_number = 0
        self.numbers = self._numbers()
        self.clauses = [
            ClauseVerifier(each, self.known, self.store, evaluator, origin, self.numbers) for each in clauses
        ]
        self.open: dict[str, Happening] = {}
        self.told: set[str] = set()
        self._steps_kept = _steps_kept(clauses)
        self._sweep_at = SWEEP_FROM

    def _numbers(self) -> Iterator[int]:
        while True:
            self.next_number += 1
            yield self.next_number

    def take_step(self) -> None:
        """Takes note that something happens now, if windows depend on it."""
        if self._steps_kept is None or self._steps_kept > 0:
            self.known.steps.append(self.known.now)

    def forget(self) -> None:
        """Forgets what cannot matter any more, if there is so much that it is worth to look."""
        if self.kept < self._sweep_at:
            return
        now = self.known.now
        for place, some in self.store.by_label.items():
            for happening in list(some.values()):
                if not any(clause.needs(place, happening, now) for clause in self.clauses):
                    self.store.remove(place, happening)
        for clause in self.clauses:
            clause.forget(now)
        if self._steps_kept is not None:
            steps = self.known.steps
            del steps[: bisect_left(steps, now - self._steps_kept)]
        stored = {number for some in self.store.by_label.values() for number in some}
        stored.update(number for each in self.clauses for some in each.local.by_label.values() for number in some)
        self.known.matched = {number: known for number, known in self.known.matched.items() if number in stored}
        self._sweep_at = max(SWEEP_FROM, SWEEP_GROWTH * self.kept)

    @property
    def kept(self) -> int:
        """The number of events and states that are kept."""
        local = sum(len(some) for clause in self.clauses for some in clause.local.by_label.values())
        return local + sum(map(len, self.store.by_label.values())) + len(self.known.steps)

    @property
    def size(self) -> int:
        """The number of events, states and obligations that are kept."""
        kept = sum(map(len, self.store.by_label.values()))
        return kept + sum(len(each.obligations) + len(each.derived) for each in self.clauses)
