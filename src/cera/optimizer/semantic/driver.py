"""The semantic optimizer: what constraints make of rules, law by law.

A rule is rewritten in the order of the heuristics: one that can have no answers goes, what must be there is not looked
for, what is guaranteed is not tested and not waited for, what sorts events out is tested, and what settles answers
early is added. Each change names its law and its constraint. The result answers as the rule does on every stream that
satisfies the constraints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cera.algebra.correlation_keys import correlation_key
from cera.constraints.cardinalities.cardinality import Cardinality, cardinality_of
from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.model.expressions import constructs
from cera.model.expressions.expression import Expression
from cera.modules.module import Module
from cera.optimizer.semantic import (
    absence_elimination,
    closing_events,
    contradiction,
    full_groups,
    join_elimination,
    only_partners,
    predicate_elimination,
    refuted_absences,
    scan_reduction,
    table_keys,
    transformation,
)
from cera.optimizer.semantic.exceeded_counts import residues_of_counts
from cera.optimizer.semantic.lower_rules import LowerRules
from cera.optimizer.semantic.orders import Order, orders
from cera.optimizer.semantic.residues import relations_in, residues
from cera.rules.analysis.unification import head_label
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import Accumulation, Branch, EventQuery, RelationQuery, Rule, RuleProgram
from cera.rules.settlements import ClosingEvent, Settlement

#: The names of the laws, in the order in which they are tried.
LAWS = (
    contradiction.LAW,
    transformation.LAW,
    join_elimination.LAW,
    table_keys.LAW,
    predicate_elimination.LAW,
    scan_reduction.LAW,
    closing_events.LAW,
    full_groups.LAW,
    only_partners.LAW,
    refuted_absences.LAW,
)


@dataclass(frozen=True)
class Rewriting:
    """A change of a rule: the law, the constraints that justify it, and what it concerns."""

    law: str
    clauses: tuple[Clause, ...]
    #: What is superfluous or was added; None if there are no answers at all.
    subject: Expression | EventQuery | RelationQuery | Accumulation | Settlement | None = None

    @property
    def constraints(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(clause.constraint for clause in self.clauses))


@dataclass(frozen=True)
class RewrittenRule:
    """A rule and what became of it; None if it can have no answers."""

    original: Rule
    rule: Rule | None
    rewritings: tuple[Rewriting, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether its answers are known but for their times."""
        return self.rule is not None and self.original.grouping and not constructs.variables(self.rule.head)

    def alternatives(self) -> Iterator[Rule]:
        """Yields the rules that could run in its place, by which of the settlements they have: at least one, if there
        are some (R-10). Each set stands for all orders in which its residues could be applied (ERR-95).
        """
        if self.rule is None:
            return
        settlements = self.rule.settlements
        if not settlements and self.rewritings:
            yield self.rule
        for size in range(1, len(settlements) + 1):
            for chosen in combinations(settlements, size):
                yield replace(self.rule, settlements=chosen)


@dataclass(frozen=True)
class RewrittenProgram:
    """A program whose rules were rewritten, in the order of the text."""

    program: RuleProgram
    rules: tuple[RewrittenRule, ...]

    @property
    def ruled_out(self) -> frozenset[str]:
        """The labels of events that only rules derive which can have no answers."""
        left = {head_label(rule.head) for rule in self.program.rules}
        derived = {head_label(each.original.head) for each in self.rules} - left - {*self.program.from_modules}
        return frozenset() if None in left else frozenset(label for label in derived if label is not None)


@dataclass(frozen=True)
class Knowledge:
    """Constraints, and the facts that laws use of them."""

    clauses: tuple[Clause, ...]
    orders: tuple[Order, ...]
    #: The cardinalities, each with the clause that says it.
    cardinalities: tuple[tuple[Cardinality, Clause], ...]

    #: The relations that the constraints declare.
    relations: tuple[RelationDeclaration, ...] = ()

    def about(self, program: RuleProgram) -> Knowledge:
        """Returns what is known without the clauses about relations that need not be those of a program: their rows
        change, so that a rule may look them up at another time, or they are read from elsewhere."""
        declared = (*self.relations, *program.relations)
        others = {each.name for each in declared if each.refresh is not None or each.valid_from is not None}
        for mine in self.relations:
            theirs = program.relation(mine.name)
            if theirs is not None and mine.source is not None and not mine.has_the_rows_of(theirs):
                others.add(mine.name)
        if not others:
            return self
        return replace(self, clauses=tuple(each for each in self.clauses if not relations_in(each) & others))


