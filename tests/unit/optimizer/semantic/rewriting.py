"""Rules as constraints rewrite them, and what programs answer."""

from __future__ import annotations

from collections.abc import Sequence

from cera.constraints.module import ConstraintModule
from cera.constraints.semantics import violations
from cera.constraints.stream import Stream, extent_of, happenings_of
from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.optimizer.semantic.driver import RewrittenProgram, RewrittenRule, knowledge_of, rewrite
from cera.pipeline import Pipeline
from cera.program import load
from cera.rules.rule import RuleProgram
from conformance.constraints import clauses_of


def program_of(rules: str) -> RuleProgram:
    program = load(rules)
    assert not program.errors, program.errors
    return program.rules


def rewritten_program(rules: str, *constraints: str) -> RewrittenProgram:
    text = "\n".join(constraints)
    modules = [each.module for each in Pipeline((Source("c.escl", text),)).modules.found]
    assert any(isinstance(each, ConstraintModule) for each in modules)
    return rewrite(program_of(rules), knowledge_of(modules))


def rewritten(rules: str, *constraints: str) -> RewrittenRule:
    """Returns what constraints make of a program of one rule."""
    [found] = rewritten_program(rules, *constraints).rules
    return found


def laws(found: RewrittenRule) -> list[str]:
    return [each.law for each in found.rewritings]


def satisfies(events: Sequence[Event], *constraints: str) -> bool:
    happenings = happenings_of(events)
    extent = extent_of((each.known, each.begin) for each in happenings)
    assert extent is not None
    return not violations(clauses_of("\n".join(constraints)), Stream(happenings, extent)).violations


def answers(program: RuleProgram, *events: Event) -> list[str]:
    """Returns the answers of the local engine, each with its time."""
    driver = Driver(RuleModule(program).processor(Settings()), 0)
    found = [one for each in events for one in driver.push([occurrence(each)])]
    return sorted(str(one.result().event) for one in [*found, *driver.close()])
