"""What can never work in an automaton, or makes no difference: states, transitions, delays without end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from cera.automata.automaton import LAST, THIS, Label, Path, Transition
from cera.automata.structure import Step, Structure
from cera.automata.times import Stretch, TimeConstraint, Times, times_of
from cera.diagnostics import Diagnostic, Note
from cera.languages.ihta.findings import error, warning
from cera.model.time.interval import Time


def reachability(structure: Structure) -> Iterator[Diagnostic]:
    reached = _closure({s.transition.target for s in structure.enters}, structure)
    for path, state in structure.states.items():
        if state.is_atomic and path not in reached and not structure.states[path[:-1]].is_opaque:
            hint = "no transition leads to it from a start state"
            yield warning("IH301", f"the state `{state.name}` cannot be reached", state.span, hint)
    for path, state in structure.states.items():
        if not state.is_atomic or path not in reached:
            continue
        ends = {(*path[:-1], child.name) for child in structure.states[path[:-1]].children if child.is_end}
        if not ends & _closure({path}, structure):
            hint = f"from here no end state of `{path[-2]}` can be reached, so that its instances never end"
            yield warning("IH302", f"there is no way from `{state.name}` to an end", state.span, hint)


def endless(structure: Structure) -> Iterator[Diagnostic]:
    for cycle in _delay_cycles(structure):
        names = " -> ".join([cycle[0].transition.source[-1], *(each.transition.target[-1] for each in cycle)])  # type: ignore[index]
        hint = "let one of them wait for an event, or for a later time than the others"
        yield error("IH303", f"the delays {names} can follow each other without end", cycle[0].transition.span, hint)


def _closure(found: set[Path], structure: Structure) -> set[Path]:
    found = set(found)
    grown = True
    while grown:
        grown = False
        for step in structure.steps:
            source = step.transition.source
            if source is None or step.transition.target in found:
                continue
            if source in found or any(path[: len(source)] == source for path in found):
                found.add(step.transition.target)
                grown = True
    return found


def _delay_cycles(structure: Structure) -> Iterator[list[Step]]:
    """Yields cycles of transitions without events that can all fire at one time: a shortest one for each transition
    that is the first of one. Whether several can fire together is asked at the times at which that can change."""
    timed = [step for step in structure.steps if step.trigger != "event" and step.level is not None]
    fires = {step.number: times_of(_since_last(step), {LAST: Times(0, 0)}) for step in timed}
    times = {0}
    for each in fires.values():
        times |= {time for time in (each.first, *(gap + 1 for gap in each.without)) if time is not None and time > 0}
    together = [[step for step in timed if fires[step.number].earliest(time) == time] for time in sorted(times)]
    for first in timed:
        cycles = (_cycle(first, [step for step in each if step.number >= first.number]) for each in together)
        found = next((cycle for cycle in cycles if cycle is not None), None)
        if found is not None:
            yield found


def _since_last(step: Step) -> list[TimeConstraint]:
    return [each for each in step.transition.label.times if each.identifiers <= {LAST}]


def _cycle(first: Step, steps: Sequence[Step]) -> list[Step] | None:
    """Returns the shortest way from a transition back to it; None if there is none."""
    if first not in steps:
        return None
    ways = [[first]]
    seen = {first.number}
    while ways:
        longer = []
        for way in ways:
            target = way[-1].transition.target
            for step in steps:
                source = step.transition.source
                assert source is not None
                if target[: len(source)] != source:
                    continue
                if step is first:
                    return way
                if step.number not in seen:
                    seen.add(step.number)
                    longer.append([*way, step])
        ways = longer
    return None


def needless(structure: Structure) -> Iterator[Diagnostic]:
    """Yields pairs of transitions of which one does nothing that the other does not, or that double the runs."""
    for first, second in permutations(structure.steps, 2):
        one, other = first.transition, second.transition
        if (one.source, one.target, one.level) == (other.source, other.target, other.level):
            if one.label == other.label:
                if first.number < second.number:
                    note = Note("the first is here", one.span)
                    message = "there are two transitions that are the same"
                    yield warning("IH304", message, other.span, "leave one of them out", note)
            elif _covers(one.label, other.label):
                note = Note("this one fires whenever it could", one.span)
                message = "the transition makes no difference: another one does the same, and more often"
                yield warning("IH304", message, other.span, "leave it out, or let the labels exclude each other", note)
        elif first.number < second.number and _doubles(structure, one, other):
            hint = "every such event doubles the runs; let the labels exclude each other"
            note = Note("the other one is here", one.span)
            message = "two transitions wait for the same, and lead back to where they began"
            yield warning("IH305", message, other.span, hint, note)


def _doubles(structure: Structure, one: Transition, other: Transition) -> bool:
    alike = one.source == other.source and one.label == other.label and one.source is not None
    return alike and _loops(structure, one, other)


def _covers(wide: Label, narrow: Label) -> bool:
    """Returns whether one label holds whenever another does, and binds the same."""
    if (wide.query, wide.negated, wide.identifier, wide.terminations) != (
        narrow.query,
        narrow.negated,
        narrow.identifier,
        narrow.terminations,
    ):
        return False
    if wide.negated or not set(wide.conditions) <= set(narrow.conditions):
        return False
    if set(wide.times) <= set(narrow.times):
        return True
    one, other = window(wide.times), window(narrow.times)
    if one is None or other is None or one.without:
        return False
    starts = one.first is None or (other.first is not None and other.first >= one.first)
    return starts and (one.last is None or (other.last is not None and other.last <= one.last))


def window(times: Sequence[TimeConstraint]) -> Stretch | None:
    """Returns the times after the last event at which bounds hold; None if they are not about ends of events only."""
    if any((bound, name) not in (("e", LAST), ("e", THIS)) for each in times for _, bound, name in each.terms):
        return None
    return times_of(times, {LAST: Times(0, 0)})


def impossible(structure: Structure) -> Iterator[Diagnostic]:
    """Yields transitions that can never fire: their bounds contradict each other, or the state has been left before."""
    for step in structure.steps:
        own = window(step.transition.label.times)
        if step.level is None or own is None:
            continue
        begin = own.earliest(0)
        if begin is None:
            hint = "no time fulfils its bounds"
            yield warning("IH306", "the transition can never fire", step.transition.span, hint)
            continue
        if step.trigger == "absence" and own.latest is not None:
            begin = own.latest
        for other in _left_before(structure, step, begin):
            note = Note("the state is left here", other.transition.span)
            hint = "a delay fires at the first time that its bounds allow; let this one wait for an earlier time"
            yield warning("IH306", "the transition comes too late to fire", step.transition.span, hint, note)
            break


def _left_before(structure: Structure, step: Step, begin: Time) -> Iterator[Step]:
    """Yields the delays that surely leave the source of a transition before a time after the last event."""
    source = step.transition.source
    entering = [each for each in structure.steps if each.transition.target == source]
    if any(each.trigger != "event" for each in entering):
        return
    for other in structure.steps:
        label = other.transition.label
        if other.trigger != "delay" or other.level != step.level or other.transition.source != source:
            continue
        if other.is_terminating or label.terminations or label.conditions or other.transition.target == source:
            continue
        stretch = window(label.times)
        first = None if stretch is None or stretch.last is not None else stretch.earliest(0)
        if first is not None and first < begin:
            yield other


def _loops(structure: Structure, one: Transition, other: Transition) -> bool:
    """Returns whether two transitions lead from a state back to it, by different ways."""
    return all(one.source in _closure({each.target}, structure) for each in (one, other))