def knowledge_of(modules: Iterable[Module]) -> Knowledge:
    """Returns what the constraints among some modules say."""
    found = [module for module in modules if isinstance(module, ConstraintModule)]
    clauses = tuple(clause for module in found for clause in module.clauses)
    counted = [
        (fact, clause)
        for module in found
        for clause in module.clauses
        if (fact := cardinality_of(clause, module.origin)) is not None
    ]
    declared = tuple(each for module in found for each in module.relations)
    return Knowledge(clauses, tuple(orders(clauses)), tuple(counted), declared)


def rewrite(
    program: RuleProgram,
    knowledge: Knowledge,
    *,
    without: Collection[str] = (),
) -> RewrittenProgram:
    """Returns a program whose rules are rewritten by what is known of the stream. Laws in `without` are not used."""
    rewriter = Rewriter.of(program, knowledge)
    return rewritten_program(program, [rewriter.rewritten(rule, without) for rule in program.rules])


def rewritten_program(program: RuleProgram, rules: Sequence[RewrittenRule]) -> RewrittenProgram:
    """Returns a program with what became of its rules."""
    kept = tuple(each.rule for each in rules if each.rule is not None)
    return RewrittenProgram(replace(program, rules=kept), tuple(rules))


@dataclass(frozen=True)
class Rewriter:
    """What is known of a stream, for the rules of one program. `early` are the labels whose events may be early: one
    rule derives them, and nothing else, so that none is given early by the one and again by the other."""

    knowledge: Knowledge
    early: frozenset[str]
    lower: LowerRules

    @staticmethod
    def of(program: RuleProgram, knowledge: Knowledge) -> Rewriter:
        labels: list[str | None] = [*program.from_modules, *(head_label(rule.head) for rule in program.rules)]
        alone = frozenset(label for label in labels if label is not None and labels.count(label) == 1)
        early = frozenset[str]() if None in labels else alone
        return Rewriter(knowledge.about(program), early, LowerRules.of(program))

    def rewritten(self, rule: Rule, without: Collection[str] = ()) -> RewrittenRule:
        """Returns what becomes of a rule of the program, without some laws."""
        return _rewritten(rule, self, without)

    def in_place_of(self, rule: Rule, other: Rule, without: Collection[str] = ()) -> RewrittenRule:
        """Returns what would become of another rule with the same head and no more answers than one of the program."""
        places = {**self.lower.places, id(other): self.lower.places[id(rule)]}
        return replace(self, lower=replace(self.lower, places=places)).rewritten(other, without)


