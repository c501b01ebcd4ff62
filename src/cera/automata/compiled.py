"""An automaton compiled for its processor: states by number, queries and steps by the labels of events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from cera.automata.automaton import Constant, Declaration, EventQuery, Path, Reference
from cera.automata.structure import Step, Structure
from cera.automata.times import Known, TimeConstraint, compares
from cera.model.events.occurrence import Cell, Occurrence, unwrap, wrap
from cera.model.expressions.expression import Expression
from cera.model.matching.matching import Substitution, match
from cera.model.matching.patterns import TermPattern, bound_variables, with_values
from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar
from cera.model.time.interval import Time
from cera.modules.arrivals import children

Bindings = dict[str, Cell]


class Fields:
    """The attributes of an event by their paths, each looked up once."""

    __slots__ = ("_answers", "_content", "_found", "event")

    def __init__(self, event: Occurrence) -> None:
        self.event = event
        self._content: Mapping[str, Any] = event.content if event.content is not None else children(event.term)
        self._found: dict[Path, Cell | None] = {}
        self._answers: dict[int, list[Substitution]] = {}

    def answers(self, pattern: TermPattern) -> list[Substitution]:
        """Returns the substitutions under which a pattern matches the event, whatever variables are known."""
        found = self._answers.get(id(pattern))
        if found is None:
            found = self._answers[id(pattern)] = match(pattern, self.event.term)
        return found

    def value(self, path: Path) -> Cell | None:
        """Returns the one value of an attribute; None if it has none."""
        try:
            return self._found[path]
        except KeyError:
            found: Value | None = self._content.get(path[0])
            for label in path[1:]:
                found = children(found).get(label) if isinstance(found, Term) else None
            cell = None if found is None or isinstance(found, Term) else wrap(found)
            self._found[path] = cell
            return cell


class CompiledQuery:
    """An event query: what is given, what is referred to, and what is declared."""

    __slots__ = ("constants", "declared", "label", "references", "unique")

    def __init__(self, query: EventQuery) -> None:
        self.label = query.label
        self.constants = [(path, wrap(v.value)) for path, v in query.attributes if isinstance(v, Constant)]
        self.references = [(path, v.variable) for path, v in query.attributes if isinstance(v, Reference)]
        self.declared = [(path, v.variable) for path, v in query.attributes if isinstance(v, Declaration)]
        self.unique = query.unique

    def accepts(self, fields: Fields, variables: Mapping[str, Cell]) -> bool:
        """Returns whether an event is in the schema; variables without a value accept all."""
        value = fields.value
        for path, constant in self.constants:
            if value(path) != constant:
                return False
        for path, name in self.references:
            found = value(path)
            if found is None or variables.get(name, found) != found:
                return False
        return all(value(path) is not None for path, _ in self.declared)

    def matches(self, fields: Fields, variables: Mapping[str, Cell]) -> Sequence[Bindings]:
        """Returns what an event binds: nothing if it does not match, or a variable has no value."""
        value = fields.value
        for path, constant in self.constants:
            if value(path) != constant:
                return ()
        for path, name in self.references:
            known = variables.get(name)
            if known is None or value(path) != known:
                return ()
        bound: Bindings = {}
        for path, name in self.declared:
            found = value(path)
            if found is None or bound.setdefault(name, found) != found:
                return ()
        return (bound,)


class CompiledPattern:
    """An event query that is a pattern. It is matched once for an event, and the answers that agree with an instance
    are taken; only where it refers to a variable in `without` or `optional` it is matched for each instance."""

    __slots__ = ("_declared", "_is_plain", "_pattern", "_referenced", "label", "unique")

    def __init__(self, query: EventQuery) -> None:
        assert query.pattern is not None
        self.label = query.label
        self.unique = query.unique
        self._pattern = query.pattern
        self._declared, self._referenced = tuple(sorted(query.declared)), tuple(sorted(query.referenced))
        self._is_plain = query.referenced <= bound_variables(query.pattern)

    def accepts(self, fields: Fields, variables: Mapping[str, Cell]) -> bool:
        """Returns whether an event is in the schema; variables without a value accept all."""
        return any(True for _ in self._found(fields, variables))

    def matches(self, fields: Fields, variables: Mapping[str, Cell]) -> Sequence[Bindings]:
        """Returns what an event can bind, each once; nothing if a variable has no value."""
        if any(name not in variables for name in self._referenced):
            return ()
        found: dict[tuple[Cell, ...], Bindings] = {}
        for bound in self._found(fields, variables):
            found.setdefault(tuple(bound.values()), bound)
        return list(found.values())

    def _found(self, fields: Fields, variables: Mapping[str, Cell]) -> Iterator[Bindings]:
        known = {name: variables[name] for name in self._referenced if name in variables}
        if self._is_plain:
            answers = fields.answers(self._pattern)
        else:
            answers, known = match(with_values(self._pattern, scalars(known)), fields.event.term), {}
        for answer in answers:
            if any(_cell(answer[name]) != cell for name, cell in known.items()):
                continue
            bound = {name: _cell(answer[name]) for name in self._declared}
            if None not in bound.values():
                yield cast(Bindings, bound)


def scalars(cells: Mapping[str, Cell]) -> dict[str, Scalar]:
    """Returns the values of variables; they have no terms."""
    return {name: value for name, cell in cells.items() if not isinstance(value := unwrap(cell), Term)}


def _cell(value: Value) -> Cell | None:
    """Returns a value that a variable can have; None for a term."""
    return None if isinstance(value, Term) else wrap(value)


AnyQuery = CompiledQuery | CompiledPattern


def compiled_query(query: EventQuery) -> AnyQuery:
    return CompiledQuery(query) if query.pattern is None else CompiledPattern(query)


class CompiledStep:
    """A transition of a level: from one number of a child to another."""

    __slots__ = (
        "after",
        "before",
        "changes",
        "conditions",
        "counts",
        "created",
        "identifier",
        "is_absence",
        "level",
        "number",
        "query",
        "source",
        "terminated",
        "terminates",
        "times",
    )

    def __init__(self, step: Step, numbers: Mapping[Path, int], structure: Structure) -> None:
        label = step.transition.label
        self.number = step.number
        self.level = -1 if step.level is None else numbers[step.level]
        self.before = -1 if step.before is None else numbers[step.before]
        target = step.transition.target
        chain = tuple(path for path in step.created if path != structure.root)
        self.after = numbers[step.after] if step.level is not None else numbers[target[:2]]
        #: The states that are instantiated, each with the child that it is in.
        self.created = tuple((numbers[path], numbers[target[: len(path) + 1]]) for path in chain)
        self.query = None if label.query is None else compiled_query(label.query)
        #: Whether it binds something.
        self.changes = label.identifier is not None or (label.query is not None and bool(label.query.declared))
        self.is_absence = label.negated
        self.identifier = label.identifier
        self.times = label.times
        self.conditions: tuple[Expression, ...] = label.conditions
        self.source = -1 if step.transition.source is None else numbers[step.transition.source]
        self.terminates = step.is_terminating
        #: The states all of whose instances must be finished, unless numbers of instances are given.
        self.terminated = frozenset(numbers[path] for path in step.left if path != step.transition.source)
        self.counts = tuple(
            (
                each.function == "finishedInstances",
                numbers[structure.identified[each.identifier]],
                each.operator,
                each.number,
            )
            for each in label.terminations
        )


class CompiledAutomaton:
    """All that the processor looks up, by the numbers of states."""

    def __init__(self, structure: Structure, shown: Collection[Path], *, is_traced: bool = False) -> None:
        self.structure = structure
        #: Whether runs remember their transitions.
        self.is_traced = is_traced
        self.paths: tuple[Path, ...] = tuple(structure.states)
        numbers = {path: number for number, path in enumerate(self.paths)}
        self.numbers = numbers
        self.root = numbers[structure.root]
        #: The attribute that divides the stream, with the variable: within a history its value is always right.
        self.dividing = self._dividing()
        states = [structure.states[path] for path in self.paths]
        self.is_atomic = [state.is_atomic for state in states]
        #: Whether a state is reported when an instance is in it.
        self.is_shown = [path in shown for path in self.paths]
        self.is_opaque = [state.is_opaque for state in states]
        self.invariants = [state.invariant for state in states]
        self.has_invariants = any(self.invariants)
        self.labels = [structure.labels[path] for path in self.paths]
        self.final = frozenset(numbers[path] for path in structure.is_final)
        self.attributes = [state.attributes for state in states]
        self.needed = [structure.needed.get(path, frozenset()) for path in self.paths]
        #: The names of the attributes and of the variables of each state, in the order in which compact instances have
        #: their values.
        self.attribute_names = [tuple(name for name, _ in state.attributes) for state in states]
        self.layouts = [tuple(sorted(needed)) for needed in self.needed]
        #: Whether a state is reported while an instance of its superstate is in it.
        self.is_told = [shown and atomic for shown, atomic in zip(self.is_shown, self.is_atomic, strict=True)]
        steps = self.steps = [CompiledStep(step, numbers, structure) for step in structure.steps]
        self.enters: dict[str, list[CompiledStep]] = {}
        #: The steps with events by level, active state and label; the others by level and active state.
        self.by_event: list[dict[tuple[int, str], list[CompiledStep]]] = [{} for _ in states]
        self.timed: list[dict[int, list[CompiledStep]]] = [{} for _ in states]
        self.absences: list[dict[tuple[int, str], list[CompiledStep]]] = [{} for _ in states]
        for step in steps:
            if step.level < 0:
                assert step.query is not None
                self.enters.setdefault(step.query.label, []).append(step)
            elif step.query is None or step.is_absence:
                self.timed[step.level].setdefault(step.before, []).append(step)
                if step.query is not None:
                    key = (step.before, step.query.label)
                    self.absences[step.level].setdefault(key, []).append(step)
            else:
                self.by_event[step.level].setdefault((step.before, step.query.label), []).append(step)
        self.leaving = {
            numbers[path]: [steps[step.number] for step in leaving] for path, leaving in structure.leaving.items()
        }
        #: The queries of each non-atomic state by label.
        self.schemas: list[dict[str, list[AnyQuery]]] = [{} for _ in states]
        for path, queries in structure.schemas.items():
            for query in queries:
                self.schemas[numbers[path]].setdefault(query.label, []).append(compiled_query(query))
        #: The non-atomic states for whose instances events with a label can be relevant.
        self.concerned: dict[str, list[int]] = {}
        for number, schema in enumerate(self.schemas):
            for label in schema:
                self.concerned.setdefault(label, []).append(number)
        #: The variables that transitions of each state bind anew.
        self.rebound = [self._rebound(path) for path in self.paths]
        self.keys = [self._key(path) for path in self.paths]
        self.key_places = [
            tuple(layout.index(name) for _, name in keys) for keys, layout in zip(self.keys, self.layouts, strict=True)
        ]
        #: Whether there are instances inside of instances inside of the root.
        self.is_deep = any(len(path) > 2 and not structure.states[path].is_atomic for path in self.paths)
        #: Whether time alone can do something to an instance of a state that is in a child.
        self.has_timers = [
            {child: self._is_timed(number, child) for child in range(len(states))} for number in range(len(states))
        ]
        #: Whether instances of a state have a use for their last event, and for what else is forgotten when they come
        #: into another state.
        self.keeps_last = [self._asks_for_times(path) for path in self.paths]
        self.keeps_more = [
            bool(self.absences[number]) or any(step.created for step in steps if step.level == number)
            for number in range(len(states))
        ]

    def _is_timed(self, state: int, active: int) -> bool:
        bounded = bool(self.invariants[active])
        leaving = self.leaving.get(active, ())
        overdue = bool(leaving) and all(step.times and step.level == state for step in leaving)
        return active in self.timed[state] or bounded or overdue

    def _asks_for_times(self, path: Path) -> bool:
        number = self.numbers[path]
        inside = (self.numbers[each] for each in self.paths if each[:-1] == path)
        return (
            bool(self.timed[number])
            or any(self.invariants[each] for each in inside)
            or any(step.times for step in self.steps if step.level == number)
        )

    def _dividing(self) -> frozenset[tuple[Path, str]]:
        structure = self.structure
        variable = dict(structure.automaton.root.attributes).get(structure.key or "")
        # what is bound while an inner instance is created may be hidden from its siblings
        hides = any(len(step.created) > 1 for step in structure.enters)
        if structure.key is None or hides or not isinstance(variable, Reference):
            return frozenset()
        return frozenset({((structure.key,), variable.variable)})

    def _rebound(self, path: Path) -> frozenset[str]:
        return frozenset(
            name
            for step in self.structure.executed.get(path, ())
            if step.transition.label.query is not None
            for name in step.transition.label.query.declared
        )

    def _key(self, path: Path) -> tuple[tuple[Path, str], ...]:
        """Returns the attributes by which instances of a state are found: all its queries refer to them by variables
        that no transition of the state binds anew."""
        structure = self.structure
        queries = structure.schemas.get(path)
        if not queries:
            return ()
        bound = self._rebound(path)
        common = [
            {(where, value.variable) for where, value in query.attributes if isinstance(value, Reference)}
            for query in queries
        ]
        named = {value.variable for _, value in structure.states[path].attributes if isinstance(value, Reference)}
        found = set.intersection(*common) - self.dividing
        return tuple(sorted((where, name) for where, name in found if name not in bound and name in named))


def times_hold(constraints: Iterable[TimeConstraint], known: Known, this: Occurrence | None, now: Time) -> bool:
    """Returns whether constraints hold, with the event that is matched as `this`."""
    for constraint in constraints:
        total = constraint.now_factor * now
        for factor, bound, name in constraint.terms:
            times: Any = this if name == "this" else known.get(name)
            if times is None:
                return False
            total += factor * (times.end if bound == "e" else times.begin)
        if not compares(total, constraint.operator, constraint.bound):
            return False
    return True
