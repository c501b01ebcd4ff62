"""Event patterns that were meant as relative timers: XC109.

`event w: until-end[x]` and `event w: from-end{x}` are patterns of events with these labels and an empty child `x`.
Where `x` is an event of the same rule and the label looks like the name of a timer, a timer was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, closest
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.time.timers import SYNONYMS, TIMERS
from cera.rules.analysis.producers import Producers
from cera.rules.rule import Branch, EventQuery, RuleProgram

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