def _rewritten(rule: Rule, rewriter: Rewriter, without: Collection[str]) -> RewrittenRule:
    knowledge = rewriter.knowledge
    may_be_early = head_label(rule.head) in rewriter.early
    made: list[Rewriting] = []
    branches: list[Branch] = []
    for branch in rule.branches:
        changed = _branch(rule, branch, knowledge, without, made)
        if changed is not None:
            branches.append(changed)
    if not branches:
        return RewrittenRule(rule, None, tuple(made))
    current = rule if tuple(branches) == rule.branches else replace(rule, branches=tuple(branches))
    key = correlation_key(rule)
    if correlation_key(current) != key:  # a stream takes events that have one value of each variable of the key
        current = replace(current, divided_by=tuple(name for name in key if name in correlation_key(current)))
    known = None if transformation.LAW in without else transformation.transformed(current, knowledge.clauses)
    if known is not None:  # one match is enough, so that nothing else could settle it sooner
        made.append(Rewriting(transformation.LAW, known.clauses, known.settlement))
        return RewrittenRule(
            rule, replace(known.rule, settlements=(known.settlement,) if may_be_early else ()), tuple(made)
        )
    found = [
        each
        for each in _settlements(current, knowledge, without, may_be_early=may_be_early)
        if not isinstance(each[0], ClosingEvent) or rewriter.lower.may_close(rule, each[0].pattern)
    ]
    if refuted_absences.LAW not in without:
        settling = [settlement for settlement, _ in found]
        for refuting, order in refuted_absences.refuting_events(current, knowledge.orders, settling):
            found.append((refuting, Rewriting(refuted_absences.LAW, (order.clause,), refuting)))
    settled = dict(reversed(found))  # the first reason for each
    with_settlements = replace(current, settlements=tuple(reversed(settled)))
    if settled and correlation_key(with_settlements) == correlation_key(current):
        current = with_settlements
        made += reversed(settled.values())
    return RewrittenRule(rule, current, tuple(made))


def _branch(
    rule: Rule, branch: Branch, knowledge: Knowledge, without: Collection[str], made: list[Rewriting]
) -> Branch | None:
    """Returns a branch without what constraints make superfluous; None if it never matches."""
    if contradiction.LAW not in without:
        known = (*residues(branch, knowledge.clauses), *residues_of_counts(branch, knowledge.clauses))
        reasons = contradiction.contradicting(branch, known)
        if reasons:
            made.append(Rewriting(contradiction.LAW, tuple(each.clause for each in reasons)))
            return None
    if join_elimination.LAW not in without:
        branch, joins = join_elimination.without_certain_joins(rule, branch, knowledge.clauses)
        made += (Rewriting(join_elimination.LAW, (clause,), joined) for joined, clause in joins)
    if table_keys.LAW not in without:
        branch, merged = table_keys.with_merged_lookups(branch, knowledge.clauses)
        made += (Rewriting(table_keys.LAW, (clause,), lookup) for lookup, clause in merged)
    if predicate_elimination.LAW not in without:
        branch, conditions = predicate_elimination.without_guaranteed(branch, knowledge.clauses)
        made += (Rewriting(predicate_elimination.LAW, (by.clause,), condition) for condition, by in conditions)
        branch, absences = absence_elimination.without_certain_absences(branch, knowledge.orders)
        made += (Rewriting(absence_elimination.LAW, (by.clause,), absence) for absence, by in absences)
    if scan_reduction.LAW not in without:
        branch, added = scan_reduction.with_filters(branch, knowledge.clauses)
        made += (Rewriting(scan_reduction.LAW, (by.clause,), condition) for condition, by in added)
    return branch


def _settlements(
    rule: Rule, knowledge: Knowledge, without: Collection[str], *, may_be_early: bool
) -> Iterator[tuple[Settlement, Rewriting]]:
    """Yields what settles the answers of a rule, or lets it forget, each with its reason."""
    if closing_events.LAW not in without:
        for closing, order in closing_events.closing_events(rule, knowledge.orders, may_be_early=may_be_early):
            yield closing, Rewriting(closing_events.LAW, (order.clause,), closing)
    clause_of = {id(fact): clause for fact, clause in knowledge.cardinalities}
    facts = [fact for fact, _ in knowledge.cardinalities]
    if full_groups.LAW not in without and may_be_early:
        for most, fact in full_groups.full_groups(rule, facts, None):
            yield most, Rewriting(full_groups.LAW, (clause_of[id(fact)],), most)
    if only_partners.LAW not in without:
        for partner, fact in only_partners.only_partners(rule, facts):
            yield partner, Rewriting(only_partners.LAW, (clause_of[id(fact)],), partner)


def unused(knowledge: Knowledge, rules: Sequence[RewrittenRule]) -> list[Clause]:
    """Returns the clauses that no rewriting uses."""
    used = {id(clause) for each in rules for rewriting in each.rewritings for clause in rewriting.clauses}
    return [clause for clause in knowledge.clauses if id(clause) not in used]
