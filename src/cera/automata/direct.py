"""The most common step, compiled: one event at its time, in a run that has no alternative, with one thing to do.

What a state, its transitions and their bounds on time leave to find out is little, and decided beforehand where it can
be: which instance an event concerns, which transitions its state has for it, how long after the last event they may
fire, and when time alone will do something to the instance in its new state. Everything else is left to the explorer:
nothing has changed then. A step that is taken here is the one that the explorer would take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from cera.automata.automaton import LAST
from cera.automata.compiled import Bindings, CompiledAutomaton, CompiledQuery, CompiledStep, times_hold
from cera.automata.exploring import Explorer
from cera.automata.histories import RunSet
from cera.automata.module import AutomatonModule
from cera.automata.reporter import Reporter
from cera.automata.reports import Report, StateReport
from cera.automata.runs import Instance, Run
from cera.automata.times import TimeConstraint, Times, times_of
from cera.model.events.occurrence import PLAIN, Cell, Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import children

#: Microseconds from the last event of an instance on: not before the first, not after the second number.
Window = tuple[int | None, int | None]
_NOTHING: Bindings = {}


class DirectStep:
    """A transition that an event may fire, and the timer of each instance that it changes or creates."""

    __slots__ = ("has_more", "is_move", "least", "most", "step", "timer", "timers", "times")

    def __init__(self, step: CompiledStep, timers: Sequence[int | None], *, is_final: bool) -> None:
        self.step = step
        #: How long after the event time does something to the instance, and to those that are created.
        self.timer, *self.timers = timers
        window = window_of(step.times)
        self.least, self.most = (None, None) if window is None else window
        self.times = step.times if window is None else ()
        #: Whether there is more to it than how long ago the last event was.
        self.has_more = bool(self.times or step.conditions or step.terminates or (step.query and step.query.unique))
        #: Whether it does no more than to change one instance that goes on.
        self.is_move = not (step.terminates or step.created or is_final)


class Way(NamedTuple):
    """How events with a label concern the instances of one state."""

    state: int
    #: The attributes by which the instance is found; none for the root.
    key: tuple[str, ...]
    constants: tuple[tuple[str, Cell], ...]
    references: tuple[tuple[str, str], ...]
    declared: tuple[tuple[str, str], ...]
    #: The transitions by the child that the instance is in; None where there is more to look at.
    steps: dict[int, tuple[DirectStep, ...] | None]


class DirectSteps:
    """Takes the steps that need no exploring."""

    def __init__(
        self, module: AutomatonModule, automaton: CompiledAutomaton, explorer: Explorer, reporter: Reporter
    ) -> None:
        self._rule = module.name
        self._automaton = automaton
        self._root = automaton.root
        self._explorer = explorer
        self._reporter = reporter
        labels = () if automaton.is_traced else automaton.concerned
        self._ways = {label: ways for label in labels if (ways := self._compiled(label)) is not None}
        order = sorted(range(len(automaton.labels)), key=lambda number: repr((automaton.labels[number], ())))
        self._rank = [order.index(number) for number in range(len(order))]
        self._is_told = [
            shown and atomic for shown, atomic in zip(automaton.is_shown, automaton.is_atomic, strict=True)
        ]

    # Compiling

    def _compiled(self, label: str) -> tuple[Way, ...] | None:
        """Returns how events with a label concern instances; None if that has to be explored."""
        if label in self._automaton.enters:
            return None
        ways = [self._way(state, label) for state in self._automaton.concerned[label]]
        found = tuple(way for way in ways if way is not None)
        return found if len(found) == len(ways) else None

    def _way(self, state: int, label: str) -> Way | None:
        automaton = self._automaton
        queries = automaton.schemas[state][label]
        if len(queries) != 1 or automaton.is_opaque[state] or not self._is_quiet(state):
            return None
        [query] = queries
        parts = [*query.constants, *query.references, *query.declared]
        is_flat = all(len(path) == 1 for path, _ in parts)
        if not is_flat or any(value.__class__ not in PLAIN for _, value in query.constants) or _repeats(query):
            return None
        keys = automaton.keys[state] if state != automaton.root else ()
        implied = {*keys, *automaton.dividing}
        steps = {child: self._steps(state, child, label) for child in range(len(automaton.paths))}
        return Way(
            state,
            tuple(path[0] for path, _ in keys),
            tuple((path[0], value) for path, value in query.constants),
            tuple((path[0], name) for path, name in query.references if (path, name) not in implied),
            tuple((path[0], name) for path, name in query.declared),
            {child: each for child, each in steps.items() if each != ()},
        )

    def _is_quiet(self, state: int) -> bool:
        """Returns whether time does nothing to the instances around those of a state."""
        automaton = self._automaton
        path = automaton.paths[state]
        for length in range(1, len(path)):
            around, inside = automaton.numbers[path[:length]], automaton.numbers[path[: length + 1]]
            if automaton.has_timers[around][inside]:
                return False
        return True

    def _steps(self, state: int, child: int, label: str) -> tuple[DirectStep, ...] | None:
        automaton = self._automaton
        if automaton.absences[state].get((child, label)):
            return None
        found = []
        for step in automaton.by_event[state].get((child, label), ()):
            timers = [self._timer(state, step.after), *(self._timer(*created) for created in step.created)]
            if any(timer == 0 for timer in timers):
                return None
            found.append(DirectStep(step, timers, is_final=step.after in automaton.final))
        return tuple(found)

    def _timer(self, state: int, active: int) -> int | None:
        """Returns how long after its last event time alone does something to an instance; None if it does nothing, 0 if
        that is at once or cannot be said beforehand."""
        automaton = self._automaton
        if not automaton.has_timers[state][active]:
            return None
        found: list[int] = []
        for step in automaton.timed[state].get(active, ()):
            window = window_of(step.times)
            if window is None or step.conditions or step.is_absence or step.terminates:
                return 0
            least, most = max(window[0] or 0, 0), window[1]
            if most is None or least <= most:
                found.append(least)
        if automaton.invariants[active]:
            window = window_of(automaton.invariants[active])
            if window is None or (window[0] or 0) > 0 or (window[1] is not None and window[1] < 0):
                return 0
            found += [] if window[1] is None else [window[1] + 1]
        leaving = automaton.leaving.get(active, ())
        if leaving and all(step.level == state for step in leaving):
            windows = [window_of(step.times) for step in leaving]
            if None in windows:
                return 0
            ends = [window[1] for window in windows if window is not None]
            if None not in ends:
                found.append(max(max(end for end in ends if end is not None) + 1, 0))
        return min(found, default=None)

    # Steps

    def take(self, runs: RunSet, event: Occurrence, now: Time, found: list[Report]) -> bool | None:
        """Takes the step of an event in the only run of a set; returns None, and changes nothing, if it has to be
        explored. What has changed is reported, unless the run is finished. Otherwise returns whether the timers of the
        run have changed, or it is finished."""
        ways = self._ways.get(event.label)
        if ways is None:
            return None
        run = runs.runs[0]
        if runs.overdue or run.since is not None:
            return None
        content: Mapping[str, Any] | None = event.content
        if content is None:
            content = children(event.term)
        # 1. the one instance that it concerns
        instance: Instance | None = None
        way = ways[0]
        for each in ways:
            seen = self._concerned(run, each, content)
            if seen is None:
                continue
            if seen is False or instance is not None:
                return None
            instance, way = seen, each
        if instance is None:
            return None
        steps = way.steps.get(instance.active)
        if not steps:
            return None
        # 2. the one transition that it enables
        bound = {name: content[attribute] for attribute, name in way.declared} if way.declared else _NOTHING
        passed = now - instance.events[LAST].end
        chosen: DirectStep | None = None
        for direct in steps:
            if direct.least is not None and passed < direct.least:
                continue
            if direct.most is not None and passed > direct.most:
                continue
            if direct.has_more and not self._is_enabled(run, instance, direct, event, bound, now):
                continue
            if chosen is not None:
                return None
            chosen = direct
        if chosen is None:
            return None
        # 3. what follows
        timer = chosen.timer
        if not chosen.is_move:
            self._fire(runs, run, instance, chosen, event, bound, now, found)
            return True
        before, after = instance.active, chosen.step.after
        if chosen.step.changes:
            run.change(instance, chosen.step, event, bound, now)
        else:
            instance.is_overdue = False
            run.note_last(instance, event)
        if after != before:
            instance.enter(after, now)
            if self._is_told[before] or self._is_told[after]:
                self._moved(runs, run, instance, before, event, now, found)
        if timer is None and instance.due is None:
            return False
        run.wake(instance, None if timer is None else now + timer)
        return True

    def _concerned(self, run: Run, way: Way, content: Mapping[str, Any]) -> Instance | Literal[False] | None:
        """Returns the instance that an event concerns, None if there is none; False if there may be several."""
        state, key, constants, references, declared, _ = way
        get = content.get
        if state == self._root:
            instance = run.root
        elif not key:
            return False
        else:
            values = [get(name) for name in key]
            for value in values:
                if value.__class__ not in PLAIN:
                    return False
            candidates = run.index.get((state, *values))
            if candidates is None:
                return None
            if len(candidates) != 1:
                return False
            instance = candidates[0]
        for name, value in constants:
            given = get(name)
            if given.__class__ not in PLAIN:
                return False
            if given != value:
                return None
        for name, variable in references:
            given, known = get(name), instance.variables.get(variable)
            if given.__class__ not in PLAIN or known is None:
                return False
            if given != known:
                return None
        for name, _ in declared:
            if get(name).__class__ not in PLAIN:
                return False
        return instance

    def _is_enabled(
        self, run: Run, instance: Instance, direct: DirectStep, event: Occurrence, bound: Bindings, now: Time
    ) -> bool:
        """Returns whether a transition is enabled, but for how long ago the last event was."""
        step = direct.step
        assert step.query is not None
        if step.query.unique and self._explorer.is_used(run.used, step, bound, now):
            return False
        if direct.times and not times_hold(direct.times, instance.events, event, now):
            return False
        if step.conditions and not self._explorer.conditions_hold(step, {**instance.variables, **bound}):
            return False
        return not step.terminates or self._explorer.terminates(instance, step)

    def _fire(
        self,
        runs: RunSet,
        run: Run,
        instance: Instance,
        direct: DirectStep,
        event: Occurrence,
        bound: Bindings,
        now: Time,
        found: list[Report],
    ) -> None:
        """Lets an instance execute a transition that terminates instances, creates some, or finishes the run."""
        run.visited.clear()
        run.fire(instance, direct.step, event, bound, now)
        run.wake(instance, None if direct.timer is None else now + direct.timer)
        made = instance
        for timer in direct.timers:
            made = made.children[-1]
            run.wake(made, None if timer is None else now + timer)
        if run.root.active not in self._automaton.final:
            self._reporter.change(runs, run, now, [("event", event)], found, is_over=False)

    def _moved(
        self,
        runs: RunSet,
        run: Run,
        instance: Instance,
        before: int,
        event: Occurrence,
        now: Time,
        found: list[Report],
    ) -> None:
        """Counts and reports that an instance has come from one of its states into another one."""
        after, labels, name = instance.active, self._automaton.labels, instance.name
        states, is_open, causes = run.states, runs.open, [("event", event)]
        changes: list[Report] = []
        if self._is_told[before]:
            key = (labels[before], name)
            count = states[key]
            if count > 1:
                states[key] = count - 1
            else:
                del states[key]
                changes.append(StateReport(self._rule, key, is_open.pop(key), now, causes))
        if self._is_told[after]:
            key = (labels[after], name)
            count = states.get(key, 0)
            states[key] = count + 1
            if not count:
                is_open[key] = now
                changes.append(StateReport(self._rule, key, now, None, causes))
        if len(changes) == 2 and self._rank[before] > self._rank[after]:
            changes.reverse()
        found += changes


def window_of(constraints: Iterable[TimeConstraint]) -> Window | None:
    """Returns between which numbers of microseconds after the last event, or at any time, constraints hold; None if
    there is more to them."""
    constraints = tuple(constraints)
    for constraint in constraints:
        known = [(bound, name) for _, bound, name in constraint.terms]
        total = constraint.now_factor + sum(factor for factor, _, _ in constraint.terms)
        if constraint.operator == "!=" or total or any(each not in _ENDS for each in known):
            return None
    stretch = times_of(constraints, {LAST: Times(0, 0)})
    return stretch.first, stretch.last


_ENDS = (("e", "this"), ("e", LAST))


def _repeats(query: CompiledQuery) -> bool:
    """Returns whether one variable is declared for two attributes, which then must have one value."""
    names = [name for _, name in query.declared]
    return len(set(names)) < len(names)
