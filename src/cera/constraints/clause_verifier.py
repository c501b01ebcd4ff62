"""Verifying clauses step by step: what a step of a stream adds to what is known, and which violations are certain then.

Each seed of a clause is an obligation. It is judged by the definition over what is known, which says that it holds, or
since when it is refuted. Refuted up to now is a violation; refuted at a time in the future means to look again then.
Otherwise it waits for events and states that its head and its counts ask for, and ends when none can come any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cera.constraints.binding import Binding
from cera.constraints.derived import derived_happening
from cera.constraints.forgetting import Forgetting
from cera.constraints.goals import ClauseGoals, Goal, Watch
from cera.constraints.groups import binds
from cera.constraints.local_derivations import LocalDerivations
from cera.constraints.memory import Change, Known, Place, Store, View
from cera.constraints.names import atom_variables
from cera.constraints.obligations import Key, Obligation, horizon, key_of, report_key, watch_key
from cera.constraints.places import located_literals, unknown_place
from cera.constraints.queries import Literal, WindowLiteral
from cera.constraints.seeding import Chosen, Seeder
from cera.constraints.semantics import Judge, Violation, violation_of
from cera.constraints.stream import Happening, Values
from cera.constraints.times import sliding
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.states import OPEN
from cera.model.expressions.atoms import Sliding
from cera.model.terms.term import value_key
from cera.model.time.interval import Time


class ClauseVerifier:
    """One clause over the stream so far."""

    def __init__(
        self,
        goals: ClauseGoals,
        known: Known,
        store: Store,
        evaluator: Evaluator,
        origin: Time,
        numbers: Iterator[int],
        longest: Time | None = None,
    ) -> None:
        self.goals = goals
        self._known = known
        indexed: dict[Place, set[str]] = {}
        for place, name in goals.indexed():
            indexed.setdefault(place, set()).add(name)
        self.derived = LocalDerivations(Store(indexed), numbers)
        self.view = View(known, store, self.derived.store, goals.asked)
        self.judge = Judge(self.view, evaluator, origin)
        self.judge.know(goals.clause)
        self._origin = origin
        self._numbers = numbers
        self.seeders = {goal.number: Seeder(goal, self.view, self.judge) for goal in goals.goals}
        self.obligations: dict[int, Obligation] = {}
        self._by_key: dict[tuple[int, Key], Obligation] = {}
        self._by_state: dict[int, dict[int, Obligation]] = {}
        self._watchers: dict[tuple[int, int], dict[Key, dict[int, Obligation]]] = {}
        #: The begin of the last window that has made seeds, by goal and place.
        self.windows: dict[tuple[int, int], Time] = {}
        self.is_started = False
        self._changes: Sequence[Change] = ()
        self._by_place = {goal.number: _by_place(goal, self.view) for goal in goals.goals}
        self._is_grouped = _is_grouped(goals.goal)
        #: The head, if it is nothing but a count in groups that nothing else gives values.
        self._groups = _only_groups(goals.goal) if self._is_grouped else None
        self._located = located_literals(goals.clause)
        self._forgetting = Forgetting(goals, self.view, longest)

    # Steps

    def step(
        self,
        changes: Sequence[Change],
        due: Iterable[Obligation],
        is_step: bool,
        wake: Callable[[Obligation, Time], object],
    ) -> Iterator[Violation]:
        """Takes what happens now, and the obligations whose time has come."""
        changes = [*changes, *self.derived.ended()]
        woken = {each.number: each for each in due if each.number in self.obligations}
        for each in woken.values():
            each.touched = None
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
            each.binding = each.touched = None
            woken[each.number] = each
        for watch in self._by_place[goal.number][0].get(place, ()):
            known = self._watchers.get((goal.number, watch.number))
            if known:
                for values in self._known.matches(watch.asked, happening):
                    watching = known.get(watch_key(watch, values), {})
                    if self._groups is not None and goal is self.goals.goal:
                        _touch(watching, woken, values)
                    woken.update(watching)

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
        touched, obligation.touched = obligation.touched, None
        if touched is not None and self._groups is not None and obligation.looked:
            yield from self._judged_groups(obligation, binding, self._groups, touched, times)
            self._await(obligation, binding, times, wake)
            return
        for full in self.judge.bindings(goal.rest, binding):
            for refutation in self.judge.refuted(goal.heads, full):
                is_refuted = True
                violation = violation_of(goal.clause, full, refutation, self._known.start)
                if violation.at > now:
                    times.append(violation.at)
                    continue
                key = report_key(full, dict(violation.values))
                if key not in obligation.reported:
                    obligation.reported.add(key)
                    yield violation
        obligation.looked = True
        if self._is_over(obligation, is_refuted, binding):
            self._remove(obligation)
        else:
            self._await(obligation, binding, times, wake)

    def _await(
        self, obligation: Obligation, binding: Binding, times: list[Time], wake: Callable[[Obligation, Time], object]
    ) -> None:
        """Has an obligation looked at again at the first of some times, or ends it when its last time has passed."""
        last = horizon(obligation.goal, binding)
        if last <= self._known.now:
            self._remove(obligation)
            return
        times += [last] if last < OPEN else []
        if times:
            wake(obligation, min(times))

    def _judged_groups(
        self, obligation: Obligation, binding: Binding, part: Literal, touched: Iterable[Values], times: list[Time]
    ) -> Iterator[Violation]:
        """Yields the violations of groups to which something has come, until nothing changes them any more."""
        now = self._known.now
        unbound = [name for name in part.group_by or () if name not in binding.values]
        for values in touched:
            key = tuple([value_key(values[name]) for name in unbound])
            if key in obligation.decided:
                continue
            refutation, holds = self.judge.group_refutation(part, binding, {name: values[name] for name in unbound})
            if refutation is not None:
                violation = violation_of(obligation.goal.clause, binding, refutation, self._known.start)
                if violation.at > now:
                    times.append(violation.at)
                    continue
                reported = report_key(binding, dict(violation.values))
                if reported not in obligation.reported:
                    obligation.reported.add(reported)
                    yield violation
            if refutation is not None or holds:
                obligation.decided.add(key)

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

    def needs(self, place: Place, happening: Happening, now: Time) -> bool:
        """Returns whether something can still matter."""
        return self._forgetting.needs(place, happening, now)

    def look(self) -> None:
        """Takes note of what goes on, before it is asked what is needed."""
        self._forgetting.look(self.obligations.values())

    def forget(self, now: Time) -> None:
        """Forgets what definitions have derived and cannot matter any more."""
        self.derived.forget(lambda place, happening: self.needs(place, happening, now))

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
                yield from self.derived.derive(found)
        last = horizon(goal, binding)
        if not goal.rest.parts or last <= now:
            self._remove(obligation)
            return
        times += [last] if last < OPEN else []
        if times:
            wake(obligation, min(times))


MIN: Time = -OPEN


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


def _only_groups(goal: Goal) -> Literal | None:
    """Returns the one count that a head is, if its groups follow from what is counted."""
    if goal.rest.parts or len(goal.heads) != 1 or len(goal.heads[0].parts) != 1:
        return None
    [part] = goal.heads[0].parts
    if not isinstance(part, Literal) or part.kind == "relation" or part.identifier is not None:
        return None
    return part if set(part.group_by or ()) <= set(atom_variables(part.atom)) else None


def _touch(watching: Mapping[int, Obligation], woken: Mapping[int, Obligation], values: Values) -> None:
    """Takes note of what comes to obligations, unless something else has happened to them already."""
    for number, each in watching.items():
        if number not in woken:
            each.touched = [values]
        elif each.touched is not None:
            each.touched.append(values)


def needs_new_windows(goal: Goal, place: int) -> bool:
    """Returns whether a window of the clock makes seeds by itself: no event that comes later does it."""
    return all(goal.literal(each).kind == "state" for each in goal.inside[place])
