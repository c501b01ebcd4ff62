"""Normalised rules as a module: they run as a plan of the algebra, and mean what the model theory says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from cera.algebra.plan import Plan
from cera.diagnostics import Note, Span
from cera.model.events.attributes import AskedAttribute, Path
from cera.modules.layering import Layer, Layers
from cera.modules.module import Port, Settings, Unit
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output
from cera.rules.analysis.dependencies import event_patterns, rule_uses
from cera.rules.analysis.labels_and_attributes import asked_attributes, derived_attributes
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.rule import Rule, RuleProgram, relations_of
from cera.rules.settlements import settles_answers, without_early_answers

if TYPE_CHECKING:
    from cera.engines.local.processor import RuleProcessor
    from cera.engines.reference.definition import RuleDefinition


@dataclass(frozen=True)
class RuleModule:
    """The rules of a program, or those of one layer. A unit is a rule."""

    program: RuleProgram
    name: str = ""
    span: Span | None = None

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        """Empty: queries match terms, and predicates do not stand for events."""
        return ()

    @property
    def outputs(self) -> tuple[Output, ...]:
        return ()

    @property
    def granularity(self) -> Granularity:
        return "time"

    @property
    def partition(self) -> str | None:
        return None

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """Empty: there are no histories. The timers of rules are computed from their anchors and calendars."""
        return ()

    @property
    def is_recursive(self) -> bool:
        """True: strata put rules that read each other's events in order."""
        return True

    @property
    def is_saved_bare(self) -> bool:
        return True

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.program.rules

    @cached_property
    def plan(self) -> Plan:
        """The optimized plan."""
        from cera.engines.local.engine import incremental_plan_of  # many programs are only checked

        return incremental_plan_of(self.program)

    @property
    def identity(self) -> object:
        return self.plan

    @property
    def parts(self) -> Mapping[str, object]:
        return {rule.name: rule for rule in self.rules}

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        found = zip(self.rules, rule_uses(self.rules), strict=True)
        return tuple(
            Unit(rule.name, tuple(_inputs(rule)), tuple(_outputs(rule)), uses.all, rule.span) for rule, uses in found
        )

    @cached_property
    def reads(self) -> frozenset[str | None]:
        return frozenset(query_label(query.pattern) for rule in self.rules for query in event_patterns(rule))

    @property
    def derives(self) -> frozenset[str | None]:
        return frozenset(head_label(rule.head) for rule in self.rules)

    @property
    def looks_up(self) -> frozenset[str]:
        return frozenset(relations_of(self.rules))

    @property
    def depends_on_extent(self) -> bool:
        """False: the engines know the timers of rules."""
        return False

    @property
    def is_divided_by_values(self) -> bool:
        return False

    @property
    def depends_on_duration(self) -> bool:
        return True

    @property
    def starts_with_any_event(self) -> bool:
        """Whether there are absolute timers, which tick from the first event on."""
        return any(branch.absolute_timers for rule in self.rules for branch in rule.branches)

    def asked_attributes(self) -> Iterable[AskedAttribute]:
        return asked_attributes(self.rules)

    def derived_attributes(self) -> Mapping[str, frozenset[Path] | None]:
        return derived_attributes(self.rules)

    def restricted(self, units: Sequence[int]) -> Self:
        if len(units) == len(self.rules):
            return self
        return replace(self, program=replace(self.program, rules=tuple(self.rules[number] for number in units)))

    def limited(self, answers: int) -> Self:
        return replace(self, program=replace(self.program, answer_limit=answers))

    def at_ends(self) -> RuleModule:
        """Returns the same rules without answers that are certain before their ends."""
        if not any(map(settles_answers, (each for rule in self.rules for each in rule.settlements))):
            return self
        rules = tuple(replace(rule, settlements=tuple(without_early_answers(rule.settlements))) for rule in self.rules)
        return replace(self, program=replace(self.program, rules=rules))

    def processor(self, settings: Settings) -> RuleProcessor:
        return self.processor_of(self.plan, settings)

    @staticmethod
    def processor_of(plan: Plan, settings: Settings) -> RuleProcessor:
        """Returns the processor of a plan, or of a part of one."""
        from cera.engines.local.processor import RuleProcessor

        return RuleProcessor(
            plan,
            max_duration=settings.max_duration,
            timezone=settings.timezone,
            tick_limit=settings.ticks,
            recursion_limit=settings.recursion_limit,
            relations=settings.relations,
        )

    def definition(self, settings: Settings) -> RuleDefinition:
        from cera.engines.reference.definition import RuleDefinition

        return RuleDefinition(self.program, settings)


def rule_layers(program: RuleProgram) -> Layers:
    """Returns a program of rules alone, ready for an engine."""
    return Layers((Layer((RuleModule(program),)),))


def rules_of(layers: Layers) -> tuple[Rule, ...]:
    """Returns all rules of a program, whatever their layers."""
    return tuple(rule for module in layers.modules if isinstance(module, RuleModule) for rule in module.rules)


def _inputs(rule: Rule) -> Iterable[Port]:
    for query in event_patterns(rule):
        yield Port(query_label(query.pattern), Note(f"rule `{rule.name}` queries this", query.span))


def _outputs(rule: Rule) -> Iterable[Port]:
    """Returns the events of a rule that others see: not those that it sends away."""
    if rule.recipient is None:
        note = Note(f"rule `{rule.name}` can derive them", rule.head.span or rule.span)
        yield Port(head_label(rule.head), note)
