"""Names that lead nowhere: variables used once, labels that nothing produces, circles of timers, timers that are read
as events. XC103 to XC105, XC109.

A label that nothing produces may be nearly the same as one that something does. Two names that differ in their numbers
only (`temp1`, `temp2`) are meant to differ and are not near.

`event w: until-end[x]` and `event w: from-end{x}` are patterns of events with these labels and an empty child `x`.
Where `x` is an event of the same rule and the label looks like the name of a timer, a timer was meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import pairwise

from cera.diagnostics import Diagnostic, Note, Span, closest, did_you_mean, notation
from cera.model.events.states import state_label
from cera.model.expressions import constructs
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Periodic, Variable
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.time.timers import SYNONYMS, TIMERS
from cera.rules.analysis.dependencies import EventPattern, event_patterns
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import query_label
from cera.rules.reasoning.quotation import listed
from cera.rules.rule import Branch, EventQuery, RelativeTimer, Rule, RuleProgram


def check_variables(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC103: a variable that occurs once. Names with an underscore say that this is meant."""
    for rule in program.rules:
        queried = list(_distinct(_pattern_variables(rule)))
        occurrences = Counter(variable.name for variable in queried)
        others = _used_variables(rule)
        for variable in queried:
            if occurrences[variable.name] == 1 and variable.name not in others and not variable.name.startswith("_"):
                yield Diagnostic(
                    "XC103",
                    "warning",
                    f"`var {variable.name}` is used nowhere else in rule `{rule.name}`",
                    variable.span or rule.span,
                    _hint_for_unused(variable),
                )


def _hint_for_unused(variable: VariablePattern) -> str:
    if variable.pattern is not None:
        return f"leave out `var {variable.name} ->`"
    return (
        f"if something has to be there but not what, write `var _{variable.name}`; "
        "if not even that, leave it out and use double braces {{ }}"
    )


def _pattern_variables(rule: Rule) -> Iterator[VariablePattern]:
    for query in event_patterns(rule):
        for part in patterns.walk(query.pattern):
            if isinstance(part, VariablePattern):
                yield part
    for rows in (rows for branch in rule.branches for rows in branch.relations):
        yield from (part for part in patterns.walk(rows.pattern) if isinstance(part, VariablePattern))


def _distinct(found: Iterable[VariablePattern]) -> Iterator[VariablePattern]:
    """Yields each place once: a disjunction has the literals outside of its branches in all of them."""
    seen: set[tuple[str, int]] = set()
    for variable in found:
        if variable.span is not None:
            place = (variable.span.source.name, variable.span.start)
            if place in seen:
                continue
            seen.add(place)
        yield variable


def _used_variables(rule: Rule) -> frozenset[str]:
    """Returns the variables of the head, the conditions and timers (where one also says how fine the timer is)."""
    found: set[str] = set(constructs.variables(rule.head))
    for branch in rule.branches:
        for timer in branch.absolute_timers:
            found |= patterns.variables(timer.timer.pattern)
        accumulated = (condition for part in branch.accumulations for condition in part.conditions)
        for condition in (*branch.conditions, *accumulated):
            for part in expressions.walk(condition):
                if isinstance(part, Variable):
                    found.add(part.name)
                elif isinstance(part, Periodic):
                    found |= patterns.variables(part.timer.pattern)
    return frozenset(found)


