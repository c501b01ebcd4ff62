"""What automata derive: openings and endings of states, violations, instances that are overdue, and states that are
only possible, or that were certain too late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from cera.automata.explanations import Explainer, InstanceView, Name
from cera.automata.module import OVERDUE, PAST, POSSIBLE, VIOLATION, AutomatonModule
from cera.automata.structure import Step
from cera.model.events.event import STATE_ID, Event
from cera.model.events.occurrence import Cell, Occurrence, unwrap
from cera.model.events.states import ENDING, OPENING, ending, opening
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.detection import TermDetection, Way

#: A state of an instance: the label of the state, and the name of the instance.
StateKey = tuple[str, Name]
#: A state that a run was in, with its begin and its end.
Period = tuple[StateKey, Time, Time]
#: The events that a report rests on, by name.
Causes = Sequence[tuple[str, Occurrence]]

#: Why something is a violation.
NOT_ACCEPTED = "no transition accepts it"
TIME_OVER = "the time in this state is over"
TOGETHER = "it happens together with another event of the instance"
NOT_EXPECTED = "no instance waits for it"


class Report(TermDetection):
    """A detection of an automaton, with events as causes; in several ways if it rests on several runs."""

    __slots__ = ("_rule", "_ways")

    def __init__(self, rule: str, term: Term, begin: Time, end: Time, *ways: Causes) -> None:
        super().__init__(term, begin, end)
        self._rule = rule
        self._ways = ways

    def ways(self) -> Iterator[Way]:
        for causes in self._ways:
            yield self._rule, causes

    def with_ways(self, ways: Iterable[Way]) -> Report:
        """Returns the same event, derived in these ways by one automaton."""
        found = [(rule, list(causes)) for rule, causes in ways]
        return Report(found[0][0], self.term, self.begin, self.end, *(causes for _, causes in found))


class StateReport(Report):
    """The opening of a state, or its ending if it has an end. Its term and its id are made when they are asked for."""

    __slots__ = ("_key", "_label", "_owner")

    def __init__(
        self,
        rule: str,
        key: StateKey,
        owner: str | None,
        begin: Time,
        end: Time | None,
        causes: Causes,
    ) -> None:
        self._key = key
        #: The instance of the root, where the name of the state does not say which.
        self._owner = owner
        self._label = (OPENING if end is None else ENDING) + key[0]
        self.begin = begin
        self.end = begin if end is None else end
        self._rule = rule
        self._ways = (causes,)
        self._occurrence = None

    @property
    def label(self) -> str:
        return self._label

    @property
    def term(self) -> Term:  # type: ignore[override]
        return self.occurrence.term

    @property
    def occurrence(self) -> Occurrence:
        if self._occurrence is None:
            self._occurrence = self._made()
        return self._occurrence

    def _made(self) -> Occurrence:
        label, name = self._key
        content = dict(name)
        if len(content) == len(name) and all(value.__class__ in (int, str) for value in content.values()):
            times = self.begin, self.begin
            content[STATE_ID] = flat_event_id(OPENING + label, content.items(), *times, self._owner)  # type: ignore[arg-type]
            return Occurrence(self.begin, self.end, self._label, content)
        event = opening(Term(label, children_of(name)), self.begin, owner=self._owner)
        if self._label.startswith(ENDING):
            event = ending(event, self.end)
        return Occurrence(self.begin, self.end, self._label, known=event.term)


class ShownState:
    """A state as it is reported: by which automaton, under which labels, with which attributes. The attributes of the
    root are given if the name of the state does not say which instance of the root it is in."""

    __slots__ = ("attributes", "ending", "label", "opening", "owner", "rule")

    def __init__(self, rule: str, label: str, attributes: tuple[str, ...], owner: tuple[str, ...] | None) -> None:
        self.rule = rule
        self.label = label
        self.attributes = attributes
        self.owner = owner
        self.opening = OPENING + label
        self.ending = ENDING + label


class NamedInstance(Protocol):
    """An instance of which the values of its name are known."""

    name: tuple[Cell | None, ...]

    @property
    def parent(self) -> NamedInstance | None: ...


class DirectStateReport(StateReport):
    """A report of which everything is made when it is asked for."""

    __slots__ = ("_cause", "_instance", "_name", "_shown")

    def __init__(
        self,
        shown: ShownState,
        label: str,
        instance: NamedInstance,
        begin: Time,
        end: Time,
        name: str,
        cause: Occurrence,
    ) -> None:
        self._shown = shown
        self._label = label
        self._instance = instance
        self.begin = begin
        self.end = end
        self._name = name
        self._cause = cause
        self._occurrence = None

    @property
    def _key(self) -> StateKey:  # type: ignore[override]
        return self._shown.label, named(self._instance.name, self._shown.attributes)

    @property
    def _owner(self) -> str | None:  # type: ignore[override]
        if self._shown.owner is None:
            return None
        root = self._instance
        while root.parent is not None:
            root = root.parent
        return owner_text(named(root.name, self._shown.owner))

    def ways(self) -> Iterator[Way]:
        yield self._shown.rule, [(self._name, self._cause)]


@dataclass(frozen=True)
class Fault:
    """Why a set of runs has come to nothing: the event, if it is one, and the reason."""

    event: Occurrence | None
    reason: str


class Reports:
    """The reports of one automaton."""

    def __init__(self, module: AutomatonModule, timezone: str) -> None:
        self._module = module
        self._structure = module.structure
        self._times = module.times or TimeFormat()
        self._explainer = Explainer(module.structure, self._times, timezone)

    def _report(self, term: Term, begin: Time, end: Time, *ways: Causes) -> Report:
        return Report(self._module.name, term, begin, end, *ways)

    def _about(self, label: str, *children: Term) -> Term:
        return Term(label, [Term("automaton", [self._module.name]), *children])

    def state_change(self, root: Name, key: StateKey, begin: Time, end: Time | None, causes: Causes) -> Report:
        """Returns the opening of a state inside of an instance of the root, or its ending if an end is given."""
        owner = owner_text(root) if key[0] in self._structure.unnamed else None
        return StateReport(self._module.name, key, owner, begin, end, causes)

    def violation(
        self,
        name: Name,
        fault: Fault,
        seeing: Sequence[InstanceView],
        views: Sequence[InstanceView],
        now: Time,
        ways: Sequence[Causes],
    ) -> Report:
        """Returns a violation: what happened, where the last runs were, and what they would have accepted.

        The instances that are `seeing` the event may be in any state; those of `views` are in atomic ones.
        """
        labels = self._structure.labels
        states = sorted({labels[view.active] for view in views})
        inner = sorted(
            {(labels[view.state], view.name) for view in views if view.state != self._structure.root}, key=repr
        )
        expected = self._explainer.expected(views)
        together = fault.reason == TOGETHER
        nearest = self._explainer.nearest(seeing, views, fault.event, now, together=together)
        term = self._about(
            VIOLATION,
            Term("instance", children_of(name)),
            *([Term("part", [Term(label, children_of(own)) for label, own in inner])] if inner else []),
            Term("reason", [fault.reason]),
            *([] if fault.event is None else [Term("event", [fault.event.term])]),
            Term("state", [", ".join(states)]),
            *([Term("expected", ["; or ".join(expected)])] if expected else []),
            *([] if nearest is None else [Term("nearest", [nearest])]),
        )
        return self._report(term, now, now, *ways)

    def unexpected_event(self, event: Occurrence) -> Report:
        """Returns the violation by an event that no instance waits for."""
        term = self._about(
            VIOLATION,
            Term("reason", [NOT_EXPECTED]),
            Term("event", [event.term]),
            Term("nearest", [f"{' or '.join(self._explainer.entering())} before it"]),
        )
        return self._report(term, event.end, event.end, [("event", event)])

    def overdue(self, view: InstanceView, now: Time, last: Occurrence) -> Report:
        """Returns the report of an instance that is in a state from which nothing can fire any more."""
        expected = self._explainer.expected([view])
        term = self._about(
            OVERDUE,
            Term("instance", children_of(view.name)),
            Term("state", [self._structure.labels[view.active]]),
            Term("expected", ["; or ".join(expected)]),
        )
        return self._report(term, now, now, [("last", last)])

    def possible(self, period: Period, causes: Causes) -> Report:
        """Returns a state that some run was in, and that was not certain; it is known when it ends."""
        (label, name), begin, end = period
        term = self._about(POSSIBLE, Term("instance", children_of(name)), Term("state", [label]))
        return self._report(term, begin, end, causes)

    def past(self, period: Period, now: Time, causes: Causes) -> Report:
        """Returns a state that has become certain after its end."""
        (label, name), begin, end = period
        until = self._times.format(end)
        term = self._about(PAST, Term("instance", children_of(name)), Term("state", [label]), Term("until", [until]))
        return self._report(term, begin, now, causes)

    def violated(self, name: Name, now: Time, causes: Causes) -> Report:
        """Returns the mark of an instance that a violation has ended, which `verify` counts."""
        return self._report(Term(self._module.violated_label, children_of(name)), now, now, causes)


def latest_overdue(found: Sequence[Report]) -> Report:
    """Returns one of several reports of what is overdue: that with the last event, whatever the order of runs is."""

    def order(report: Report) -> tuple[Time, Time, str]:
        [(_, causes)] = report.ways()
        [(_, last)] = causes
        return last.end, last.begin, last.id

    last = max(map(order, found))
    return min((each for each in found if order(each) == last), key=lambda each: str(each.term))


def each_once(found: list[Report]) -> list[Report]:
    """Returns the reports of a step, each event once with all the ways in which it was derived: instances with one name
    in different runs may report the same."""
    if len({(one.label, one.begin, one.end) for one in found}) == len(found):
        return found
    together: dict[Event, list[Report]] = {}
    for one in found:
        together.setdefault(one.occurrence.event, []).append(one)
    return [
        one if not others else one.with_ways(way for each in (one, *others) for way in each.ways())
        for one, *others in together.values()
    ]


def named(values: Iterable[Cell | None], names: Iterable[str]) -> Name:
    """Returns a name with its attributes; those without a value are left out."""
    return tuple((name, value) for name, value in zip(names, values, strict=True) if value is not None)


def owner_text(root: Name) -> str:
    """Returns what tells the states of one instance of the root from those of others."""
    return f"in {Term('', children_of(root))}"


def children_of(name: Name) -> list[Term]:
    return [Term(attribute, [unwrap(value)]) for attribute, value in name]


def named_causes(events: Iterable[Occurrence]) -> list[tuple[str, Occurrence]]:
    """Returns the events of a step as causes, in an order of their own."""
    ordered = sorted(events, key=lambda event: (event.begin, event.id))
    return [("event" if not number else f"event {number + 1}", event) for number, event in enumerate(ordered)]


def step_text(step: Step) -> str:
    """Returns a transition for people: its states, and its label."""
    return step.transition.text or step.transition.name
