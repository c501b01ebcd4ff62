"""What can be decided about steps before they are taken: which instance an event concerns, which transitions its state
has for it, how long after the last event they may fire, where values go, and when time alone will do something next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cera.automata.automaton import LAST, Constant
from cera.automata.compact import Values
from cera.automata.compiled import AnyQuery, CompiledAutomaton, CompiledQuery, CompiledStep
from cera.automata.times import TimeConstraint, Times, times_of
from cera.model.events.occurrence import PLAIN, Cell, wrap

#: Microseconds from the last event of an instance on: not before the first, not after the second number.
Window = tuple[int | None, int | None]


class FlatQuery(NamedTuple):
    """A query without attributes in attributes: what an event must have, by the labels of its children."""

    constants: tuple[tuple[str, Cell], ...]
    #: The places of the variables that it refers to, but for those by which the instance was found.
    references: tuple[tuple[str, int], ...]
    declared: tuple[tuple[str, str], ...]


class Source(NamedTuple):
    """Where a value of a new instance comes from: an attribute of the event, a place among the values of the instance
    around it unless that is hidden, or a constant."""

    attribute: str | None
    place: int | None
    name: str
    constant: Cell | None = None


class NewInstance(NamedTuple):
    """An instance that a transition creates."""

    state: int
    active: int
    name: tuple[Source, ...]
    values: tuple[Source, ...]
    #: How long after the event time does something to it.
    timer: int | None
    #: Whether no other instance can have its name, because a part of it is unique.
    is_distinct: bool


class DirectStep:
    """A transition that an event may fire."""

    __slots__ = (
        "after",
        "binds",
        "bound",
        "created",
        "has_more",
        "identifier",
        "is_final",
        "is_move",
        "is_timed",
        "least",
        "most",
        "names",
        "own",
        "step",
        "stores",
        "terminates",
        "timer",
        "times",
        "unique",
    )

    def __init__(
        self,
        step: CompiledStep,
        query: FlatQuery,
        automaton: CompiledAutomaton,
        timer: int | None,
        created: tuple[NewInstance, ...],
        *,
        is_alone: bool,
    ) -> None:
        assert isinstance(step.query, CompiledQuery)
        self.step = step
        self.after = step.after
        self.terminates = step.terminates
        #: How long after the event time does something to the instance.
        self.timer = timer
        self.created = created
        self.is_final = step.after in automaton.final
        #: What the event must have, where that was not looked at before.
        self.own = None if is_alone else query
        self.bound = query.declared
        layout = automaton.layouts[step.level]
        #: Where the values of attributes go.
        self.stores = tuple((layout.index(name), attribute) for attribute, name in query.declared if name in layout)
        attributes = {name: attribute for attribute, name in query.declared}
        self.unique = tuple((each.variable, attributes[each.variable], each.memory) for each in step.query.unique)
        self.identifier = step.identifier
        self.names = frozenset(attributes) | (frozenset() if step.identifier is None else {step.identifier})
        self.binds = bool(self.bound or self.unique or step.identifier is not None)
        #: Whether time does something after it, to the instance or to a new one.
        self.is_timed = timer is not None or any(new.timer is not None for new in created)
        window = window_of(step.times)
        self.least, self.most = (None, None) if window is None else window
        self.times = step.times if window is None else ()
        #: Whether there is more to it than how long ago the last event was.
        self.has_more = bool(self.own or self.times or step.conditions or step.terminates or self.unique)
        #: Whether it does no more than to change one instance that goes on.
        self.is_move = not (step.terminates or created or self.is_final)


class Way:
    """How events with a label concern the instances of one state."""

    __slots__ = ("asks", "key", "keys", "others", "place", "places", "query", "state", "steps")

    def __init__(
        self,
        state: int,
        keys: Sequence[str],
        places: Sequence[int],
        queries: Sequence[FlatQuery],
        steps: Sequence[tuple[DirectStep, ...] | None],
    ) -> None:
        self.state = state
        #: The attributes by which the instance is found, and the places of their values; none for the root.
        self.keys, self.places = tuple(keys), tuple(places)
        self.key, self.place = (self.keys[0], self.places[0]) if len(self.keys) == 1 else ("", -1)
        #: The queries, one of which has to accept the event.
        self.query, *self.others = queries
        #: Whether they ask for more than what the instance is found by.
        self.asks = bool(self.others) or any(self.query)
        #: The transitions by the child that the instance is in; None where there is more to look at.
        self.steps = tuple(steps)


class DirectEnter(NamedTuple):
    """A transition that makes a new instance of the root."""

    query: FlatQuery
    root: NewInstance
    created: tuple[NewInstance, ...]
    #: The variables that it binds, and those of them whose values are unique, with their attributes.
    names: frozenset[str]
    unique: tuple[tuple[str, str, int | None], ...]


def told_alike(automaton: CompiledAutomaton) -> bool:
    """Returns whether two states that are reported have one label, or a state has an attribute twice."""
    labels = [label for label, shown in zip(automaton.labels, automaton.is_shown, strict=True) if shown]
    return len(set(labels)) < len(labels) or any(len(set(each)) < len(each) for each in automaton.attribute_names)


class Tables:
    """The tables of an automaton; empty for what has to be explored."""

    def __init__(self, automaton: CompiledAutomaton) -> None:
        self._automaton = automaton
        #: How events concern live instances, by their labels.
        self.ways: dict[str, tuple[Way, ...]] = {}
        self.enters: dict[str, DirectEnter] = {}
        #: The delays of an instance in a state that are all that time does to it: when they fire, and what follows.
        self.delays: dict[tuple[int, int], tuple[tuple[Window, CompiledStep, int | None], ...]] = {}
        if automaton.is_traced or told_alike(automaton):
            return
        for label in {*automaton.concerned, *automaton.enters}:
            if (ways := self._ways_of(label)) is not None:
                self.ways[label] = ways
            if (enter := self._enter_of(label)) is not None:
                self.enters[label] = enter
        for state, timed in enumerate(automaton.timed):
            for active in timed:
                if (delays := self._delays_of(state, active)) is not None:
                    self.delays[state, active] = delays

    # Events

    def _ways_of(self, label: str) -> tuple[Way, ...] | None:
        """Returns how events with a label concern instances; None if that has to be explored."""
        if label in self._automaton.enters:
            return None
        ways = [self._way(state, label) for state in self._automaton.concerned[label]]
        found = tuple(way for way in ways if way is not None)
        return found if len(found) == len(ways) else None

    def _way(self, state: int, label: str) -> Way | None:
        automaton = self._automaton
        if automaton.is_opaque[state] or not self._is_quiet(state):
            return None
        keys = automaton.keys[state] if state != automaton.root else ()
        if state != automaton.root and not keys:
            return None
        queries = [self._flat(query, state) for query in automaton.schemas[state][label]]
        flat = [query for query in queries if query is not None]
        if len(flat) < len(queries):
            return None
        steps = [self._steps(state, child, label, is_alone=len(flat) == 1) for child in range(len(automaton.paths))]
        return Way(state, [path[0] for path, _ in keys], automaton.key_places[state] if keys else (), flat, steps)

    def _flat(self, query: AnyQuery, state: int) -> FlatQuery | None:
        automaton = self._automaton
        if not isinstance(query, CompiledQuery):
            return None
        parts = [*query.constants, *query.references, *query.declared]
        names = [name for _, name in query.declared]
        if any(len(path) != 1 for path, _ in parts) or len(set(names)) < len(names):
            return None
        if any(value.__class__ not in PLAIN for _, value in query.constants):
            return None
        implied = {*(automaton.keys[state] if state != automaton.root else ()), *automaton.dividing}
        layout = automaton.layouts[state]
        return FlatQuery(
            tuple((path[0], value) for path, value in query.constants),
            tuple((path[0], layout.index(name)) for path, name in query.references if (path, name) not in implied),
            tuple((path[0], name) for path, name in query.declared),
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

    def _steps(self, state: int, child: int, label: str, *, is_alone: bool) -> tuple[DirectStep, ...] | None:
        automaton = self._automaton
        if automaton.absences[state].get((child, label)):
            return None
        found = []
        for step in automaton.by_event[state].get((child, label), ()):
            timer = self._timer(state, step.after)
            assert step.query is not None
            query = self._flat(step.query, state)
            if query is None:
                return None
            created = tuple(self._created(step, each, query, automaton.layouts[state]) for each in step.created)
            if timer == 0 or any(each.timer == 0 for each in created):
                return None
            found.append(DirectStep(step, query, automaton, timer, created, is_alone=is_alone))
        return tuple(found)

    def _created(
        self, step: CompiledStep, created: tuple[int, int], query: FlatQuery, around: Sequence[str]
    ) -> NewInstance:
        """Returns how an instance is made from the event, and from the values of the instance around it."""
        assert step.query is not None
        state, active = created
        name, values = self._sources(state, query, around)
        forever = {each.variable for each in step.query.unique if each.memory is None}
        is_distinct = any(source.name in forever for source in name)
        return NewInstance(state, active, name, values, self._timer(state, active), is_distinct)

    def _sources(
        self, state: int, query: FlatQuery, around: Sequence[str]
    ) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
        automaton = self._automaton
        attributes = {name: attribute for attribute, name in query.declared}

        def source(variable: str) -> Source:
            place = around.index(variable) if variable in around else None
            return Source(attributes.get(variable), place, variable)

        named = [
            Source(None, None, "", wrap(value.value)) if isinstance(value, Constant) else source(value.variable)
            for _, value in automaton.attributes[state]
        ]
        return tuple(named), tuple(source(variable) for variable in automaton.layouts[state])

    def _enter_of(self, label: str) -> DirectEnter | None:
        """Returns the only transition by which events with a label enter, if nothing else waits for them."""
        automaton = self._automaton
        steps = automaton.enters.get(label, ())
        if len(steps) != 1 or label in automaton.concerned:
            return None
        [step] = steps
        query = None if step.query is None else self._flat(step.query, automaton.root)
        if query is None or step.times or step.conditions or step.identifier or step.after in automaton.final:
            return None
        assert step.query is not None
        root, *created = (
            self._created(step, each, query, ()) for each in ((automaton.root, step.after), *step.created)
        )
        if any(each.timer == 0 for each in (root, *created)):
            return None
        attributes = {name: attribute for attribute, name in query.declared}
        unique = tuple((each.variable, attributes[each.variable], each.memory) for each in step.query.unique)
        return DirectEnter(query, root, tuple(created), frozenset(attributes), unique)

    # Time

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

    def _delays_of(self, state: int, active: int) -> tuple[tuple[Window, CompiledStep, int | None], ...] | None:
        """Returns the delays of an instance, if they only lead it to another state and nothing else is timed in it."""
        automaton = self._automaton
        if automaton.invariants[active] or not self._is_quiet(state):
            return None
        found = []
        for step in automaton.timed[state][active]:
            window, timer = window_of(step.times), self._timer(state, step.after)
            plain = not (step.is_absence or step.conditions or step.terminates or step.created)
            if window is None or not plain or timer == 0 or step.after in automaton.final:
                return None
            found.append((window, step, timer))
        return tuple(found)


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


def values_from(
    sources: Iterable[Source], content: Mapping[str, Any], around: Values, hidden: frozenset[str]
) -> Values:
    """Returns the values of a new instance, or of its name."""
    found = []
    for attribute, place, name, constant in sources:
        if attribute is not None:
            found.append(content[attribute])
        elif place is not None and name not in hidden:
            found.append(around[place])
        else:
            found.append(constant)
    return tuple(found)
