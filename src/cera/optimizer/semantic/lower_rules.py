"""Which events may close what a rule answers: those that come from outside, or that rules below it derive.

A rule reads the events that settle it. If it could read what depends on its own answers, by its queries or by what
settles other rules, the program would have no strata any more. So the rules are put in one line, by which each comes
after those that its queries read, and only those before it may close it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cera.model.matching.patterns import Pattern
from cera.rules.analysis.dependencies import rule_uses
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import query_label
from cera.rules.reasoning.graph import strongly_connected_components
from cera.rules.rule import Rule, RuleProgram


@dataclass(frozen=True)
class LowerRules:
    """The places of the rules of a program in that line; those that depend on each other have one."""

    program: RuleProgram
    producers: Producers
    places: Mapping[int, int]

    @staticmethod
    def of(program: RuleProgram) -> LowerRules:
        components = strongly_connected_components([use.all for use in rule_uses(program.rules)])
        places = {id(program.rules[i]): place for place, several in enumerate(components) for i in several}
        return LowerRules(program, Producers(program.rules), places)

    def may_close(self, rule: Rule, pattern: Pattern) -> bool:
        """Returns whether nothing that a pattern matches can depend on a rule. What modules derive may."""
        if query_label(pattern) in self.program.from_modules:
            return False
        own = self.places[id(rule)]
        return all(self.places[id(self.program.rules[i])] < own for i in self.producers.of(pattern))
