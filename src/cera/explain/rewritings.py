"""What constraints make of rules, as data that prints as JSON and as text."""

from __future__ import annotations

import re
import typing
from collections.abc import Collection, Iterator, Sequence
from typing import NotRequired, TypedDict

from cera.automata.module import AutomatonModule
from cera.constraints.clause import Clause
from cera.constraints.queries import Literal
from cera.explain.costs import EstimateBasis, ExplainedChoice, basis_lines, choice_lines, explain_choice
from cera.explain.plan import NOTATION
from cera.model.expressions.expression import Expression
from cera.model.matching.patterns import TermPattern
from cera.optimizer.semantic.choice import Choice
from cera.optimizer.semantic.driver import Rewriting, RewrittenProgram, RewrittenRule
from cera.optimizer.semantic.partial_values import PartialValues, with_one_value
from cera.optimizer.semantic.rule_states import RuleState, rule_state
from cera.optimizer.semantic.scan_reduction import LAW as SCAN_REDUCTION
from cera.optimizer.semantic.table_keys import LAW as LOOKUP_MERGING
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.unification import query_label
from cera.rules.rule import Accumulation, EventQuery, RelationQuery, relations_of
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, OnlyPartner, RefutingEvent

#: A variable that stands at one place of a rule only, as StreamLog is lowered.
_ONCE = re.compile(r"\b_(\w+)#")

RuleResult = typing.Literal["unsatisfiable", "answered", "rewritten", "unchanged"]


class ExplainedConstraint(TypedDict):
    name: str
    place: str | None


class UnusedConstraint(ExplainedConstraint):
    reason: str


class ExplainedRewriting(TypedDict):
    law: str
    constraints: list[ExplainedConstraint]
    change: str


class PartialValue(TypedDict):
    """A pattern that also matches attributes with several values, and the one that asks for one."""

    pattern: str
    place: str | None
    for_one: str


class RewritingOfRule(TypedDict):
    rule: str
    place: str | None
    result: RuleResult
    rewritings: list[ExplainedRewriting]
    #: The state of an automaton in which all its events come.
    evaluated_in: NotRequired[str]
    costs: NotRequired[ExplainedChoice]
    #: What keeps constraints from concerning it.
    several_values: NotRequired[list[PartialValue]]


class Optimization(TypedDict):
    rules: list[RewritingOfRule]
    estimates: NotRequired[EstimateBasis]
    #: The constraints that no law could use.
    unused: NotRequired[list[UnusedConstraint]]


def explain_rewritings(
    rewritten: RewrittenProgram,
    unused: Sequence[Clause],
    choices: Sequence[Choice] = (),
    basis: EstimateBasis | None = None,
    automata: Sequence[AutomatonModule] = (),
    partial: Sequence[PartialValues] = (),
) -> Optimization:
    """Returns what became of each rule, by which estimates, and which constraints were of no use."""
    found: Optimization = {"rules": [_rule(each) for each in rewritten.rules]}
    if basis is not None:
        found["estimates"] = basis
    for each, one in zip(found["rules"], rewritten.rules, strict=True):
        state = rule_state(one.original, automata)
        if state is not None:
            each["evaluated_in"] = _state(state)
        for several in (one_of.patterns for one_of in partial if one_of.rule is one.original):
            each["several_values"] = [_partial_value(pattern) for pattern in several]
    for each, choice in zip(found["rules"], choices, strict=False):
        each["costs"] = explain_choice(choice)
    if unused:
        left_out = [clause for choice in choices for clause in choice.clauses_left_out]
        found["unused"] = _unused(rewritten, unused, left_out)
    return found


def _partial_value(pattern: TermPattern) -> PartialValue:
    place = None if pattern.span is None else str(pattern.span)
    return {
        "pattern": NOTATION.pattern(pattern),
        "place": place,
        "for_one": NOTATION.pattern(with_one_value(pattern)),
    }


def _state(state: RuleState) -> str:
    begins = f", which begins with {' or '.join(state.begins_with)}" if state.begins_with else ""
    return f"{state.label} of the automaton {state.automaton}, with one {state.variable}{begins}"


def _unused(
    rewritten: RewrittenProgram, clauses: Sequence[Clause], left_out: Collection[Clause] = ()
) -> list[UnusedConstraint]:
    """Returns the constraints that are of no use, each with the reason."""
    rules = [each.original for each in rewritten.rules]
    asked = {query_label(query.pattern) for rule in rules for query in event_patterns(rule)} | {*relations_of(rules)}
    reasons: dict[tuple[str, str | None], str] = {}
    for clause in clauses:
        parts = [part for alternative in clause.head for part in alternative] + list(clause.body)
        labels = dict.fromkeys(part.atom.label for part in parts if isinstance(part, Literal))
        strange = labels and None not in asked and not any(label in asked for label in labels)
        reason = f"no rule asks for {', '.join(map(str, labels))}" if strange else "no law uses it here"
        if clause in left_out:
            reason = "what follows from it is left out, because it costs more than it saves"
        reasons.setdefault(_key(clause), reason)
    return [{**each, "reason": why} for each, why in zip(_constraints(clauses), reasons.values(), strict=True)]


