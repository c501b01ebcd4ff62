"""Limits on the size of a body: XC108, XC112."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.xchangeeq.syntax import Conjunction, Disjunction, Query, RuleSyntax
from cera.rules.rule import Branch

#: A body may have this many branches; `and` of `or`s multiplies them.
MAX_BRANCHES = 1_000

#: A branch may have this many queries, timers and windows: each is an operator above the ones before it.
MAX_LITERALS = 400

#: And this many conditions.
MAX_CONDITIONS = 10_000


def count_branches(query: Query) -> int:
    match query:
        case Conjunction():
            return math.prod(count_branches(part) for part in query.queries)
        case Disjunction():
            return sum(count_branches(part) for part in query.queries)
        case _:
            return 1


def too_many_branches(rule: RuleSyntax, name: str, count: int) -> Diagnostic:
    shown = f"{count:,}" if count < 10**15 else f"about 10^{math.floor(math.log10(count))}"
    return Diagnostic(
        "XC108",
        "error",
        f"the body of `{name}` has {shown} branches; at most {MAX_BRANCHES:,} can be evaluated",
        rule.query.span or rule.span,
        "every `or` inside an `and` multiplies the branches; define some of the alternatives by rules of their own",
    )


def check_branch(rule: RuleSyntax, name: str, branch: Branch) -> Iterator[Diagnostic]:
    """Reports a branch with more literals or conditions than can be evaluated."""
    literals = len(branch.positive) + len(branch.relations) + len(branch.accumulations)
    conditions = len(branch.conditions) + sum(len(each.conditions) for each in branch.accumulations)
    if literals > MAX_LITERALS:
        what, most = f"{literals:,} queries, timers and windows", MAX_LITERALS
        hint = "let rules of their own derive an event from some of the queries, and query that"
    elif conditions > MAX_CONDITIONS:
        what, most = f"{conditions:,} conditions", MAX_CONDITIONS
        hint = "put what is compared into events, such as those of a table, and join with them"
    else:
        return
    message = f"one branch of the body of `{name}` has {what}; at most {most:,} can be evaluated"
    yield Diagnostic("XC112", "error", message, rule.query.span or rule.span, hint)
