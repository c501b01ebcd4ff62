"""The labels and attributes that the queries of rules ask for, and those of the events that rules derive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cera.model.events.attributes import AskedAttribute, Path
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import choices_of, query_label
from cera.rules.rule import Branch, Rule
from cera.rules.states import arriving


def asked_attributes(rules: Sequence[Rule]) -> tuple[AskedAttribute, ...]:
    """Returns what the queries of the rules ask for, each place once."""
    found: dict[tuple[object, ...], AskedAttribute] = {}
    for rule in rules:
        in_branches = [list(_of_branch(branch)) for branch in rule.branches]
        everywhere = set.intersection(*({(each.label, each.path) for each in asked} for asked in in_branches))
        for asked in in_branches:
            for each in asked:
                needed = each.needed and (each.label, each.path) in everywhere
                key = (each.label, each.path, needed, each.span and (each.span.source.name, each.span.start))
                found.setdefault(key, AskedAttribute(each.label, each.path, needed, span=each.span))
    return tuple(found.values())


def _of_branch(branch: Branch) -> Iterator[AskedAttribute]:
    for query in branch.events:
        for pattern in arriving(query):
            yield from _of_event(pattern, needed=True)
    for collection in branch.collections:
        yield from _of_event(collection.pattern, needed=True)
    for absence in branch.absences:
        yield from _of_event(absence.pattern, needed=False)


def _of_event(pattern: Pattern, *, needed: bool) -> Iterator[AskedAttribute]:
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            yield from _of_event(inner, needed=needed)
        case TermPattern(label=str(label)):
            for child in pattern.children:
                yield from _of_child(child, label, (), needed=needed)
        case _:
            pass


def _of_child(pattern: Pattern, label: str, parent: Path, *, needed: bool) -> Iterator[AskedAttribute]:
    match pattern:
        case TermPattern(label=str(name)):
            path = (*parent, name)
            yield AskedAttribute(label, path, needed, span=pattern.span)
            for child in pattern.children:
                yield from _of_child(child, label, path, needed=needed)
        case VariablePattern(pattern=inner) if inner is not None:
            yield from _of_child(inner, label, parent, needed=needed)
        case Without() | OptionalPattern():
            yield from _of_child(pattern.pattern, label, parent, needed=False)
        case TermPattern() | VariablePattern() | ScalarPattern() | RegexPattern() | Descendant():
            pass  # a label that is open, a value, or something at any depth


def derived_attributes(rules: Sequence[Rule]) -> Mapping[str, frozenset[Path] | None]:
    """Returns the attributes of events that rules derive, by label; None where a variable may hold any child."""
    found: dict[str, frozenset[Path] | None] = {}
    for rule in rules:
        if rule.recipient is not None:
            continue
        for term in choices_of(rule.head):
            if isinstance(term, ConstructTerm):
                paths, known = _constructed(term), found.get(term.label, frozenset())
                found[term.label] = None if paths is None or known is None else paths | known
    return found


def _constructed(term: Construct, parent: Path = ()) -> frozenset[Path] | None:
    """Returns the paths inside a term, None if a child may be anything; what is below the first level is open."""
    assert isinstance(term, ConstructTerm)
    found: set[Path] = set()
    for child in term.children:
        for choice in choices_of(child):
            if not isinstance(choice, ConstructTerm):
                return None
            found.add((*parent, choice.label))
    return frozenset(found)


def queried_labels(rules: Sequence[Rule]) -> frozenset[str]:
    """Returns the labels that some query asks for by name."""
    return frozenset(label for label in _asked(rules) if label is not None)


def queries_any_label(rules: Sequence[Rule]) -> bool:
    """Returns whether some query could match events of any label."""
    return None in _asked(rules)


def _asked(rules: Sequence[Rule]) -> set[str | None]:
    return {query_label(query.pattern) for rule in rules for query in event_patterns(rule)}


def derived_labels(rules: Sequence[Rule]) -> frozenset[str]:
    """Returns the labels of the events that rules derive and other rules can see, where the heads determine them."""
    return Producers(rules).labels
