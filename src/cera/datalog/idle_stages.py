"""Stages at which nothing happens: what a program does not have to be run for.

    sat1(X, J) <- upd_ACC(X, J), X.new_Balance - X.old_Balance > 900.
    has_sat1(X, J) <- sat1(X, J).
    has_sat1(X, s(J)) <- any(s(J)), has_sat1(X, J).

Most changes are smaller than that. At their stages the rules derive nothing, and what stays stays in place. So a stage
is *idle* if no event of it passes the conditions that a rule asks of it alone, and if each rule that is run needs such
an event, something derived at the stage, or a fact of the stage before of a predicate that has none. Counts of stages
(`stage_numbers`) need not go on at idle stages: they are only compared with each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cera.datalog.normal import NormalAtom, NormalRule
from cera.datalog.scheduling import Loop, Run, Schedule
from cera.datalog.syntax import root
from cera.model.expressions.expression import Expression, variables


@dataclass(frozen=True)
class Asked:
    """Conditions on an event by itself, the variable that stands for it in them, and the predicates of which there have
    to be facts at the stage before."""

    variable: str
    conditions: tuple[Expression, ...]
    remembered: frozenset[str]


#: What holds at every stage.
_GIVEN = frozenset(("any", "time"))


@dataclass(frozen=True)
class IdleStages:
    """What an idle stage is: the predicates without a fact at the stage before, and what rules ask of events."""

    empty: frozenset[str]
    #: By the predicates of events that rules ask for; None if one of them asks nothing.
    asked: Mapping[str, tuple[Asked, ...] | None]

    def of(self, predicate: str) -> tuple[Asked, ...] | None:
        """Returns the conditions on an event by itself: it is of interest if all that one of the rules asks hold; in
        any case if there are none (None); never if no rule asks for it."""
        return self.asked.get(predicate, ())


def idle_stages(
    rules: Sequence[NormalRule],
    schedule: Schedule,
    events: Collection[str],
    outputs: Collection[str],
    numbers: Collection[str],
) -> IdleStages | None:
    """Returns what idle stages of a program are, None if it may do something at every stage.

    `events` are the predicates of events that rules ask for, `outputs` those whose facts are asked for, `numbers` those
    that only number stages.
    """
    run = list(_run(schedule))
    counters = {name for name in numbers if _goes_on(name, run, events)}
    kept = {a.predicate for rule in rules for a in rule.atoms if a.moment == "old"} - schedule.frames.keys()
    silent = {rule.predicate for rule in run} - schedule.frames.keys() - counters
    own = frozenset(events) - _GIVEN

    def starts(atom: NormalAtom) -> bool:
        if atom.moment == "new":
            return atom.predicate in own or atom.predicate in silent
        return atom.moment == "old" and atom.predicate in kept and atom.predicate not in counters

    if any(isinstance(rule.when, int) and rule.when > 0 for rule in rules):
        return None
    if not all(rule.predicate in counters or any(map(starts, rule.positive)) for rule in run):
        return None
    for frame in schedule.frames.values():
        if not {atom.predicate for atom in frame.guards} <= _GIVEN & set(events):
            return None
        if not all(atom.predicate in own or atom.predicate in silent for atom in frame.removals):
            return None
    constant = {rule.predicate for rule in rules if rule.when == "always"}
    if not _GIVEN.isdisjoint({*kept, *outputs}) or not constant.isdisjoint(outputs):
        return None
    if not schedule.frames.keys().isdisjoint(outputs):
        return None
    always = {*kept, *outputs, *(atom.predicate for rule in rules for atom in rule.negative)}
    return IdleStages(frozenset(kept - counters), {name: None if name in always else _asked(name, run) for name in own})


def _run(schedule: Schedule) -> Iterator[NormalRule]:
    """Yields the rules that are run at later stages; those that say that facts stay are not."""
    for step in schedule.steps:
        match step:
            case Run(rule=rule) if rule.when in ("every", "later"):
                yield rule
            case Loop(rules=rules):
                yield from (rule for rule in rules if rule.when in ("every", "later"))
            case _:
                pass


def _goes_on(predicate: str, run: Sequence[NormalRule], events: Collection[str]) -> bool:
    """Returns whether the count of the stages goes on at every stage, and depends on nothing else."""
    own = [rule for rule in run if rule.predicate == predicate]
    if len(own) != 1 or "any" not in events:
        return False
    [rule] = own
    before = {(atom.predicate, atom.moment) for atom in rule.positive}
    return before == {("any", "new"), (predicate, "old")} and not rule.negative and not rule.conditions


def _asked(predicate: str, run: Sequence[NormalRule]) -> tuple[Asked, ...] | None:
    """Returns what rules ask of an event of a predicate by itself; None if one of them asks nothing."""
    found: list[Asked] = []
    for rule in run:
        for atom in rule.positive:
            if atom.predicate == predicate:
                conditions = _conditions(rule, atom)
                if not conditions:
                    return None
                remembered = frozenset(other.predicate for other in rule.positive if other.moment == "old")
                found.append(Asked(str(atom.terms[0]), conditions, remembered))
    return tuple(dict.fromkeys(found))


def _conditions(rule: NormalRule, atom: NormalAtom) -> tuple[Expression, ...]:
    """Returns the conditions on the event of an atom; none if others may come before them."""
    names = atom.names
    if len(atom.terms) != 1 or len(names) != 1:
        return ()
    given = {name for other in rule.positive if other.predicate in _GIVEN for name in other.names}
    roots = [({root(name) for name in variables(each)}, each) for each in rule.conditions]
    if any(found <= given for found, _ in roots):
        return ()
    own = tuple(each for found, each in roots if found == names)
    return own if all(_is_attribute(name) for each in own for name in variables(each)) else ()


def _is_attribute(name: str) -> bool:
    """Returns whether a variable of a condition is an attribute that an event has by its name."""
    return name.partition(".")[2] not in ("", "Time")


def attributes(asked: Sequence[Asked]) -> list[str]:
    """Returns the attributes that conditions are about, each once."""
    names = {name for one in asked for each in one.conditions for name in variables(each)}
    return sorted({name.partition(".")[2] for name in names})
