"""The choice between alternatives: which laws are used on a rule, by what it is then estimated to cost (section 10.1
of seed 002 leaves the choice to future work).

Each of the laws that change a rule, and each of the settlements that they give it, can be left out: the answers are
the same. The cheapest is looked for from all of them, by leaving out one thing more as long as that costs less.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from cera.constraints.clause import Clause
from cera.model.events.rates import ASSUMED, Rates
from cera.optimizer.semantic.contradiction import LAW as CONTRADICTION
from cera.optimizer.semantic.driver import (
    Knowledge,
    Rewriter,
    Rewriting,
    RewrittenProgram,
    RewrittenRule,
    rewritten_program,
)
from cera.optimizer.semantic.estimates import CostModel, Figures, figures
from cera.rules.rule import Rule, RuleProgram
from cera.rules.settlements import FirstMatch


@dataclass(frozen=True)
class Alternative:
    """A rule rewritten but for some laws, by name, and some settlements; what it is estimated to cost."""

    rewritten: RewrittenRule
    figures: Figures
    without_laws: frozenset[str] = frozenset()
    without: tuple[Rewriting, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is left out, as texts: `scan reduction`, `join introduction, by ended`."""
        settlements = (f"{each.law}, by {', '.join(each.constraints)}" for each in self.without)
        return (*sorted(self.without_laws), *settlements)


@dataclass(frozen=True)
class Choice:
    """The costs of a rule as it is written, and those of the alternatives; the first one is what runs."""

    plain: Figures
    alternatives: tuple[Alternative, ...]
    #: All laws that apply, used.
    full: RewrittenRule

    @property
    def chosen(self) -> Alternative:
        return self.alternatives[0]

    @property
    def clauses_left_out(self) -> list[Clause]:
        """The clauses that could be used, and are not."""
        every, used = ([clause for one in each.rewritings for clause in one.clauses] for each in self._both)
        return [each for each in every if each not in used]

    @property
    def _both(self) -> tuple[RewrittenRule, RewrittenRule]:
        return self.full, self.chosen.rewritten


def choose(
    program: RuleProgram,
    knowledge: Knowledge,
    rates: Rates | None,
    model: CostModel | None,
    *,
    without: Collection[str] = (),
) -> tuple[RewrittenProgram, tuple[Choice, ...]]:
    """Returns a program whose rules are rewritten as is cheapest, and the choices in the order of its rules.

    Without a model all laws are used that can be, and their costs are estimated.
    """
    rewriter = Rewriter.of(program, knowledge)
    known = ASSUMED if rates is None else rates

    def cost(rule: Rule | None) -> Figures:
        return figures(rule, program, known)

    choices: list[Choice] = []
    for rule in program.rules:

        def rewritten(laws: frozenset[str], rule: Rule = rule) -> RewrittenRule:
            return rewriter.rewritten(rule, laws | {*without})

        choices.append(_choice(rule, rewritten, cost, model))
    return rewritten_program(program, [each.chosen.rewritten for each in choices]), tuple(choices)


def _choice(
    rule: Rule,
    rewritten: Callable[[frozenset[str]], RewrittenRule],
    cost: Callable[[Rule | None], Figures],
    model: CostModel | None,
) -> Choice:
    full = rewritten(frozenset())
    plain = cost(rule)
    current = Alternative(full, plain if full.rule is rule else cost(full.rule))
    seen = [current]
    while model is not None:
        others = [replace(each, figures=cost(each.rewritten.rule)) for each in _with_less(current, rewritten)]
        seen += others
        better = [each for each in others if each.figures.by(model) < current.figures.by(model)]
        if not better:
            break
        current = min(better, key=lambda each: each.figures.by(model))
    return Choice(plain, (current, *(each for each in seen if each is not current)), full)


def _with_less(alternative: Alternative, rewritten: Callable[[frozenset[str]], RewrittenRule]) -> Iterator[Alternative]:
    """Yields alternatives with one law or one settlement less; what they cost is not known yet."""
    settling = [each for each in alternative.rewritten.rewritings if _is_settlement(each, alternative.rewritten)]
    laws = dict.fromkeys(each.law for each in alternative.rewritten.rewritings if each not in settling)
    for law in laws:
        if law != CONTRADICTION:  # nothing is cheaper than no rule
            fewer = alternative.without_laws | {law}
            found = rewritten(fewer)
            gone = {each.subject for each in alternative.without}
            again = [each for each in found.rewritings if _is_settlement(each, found) and each.subject in gone]
            for each in again:
                found = _without_settlement(found, each)
            yield Alternative(found, Figures(), fewer, tuple(again))
    for each in settling:
        found = _without_settlement(alternative.rewritten, each)
        yield Alternative(found, Figures(), alternative.without_laws, (*alternative.without, each))


def _is_settlement(rewriting: Rewriting, rewritten: RewrittenRule) -> bool:
    """Returns whether a rewriting gives a rule nothing but a settlement."""
    settlements = () if rewritten.rule is None else rewritten.rule.settlements
    return not isinstance(rewriting.subject, FirstMatch) and any(rewriting.subject is each for each in settlements)


def _without_settlement(rewritten: RewrittenRule, rewriting: Rewriting) -> RewrittenRule:
    assert rewritten.rule is not None
    left = tuple(each for each in rewritten.rule.settlements if each is not rewriting.subject)
    rest = tuple(each for each in rewritten.rewritings if each is not rewriting)
    return replace(rewritten, rule=replace(rewritten.rule, settlements=left), rewritings=rest)
