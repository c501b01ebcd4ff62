"""Rules of the hub as a program of XChangeEQ, whatever language they come from; XC601 where there is no form for them.

What is written is read again, and compared with what it stands for: a translation has the same meaning, or there is
none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.protocol.language import RuleText
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.names import plain_label
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import print_program
from cera.languages.xchangeeq.rule_syntax import as_syntax
from cera.languages.xchangeeq.syntax import (
    Item,
    ProgramSyntax,
    RelationDirective,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
)
from cera.model.events.states import SUPPORT
from cera.model.expressions import constructs
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    DurationLiteral,
    Expression,
    InOneWindow,
    Periodic,
    Within,
    event_references,
    rebuild,
)
from cera.model.time.durations import Duration
from cera.rules.renaming import names_in_order, renamed, variables_of
from cera.rules.rule import RuleProgram
from cera.rules.states import is_hidden
from cera.rules.written import (
    WrittenBranch,
    WrittenRule,
    has_other_parts,
    meaning,
    without_ends_of_states,
    written_rule,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")
_WINDOW = "XChangeEQ has no windows of the clock"
_SLIDING = "a window in which the event lies that it ends with has no form in XChangeEQ"
_OVERLAP = "a negated literal whose evaluation time overlaps that of its rule has no form in XChangeEQ"
_KEPT = "keep this rule in its own file: files of both make one program"
_UNNAMED = "XChangeEQ cannot aggregate over matches with a value that has no name, `_`"
_TIMER = "give the rule a timer on an event, or a state, as evaluation time"


def rule_text(program: RuleProgram) -> RuleText:
    """Returns the program as it stands in a .xceq file, and why not, for what cannot be written."""
    problems: list[Diagnostic] = []
    items: list[Item] = []
    if program.semantics != "practical":
        items.append(SemanticsDirective(program.semantics))
    if program.declared is not None:
        items.append(SourceDirective(program.declared))
    for relation in program.relations:
        items.append(RelationDirective(relation))
    for rule in without_ends_of_states(program.rules):
        written = _named(_without_instants(written_rule(rule)))
        found = [*_unsayable(written, program)]
        problems += found
        if found:
            continue
        syntax = as_syntax(written, _unnamed(written))
        if has_other_parts(rule) or not _means_the_same(syntax, written):
            message = f"the rule `{rule.name}` has no form in XChangeEQ that means the same"
            problems.append(_refusal(message, rule.span, _KEPT))
        items.append(syntax)
    return RuleText(print_program(ProgramSyntax(tuple(items))), tuple(in_source_order(problems)))


def _refusal(message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic("XC601", "error", message, span, hint)


def _unsayable(rule: WrittenRule, program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields the parts of a rule that the language has no words for."""
    if isinstance(rule.head, constructs.ConstructTerm) and rule.head.label.startswith(SUPPORT):
        yield _refusal("XChangeEQ asks for states, and derives none", rule.span, _KEPT)
        return
    for branch in rule.branches:
        for part in (*branch.collections, *branch.absences):
            if part.with_anchor:
                yield _refusal(_SLIDING, part.span or rule.span, _TIMER)
            elif part.element is not None:
                yield _refusal(_OVERLAP, part.span or rule.span, _TIMER)
        for window in branch.windows:
            yield _refusal(_WINDOW, window.span or rule.span, _TIMER)
        if not branch.windows:
            yield from _unsayable_groups(rule, branch)
        if branch.forgotten and not any(part.with_anchor for part in branch.collections):
            yield _refusal(_UNNAMED, rule.span, "give it a name, and each of its values counts")
        for timer in branch.absolute_timers:
            if timer.timer.name != "datetime":
                yield _calendar(timer.timer.name, timer.span)
        for condition in (*branch.conditions, *branch.inner_conditions()):
            yield from _unsayable_condition(condition, rule)


def _unsayable_groups(rule: WrittenRule, branch: WrittenBranch) -> Iterator[Diagnostic]:
    places = {literal.identifier: literal.span for literal in branch.timed}
    for name in branch.gathered:
        message = f"`{name}` is gathered, and more is asked of its time than in what it lies; XChangeEQ cannot say this"
        hint = "derive what belongs together by a rule of its own, and aggregate over what that derives"
        yield _refusal(message, places.get(name) or rule.span, hint)


