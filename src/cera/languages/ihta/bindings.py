"""Variables and identifiers of events: what a label refers to is known on every way to it (I-05, I-07)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from cera.automata.automaton import LAST, THIS, Path, Transition
from cera.automata.structure import Step, Structure
from cera.diagnostics import Diagnostic, Note
from cera.languages.ihta.findings import error
from cera.model.expressions.expression import variables

Known = frozenset[str]


def bindings(structure: Structure) -> Iterator[Diagnostic]:
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
            yield error(
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
        yield error(code, message, step.transition.span, example.format(name), *notes)


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
                yield error(
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
