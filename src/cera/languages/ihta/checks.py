"""Static checks of automata: Definitions 3 to 7 of seed 002, variables and identifiers, and what can never work.

IH203  entered by an event, into a start state          IH210  a variable that is not declared on some path
IH204  instances begin in start states                  IH211  an identifier that is not declared on some path
IH205  instances are terminated in end states           IH212  a variable that is declared and referred to at once
IH206  a label that waits for nothing                   IH301  a state that cannot be reached
IH207  a start or an end state is missing               IH302  a state without a way to an end state
IH208  a transition leads to a state with states        IH303  delays that follow each other without end
IH209  numbers of instances where none are terminated   IH304  a transition that another one makes needless
IH103  two states with one identifier                   IH305  runs that double
IH215  an identifier that has a meaning already         IH306  a transition that can never fire

Definition 3 (states, start and end states, labels, enter transitions) is IH203, IH206 and IH207; Definition 4 (schemas)
IH210 and IH212 for schemas; Definition 5 (the tree of states) IH103 and IH104, and what `lowering` reports; Definition
6 (event and delay transitions) IH206; Definition 7 (instantiating and terminating transitions) IH204, IH205 and IH208.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.automata.automaton import LAST, THIS, Automaton, EventQuery, State
from cera.automata.structure import Structure
from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.ihta.bindings import bindings
from cera.languages.ihta.dead_parts import endless, impossible, needless, reachability
from cera.languages.ihta.findings import error, warning
from cera.languages.ihta.syntax import NOW


def check(automaton: Automaton) -> list[Diagnostic]:
    """Returns the errors of an automaton, or else warnings about it."""
    structure = Structure(automaton)
    errors = [
        *_states(structure),
        *_identifiers(structure),
        *_schemas(structure),
        *_labels(structure),
        *_transitions(structure),
        *_counts(structure),
    ]
    if not errors:
        errors = [*bindings(structure), *endless(structure)]
    return errors or [*reachability(structure), *needless(structure), *impossible(structure)]


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
                yield error("IH207", f"`{state.name}` has no {role} state", state.span, hint)
    if not structure.enters:
        hint = "write `enter -> A0: event(key(K*));`"
        yield error(
            "IH203", f"nothing enters the automaton `{structure.automaton.name}`", structure.automaton.span, hint
        )


def _identifiers(structure: Structure) -> Iterator[Diagnostic]:
    """State identifiers are global within a run; those of events are not `this`, `last` and `now`."""
    first: dict[str, State] = {}
    for state in structure.states.values():
        if state.identifier is None:
            continue
        other = first.setdefault(state.identifier, state)
        if other is not state:
            note = Note("the first is here", other.span)
            message = f"there are two states with the identifier `{state.identifier}`"
            yield error("IH103", message, state.span, "each identifier is that of one state", note)
        if state.identifier in _MEANT:
            yield _has_a_meaning(state.identifier, state.span)
    for step in structure.steps:
        if step.transition.label.identifier in _MEANT:
            yield _has_a_meaning(str(step.transition.label.identifier), step.transition.span)


#: The identifiers that have a meaning without a declaration.
_MEANT = (THIS, LAST, NOW)


def _has_a_meaning(name: str, span: Span | None) -> Diagnostic:
    meaning = {THIS: "the event that is matched", LAST: "the event that was matched before", NOW: "the current time"}
    return error("IH215", f"`{name}` is {meaning[name]}", span, "choose another identifier")


def _schemas(structure: Structure) -> Iterator[Diagnostic]:
    """Definition 4: what a schema has besides the queries of transitions refers to variables."""
    declared = {name for query in structure.automaton.queries for name in query.declared}
    for state in structure.states.values():
        for query in state.schema:
            if query.declared:
                hint = "a schema says which events are relevant; write the variable without `*`"
                yield error("IH212", "a schema declares a variable", query.span, hint)
                continue
            for name in sorted(query.referenced - declared):
                hint = did_you_mean(name, declared) or "no transition declares it"
                yield error("IH210", f"the variable `{name}` of a schema is never declared", query.span, hint)


def _labels(structure: Structure) -> Iterator[Diagnostic]:
    """Definitions 3 and 6: no label is empty; what is absent, or declared, is well formed (I-04, I-05)."""
    for step in structure.steps:
        transition = step.transition
        label, query = transition.label, transition.label.query
        if query is None and not (label.times or label.terminations):
            hint = "a transition without an event waits for a time: now - e(last) >= 30s"
            yield error("IH206", "the label waits for nothing", transition.span, hint)
        if label.negated and not (label.times or label.terminations):
            hint = "say until when: `not bid(itemID(I)) and now - e(last) <= 30s`"
            yield error("IH206", "an absence needs a constraint", transition.span, hint)
        if label.negated and query is not None and query.declared:
            hint = "an event that does not happen binds nothing; write the variable without `*`"
            yield error("IH212", "an absent event declares a variable", query.span, hint)
        if query is not None and query.declared & query.referenced:
            [name, *_] = sorted(query.declared & query.referenced)
            hint = f"write `{name}*` where it gets a new value, and `{name}` where it has one already, not both"
            yield error("IH212", f"the variable `{name}` is declared and referred to in one query", query.span, hint)
        if (query is None or label.negated) and any(THIS in each.identifiers for each in label.times):
            hint = "`this` is the event that is matched; a delay is a bound on `now`"
            yield error("IH213", "there is no event that `this` could be", transition.span, hint)
        if step.level is None and (query is None or label.negated):
            hint = "write `enter -> A0: event(key(K*));`"
            yield error("IH203", "an automaton is entered by an event", transition.span, hint)
        if step.level is None and label.terminations:
            yield error("IH209", "there are no instances when an automaton is entered", transition.span)


def _transitions(structure: Structure) -> Iterator[Diagnostic]:
    """Definition 7: instances begin in start states, and are terminated in end states."""
    for step in structure.steps:
        transition = step.transition
        source, target = transition.source, structure.states[transition.target]
        if not target.is_atomic:
            inner = next((child.name for child in target.children if child.is_start), target.children[0].name)
            hint = f"lead to one of its start states: `-> {inner}`"
            yield error("IH208", f"`{target.name}` has states of its own", transition.span, hint)
        elif step.level is None and not target.is_start:
            hint = f"write `start {target.name};`, or lead to a start state"
            yield error("IH203", f"`{target.name}` is entered first, and is no start state", transition.span, hint)
        elif step.level is not None and step.is_instantiating and not target.is_start:
            created = step.created[-1][-1]
            hint = f"write `start {target.name};` in `{created}`, or lead to its start state"
            yield error(
                "IH204",
                f"`{target.name}` is where instances of `{created}` begin, and is no start state",
                transition.span,
                hint,
            )
        if source is not None and step.is_terminating and not structure.states[source].is_end:
            name = source[-1]
            hint = f"write `end {name};`, or lead out of an end state"
            yield error(
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
                yield error("IH209", f"no state is called `{each.identifier}`", each.span, hint)
            elif step.level is not None and state not in step.left:
                hint = "instances are counted by the transitions that terminate them"
                yield error("IH209", f"the transition does not go out of `{state[-1]}`", each.span, hint)


def unbounded(automaton: Automaton) -> Iterator[Diagnostic]:
    """Yields warnings about what is remembered for ever."""
    structure = Structure(automaton)
    for step in structure.enters:
        query = step.transition.label.query
        for each in query.unique if query is not None else ():
            if each.memory is None:
                hint = f"`unique {each.variable}* for 30 days` forgets them"
                message = f"every value of the unique variable `{each.variable}` is remembered for good"
                yield warning("IH501", message, _span(query), hint)


def notes(automaton: Automaton) -> Iterator[Diagnostic]:
    """Yields notes on how an automaton runs."""
    structure = Structure(automaton)
    if structure.key is None:
        hint = "name an attribute of the automaton, with its variable, in every label"
        message = f"all events of `{automaton.name}` are followed in one place: no attribute is in every label"
        yield Diagnostic("IH502", "note", message, automaton.span, hint)


def _span(query: EventQuery | None) -> Span | None:
    return None if query is None else query.span
