"""The most common steps, taken at once: one event or one delay in a run that has no alternative, with one thing to do.

Everything else is left to the explorer: nothing has changed then. A step that is taken here is the one that the
explorer would take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from cera.automata.compact import CompactInstance, CompactRun, Values, enter, inside, leave
from cera.automata.compiled import CompiledAutomaton, times_hold
from cera.automata.direct_matching import accepts, concerned
from cera.automata.direct_tables import DirectEnter, DirectStep, NewInstance, Tables, values_from
from cera.automata.exploring import Explorer
from cera.automata.module import AutomatonModule
from cera.automata.reports import DirectStateReport, Report, ShownState
from cera.automata.runs import NOBODY, NONE
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import children

#: What a step that was taken has done: nothing to timers, something to them, or it has finished the run. An event that
#: no instance sees does nothing.
Outcome = Literal[0, 1, 2, 3]
TAKEN: Final = 0
TIMED: Final = 1
FINISHED: Final = 2
UNSEEN: Final = 3


class DirectSteps:
    """Takes the steps that need no exploring."""

    def __init__(self, module: AutomatonModule, automaton: CompiledAutomaton, explorer: Explorer) -> None:
        self._automaton = automaton
        self._explorer = explorer
        tables = Tables(automaton)
        self._ways, self._delays = tables.ways, tables.delays
        #: How events enter, by their labels.
        self.enters = {} if module.claimed or not tables.ways else tables.enters
        self._shown = [
            self._shown_state(module, state) if shown else None for state, shown in enumerate(automaton.is_shown)
        ]
        self._told = [shown if automaton.is_told[state] else None for state, shown in enumerate(self._shown)]
        self._keeps_last, self._keeps_more = automaton.keeps_last, automaton.keeps_more
        #: Whether instances with instances inside have a use for their last events. Besides, the root needs its own
        #: while something in it is timed, as a cause of what time does.
        around = {path[:-1] for path, atomic in zip(automaton.paths, automaton.is_atomic, strict=True) if not atomic}
        self._notes_around = any(automaton.keeps_last[automaton.numbers[path]] for path in around if path)
        #: One set of names for all instances that have yielded the same.
        self._yielded: dict[frozenset[str], frozenset[str]] = {}

    def _shown_state(self, module: AutomatonModule, state: int) -> ShownState:
        automaton = self._automaton
        label, names = automaton.labels[state], automaton.attribute_names
        instantiated = automaton.numbers[automaton.paths[state][:-1]] if automaton.is_atomic[state] else state
        owner = names[automaton.root] if label in module.structure.unnamed else None
        return ShownState(module.name, label, names[instantiated], owner)

    @property
    def takes_some(self) -> bool:
        """Whether there are events that may be taken."""
        return bool(self._ways)

    def takes(self, label: str) -> bool:
        """Returns whether events with a label may be taken."""
        return label in self._ways

    def may_concern(self, run: CompactRun, event: Occurrence) -> bool:
        """Returns whether instances may see an event."""
        ways = self._ways.get(event.label)
        if ways is None:
            return event.label in self._automaton.concerned
        content = event.content if event.content is not None else children(event.term)
        return any(concerned(run, way, content) is not None for way in ways)

    # Events

    def take(self, run: CompactRun, event: Occurrence, now: Time, found: list[Report]) -> Outcome | None:
        """Takes the step of an event; returns None, and changes nothing, if it has to be explored."""
        ways = self._ways.get(event.label)
        if ways is None:
            return None
        content: Mapping[str, Any] | None = event.content
        if content is None:
            content = children(event.term)
        # 1. the one instance that it concerns
        instance: CompactInstance | None = None
        way = ways[0]
        for each in ways:
            seen = concerned(run, each, content)
            if seen is None:
                continue
            if seen is False or instance is not None:
                return None
            instance, way = seen, each
        if instance is None:
            return UNSEEN
        before = instance.active
        steps = way.steps[before]
        if not steps:
            return None
        # 2. the one transition that it enables
        last = instance.last
        chosen: DirectStep | None = None
        for direct in steps:
            if last is not None:
                if direct.least is not None and now - last.end < direct.least:
                    continue
                if direct.most is not None and now - last.end > direct.most:
                    continue
            if direct.has_more:
                enabled = self._is_enabled(run, instance, direct, event, content, now)
                if enabled is None:
                    return None
                if not enabled:
                    continue
            if chosen is not None:
                return None
            chosen = direct
        if chosen is None:
            return None
        # 3. what follows
        if not chosen.is_move:
            return self._fire(run, instance, chosen, event, content, now, found)
        after, timer, state = chosen.after, chosen.timer, instance.state
        if chosen.binds:
            self._bind(run, instance, chosen, event, content, now)
        if self._keeps_last[state]:
            instance.last = event
        if self._notes_around:
            self._note_around(instance, event)
        if timer is not None or run.timers is not None:
            run.last = event
        if after != before:
            instance.active = after
            instance.entered = now
            if self._keeps_more[state]:
                instance.missed, instance.yielded = NONE, NOBODY
            shown = self._told[before]
            if shown is not None:
                found.append(DirectStateReport(shown, shown.ending, instance, instance.since, now, "event", event))
            shown = self._told[after]
            if shown is not None:
                found.append(DirectStateReport(shown, shown.opening, instance, now, now, "event", event))
            instance.since = now
        if timer is None and instance.due is None:
            return TAKEN
        run.wake(instance, None if timer is None else now + timer)
        return TIMED

    def _note_around(self, instance: CompactInstance, event: Occurrence) -> None:
        """Notes the last event of the instances around one."""
        around = instance.parent
        while around is not None:
            if self._keeps_last[around.state]:
                around.last = event
            around = around.parent

    def _is_enabled(
        self,
        run: CompactRun,
        instance: CompactInstance,
        direct: DirectStep,
        event: Occurrence,
        content: Mapping[str, Any],
        now: Time,
    ) -> bool | None:
        """Returns whether a transition is enabled, but for how long ago the last event was; None if that has to be
        looked at more closely."""
        step = direct.step
        if direct.own is not None:
            accepted = accepts(direct.own, content, instance.values)
            if not accepted:
                return accepted
        for variable, attribute, memory in direct.unique:
            since = run.used.get((variable, content[attribute]))
            if since is not None and (memory is None or now - since <= memory):
                return False
        if direct.times and not times_hold(direct.times, instance.known, event, now):
            return False
        if step.conditions:
            layout = self._automaton.layouts[instance.state]
            known = {name: value for name, value in zip(layout, instance.values, strict=True) if value is not None}
            bound = {name: content[attribute] for attribute, name in direct.bound}
            if not self._explorer.conditions_hold(step, {**known, **bound}):
                return False
        return not direct.terminates or self._explorer.terminates(instance, step)

    def _bind(
        self,
        run: CompactRun,
        instance: CompactInstance,
        direct: DirectStep,
        event: Occurrence,
        content: Mapping[str, Any],
        now: Time,
    ) -> None:
        """Notes what an event binds."""
        if direct.stores:
            values = list(instance.values)
            for place, attribute in direct.stores:
                values[place] = content[attribute]
            instance.values = tuple(values)
        if direct.identifier is not None:
            instance.events = {**(instance.events or {}), direct.identifier: event}
        for variable, attribute, _ in direct.unique:
            run.used[variable, content[attribute]] = now

    # Steps that create instances, or end some

    def _fire(
        self,
        run: CompactRun,
        instance: CompactInstance,
        direct: DirectStep,
        event: Occurrence,
        content: Mapping[str, Any],
        now: Time,
        found: list[Report],
    ) -> Outcome | None:
        """Lets an instance execute a transition that terminates instances, creates some, or finishes the run."""
        before, after = instance.active, direct.after
        begins_anew = direct.terminates or after != before
        hidden = NOBODY if begins_anew or not instance.yielded else instance.yielded - direct.names
        created = [_contents(new, content, instance.values, hidden) for new in direct.created]
        if any(self._is_named(run, *each) for each in created):
            return None
        if direct.terminates or direct.is_final:
            for each in leave(run, instance, self._automaton):
                self._report_end(each, event, now, found)
        if begins_anew:
            instance.active, instance.entered, instance.missed, instance.yielded = after, now, NONE, NOBODY
        if after != before:
            self._report_move(instance, before, "event", event, now, found)
        self._bind(run, instance, direct, event, content, now)
        if self._keeps_last[instance.state]:
            instance.last = event
        self._note_around(instance, event)
        if direct.is_timed or run.timers is not None:
            run.last = event
        if direct.is_final:
            self._report_end(run, event, now, found)
            return FINISHED
        run.wake(instance, None if direct.timer is None else now + direct.timer)
        if created:
            self._create(run, instance, created, hidden, event, now, found)
            instance.yielded = self._shared(instance.yielded | direct.names)
        return TIMED

    def _is_named(self, run: CompactRun, new: NewInstance, name: Values, values: Values) -> bool:
        """Returns whether there is an instance with the name of a new one, or was until now."""
        if new.is_distinct:
            return False
        places = self._automaton.key_places[new.state]
        others = inside(run, new.state, [values[place] for place in places], places)
        return any(each.name == name for each in others)

    def _create(
        self,
        run: CompactRun,
        parent: CompactInstance,
        created: Iterable[tuple[NewInstance, Values, Values]],
        hidden: frozenset[str],
        event: Occurrence,
        now: Time,
        found: list[Report],
    ) -> None:
        """Creates instances, each inside of the one before."""
        for new, name, values in created:
            made = CompactInstance(new.state, new.active, now, parent, name, values)
            if parent.events:
                made.events = {known: each for known, each in parent.events.items() if known not in hidden} or None
            if self._keeps_last[new.state]:
                made.last = event
            enter(run, made, self._automaton)
            if new.timer is not None:
                run.wake(made, now + new.timer)
            self._report_begin(made, event, now, found)
            parent = made

    def _shared(self, names: frozenset[str]) -> frozenset[str]:
        return self._yielded.setdefault(names, names)

    def enter(
        self, entering: DirectEnter, event: Occurrence, content: Mapping[str, Any], now: Time, found: list[Report]
    ) -> CompactRun | None:
        """Returns a new run that an event enters; None if it does not match, or that has to be explored."""
        if accepts(entering.query, content, ()) is not True:
            return None
        root = entering.root
        _, name, values = _contents(root, content, (), NOBODY)
        run = CompactRun(root.state, root.active, now, name, values)
        if (
            self._keeps_last[root.state]
            or root.timer is not None
            or any(new.timer is not None for new in entering.created)
        ):
            run.last = event
        for variable, attribute, _ in entering.unique:
            run.used[variable, content[attribute]] = now
        run.wake(run, None if root.timer is None else now + root.timer)
        self._report_begin(run, event, now, found)
        if entering.created:
            self._create(
                run, run, [_contents(new, content, (), NOBODY) for new in entering.created], NOBODY, event, now, found
            )
            run.yielded = self._shared(entering.names)
        return run

    # Time

    def wake(self, run: CompactRun, now: Time, found: list[Report]) -> bool:
        """Lets time do the only thing that is due in a run; returns whether that is so, otherwise nothing changes."""
        due = run.due_instances(now)
        if len(due) != 1:
            return False
        [instance] = due
        delays = self._delays.get((instance.state, instance.active))
        last, cause = instance.last, run.last
        if delays is None or last is None or cause is None:
            return False
        passed = now - last.end
        enabled = [
            (step, timer)
            for (least, most), step, timer in delays
            if (least is None or passed >= least) and (most is None or passed <= most)
        ]
        if len(enabled) != 1:
            return False
        step, timer = enabled[0]
        if timer is not None and last.end + timer <= now:
            return False
        before = instance.active
        instance.active, instance.entered, instance.missed, instance.yielded = step.after, now, NONE, NOBODY
        self._report_move(instance, before, "last", cause, now, found)
        run.wake(instance, None if timer is None else last.end + timer)
        return True

    # Reports

    def _report_move(
        self, instance: CompactInstance, before: int, name: str, cause: Occurrence, now: Time, found: list[Report]
    ) -> None:
        """Reports that an instance has come from one of its states into another one."""
        told = self._told[before]
        if told is not None:
            found.append(DirectStateReport(told, told.ending, instance, instance.since, now, name, cause))
        told = self._told[instance.active]
        if told is not None:
            found.append(DirectStateReport(told, told.opening, instance, now, now, name, cause))
        instance.since = now

    def _report_begin(self, instance: CompactInstance, event: Occurrence, now: Time, found: list[Report]) -> None:
        """Reports a new instance, and the state that it is in."""
        for shown in (self._shown[instance.state], self._told[instance.active]):
            if shown is not None:
                found.append(DirectStateReport(shown, shown.opening, instance, now, now, "event", event))

    def _report_end(self, instance: CompactInstance, event: Occurrence, now: Time, found: list[Report]) -> None:
        """Reports the end of an instance, and of the state that it is in."""
        shown, told = self._shown[instance.state], self._told[instance.active]
        if told is not None:
            found.append(DirectStateReport(told, told.ending, instance, instance.since, now, "event", event))
        if shown is not None:
            found.append(DirectStateReport(shown, shown.ending, instance, instance.opened, now, "event", event))


def _contents(
    new: NewInstance, content: Mapping[str, Any], around: Values, hidden: frozenset[str]
) -> tuple[NewInstance, Values, Values]:
    """Returns a new instance with its name and its values."""
    return new, values_from(new.name, content, around, hidden), values_from(new.values, content, around, hidden)
