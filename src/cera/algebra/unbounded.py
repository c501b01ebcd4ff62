"""State that can never be dropped: XC501.

A join or a window remembers events until no later event can meet them. Where the time conditions of a rule give no
such bound, what is remembered grows with the stream. Incoming events are taken to be points here; events that last
longer only make the bounds larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.algebra.operators import AntiSemiJoin, Expression, Join, Matching, RelativeTimers, TemporalJoin, walk
from cera.algebra.relevance import Horizon, Relevance
from cera.algebra.translation import translate
from cera.diagnostics import Diagnostic, Note
from cera.rules.rule import RuleProgram
from cera.rules.strata import is_hierarchical


def check_state(program: RuleProgram) -> Iterator[Diagnostic]:
    """A warning for each rule that remembers events for good."""
    if not is_hierarchical(program.rules):
        return  # a recursive program runs on the reference engine, which remembers everything anyway
    plan = translate(program)
    relevance = Relevance(plan, max_duration=0)
    for point in plan.points:
        kept: dict[str, str] = {}
        for node in walk(point.expression):
            for horizon, remedy in _horizons(node, relevance):
                if horizon.microseconds is None:
                    kept.update({name: remedy for name in horizon.of.split(", ") if name not in kept})
        if kept:
            yield _warning(point.name, kept, point.expression)


def _horizons(node: Expression, relevance: Relevance) -> Iterator[tuple[Horizon, str]]:
    """The horizons of an operator, each with the condition that would bound it."""
    if isinstance(node, Join) and not isinstance(node.right, RelativeTimers):
        left, right = relevance.join_bounds(node)
        remedy = f"{{{left.of}, {right.of}}} within 1 hour"
        yield left, remedy
        yield right, remedy
    elif isinstance(node, TemporalJoin | AntiSemiJoin):
        yield relevance.window_bound(node), f"length({node.window}) <= 1 hour"


def _warning(rule: str, kept: Mapping[str, str], expression: Expression) -> Diagnostic:
    """`kept` maps each identifier whose events are remembered for good to a condition that would bound them."""
    spans = {part.identifier: part.pattern.span for part in walk(expression) if isinstance(part, Matching)}
    first, *others = [spans.get(name) for name in kept]
    return Diagnostic(
        "XC501",
        "warning",
        f"rule '{rule}' remembers events for good: nothing bounds how much later their partners can come",
        first,
        f"bound the time between them, for example with `{next(iter(kept.values()))}`",
        tuple(Note("so are these", span) for span in others if span is not None and span != first),
    )
