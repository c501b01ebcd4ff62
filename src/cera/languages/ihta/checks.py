"""Static checks of automata: Definitions 3 to 7 of seed 002, variables and identifiers, and what can never work.

IH203  entered by an event, into a start state          IH210  a variable that is not declared on some path
IH204  instances begin in start states                  IH211  an identifier that is not declared on some path
IH205  instances are terminated in end states           IH212  a variable that is declared and referred to at once
IH206  a label that waits for nothing                   IH301  a state that cannot be reached
IH207  a start or an end state is missing               IH302  a state without a way to an end state
IH208  a transition leads to a state with states        IH303  delays that follow each other without end
IH209  numbers of instances where none are terminated   IH304  two transitions that are the same
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import combinations

from cera.automata.automaton import LAST, THIS, Automaton, EventQuery, Path, Transition
from cera.automata.structure import Step, Structure
from cera.automata.times import Times, times_of
from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.model.expressions.expression import variables


def check(automaton: Automaton) -> list[Diagnostic]:
    """Returns the errors of an automaton, or else warnings about it."""
    structure = Structure(automaton)
    errors = [
        *_states(structure),
        *_labels(structure),
        *_transitions(structure),
        *_counts(structure),
    ]
    if not errors:
        errors = [*_bindings(structure), *_endless(structure)]
    return errors or [*_reachability(structure), *_repetitions(structure)]


def _error(code: str, message: str, span: Span | None, hint: str | None = None, *notes: Note) -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint, notes)


def _warning(code: str, message: str, span: Span | None, hint: str | None = None, *notes: Note) -> Diagnostic:
    return Diagnostic(code, "warning", message, span, hint, notes)


def _states(structure: Structure) -> Iterator[Diagnostic]:
    """Definition 3: every automaton has a start and an end state."""
    for state in structure.states.values():
        if state.is_atomic:
            continue
        for role, found in (
            ("start", [c.is_start for c in state.children]),
            ("end", [c.is_end for c in state.children]),
        ):
            if not any(found):
                example = state.children[0].name if role == "start" else state.children[-1].name
                hint = f"mark one of its states: `{role} {example};`"
                yield _error("IH207", f"`{state.name}` has no {role} state", state.span, hint)
    if not structure.enters:
        hint = "write `enter -> A0: event(key(K*));`"
        yield _error(
            "IH203", f"nothing enters the automaton `{structure.automaton.name}`", structure.automaton.span, hint
        )


def _labels(structure: Structure) -> Iterator[Diagnostic]:
    """Definitions 3 and 6: no label is empty; what is absent, or declared, is well formed (I-04, I-05)."""
    for step in structure.steps:
        transition = step.transition
        label, query = transition.label, transition.label.query
        if query is None and not (label.times or label.terminations):
            hint = "a transition without an event waits for a time: now - e(last) >= 30s"
            yield _error("IH206", "the label waits for nothing", transition.span, hint)
        if label.negated and not (label.times or label.terminations):
            hint = "say until when: `not bid(itemID(I)) and now - e(last) <= 30s`"
            yield _error("IH206", "an absence needs a constraint", transition.span, hint)
        if label.negated and query is not None and query.declared:
            hint = "an event that does not happen binds nothing; write the variable without `*`"
            yield _error("IH212", "an absent event declares a variable", query.span, hint)
        if query is not None and query.declared & query.referenced:
            [name, *_] = sorted(query.declared & query.referenced)
            hint = f"write `{name}*` where it gets a new value, and `{name}` where it has one already, not both"
            yield _error("IH212", f"the variable `{name}` is declared and referred to in one query", query.span, hint)
        if (query is None or label.negated) and any(THIS in each.identifiers for each in label.times):
            hint = "`this` is the event that is matched; a delay is a bound on `now`"
            yield _error("IH213", "there is no event that `this` could be", transition.span, hint)
        if step.level is None and (query is None or label.negated):
            hint = "write `enter -> A0: event(key(K*));`"
            yield _error("IH203", "an automaton is entered by an event", transition.span, hint)
        if step.level is None and label.terminations:
            yield _error("IH209", "there are no instances when an automaton is entered", transition.span)


def _transitions(structure: Structure) -> Iterator[Diagnostic]:
    """Definition 7: instances begin in start states, and are terminated in end states."""
    for step in structure.steps:
        transition = step.transition
        source, target = transition.source, structure.states[transition.target]
        if not target.is_atomic:
            inner = next((child.name for child in target.children if child.is_start), target.children[0].name)
            hint = f"lead to one of its start states: `-> {inner}`"
            yield _error("IH208", f"`{target.name}` has states of its own", transition.span, hint)
        elif step.level is None and not target.is_start:
            hint = f"write `start {target.name};`, or lead to a start state"
            yield _error("IH203", f"`{target.name}` is entered first, and is no start state", transition.span, hint)
        elif step.level is not None and step.is_instantiating and not target.is_start:
            created = step.created[-1][-1]
            hint = f"write `start {target.name};` in `{created}`, or lead to its start state"
            yield _error(
                "IH204",
                f"`{target.name}` is where instances of `{created}` begin, and is no start state",
                transition.span,
                hint,
            )
        if source is not None and step.is_terminating and not structure.states[source].is_end:
            name = source[-1]
            hint = f"write `end {name};`, or lead out of an end state"
            yield _error(
                "IH205",
                f"`{name}` is where instances of `{step.left[-1][-1]}` end, and is no end state",
                transition.span,
                hint,
            )


def _counts(structure: Structure) -> Iterator[Diagnostic]:
    for step in structure.steps:
        for each in step.transition.label.terminations:
            state = structure.identified.get(each.identifier)
            if state is None:
                hint = did_you_mean(each.identifier, structure.identified) or (
                    f"name the state whose instances are counted: `state {each.identifier}: Name(…) {{ … }}`"
                )
                yield _error("IH209", f"no state is called `{each.identifier}`", each.span, hint)
            elif step.level is not None and state not in step.left:
                hint = "instances are counted by the transitions that terminate them"
                yield _error("IH209", f"the transition does not go out of `{state[-1]}`", each.span, hint)


# Variables and identifiers

Known = frozenset[str]


def _bindings(structure: Structure) -> Iterator[Diagnostic]:
    """I-05, I-07: what a label refers to is declared on every way to it, in the instance or around it."""
    for what in ("variable", "identifier"):
        known = _always_known(structure, what)
        for step in structure.steps:
            if step.level is None:
                here: Known = frozenset()
            else:
                assert step.before is not None
                here = known.get(step.before, frozenset())
                if step.before not in known:
                    continue  # it is never reached
            yield from _undeclared(step, here, what, structure)
        if what == "variable":
            yield from _unnamed(structure, known)
    for path, state in structure.states.items():
        missing = {n for each in state.invariant for n in each.identifiers} - {LAST}
        for name in sorted(missing - known.get(path, missing)):
            yield _error(
                "IH211", f"the invariant of `{state.name}` refers to `{name}`, which may not have happened", state.span
            )


def _undeclared(step: Step, here: Known, what: str, structure: Structure) -> Iterator[Diagnostic]:
    label = step.transition.label
    declared = label.query.declared if label.query is not None else frozenset()
    if what == "variable":
        used = {n for each in label.conditions for n in variables(each)} - declared
        used |= label.query.referenced if label.query is not None else set()
        code, example = "IH210", "declare it: `{0}*`"
    else:
        used = {n for each in label.times for n in each.identifiers} - {THIS}
        here |= {LAST} if step.level is not None else set()
        code, example = "IH211", "name the event before: `{0}: event(…)`"
    for name in sorted(used - here):
        notes = []
        path = _way_without(structure, step, name, what)
        if path:
            shown = "enter" + "".join(f" -> {each.target[-1]}" for each in path)
            notes.append(Note(f"it is not declared on the way {shown}", path[-1].span))
        message = f"the {what} `{name}` may not be declared when this label is reached"
        yield _error(code, message, step.transition.span, example.format(name), *notes)


def _unnamed(structure: Structure, known: Mapping[Path, Known]) -> Iterator[Diagnostic]:
    """The attributes of a state are known when it is instantiated."""
    for path, state in structure.states.items():
        if state.is_atomic or path not in structure.executed:
            continue
        inside = [known[(*path, child.name)] for child in state.children if (*path, child.name) in known]
        if not inside:
            continue
        always = frozenset.intersection(*inside)
        for attribute, value in state.attributes:
            name = getattr(value, "variable", None)
            if name is not None and name not in always:
                hint = f"the transitions into `{state.name}` declare it: `{attribute}({name}*)`"
                yield _error(
                    "IH210", f"the attribute `{attribute}` of `{state.name}` may have no value", state.span, hint
                )


def _declared(step: Step, what: str) -> Known:
    label = step.transition.label
    if what == "variable":
        return frozenset() if label.query is None or label.negated else label.query.declared
    return frozenset() if label.identifier is None else frozenset({label.identifier})


def _always_known(structure: Structure, what: str) -> dict[Path, Known]:
    """Returns what is declared on every way to each state that can be reached, as its instance knows it."""
    known: dict[Path, Known] = {}

    def meet(state: Path, names: Known) -> bool:
        before = known.get(state)
        known[state] = names if before is None else before & names
        return known[state] != before

    changed = True
    while changed:
        changed = False
        for step in structure.steps:
            declared = _declared(step, what)
            if step.level is None:
                after = declared
                first = step.transition.target[:2]
            else:
                assert step.before is not None
                if step.before not in known or not _is_inhabited(structure, step, known):
                    continue
                after = known[step.before] | declared
                first = step.after
            changed |= meet(first, after)
            hidden = _hidden(structure, step, what) - declared
            inherited = after - hidden
            for state in step.created:
                if state != structure.root:
                    changed |= meet(step.transition.target[: len(state) + 1], inherited)
    return known


def _is_inhabited(structure: Structure, step: Step, known: Mapping[Path, Known]) -> bool:
    """Returns whether the source of a transition can be reached, besides the state of the level."""
    source = step.transition.source
    return source is None or not structure.states[source].is_atomic or source in known


def _hidden(structure: Structure, step: Step, what: str) -> Known:
    """Returns what transitions that create siblings of the same state declare."""
    if step.level is None:
        return frozenset()
    siblings = [
        each for each in structure.steps if each.level == step.level and each.after == step.after and each.created
    ]
    return frozenset(name for each in siblings for name in _declared(each, what))


def _way_without(structure: Structure, wanted: Step, name: str, what: str) -> list[Transition]:
    """Returns a shortest way to a transition on which a name is not declared."""
    goal = wanted.transition.source
    waiting: deque[tuple[Path, list[Transition]]] = deque()
    seen: set[Path] = set()
    for step in structure.enters:
        if name not in _declared(step, what):
            waiting.append((step.transition.target, [step.transition]))
    while waiting:
        at, way = waiting.popleft()
        if at == goal or (goal is not None and at[: len(goal)] == goal):
            return way
        if at in seen:
            continue
        seen.add(at)
        for step in structure.steps:
            source = step.transition.source
            if source is None or name in _declared(step, what):
                continue
            if source == at or at[: len(source)] == source:
                waiting.append((step.transition.target, [*way, step.transition]))
    return []


# What can never work


def _reachability(structure: Structure) -> Iterator[Diagnostic]:
    reached = _closure({s.transition.target for s in structure.enters}, structure)
    for path, state in structure.states.items():
        if state.is_atomic and path not in reached and not structure.states[path[:-1]].is_opaque:
            hint = "no transition leads to it from a start state"
            yield _warning("IH301", f"the state `{state.name}` cannot be reached", state.span, hint)
    for path, state in structure.states.items():
        if not state.is_atomic or path not in reached:
            continue
        ends = {(*path[:-1], child.name) for child in structure.states[path[:-1]].children if child.is_end}
        if not ends & _closure({path}, structure):
            hint = f"from here no end state of `{path[-2]}` can be reached, so that its instances never end"
            yield _warning("IH302", f"there is no way from `{state.name}` to an end", state.span, hint)


def _endless(structure: Structure) -> Iterator[Diagnostic]:
    for cycle in _delay_cycles(structure):
        names = " -> ".join([cycle[0].transition.source[-1], *(each.transition.target[-1] for each in cycle)])  # type: ignore[index]
        hint = "let one of them wait for an event, or for a later time than the others"
        yield _error("IH303", f"the delays {names} can follow each other without end", cycle[0].transition.span, hint)


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
    """Yields cycles of transitions without events that can all fire at one time, each cycle once."""
    timed = [step for step in structure.steps if step.trigger != "event" and step.level is not None]

    def follow(way: list[Step]) -> Iterator[list[Step]]:
        target = way[-1].transition.target
        for step in timed:
            source = step.transition.source
            assert source is not None
            if target[: len(source)] != source or step.number < way[0].number:
                continue
            if step is way[0]:
                constraints = [each for one in way for each in one.transition.label.times if each.identifiers <= {LAST}]
                if times_of(constraints, {LAST: Times(0, 0)}).earliest(0) is not None:
                    yield way
            elif step not in way:
                yield from follow([*way, step])

    for first in timed:
        found = next(follow([first]), None)
        if found is not None:
            yield found


def _repetitions(structure: Structure) -> Iterator[Diagnostic]:
    for first, second in combinations(structure.steps, 2):
        one, other = first.transition, second.transition
        if (one.source, one.target, one.label) == (other.source, other.target, other.label):
            note = Note("the first is here", one.span)
            yield _warning(
                "IH304", "there are two transitions that are the same", other.span, "leave one of them out", note
            )
        elif (
            one.source == other.source
            and one.label == other.label
            and one.source is not None
            and _loops(structure, one, other)
        ):
            hint = "every such event doubles the runs; let the labels exclude each other"
            note = Note("the other one is here", one.span)
            yield _warning(
                "IH305", "two transitions wait for the same, and lead back to where they began", other.span, hint, note
            )


def _loops(structure: Structure, one: Transition, other: Transition) -> bool:
    """Returns whether two transitions lead from a state back to it, by different ways."""
    return all(one.source in _closure({each.target}, structure) for each in (one, other))


def unbounded(automaton: Automaton) -> Iterator[Diagnostic]:
    """Yields warnings about what is remembered for ever."""
    structure = Structure(automaton)
    for step in structure.enters:
        query = step.transition.label.query
        for each in query.unique if query is not None else ():
            if each.memory is None:
                hint = f"`unique {each.variable}* for 30 days` forgets them"
                message = f"every value of the unique variable `{each.variable}` is remembered for good"
                yield _warning("IH501", message, _span(query), hint)


def notes(automaton: Automaton) -> Iterator[Diagnostic]:
    """Yields notes on how an automaton runs."""
    structure = Structure(automaton)
    if structure.key is None:
        hint = "name an attribute of the automaton, with its variable, in every label"
        message = f"all events of `{automaton.name}` are followed in one place: no attribute is in every label"
        yield Diagnostic("IH502", "note", message, automaton.span, hint)


def _span(query: EventQuery | None) -> Span | None:
    return None if query is None else query.span
