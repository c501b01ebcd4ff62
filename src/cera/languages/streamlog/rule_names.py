"""Names of written rules as StreamLog has them: variables are capitalised, identifiers begin with a small letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count

from cera.languages.streamlog.atoms import is_unnamed
from cera.model.expressions import constructs
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import EventReference, Expression, InState, event_references
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.time.allen import RELATIONS
from cera.rules.renaming import is_order_sensitive, names_in_order, renamed, variables_of
from cera.rules.written import WrittenBranch, WrittenRule

_VARIABLE = re.compile(r"[A-Z][A-Za-z0-9_]*|_[A-Za-z0-9_]+")
_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*")
_RESERVED = frozenset(
    {"and", "or", "not", "mod", "now", "unbounded", "true", "false", "while", "until", "within", "exists", "group-by"}
    | {"event", "state", "distinct", "datetime", "relation", *RELATIONS}
)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


def named_rule(rule: WrittenRule) -> WrittenRule:
    """Returns the rule with names that the language allows."""
    names = {name for name in variables_of(rule) if not is_unnamed(name)}
    once = _once(rule)
    if is_order_sensitive(rule):
        variables = names_in_order(names, _upper, lambda old, new: f"_{new}#" if old in once else new)
    else:
        variables = dict[str, str]()
        for name in sorted(names, key=lambda name: (_upper(name) != name, name)):
            variables[name] = _free(_upper(name), {*variables.values()})
    known = dict.fromkeys(literal.identifier for branch in rule.branches for literal in branch.timed)
    taken = {name for name in known if _is_identifier(name)}
    identifiers: dict[str, str] = {}
    for name in known:
        if name not in taken and name not in unnamed(rule):
            wish = _NOT_IN_NAMES.sub("_", name).lstrip("_0123456789") or "event"
            identifiers[name] = _free(wish[0].lower() + wish[1:], {*taken, *_RESERVED})
            taken.add(identifiers[name])
    return renamed(rule, variables, identifiers)


def _upper(name: str) -> str:
    plain = _NOT_IN_NAMES.sub("", name)
    return plain if _VARIABLE.fullmatch(plain) else f"{plain[:1].upper()}{plain[1:]}" if plain.strip("_") else "X"


def _is_identifier(name: str) -> bool:
    return _IDENTIFIER.fullmatch(name) is not None and name not in _RESERVED


def _free(name: str, taken: set[str]) -> str:
    return next(each for each in chain((name,), (f"{name}_{number}" for number in count(2))) if each not in taken)


def _once(rule: WrittenRule) -> frozenset[str]:
    """Returns the variables that will stand at one place of the text only."""
    counts = Counter[str]()
    times: set[str] = set()
    for branch in rule.branches:
        for pattern in branch.patterns():
            again = repr(pattern)
            if constructs.has_grouping(rule.head) and again in times and pattern in _time_patterns(branch):
                continue  # the evaluation time, which is written once for all branches
            times.add(again)
            counts.update(each.name for each in patterns.walk(pattern) if isinstance(each, VariablePattern))
    used = set(constructs.variables(rule.head))
    for branch in rule.branches:
        for condition in (*branch.conditions, *branch.inner_conditions()):
            used |= expressions.variables(condition)
    return frozenset(name for name, number in counts.items() if number == 1 and name not in used)


def _time_patterns(branch: WrittenBranch) -> Iterator[Pattern]:
    yield from (query.pattern for query in branch.events)
    yield from (query.pattern for query in branch.states)


def unnamed(rule: WrittenRule) -> frozenset[str]:
    """Returns the identifiers that can be left out: lowering gives them again, and nothing names them."""
    values = (value for part in constructs.walk(rule.head) for value in constructs.own_expressions(part))
    kept = set[str]().union(*map(event_references, values))
    found: set[str] = set()
    for branch in rule.branches:
        kept |= {timer.anchor for timer in branch.relative_timers} | {part.window for part in branch.accumulations}
        kept = kept.union(*map(_named_by, (*branch.conditions, *branch.inner_conditions())))
        given = [(label_of(query.pattern), query.identifier, query.anonymous) for query in branch.queries]
        given += (("timer", timer.identifier, timer.anonymous) for timer in branch.relative_timers)
        counts = Counter(name for name, _, _ in given)
        for name, identifier, anonymous in given:
            (found if anonymous and name == identifier and counts[name] == 1 else kept).add(identifier)
    return frozenset(found - kept)


def _named_by(condition: Expression) -> frozenset[str]:
    """Returns the identifiers that a condition needs; an event in a state is said by its evaluation time."""
    match condition:
        case InState(event=EventReference()):
            return frozenset((condition.state.identifier,))
        case _:
            return event_references(condition)


def label_of(pattern: Pattern) -> str | None:
    """Returns the label of a pattern, None if it has no plain one."""
    return pattern.label if isinstance(pattern, TermPattern) and isinstance(pattern.label, str) else None