def _unsayable_condition(condition: Expression, rule: WrittenRule) -> Iterator[Diagnostic]:
    for part in expressions.walk(condition):
        if isinstance(part, InOneWindow):
            yield _refusal(_WINDOW, part.span or rule.span, _TIMER)
        elif isinstance(part, Periodic) and part.timer.name != "datetime":
            yield _calendar(part.timer.name, part.span or rule.span)
    if any(map(is_hidden, expressions.variables(condition))):
        message = "XChangeEQ cannot say that two states with one label are not the same"
        yield _refusal(message, condition.span or rule.span, "compare what tells them apart")


def _calendar(name: str, span: Span | None) -> Diagnostic:
    message = f"the calendar `{name}` is in a file that a translation does not name"
    return _refusal(message, span, "write the parts of the time: `timer:datetime{{…}}`")


def _without_instants(rule: WrittenRule) -> WrittenRule:
    """Returns the rule with events in one window of a microsecond as what they are: they happen at one point."""

    def changed(part: Expression) -> Expression:
        if isinstance(part, InOneWindow) and part.length == 1 and part.slide == 1:
            return Within(part.intervals, DurationLiteral(Duration()), part.span)
        return rebuild(part, changed)

    branches = (replace(each, conditions=tuple(map(changed, each.conditions))) for each in rule.branches)
    return replace(rule, branches=tuple(branches))


def _named(rule: WrittenRule) -> WrittenRule:
    """Returns the rule with names that the language allows."""
    variables = {name: name for name in variables_of(rule) if not is_hidden(name)}
    if not all(map(_VARIABLE.fullmatch, variables)):
        variables = names_in_order(variables, lambda name: _NOT_IN_NAMES.sub("", name))
    known = [literal.identifier for branch in rule.branches for literal in branch.timed]
    taken, identifiers = set(known), dict[str, str]()
    for name in dict.fromkeys(known):
        if not _IDENTIFIER.fullmatch(name):
            wish = _NOT_IN_NAMES.sub("_", name).lstrip("0123456789") or "event"
            identifiers[name] = next(each for each in _numbered(wish) if each not in taken)
            taken.add(identifiers[name])
    return renamed(rule, variables, identifiers)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _unnamed(rule: WrittenRule) -> set[str]:
    """Returns the identifiers that can be left out: lowering gives them again, and nothing names them."""
    found: set[str] = set()
    counts = Counter(name for branch in rule.branches for name in _labels(branch))
    for branch in rule.branches:
        used = {timer.anchor for timer in branch.relative_timers} | {part.window for part in branch.accumulations}
        conditions = (*branch.conditions, *branch.inner_conditions())
        used = used.union(*(event_references(condition) for condition in conditions))
        for query in branch.queries:
            name, given = query.identifier, plain_label(query.pattern)
            if query.anonymous and name == given and counts[name] == 1 and name not in used:
                found.add(name)
    named = (value for part in _head_values(rule) for value in event_references(part))
    return found - set(named)


def _head_values(rule: WrittenRule) -> Iterator[Expression]:
    return (value for part in constructs.walk(rule.head) for value in constructs.own_expressions(part))


def _labels(branch: WrittenBranch) -> Iterator[str]:
    """Yields the names that literals have or would be given."""
    for query in branch.queries:
        yield query.identifier
        label = plain_label(query.pattern)
        if label is not None and label != query.identifier:
            yield label


def _means_the_same(syntax: RuleSyntax, written: WrittenRule) -> bool:
    text = print_program(ProgramSyntax((syntax,)))
    parsed = parse(Source("<translation>", text))
    program, problems = lower([parsed.program], calendars=(), timezone="UTC", semantics=None)
    if parsed.diagnostics or problems:
        return False
    found = (renamed(written_rule(rule), {}, {}) for rule in program.rules)
    return [meaning(replace(rule, name=written.name)) for rule in found] == [meaning(written)]
