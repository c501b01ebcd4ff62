"""The plan that the local engine runs for the rules of a program."""

from __future__ import annotations

from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.optimizer.driver import optimize
from cera.rules.early_states import with_waiting_answers
from cera.rules.rule import RuleProgram


def plan_of(program: RuleProgram) -> Plan:
    """Returns the optimized plan of a program."""
    return optimize(translate(program), rates=program.rates)


def incremental_plan_of(program: RuleProgram) -> Plan:
    """Returns the optimized plan of a program for an engine that gives answers before states end."""
    return plan_of(with_waiting_answers(program))