def _rule(rewritten: RewrittenRule) -> RewritingOfRule:
    original = rewritten.original
    result: RuleResult = "unsatisfiable" if rewritten.rule is None else "rewritten"
    if rewritten.is_answered:
        result = "answered"
    return {
        "rule": original.name,
        "place": None if original.span is None else str(original.span),
        "result": result if rewritten.rewritings else "unchanged",
        "rewritings": [_rewriting(each) for each in rewritten.rewritings],
    }


def _rewriting(rewriting: Rewriting) -> ExplainedRewriting:
    return {"law": rewriting.law, "constraints": _constraints(rewriting.clauses), "change": _change(rewriting)}


def _constraints(clauses: Sequence[Clause]) -> list[ExplainedConstraint]:
    named = {_key(clause): None if clause.span is None else str(clause.span) for clause in clauses}
    return [{"name": name, "place": place} for (name, _), place in named.items()]


def _key(clause: Clause) -> tuple[str, str | None]:
    """Returns what a constraint is known by: its name, which other files may have too, and its file."""
    return clause.constraint, None if clause.span is None else clause.span.source.name


def _change(rewriting: Rewriting) -> str:
    match rewriting.subject:
        case None:
            return "it can have no answers, and is not evaluated"
        case Accumulation(pattern=pattern, window=window):
            return f"not {NOTATION.pattern(pattern)} is certain in {window}, and not waited for"
        case RelationQuery(pattern=pattern) if rewriting.law == LOOKUP_MERGING:
            return f"{NOTATION.pattern(pattern)} is the same row as another one, and is looked up with it"
        case EventQuery(pattern=pattern) | RelationQuery(pattern=pattern):
            return f"{NOTATION.pattern(pattern)} is always there, and is not looked for"
        case ClosingEvent(pattern=pattern, by=by, settles=False):
            return (
                f"nothing more comes{_same(by)} after {NOTATION.pattern(pattern)}, and what it remembers is forgotten"
            )
        case ClosingEvent(pattern=pattern, by=by):
            return f"an answer is complete with {NOTATION.pattern(pattern)}{_same(by)}, and what it needed is forgotten"
        case MostMatches(most=most, by=by):
            return f"an answer is complete with {most:,} matches{_same(by)}, and what it needed is forgotten"
        case FirstMatch(by=by):
            return f"all matches{_same(by)} give the same answer, and the first one decides it"
        case OnlyPartner(event=event, by=by):
            return f"at most one {event} comes{_same(by)}, and what has met it is forgotten"
        case RefutingEvent(pattern=pattern, by=by):
            return f"{NOTATION.pattern(pattern)} refutes what has come{_same(by)}, and neither is kept"
        case condition if rewriting.law == SCAN_REDUCTION:
            return f"{_condition(condition)} holds in every match, and is tested before events are joined"
        case condition:
            return f"{_condition(condition)} always holds, and is not tested"


def _condition(condition: Expression) -> str:
    """Returns a condition as text, with its variables as they are written, also those that stand at one place only."""
    return _ONCE.sub(r"\1", NOTATION.condition(condition))


def _same(by: Sequence[str]) -> str:
    return f" with the same {', '.join(by)}" if by else ""


def optimization_lines(optimization: Optimization) -> Iterator[str]:
    """Yields what became of the rules, for a person."""
    ambiguous = _ambiguous_names(optimization)
    for each in optimization["rules"]:
        place = f" ({each['place']})" if each["place"] is not None else ""
        yield f"rule {each['rule']}{place}: {each['result']}"
        if "evaluated_in" in each:
            yield f"  matches in the state {each['evaluated_in']}"
        for rewriting in each["rewritings"]:
            names = ", ".join(_called(constraint, ambiguous) for constraint in rewriting["constraints"])
            yield f"  {rewriting['law']}, by {names}: {rewriting['change']}"
        if "several_values" in each:
            yield f"  {_note(each['several_values'])}"
        if "costs" in each:
            yield from (f"  {line}" for line in choice_lines(each["costs"], optimization.get("estimates")))
    if "estimates" in optimization:
        yield from basis_lines(optimization["estimates"])
    for constraint in optimization.get("unused", ()):
        place = f" ({constraint['place']})" if constraint["place"] is not None else ""
        yield f"constraint {constraint['name']}{place}: {constraint['reason']}"


def _ambiguous_names(optimization: Optimization) -> set[str]:
    """Returns the names that constraints of several files have, as those without a name do."""
    every: list[ExplainedConstraint] = [*optimization.get("unused", ())]
    every += (one for rule in optimization["rules"] for each in rule["rewritings"] for one in each["constraints"])
    files = {(each["name"], (each["place"] or "").rsplit(":", 2)[0]) for each in every}
    names = [name for name, _ in files]
    return {name for name in names if names.count(name) > 1}


def _called(constraint: ExplainedConstraint, ambiguous: Collection[str]) -> str:
    name, place = constraint["name"], constraint["place"]
    return f"{name} ({place})" if name in ambiguous and place is not None else name


def _note(several: Sequence[PartialValue]) -> str:
    """Returns why constraints do not concern a rule, and what would let them."""
    found = [each["pattern"] + ("" if each["place"] is None else f" ({each['place']})") for each in several]
    asking = dict.fromkeys(each["for_one"] for each in several)
    match, ask = "matches" if len(several) == 1 else "match", "asks" if len(asking) == 1 else "ask"
    return (
        f"note: {', '.join(found)} also {match} where there are several values, of which constraints say nothing; "
        f"{', '.join(asking)} {ask} for one"
    )
