"""The seeds of a goal: how what happens now comes together with what has happened before.

What is new takes the place of each literal that it matches, and the others are looked up by the values that they have
in common. Whether all parts of the seed hold is decided by the definition, in its own order (`Seeder.bindings`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from cera.constraints.binding import Binding
from cera.constraints.goals import Goal
from cera.constraints.memory import View
from cera.constraints.queries import Literal, WindowLiteral
from cera.constraints.semantics import Judge
from cera.constraints.stream import Happening, agrees
from cera.constraints.times import (
    Item,
    between,
    clock_window,
    is_moving,
    item_of,
    noticed,
    sliding,
    times_of,
)
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import EventReference
from cera.model.terms.term import Value
from cera.model.time.interval import Interval, Time

#: What stands at the places of a seed that have a choice: an event or a state, the begin of a sliding window, or the
#: time that a moving one is relative to.
Choice = Happening | Time
Chosen = Mapping[int, Choice]


class Seeder:
    """The seeds of one goal over the stream as a clause sees it."""

    def __init__(self, goal: Goal, view: View, judge: Judge) -> None:
        self.goal = goal
        self._view = view
        self._judge = judge
        self._identified = {
            part.identifier.identifier: place
            for place in goal.literals
            if (part := goal.literal(place)).identifier is not None
        }
        #: How far moving windows reach into the future; None if that is not known.
        self.reach = {place: self._reach_of(place) for place in goal.windows}

    # What is new

    def of_happening(self, happening: Happening, place: int) -> Iterator[Chosen]:
        """Yields the seeds that something could make at the place of a literal."""
        for values in self._view.known.matches(self._view.asked(self.goal.literal(place)), happening):
            for chosen in self._joined(self.goal.orders[place], values, {place: happening}):
                yield from self._with_windows(chosen, self.goal.windows)

    def of_window(self, place: int, time: Time) -> Iterator[Chosen]:
        """Yields the seeds that a new window could make."""
        others = [each for each in self.goal.windows if each != place]
        first: tuple[int, ...] = ()
        if self.goal.literals:
            start = self.goal.literals[0]
            first = (start, *self.goal.orders[start])
        for chosen in self._joined(first, {}, {place: time}):
            yield from self._with_windows(chosen, others)

    def of_nothing(self) -> Iterator[Chosen]:
        """Yields the one seed of a goal that needs nothing to happen."""
        yield {}

    def _joined(
        self, places: Sequence[int], values: Mapping[str, Value], chosen: dict[int, Choice]
    ) -> Iterator[dict[int, Choice]]:
        if not places:
            yield chosen
            return
        place, rest = places[0], places[1:]
        asked = self._view.asked(self.goal.literal(place))
        for happening in self._view.find(asked, values):
            if not self._fits(place, happening, chosen):
                continue
            for found in self._view.known.matches(asked, happening):
                if agrees(found, values):
                    yield from self._joined(rest, {**values, **found}, {**chosen, place: happening})

    def _fits(self, place: int, happening: Happening, chosen: Chosen) -> bool:
        """Returns whether it can lie in the time of what is chosen already, and that in its own."""
        time = self.goal.literal(place).time
        if isinstance(time, EventReference):
            owner = chosen.get(self._identified.get(time.identifier, -1))
            if isinstance(owner, Happening) and not item_of(owner).contains(happening):
                return False
        identifier = self.goal.literal(place).identifier
        if identifier is None:
            return True
        for other, choice in chosen.items():
            if isinstance(choice, Happening):
                own = self.goal.literal(other).time
                if isinstance(own, EventReference) and own.identifier == identifier.identifier:
                    return item_of(happening).contains(choice)
        return True

    # Windows

    def _with_windows(self, chosen: dict[int, Choice], places: Sequence[int]) -> Iterator[Chosen]:
        if not places:
            yield chosen
            return
        place, rest = places[0], places[1:]
        for time in self._windows(place, chosen):
            yield from self._with_windows({**chosen, place: time}, rest)

    def _windows(self, place: int, chosen: Chosen) -> Iterable[Time]:
        """Returns the windows in which what is chosen could lie: all that have begun if nothing has to."""
        known = self._view.known
        stretch = Interval(known.begin, known.last)
        for other in self.goal.inside[place]:
            happening = chosen.get(other)
            if isinstance(happening, Happening):
                is_state = happening.kind == "state"
                stretch = Interval(happening.begin if is_state else happening.end, min(happening.end, known.last))
                break
        else:
            happening = None
        window = self._window(place).window
        if isinstance(window, Sliding):
            if stretch.begin > stretch.end:
                return ()
            return (begin for begin, _ in sliding(window, self._judge.origin, stretch.begin, stretch.end))
        reach = self.reach[place]
        if happening is None or reach is None:
            return list(known.steps)
        return known.steps[bisect_left(known.steps, stretch.begin - reach) :]

    def _window(self, place: int) -> WindowLiteral:
        part = self.goal.seed[place]
        assert isinstance(part, WindowLiteral)
        return part

    def _reach_of(self, place: int) -> Time | None:
        window = self._window(place).window
        if isinstance(window, Now):
            return 0
        if not isinstance(window, Between):
            return None
        try:
            found = between(window, 0, {}, {}, self._judge.evaluator, self._view.timezone)
        except KeyError:  # it is relative to something else, too
            return None
        return None if found is None else max(0, found.end)

    # The definition

    def bindings(self, chosen: Chosen) -> Iterator[Binding]:
        """Yields the substitutions of a seed, in which all its parts hold; most have one."""
        return self._extended(0, Binding(), chosen)

    def _extended(self, place: int, binding: Binding, chosen: Chosen) -> Iterator[Binding]:
        if place == len(self.goal.seed):
            yield binding
            return
        for found in self._part(place, binding, chosen):
            yield from self._extended(place + 1, found, chosen)

    def _part(self, place: int, binding: Binding, chosen: Chosen) -> Iterator[Binding]:
        part = self.goal.seed[place]
        choice = chosen.get(place)
        if choice is None:
            yield from self._judge.extended(part, binding)
        elif isinstance(choice, Happening):
            assert isinstance(part, Literal)
            times = times_of(part.time, binding.items)
            if self._judge.lies_in(choice, times):
                at = noticed(choice, times)
                for values in self._view.known.matches(self._view.asked(part), choice):
                    if agrees(values, binding.values):
                        yield binding.extended(values, part.identifier, item_of(choice), at)
        else:
            assert isinstance(part, WindowLiteral)
            item = self._item(part, choice, binding)
            if item is not None:
                yield binding.extended({}, part.identifier, item, item.known)

    def _item(self, part: WindowLiteral, time: Time, binding: Binding) -> Item | None:
        window = part.window
        match window:
            case Sliding():
                return clock_window(time, time + window.range.microseconds - 1, time)
            case Now():
                return clock_window(time, time, time)
            case Between():
                assert is_moving(window)
                return between(window, time, binding.items, binding.values, self._judge.evaluator, self._view.timezone)
            case Unbounded():
                raise AssertionError("all of time is one window")
            case _:
                assert_never(window)
