"""Small programs for the tests of the checks: from text to rules and to what the checks say."""

from __future__ import annotations

from cera.diagnostics import Diagnostic, Source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.model.expressions.constructs import Construct
from cera.model.matching.patterns import Pattern
from cera.rules.checks.check import check
from cera.rules.rule import Branch, Rule, RuleProgram


def program(text: str) -> RuleProgram:
    """The rules of a text that the parser and the lowering have nothing to say about."""
    parsed = parse(Source("test.xceq", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    lowered, problems = lower([parsed.program], calendars=(), timezone="UTC", semantics=None)
    assert not problems, "\n".join(map(str, problems))
    return lowered


def rules(text: str) -> tuple[Rule, ...]:
    return program(text).rules


def branch(body: str) -> Branch:
    """The only branch of a body."""
    (only,) = rules(f"DETECT h ON {body} END")[0].branches
    return only


def head(text: str) -> Construct:
    return rules(f"DETECT {text} ON a END")[0].head


def query(text: str) -> Pattern:
    return branch(text).events[0].pattern


def diagnose(text: str) -> tuple[Diagnostic, ...]:
    """What the checks say, but for XC408: events of these small programs are bare (`ON a END`), and meant to be."""
    return tuple(found for found in check(program(text)) if found.code != "XC408")


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in diagnose(text)]


def the(code: str, text: str) -> Diagnostic:
    """The one diagnostic of the text with that code."""
    (found,) = [diagnostic for diagnostic in diagnose(text) if diagnostic.code == code]
    return found


def marked(diagnostic: Diagnostic) -> str:
    """The text that the diagnostic points at."""
    assert diagnostic.span is not None
    return diagnostic.span.text
