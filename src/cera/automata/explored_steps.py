"""Steps that are explored, in the runs of one instance of the root.

An instance that can do only one thing does it in place; where there is a choice, several events at one time, or a delay
together with an event, all runs are explored.
"""

from __future__ import annotations

from cera.automata.automaton import LAST
from cera.automata.compiled import CompiledAutomaton, Fields
from cera.automata.exploring import Explorer
from cera.automata.histories import History
from cera.automata.reporter import Breach, Reporter
from cera.automata.reports import NOT_ACCEPTED, Causes, Period, Report, named_causes
from cera.automata.run_sets import RunSet
from cera.automata.runs import Instance, Run
from cera.model.time.interval import Time


class ExploredSteps:
    """Takes the steps of sets of runs."""

    def __init__(self, automaton: CompiledAutomaton, explorer: Explorer, reporter: Reporter) -> None:
        self._automaton = automaton
        self._explorer = explorer
        self._reporter = reporter

    def advance(
        self, history: History, runs: RunSet, now: Time, events: list[Fields], expected: set[int], found: list[Report]
    ) -> None:
        """Takes the step of one set: events that end now, and what is due."""
        due = runs.next_due
        is_due = due is not None and due <= now
        if not is_due and len(runs.runs) == 1:
            run = runs.runs[0]
            if not any(run.concerned(fields) for fields in events):
                return
            if run.since is None:
                only = events[0] if len(events) == 1 else self._explorer.only_one(run, events)
                if only is not None and self._in_place(history, runs, run, now, only, expected, found):
                    return
        self._explore(history, runs, now, events, None, expected, found)

    def _in_place(
        self,
        history: History,
        runs: RunSet,
        run: Run,
        now: Time,
        fields: Fields,
        expected: set[int],
        found: list[Report],
    ) -> bool:
        """Lets the only instance that sees an event do the only thing it can; returns whether that is so."""
        concerned = run.concerned(fields)
        if len(concerned) != 1:
            return False
        [instance] = concerned
        explorer = self._explorer
        enabled = explorer.enabled(run, instance, fields, now)
        if len(enabled) != 1:
            return False
        step, bound = enabled[0]
        expected.add(id(fields))
        breach = self._reporter.breach_by(runs, fields, NOT_ACCEPTED) if self._automaton.has_invariants else None
        explorer.note_absences(instance, fields, now)
        run.visited.clear()
        run.fire(instance, step, fields.event, bound, now)
        causes = [("event", fields.event)]
        if self._is_timed_now(run, instance, now):
            runs.know_own_states()
            given_up: set[Period] = set()
            after = self._explorer.outcomes([run], (), now, set(), given_up)
            self._settle(history, runs, after, now, causes, given_up, breach, found)
            return True
        self._reporter.note_overdue(runs, instance, now, found)
        explorer.set_timers(run, [instance], now)
        self._change(history, runs, run, now, causes, found)
        return True

    def _change(self, history: History, runs: RunSet, run: Run, now: Time, causes: Causes, found: list[Report]) -> None:
        """Reports the changes of the only run, all of whose states have been certain."""
        is_over = run.root.active in self._automaton.final
        if is_over:
            history.sets.remove(runs)
        self._reporter.change(runs, run, now, causes, found, is_over=is_over)

    def _is_timed_now(self, run: Run, instance: Instance, now: Time) -> bool:
        """Returns whether something is due at once in an instance that has changed, inside of it, or around it."""
        has_timers = self._automaton.has_timers
        around = instance.parent
        concerned = list(instance.walk())
        while around is not None:
            concerned.append(around)
            around = around.parent
        for each in concerned:
            if has_timers[each.state][each.active]:
                timed = self._automaton.timed[each.state].get(each.active, ())
                if any(self._explorer.time_of(each, step, now) == now for step in timed):
                    return True
                if self._automaton.invariants[each.active] and not self._explorer.invariants_hold(run, now):
                    return True
        return False

    def begin(
        self,
        history: History,
        runs: RunSet,
        now: Time,
        fields: Fields,
        others: list[Fields],
        expected: set[int],
        found: list[Report],
    ) -> None:
        """Takes the first step of a new instance of the root."""
        run = runs.runs[0]
        if len(runs.runs) == 1 and not others and not self._is_timed_now(run, run.root, now):
            self._reporter.note_overdue(runs, run.root, now, found)
            self._explorer.set_timers(run, [run.root], now)
            self._change(history, runs, run, now, [("event", fields.event)], found)
            return
        self._explore(history, runs, now, others, fields, expected, found)

    def _explore(
        self,
        history: History,
        runs: RunSet,
        now: Time,
        events: list[Fields],
        entering: Fields | None,
        expected: set[int],
        found: list[Report],
    ) -> None:
        seen: set[int] = set()
        given_up: set[Period] = set()
        runs.know_own_states()
        after = self._explorer.outcomes(runs.runs, events, now, seen, given_up)
        expected |= seen
        taken = [fields.event for fields in events if id(fields) in seen]
        taken += [] if entering is None else [entering.event]
        causes = named_causes(taken) if taken else [("last", runs.runs[0].root.events[LAST])]
        breach = None if after else self._reporter.breach(runs, events, now)
        self._settle(history, runs, after, now, causes, given_up, breach, found)

    def _settle(
        self,
        history: History,
        runs: RunSet,
        after: list[Run],
        now: Time,
        causes: Causes,
        given_up: set[Period],
        breach: Breach | None,
        found: list[Report],
    ) -> None:
        """Replaces the runs of a set by those that follow; if there are none, that is a violation."""
        if not after:
            assert breach is not None
            history.sets.remove(runs)
            self._reporter.violate(runs, breach, now, causes, given_up, found)
            return
        runs.runs = after
        is_over = all(run.root.active in self._automaton.final for run in after)
        if is_over:
            history.sets.remove(runs)
        self._reporter.settle(runs, now, causes, given_up, found, is_over=is_over)
        if not is_over:
            self._reporter.report_overdue(runs, now, found)
            for run in after:
                for instance in run.root.walk():
                    self._explorer.set_timer(run, instance, now)
