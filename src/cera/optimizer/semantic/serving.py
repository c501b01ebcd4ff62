"""Rules that the answers of a more general rule serve (seed 002, section 9.1: multi-query optimization).

    h ← b and c        →        h ← g and c,    if  g ← b'  and b'θ is b

The general rule is evaluated anyway; what it has found is looked up instead of joining its events once more. The
answers are the same events at the same times, because an answer lasts as long as the hull of its match, which is that
of the other answer. Their causes are not: the answer of the general rule is the one.

A rule is served only if all that tells its matches apart is in the head of the other one: values that are fixed, that
must be equal, that a further condition compares or that its own head has. Nobody else may derive events with that
label, so programs that do not say what comes from outside are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cera.constraints.names import Names
from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, flat_pattern
from cera.constraints.subsumption.conjunctive import of_branch
from cera.constraints.subsumption.subsumption import Match, renamed, subsumptions, values_as_expressions
from cera.model.expressions import constructs
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import Expression, Variable, event_references, variables
from cera.model.expressions.expression import Literal as Constant
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.rules.analysis.dependencies import dependencies
from cera.rules.analysis.unification import head_label
from cera.rules.rule import Branch, EventQuery, Rule, RuleProgram

#: Of rules that are alike, at most so many are tried for each.
MOST = 50


@dataclass(frozen=True)
class Service:
    """A rule, the rule whose answers serve it, and the rule that looks these up."""

    rule: Rule
    by: Rule
    rewritten: Rule


def served(program: RuleProgram) -> RuleProgram:
    """Returns a program in which rules look up the answers of more general ones; the same if there are none."""
    found = {each.rule.name: each.rewritten for each in services(program)}
    if not found:
        return program
    return replace(program, rules=tuple(found.get(rule.name, rule) for rule in program.rules))


def services(program: RuleProgram) -> list[Service]:
    """Returns the rules that others serve; a rule that serves is not served itself."""
    if program.sources is None:
        return []
    reached = _reached(program.rules)
    found: dict[str, Service] = {}
    serving: set[str] = set()
    alike: dict[object, list[Rule]] = {}
    for rule in program.rules:
        alike.setdefault(_labels(rule), []).append(rule)
    for rule in program.rules:
        for other in alike[_labels(rule)][:MOST]:
            if other is rule or rule.name in serving or other.name in found or rule.name in reached[other.name]:
                continue
            rewritten = _rewritten(rule, other) if _is_only(other, program) else None
            if rewritten is not None:
                found[rule.name] = Service(rule, other, rewritten)
                serving.add(other.name)
                break
    return list(found.values())


def _labels(rule: Rule) -> object:
    """Returns what rules have in common of which one can serve another: the labels of their events."""
    queries = rule.branches[0].events if len(rule.branches) == 1 else ()
    found = [query.pattern.label for query in queries if isinstance(query.pattern, TermPattern)]
    return tuple(sorted(map(str, found)))


def _reached(rules: Sequence[Rule]) -> Mapping[str, frozenset[str]]:
    """Returns the names of the rules that each rule depends on, through any chain."""
    needs: dict[str, set[str]] = {rule.name: set() for rule in rules}
    for each in dependencies(rules):
        needs[each.rule.name].add(each.on.name)
    found: dict[str, frozenset[str]] = {}
    for name in needs:
        seen, waiting = set[str](), [name]
        while waiting:
            more = needs[waiting.pop()] - seen
            seen |= more
            waiting += more
        found[name] = frozenset(seen)
    return found


def _is_only(rule: Rule, program: RuleProgram) -> bool:
    """Returns whether nobody else derives events with the label of a rule."""
    label = head_label(rule.head)
    labels = [head_label(each.head) for each in program.rules if each.recipient is None]
    outside = {*(program.sources or ()), *program.from_modules}
    return rule.recipient is None and None not in labels and labels.count(label) == 1 and label not in outside


def _rewritten(rule: Rule, general: Rule) -> Rule | None:
    """Returns a rule that looks up the answers of a more general one; None if it cannot."""
    if not (_is_plain(rule) and _is_plain(general)):
        return None
    head = _attributes(general)
    if head is None:
        return None
    [branch], [other] = rule.branches, general.branches
    for match in subsumptions(of_branch(other), of_branch(branch)):
        found = _looked_up(rule, branch, other, head, match)
        if found is not None:
            label = head_label(general.head) or ""
            query = EventQuery(f"{general.name}#answer", _pattern(label, head, match), anonymous=True)
            return replace(rule, branches=(Branch(events=(query,), conditions=tuple(found)),))
    return None


def _is_plain(rule: Rule) -> bool:
    """Returns whether a rule has one branch of events and conditions, and answers that last as long as these."""
    if len(rule.branches) != 1 or rule.grouping or rule.momentary or rule.traced:
        return False
    [branch] = rule.branches
    plain = Branch(events=branch.events, conditions=branch.conditions)
    kinds = all(query.kind == "event" and not query.auxiliary for query in branch.events)
    return bool(branch.events) and branch == plain and kinds


def _attributes(rule: Rule) -> dict[str, Variable | Constant] | None:
    """Returns the values of a head by their attributes; None if it is another construct."""
    head = rule.head
    if not isinstance(head, ConstructTerm) or head.ordered:
        return None
    found: dict[str, Variable | Constant] = {}
    for child in head.children:
        if not isinstance(child, ConstructTerm) or child.ordered or len(child.children) != 1 or child.label in found:
            return None
        [inner] = child.children
        if not isinstance(inner, ConstructValue) or not isinstance(inner.expression, Variable | Constant):
            return None
        found[child.label] = inner.expression
    return found


def _looked_up(
    rule: Rule, branch: Branch, other: Branch, head: Mapping[str, Variable | Constant], match: Match
) -> list[Expression] | None:
    """Returns the conditions that are left if the answers of another branch are looked up; None if that is not
    enough."""
    if not _is_one_to_one(branch, other, match):
        return None
    shown = {value.name for value in head.values() if isinstance(value, Variable)}
    images = [value for _, value in sorted(match.values.items())]
    for name, value in match.values.items():
        if (isinstance(value, Fixed) or images.count(value) > 1) and name not in shown:
            return None
    known = {value.name for name, value in match.values.items() if name in shown and isinstance(value, Name)}
    names = Names(match.identifiers, values_as_expressions(match.values))
    already = [renamed(each, names) for each in other.conditions]
    left = [each for each in branch.conditions if each not in already]
    needed = frozenset[str]().union(*(variables(each) for each in left), _head_variables(rule))
    return left if needed <= known and not any(event_references(each) for each in left) else None


def _is_one_to_one(branch: Branch, other: Branch, match: Match) -> bool:
    """Returns whether each event of one branch is one of the other, with the same attributes."""
    atoms = {query.identifier: _flat(query) for query in branch.events}
    matched = [match.identifiers.get(query.identifier) for query in other.events]
    if sorted(atoms) != sorted(each or "" for each in matched):
        return False
    for query, name in zip(other.events, matched, strict=True):
        mine, theirs = _flat(query), atoms[name or ""]
        if mine is None or theirs is None or mine.by_place.keys() != theirs.by_place.keys():
            return False
    return True


def _flat(query: EventQuery) -> FlatAtom | None:
    return flat_pattern(query.pattern)


def _head_variables(rule: Rule) -> frozenset[str]:
    return frozenset(_in_head(rule))


def _in_head(rule: Rule) -> Iterator[str]:
    for part in constructs.walk(rule.head):
        if isinstance(part, ConstructValue):
            yield from variables(part.expression)


def _pattern(label: str, head: Mapping[str, Variable | Constant], match: Match) -> TermPattern:
    """Returns the pattern of the answers that are looked up."""
    children: list[Pattern] = []
    for attribute, value in head.items():
        found = match.values.get(value.name) if isinstance(value, Variable) else Fixed(value.value)
        if found is not None:
            inner = VariablePattern(found.name) if isinstance(found, Name) else ScalarPattern(found.value)
            children.append(TermPattern(attribute, (inner,), total=True))
    return TermPattern(label, tuple(children), total=False)
