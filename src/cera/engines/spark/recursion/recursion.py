"""Rules that depend on each other, over recorded events: one of three ways, cycle by cycle.

by key            the events that the rules query have a correlation key that the rules hand on: the local engine
                  answers them, bucket by bucket
in rounds         there is no key, and columns can hold all events: DataFrames, round by round over the new events
in one piece      the local engine over all events that the rules query, in one task; a small recording always is

A round costs some jobs of Spark, and each of them more than the local engine needs for all events of a small recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pyspark.sql import DataFrame, SparkSession

from cera.algebra.plan import Point
from cera.engines.spark.division.cycle_keys import cycle_key
from cera.engines.spark.division.divisions import KeyDivision
from cera.engines.spark.division.operators import BUCKETS, Operator
from cera.engines.spark.plan.evaluation import Evaluation, constructions
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.reading.kept_relations import kept_here
from cera.engines.spark.recursion.layouts import Layout
from cera.engines.spark.recursion.pieces import PieceInput, in_pieces, outlined_events
from cera.engines.spark.recursion.round_plan import RoundPlan, round_plan
from cera.engines.spark.recursion.rounds import MOST_ROUNDS, RoundEvaluation, Rounds, layouts_of, persisted
from cera.engines.spark.session.task_progress import report_tasks
from cera.engines.spark.tables.event_tables import EventTable
from cera.model.events.relation_rows import RelationRows
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.rules.analysis.dependencies import dependencies
from cera.rules.rule import Rule, relations_of

#: How `ways` names a cycle that is not divided.
IN_ONE_PIECE = "in one piece"


@dataclass
class Recursion:
    """The recursive rules of a module. `ways` says how each cycle runs, by the names of its rules.

    What is `small` runs in one piece. With `keep`, what workers derive is kept by Spark (persisted), and `kept` lists
    it. `tell` takes what is being done, round by round; `waiting` lists what workers will do as part of the answers.
    """

    module: RuleModule
    settings: Settings
    keep: bool = False
    small: bool = False
    tell: Callable[[str], object] = lambda activity: None
    buckets: int = BUCKETS
    ways: dict[tuple[str, ...], str] = field(default_factory=dict)
    kept: list[DataFrame] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    #: The rows of relations that workers look up.
    rows: dict[str, RelationRows] = field(default_factory=dict)

    def __call__(self, evaluation: Evaluation, cycle: tuple[Point, ...]) -> dict[str, tuple[EventTable, ...]]:
        """Returns the events of each rule of a cycle. Rounds are computed at once; what workers do is not."""
        names = tuple(point.name for point in cycle if point.result)
        part = self._part(names, evaluation)
        plan = round_plan(evaluation.plan, cycle)
        rounds = _round_evaluation(evaluation, plan)
        layouts = layouts_of(rounds, plan)
        if self.small:
            self.ways[names] = IN_ONE_PIECE
            return self._in_pieces(replace(part, operator=None), evaluation, layouts)
        if part.operator is not None and not part.given.has_divided(part.operator):
            self.ways[names] = f"by key ({part.operator.division.description(self.buckets).partition(' by ')[2]})"
            return self._in_pieces(part, evaluation, layouts)
        flat = {rule: layout for rule, layout in layouts.items() if layout is not None}
        if flat:
            evaluation.physical.extend(rounds.physical)
            evaluation.environment.fallbacks.update(rounds.environment.fallbacks)
            self.ways[names] = f"in rounds over the delta, at most {MOST_ROUNDS}; then {IN_ONE_PIECE}"
            if evaluation.environment.session is None:
                return outlined_events(part.given.module, layouts)
            found = self._in_rounds(rounds, plan, flat, part.given.labels, evaluation)
            if found is not None:
                return found
        else:
            self.ways[names] = IN_ONE_PIECE
        return self._in_pieces(replace(part, operator=None), evaluation, layouts)

    def _part(self, names: tuple[str, ...], evaluation: Evaluation) -> CycleInput:
        """Returns the rules of a cycle as a module, with the events that they query and how these can be divided."""
        numbers = [number for number, rule in enumerate(self.module.rules) if rule.name in names]
        module = self.module.restricted(numbers)
        key = cycle_key(module.rules, self._producers)
        below = sorted({p.name for name in names for p in self._producers[name] if p.name not in names})
        lengths = [evaluation.max_duration, *(evaluation.relevance.duration(name) for name in below)]
        known = [length for length in lengths if length is not None]
        longest = max(known) if len(known) == len(lengths) else None
        tables = (*evaluation.stream, *(table for name in below for table in evaluation.derived[name]))
        division = KeyDivision(module.rules, key)
        operator = Operator(module, division, 1, buckets=self.buckets) if key and self.buckets > 1 else None
        return CycleInput(PieceInput(module, tables), operator, longest)

    @cached_property
    def _producers(self) -> Mapping[str, list[Rule]]:
        """The rules whose events a rule queries, by its name."""
        found: dict[str, list[Rule]] = {rule.name: [] for rule in self.module.rules}
        for dependency in dependencies(self.module.rules):
            if dependency.on not in found[dependency.rule.name]:
                found[dependency.rule.name].append(dependency.on)
        return found

    def _rows(self, names: Sequence[str], spark: SparkSession) -> dict[str, RelationRows]:
        """Returns the rows of relations, as workers look into them; those of several cycles are read once."""
        new = {name: self.settings.relations[name] for name in names if name not in self.rows}
        self.rows |= kept_here(spark, new)
        return {name: self.rows[name] for name in names}

    def _in_pieces(
        self, part: CycleInput, evaluation: Evaluation, layouts: Mapping[str, Layout | None]
    ) -> dict[str, tuple[EventTable, ...]]:
        names = [rule.name for rule in part.given.module.rules]
        evaluation.environment.fallback(f"recursion of {', '.join(names)}")
        if evaluation.environment.session is None:
            return outlined_events(part.given.module, layouts)
        used = self._rows(relations_of(part.given.module.rules), evaluation.spark)
        settings = replace(self.settings, max_duration=part.max_duration, relations=used)
        self.waiting.append(f"{_activity(names)} {IN_ONE_PIECE if part.operator is None else 'by key'}")
        kept = self.kept if self.keep else None
        return in_pieces(part.given, part.operator, evaluation, settings, layouts, kept)

    def _in_rounds(
        self,
        evaluation: RoundEvaluation,
        plan: RoundPlan,
        layouts: Mapping[str, Layout],
        labels: list[str] | None,
        whole: Evaluation,
    ) -> dict[str, tuple[EventTable, ...]] | None:
        """Returns the events of each rule; None if there were too many rounds."""
        evaluation.old = {}
        kept = persisted(evaluation, labels)
        try:
            rounds = Rounds(evaluation, plan, layouts, self.settings.recursion_limit)
            for number in range(1, MOST_ROUNDS + 1):
                with report_tasks(evaluation.spark, f"{_activity(plan.cycle)}, round {number}", self.tell):
                    if not rounds.next():
                        continue
                    if whole.environment.tally is not None:
                        whole.environment.tally.add(rounds.undefined)
                    results = [point for point in whole.plan.results if point.name in plan.cycle]
                    made = [each for point in results for each in constructions(point.expression)]
                    spanning = any(whole.relevance.spanning(each, plan.cycle) for each in made)
                    if number > 1:  # a first round that adds nothing says nothing of how it runs
                        self.ways[plan.cycle] = f"in rounds over the delta: {number}"
                    return rounds.tables(spanning=spanning)
            return None
        finally:
            for frame in kept:
                frame.unpersist()


@dataclass(frozen=True)
class CycleInput:
    """The rules of a cycle and their events; the operator that divides these; and how long the events last at most."""

    given: PieceInput
    operator: Operator | None
    max_duration: int | None


def _activity(rules: Sequence[str]) -> str:
    return f"recursion of {', '.join(f'`{name}`' for name in rules)}"


def _round_evaluation(evaluation: Evaluation, plan: RoundPlan) -> RoundEvaluation:
    """Returns the evaluation of rounds, which counts for itself: what it plans may never run as part of the answers."""
    tally = None if evaluation.environment.tally is None else Tally()
    return RoundEvaluation(
        plan.plan,
        replace(evaluation.environment, tally=tally, fallbacks={}),
        evaluation.stream,
        evaluation.until,
        evaluation.max_duration,
        evaluation.recorded,
        dict(evaluation.derived),
        dict(evaluation.relations),
        evaluation.ticks,
        plan.cycle,
    )
