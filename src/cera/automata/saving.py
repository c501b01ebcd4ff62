"""Histories as plain data: a compact run, or sets of runs with all that they remember."""

from __future__ import annotations

from typing import Any

from cera.automata.automaton import LAST
from cera.automata.compact import CompactInstance, CompactRun, enter
from cera.automata.compiled import CompiledAutomaton
from cera.automata.histories import AnyHistory, History
from cera.automata.kept_events import packed_event, stand_in
from cera.automata.reports import StateKey
from cera.automata.run_sets import RunSet
from cera.automata.runs import NOBODY, NONE, Instance, Run
from cera.automata.traces import Firing
from cera.model.events.occurrence import Occurrence


def packed(history: AnyHistory) -> list[Any]:
    """Returns a history as data: a tuple of one thing for each compact run, of three for each set of runs."""
    sets = [history] if isinstance(history, CompactRun) else history.sets
    return [_packed_compact(each) if isinstance(each, CompactRun) else _packed_set(each) for each in sets]


def unpacked(data: list[Any], automaton: CompiledAutomaton) -> AnyHistory:
    sets = [_compact(each[0], automaton) if len(each) == 1 else _run_set(each, automaton) for each in data]
    return sets[0] if len(sets) == 1 and isinstance(sets[0], CompactRun) else History(*sets)


# Compact runs


def _packed_compact(run: CompactRun) -> tuple[Any]:
    return ((_packed_member(run), list(run.used.items())),)


def _packed_member(instance: CompactInstance) -> Any:
    events = [(name, packed_event(event)) for name, event in instance.known.items()]
    return (
        (instance.state, instance.active, instance.entered, instance.since, instance.opened, instance.due),
        instance.name,
        instance.values,
        events,
        sorted(instance.yielded),
        sorted(instance.missed),
        [_packed_member(child) for child in instance.children],
    )


def _compact(data: Any, automaton: CompiledAutomaton) -> CompactRun:
    member, used = data
    (state, active, entered, *_), name, values, *_ = member
    run = CompactRun(state, active, entered, tuple(name), tuple(values))
    run.used = {(name, value): time for (name, value), time in used}
    _fill(run, member, run, automaton)
    return run


def _fill(made: CompactInstance, data: Any, run: CompactRun, automaton: CompiledAutomaton) -> None:
    """Makes an instance what data say, with those inside."""
    (_, _, _, made.since, made.opened, due), _, _, events, yielded, missed, children = data
    known: dict[str, Occurrence] = {name: stand_in(*event) for name, event in events}
    made.last = known.pop(LAST, None)
    made.events = known or None
    made.yielded, made.missed = frozenset(yielded) or NOBODY, frozenset(missed) or NONE
    run.wake(made, due)
    for child in children:
        (state, active, entered, *_), name, values, *_ = child
        inner = CompactInstance(state, active, entered, made, tuple(name), tuple(values))
        enter(run, inner, automaton)
        _fill(inner, child, run, automaton)


# Sets of runs


def _packed_set(runs: RunSet) -> Any:
    return [_packed_run(run) for run in runs.runs], list(runs.open.items()), sorted(runs.overdue, key=repr)


def _run_set(data: Any, automaton: CompiledAutomaton) -> RunSet:
    runs, is_open, is_overdue = data
    made = RunSet([_run(each, automaton) for each in runs])
    made.open = {_state_key(key): begin for key, begin in is_open}
    made.overdue = frozenset(map(_state_key, is_overdue))
    return made


def _packed_run(run: Run) -> Any:
    since = None if run.since is None else [(key, *value) for key, value in run.since.items()]
    trace = [(f.time, f.number, list(f.name), None if f.event is None else packed_event(f.event)) for f in run.trace]
    return _packed_instance(run.root), list(run.used.items()), since, sorted(run.past, key=repr), trace


def _run(data: Any, automaton: CompiledAutomaton) -> Run:
    root, used, since, past, trace = data
    run = Run(automaton, _instance(root, None))
    if since is not None:
        run.since = {_state_key(key): (begin, was_certain) for key, begin, was_certain in since}
    run.past = {(_state_key(key), begin, end) for key, begin, end in past}
    run.trace = tuple(
        Firing(time, number, tuple(map(tuple, name)), None if event is None else stand_in(*event))
        for time, number, name, event in trace
    )
    run.used = {(name, value): time for (name, value), time in used}
    for instance in run.root.walk():
        run.add(instance)
        due, instance.due = instance.due, None
        run.wake(instance, due)
    run.visited = set()
    return run


def _packed_instance(instance: Instance) -> Any:
    return (
        (instance.state, instance.active, instance.entered, instance.due, instance.is_overdue),
        list(instance.name),
        list(instance.variables.items()),
        [(name, packed_event(event)) for name, event in instance.events.items()],
        sorted(instance.yielded),
        sorted(instance.missed),
        [_packed_instance(child) for child in instance.children],
    )


def _instance(data: Any, parent: Instance | None) -> Instance:
    (state, active, entered, due, is_overdue), name, variables, events, yielded, missed, children = data
    made = Instance(state, active, entered, parent)
    made.due, made.is_overdue = due, is_overdue
    made.name = tuple((attribute, value) for attribute, value in name)
    made.variables = dict(variables)
    made.events = {known: stand_in(*event) for known, event in events}
    made.yielded, made.missed = frozenset(yielded), frozenset(missed)
    made.children = [_instance(child, made) for child in children]
    return made


def _state_key(data: Any) -> StateKey:
    """Returns a key as it was before it was saved."""
    label, name = data
    return label, tuple(map(tuple, name))