def check_labels(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC104: a query that no rule and no source can answer."""
    producers = Producers(program.rules)
    if program.sources is None:
        yield from _near_misses(program, producers)
        return
    sources = frozenset((*program.sources, *program.from_modules))
    yield from _undeclared_states(program, sources)
    for query in (query for rule in program.rules for query in event_patterns(rule)):
        label = query_label(query.pattern)
        if label is None or label in sources or producers.of(query.pattern) or state_label(label) is not None:
            continue
        heads = [program.rules[i] for i in producers.with_label(label)]
        if heads:
            yield Diagnostic(
                "XC104",
                "warning",
                f"no rule derives `{label}` in a form that this query matches, and it is not a source",
                query.span,
                "compare the children, the brackets and the braces of the query with those of the head",
                tuple(Note(f"rule `{rule.name}` derives it like this", rule.head.span) for rule in heads),
            )
        else:
            yield Diagnostic(
                "XC104",
                "warning",
                f"no rule derives `{label}`, and it is not a source",
                query.span,
                _near_relation(label, program)
                or did_you_mean(label, sorted(sources | producers.labels))
                or f"add `{label}` to the SOURCE directive if such events come from outside",
            )


def _near_relation(label: str, program: RuleProgram) -> str | None:
    """Returns the hint that a relation is meant; None if none has nearly this name."""
    meant = closest(label, [relation.name for relation in program.relations if relation.name != label])
    return None if meant is None else f"did you mean the relation `{meant}`?"


def _undeclared_states(program: RuleProgram, sources: frozenset[str]) -> Iterator[Diagnostic]:
    """Yields a warning for each query for states that no source has."""
    found: dict[tuple[str, Span | None], None] = {}
    for rule in program.rules:
        for query in event_patterns(rule):
            state = state_label(query_label(query.pattern) or "")
            if state is not None and state not in sources:
                found.setdefault((state, query.span))
    for label, span in found:
        hint = f"add `{label}` to the SOURCE directive if such states come from outside"
        message = f"`{label}` is not a source, and no states come from elsewhere"
        yield Diagnostic("XC104", "warning", message, span, did_you_mean(label, sorted(sources)) or hint)


def _near_misses(program: RuleProgram, producers: Producers) -> Iterator[Diagnostic]:
    """Yields a warning for each label that is nearly a derived one, or the name of a relation: without declared sources
    it may come from outside, but rather does not.

    Labels that the rule itself derives do not count: `DETECT orders{…} ON order{{…}}` is not a slip.
    """
    places: dict[str, dict[Span | None, tuple[EventPattern, int]]] = {}
    for i, rule in enumerate(program.rules):
        for query in event_patterns(rule):
            label = query_label(query.pattern)
            if label is None or state_label(label) is not None:
                continue
            if label not in producers.labels and label not in program.from_modules:
                places.setdefault(label, {}).setdefault(query.span, (query, i))
    relations = {relation.name for relation in program.relations}
    known = NearLabels(producers.labels.union(program.from_modules, relations))
    for label, found in places.items():
        if len(found) > 1:
            continue
        ((query, i),) = found.values()
        near = [other for other in known.near(label) if producers.with_label(other) != [i]]
        if near:
            is_relation = near[0] in relations and label not in relations
            yield Diagnostic(
                "XC104",
                "warning",
                f"no rule derives `{label}`" + (", and there is no such relation" if is_relation else ""),
                query.span,
                f"did you mean {'the relation ' * is_relation}`{near[0]}`?{notation(query.span).outside(label)}",
            )


def check_timer_circles(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC105: timers that are all defined by one another."""
    for rule in program.rules:
        for branch in rule.branches:
            for circle in timer_circles(branch):
                first, *others = circle
                names = [f"`{timer.identifier}`" for timer in circle]
                yield Diagnostic(
                    "XC105",
                    "error",
                    f"timer {names[0]} is defined relative to itself"
                    if not others
                    else f"the timers {listed(names)} are defined relative to each other",
                    first.span or rule.span,
                    f"let one of them start from {notation(first.span or rule.span).start}",
                    tuple(Note(f"`{t.identifier}` starts from `{t.anchor}`", t.span) for t in others),
                )


def timer_circles(branch: Branch) -> list[list[RelativeTimer]]:
    timers = {timer.identifier: timer for timer in branch.relative_timers}
    circles: list[list[RelativeTimer]] = []
    done: set[str] = set()
    for start in timers:
        path: list[str] = []
        at = start
        while at in timers and at not in done:
            done.add(at)
            path.append(at)
            at = timers[at].anchor
        if at in path:
            circles.append([timers[name] for name in path[path.index(at) :]])
    return circles


#: The least similarity of two labels that are taken for the same (`SequenceMatcher.ratio`).
NEAR = 0.8


class NearLabels:
    """An index of labels by their pairs of adjacent letters, to find near ones without comparing all with all."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._by_letters: dict[str, str] = {}
        for label in sorted(labels):
            self._by_letters.setdefault(_letters(label), label)
        self._by_pair: dict[tuple[str, str], list[str]] = {}
        for letters in self._by_letters:
            for pair in set(pairwise(letters)):
                self._by_pair.setdefault(pair, []).append(letters)

    def near(self, label: str) -> list[str]:
        """Returns the labels that are near to this one, the nearest first."""
        letters = _letters(label)
        if letters in self._by_letters:
            return []
        shared = Counter(other for pair in set(pairwise(letters)) for other in self._by_pair.get(pair, ()))
        found = [
            (-ratio, other)
            for other, pairs in shared.items()
            if pairs >= _least_shared_pairs(letters, other)
            and (ratio := SequenceMatcher(None, letters, other).ratio()) >= NEAR
        ]
        return [self._by_letters[other] for _, other in sorted(found)]


def _letters(label: str) -> str:
    return re.sub(r"\d+", "", label)


def _least_shared_pairs(one: str, other: str) -> float:
    """Returns a lower bound for near labels: m matching letters in k blocks share m - k pairs, and k - 1 letters lie
    between.

    A ratio of 0.8 has m >= 0.4 (a + b), so at most m / 2 letters do not match. Pairs that occur twice in a label are
    counted once, hence the half.
    """
    matching = NEAR / 2 * (len(one) + len(other))
    return (matching / 2 - 1) / 2


#: The words in the names of timers.
_WORDS = frozenset(word for name in SYNONYMS for word in name.split("-"))


def check_timer_names(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC109: a pattern that looks like a timer; not if such events are derived or declared."""
    known = Producers(program.rules).labels.union(program.from_modules, program.sources or ())
    for rule in program.rules:
        for branch in rule.branches:
            for query in branch.events:
                if (anchor := anchor_in(query, branch)) is not None:
                    yield from _meant_timer(query.pattern, anchor, known)


def anchor_in(query: EventQuery, branch: Branch) -> str | None:
    """Returns the event identifier of the branch that is written like a child of the pattern."""
    if not isinstance(query.pattern, TermPattern) or not query.pattern.children:
        return None
    first = query.pattern.children[0]
    named = {literal.identifier for literal in branch.positive if not literal.anonymous} - {query.identifier}
    match first:
        case TermPattern(label=str(label), children=()) if label in named:
            return label
        case _:
            return None


def _meant_timer(pattern: Pattern, anchor: str, known: frozenset[str]) -> Iterator[Diagnostic]:
    if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str) or pattern.label in known:
        return
    label = pattern.label
    meant = closest(label, SYNONYMS)
    if label not in SYNONYMS and meant is None and _WORDS.isdisjoint(label.split("-")):
        return
    if label in SYNONYMS:
        wrong = "its duration is missing" if pattern.ordered and pattern.total else "a timer has single brackets"
        message = f"this is read as an event `{label}` with a child `{anchor}`, and `{anchor}` is an event of this rule"
        hint = f"{wrong}: write `{label}[{anchor}, 10 sec]`."
    else:
        message = f"there is no timer `{label}`, so this is read as an event with a child `{anchor}`"
        hint = f"did you mean `{meant}[{anchor}, 10 sec]`?" if meant else f"the timers are {', '.join(TIMERS)}."
    yield Diagnostic("XC109", "error", message, pattern.span, f"{hint} An event like this is declared: SOURCE {label}")
