"""The rules that derive the violations of a clause, or why there are none.

violation{…} <- body and each alternative of the head is refuted      a point when all of that is certain
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import assert_never

from cera.constraints.clause import Clause
from cera.constraints.groups import binds
from cera.constraints.queries import Literal
from cera.constraints.reports import VIOLATION, place_of
from cera.constraints.texts import findings_of
from cera.constraints.translation.bodies import body_of
from cera.constraints.translation.branches import ClauseBranch, Setting
from cera.constraints.translation.places import NotByRulesError
from cera.constraints.translation.refutations import Refuted, ways_of
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Arithmetic, Call, Expression, Variable
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeUnit
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import Report, Rule

#: What stands before the number of a rule that is not the first one of its clause; violations have the clause's name.
_NEXT = "#"
#: More rules than these would do more work than one walk over the events.
MOST_RULES = 8


@dataclass(frozen=True)
class ByRules:
    """The rules of a clause, of which each derives violations."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class EventByEvent:
    """Why a clause has no rules, in words of the constraint."""

    reason: str


def rules_of(
    clause: Clause,
    module: str,
    relations: Sequence[RelationDeclaration] = (),
    origin: Time = 0,
    unit: TimeUnit | None = None,
    *,
    since: Time | None = None,
    timezone: str = "UTC",
) -> ByRules | EventByEvent:
    """Returns the rules that derive the violations of a clause of a module, or why there are none.

    `since` is from when on the stream is complete, if that was said. Times are written as numbers of the unit, if any.
    """
    fixed = {each.name for each in relations if each.refresh is None and each.valid_from is None}
    try:
        if clause.definitions:
            raise NotByRulesError("what a local definition derives is counted")
        return ByRules(tuple(_rules(clause, module, body_of(clause, fixed, Setting(origin, since, timezone)), unit)))
    except NotByRulesError as reason:
        return EventByEvent(str(reason))


def _rules(clause: Clause, module: str, body: ClauseBranch, unit: TimeUnit | None) -> Iterator[Rule]:
    alternatives = [ways_of(each, body, alone=len(clause.head) == 1) for each in clause.head]
    chosen = list(product(*alternatives))
    if len(chosen) > MOST_RULES:
        raise NotByRulesError("there are too many ways to refute the head")
    for number, ways in enumerate(chosen, 1):
        branch = body.copied()
        found = [way.add(branch) for way in ways]
        free = [] if len(clause.head) != 1 else [each for each in clause.head[0] if isinstance(each, Literal)]
        values = sorted(branch.bound.union(*(binds(each) for each in free if each.count is not None)))
        head = _head(clause, values, _together(found), unit)
        title = f"{module}.{clause.name}"
        made = branch.branch(head)
        if not made.events:
            raise NotByRulesError("nothing has to happen")
        name = title if number == 1 else f"{title}{_NEXT}{number}"
        report = Report(title, tuple(branch.causes()))
        yield Rule(name, head, (made,), span=clause.span, momentary=True, report=report)


def clause_of(rule: str) -> str:
    """Returns the module and the clause of a rule by its name, which several rules of a clause have a number behind."""
    return rule.partition(_NEXT)[0]


def _together(found: Sequence[Refuted]) -> Refuted:
    """Returns what is said of all alternatives. Raises NotByRulesError if the last of them is not always the same.

    What is counted when a time is over is later than what is found in it before.
    """
    counted = [each for each in found if each.place is not None]
    windows = list(dict.fromkeys(each.window for each in counted if each.window is not None))
    places = {each.place for each in counted}
    if len(windows) > 1 or (len(places) > 1 and counted) or (counted and any(each.is_timed for each in found)):
        raise NotByRulesError("alternatives are about different times, and one of them is refuted last")
    expected = ", or ".join(dict.fromkeys(each.expected for each in found))
    return Refuted(expected, findings_of(each.found for each in found), windows[0] if windows else None)


def _head(clause: Clause, values: Sequence[str], refuted: Refuted, unit: TimeUnit | None) -> Construct:
    """Returns the head of a rule: the event that `cera.constraints.module.violation_event` makes of a violation."""
    children: list[Construct] = [_child("constraint", Constant(clause.constraint))]
    if clause.span is not None:
        children.append(_child("place", Constant(place_of(clause.span))))
    if values:
        children.append(ConstructTerm("binding", tuple(_child(name, Variable(name)) for name in values)))
    if refuted.window is not None:
        begin, end = refuted.window
        bounds = (_child("from", _written(begin, unit)), _child("to", _written(end, unit)))
        children.append(ConstructTerm("window", bounds))
    children.append(_child("expected", Constant(refuted.expected)))
    if refuted.found is not None:
        children.append(_child("found", Constant(refuted.found)))
    return ConstructTerm(VIOLATION, tuple(children))


def _written(time: Expression, unit: TimeUnit | None) -> Expression:
    """Returns the value of `cera.constraints.reports.written_time` for a point of time."""
    match unit:
        case None:
            return Call("iso", (time,))
        case "s":
            return Call("seconds", (time,))
        case "ms":
            return Call("milliseconds", (time,))
        case "us":
            return Call("microseconds", (time,))
        case "ns":
            return Arithmetic("*", Call("microseconds", (time,)), Constant(1_000))
        case _:
            assert_never(unit)


def _child(label: str, value: Expression) -> Construct:
    return ConstructTerm(label, (ConstructValue(value),))
