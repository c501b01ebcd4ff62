"""Rules of the hub as a program of StreamLog, whatever language they come from; SL401 where there is no form for them.

What is written is read again, and compared with what it stands for: a translation has the same meaning, or there is
none. Conditions with `or` become alternatives, and `f(X)` becomes `f(X) = true`, which means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.atoms.printer import label_text
from cera.languages.atoms.syntax import Declaration, Relation
from cera.languages.protocol.language import RuleText
from cera.languages.streamlog.checks import check_program
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.printer import print_program
from cera.languages.streamlog.rule_names import label_of, named_rule, unnamed
from cera.languages.streamlog.rule_syntax import RuleWriter
from cera.languages.streamlog.syntax import EvaluationTime, Module, Program, Rule, WindowLiteral
from cera.model.events.states import SUPPORT
from cera.model.expressions.atoms import Unbounded
from cera.model.expressions.constructs import ConstructTerm
from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    Expression,
    Literal,
    Or,
    rebuild,
)
from cera.rules.declarations import Attribute, RelationDeclaration
from cera.rules.renaming import renamed, variables_of
from cera.rules.rule import RuleProgram
from cera.rules.written import (
    WrittenBranch,
    WrittenRule,
    has_other_parts,
    meaning,
    without_ends_of_states,
    written_rule,
)

#: A variable that stands at one place only, as lowering names it.
_ONCE = re.compile("_(.+)#")
_ALL_TIME = WindowLiteral(Unbounded())
_BOTH = "keep this rule in its own file: files of both languages make one program"


def rule_text(program: RuleProgram) -> RuleText:
    """Returns the program as it stands in a .slog file, and why not, for what cannot be written."""
    problems: list[Diagnostic] = []
    if program.semantics != "practical":
        place = program.rules[0].span if program.rules else None
        message = "StreamLog cannot ask for the formal semantics"
        hint = "leave out SEMANTICS; the semantics of the translation is an option when it runs"
        problems.append(_refusal(message, place, hint))
    declarations = tuple(_relation(each, problems) for each in program.relations)
    kept = list(without_ends_of_states(program.rules))
    rules = [written_rule(rule) for rule in kept]
    writing = _Writing(declarations, frozenset(_state_labels(rules)), problems)
    modules: list[Module] = []
    for rule, written in zip(kept, rules, strict=True):
        if isinstance(rule.head, ConstructTerm) and rule.head.label.startswith(SUPPORT):
            problems.append(_refusal("rules that derive states are not translated", rule.span, _BOTH))
        elif has_other_parts(rule):
            writing.refuse(written)
        else:
            writing.add(written, modules)
    text = print_program(Program(declarations, tuple(modules)))
    return RuleText(_declared(program) + text, tuple(in_source_order(problems)))


def _declared(program: RuleProgram) -> str:
    """Returns what is declared about events from outside as a comment: it changes no answers, and has no form here."""
    if not program.declared:
        return ""
    lines = [f"# from outside: {_with_attributes(each.label, each.attributes)}\n" for each in program.declared]
    return "".join(lines)


def _with_attributes(name: str, attributes: tuple[Attribute, ...] | None) -> str:
    if attributes is None:
        return label_text(name)
    inside = (
        f"{label_text(each.name)}: {each.kind}" if each.kind else _with_attributes(each.name, each.children)
        for each in attributes
    )
    return f"{label_text(name)}({', '.join(inside)})"


def _refusal(message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic("SL401", "error", message, span, hint)


def _relation(declared: RelationDeclaration, problems: list[Diagnostic]) -> Relation:
    if any(attribute.children is not None for attribute in declared.attributes or ()):
        message = f"the relation `{declared.name}` has attributes in attributes, which StreamLog cannot declare"
        problems.append(_refusal(message, declared.span, "declare the attributes of the table only"))
    versions = (declared.valid_from, declared.versions_of)
    return Relation(declared.name, declared.attributes, declared.source, declared.refresh, *versions)


def _state_labels(rules: Sequence[WrittenRule]) -> Iterator[str]:
    for branch in (branch for rule in rules for branch in rule.branches):
        yield from (str(state.pattern.label) for state in branch.states)
        yield from (str(label_of(part.pattern)) for part in branch.accumulations if part.of_states)


@dataclass(frozen=True)
class _Writing:
    declarations: tuple[Declaration, ...]
    ambiguous: frozenset[str]
    problems: list[Diagnostic]

    def add(self, rule: WrittenRule, modules: list[Module]) -> None:
        """Adds the rule, to the last module or in one of its own."""
        named = named_rule(rule)
        relations = {each.name for each in self.declarations if isinstance(each, Relation)}
        writer = RuleWriter(named, self.ambiguous, relations, unnamed(named))
        time, syntax = writer.written()
        self.problems.extend(writer.problems)
        if writer.problems:
            return
        last = modules[-1] if modules else Module(None, ())
        choices: list[EvaluationTime | None]
        if time is not None:
            choices = [time]
        elif last.time is None or last.time == _ALL_TIME:
            choices = [last.time, _ALL_TIME]
        else:
            choices = [_ALL_TIME]
        for choice in choices:
            if self._means(choice, syntax, named):
                if modules and last.time == choice:
                    modules[-1] = Module(choice, (*last.rules, syntax))
                else:
                    modules.append(Module(choice, (syntax,)))
                return
        self.refuse(rule)

    def refuse(self, rule: WrittenRule) -> None:
        message = f"the rule `{rule.name}` has no form in StreamLog that means the same"
        self.problems.append(_refusal(message, rule.span, _BOTH))

    def _means(self, time: EvaluationTime | None, syntax: Rule, rule: WrittenRule) -> bool:
        """Returns whether the text of a rule is read as the rule."""
        text = print_program(Program(self.declarations, (Module(time, (syntax,)),)))
        parsed = parse(Source("<translation>", text))
        if parsed.diagnostics or any(each.severity == "error" for each in check_program(parsed.program)):
            return False
        lowered = lower([parsed.program], "UTC")
        if lowered.problems or len(lowered.program.rules) != 1:
            return False
        found = written_rule(lowered.program.rules[0])
        plain = {name: once[1] for name in variables_of(found) if (once := _ONCE.fullmatch(name)) is not None}
        found = replace(renamed(found, plain, {}), name=rule.name)
        return meaning(_normal(found)) == meaning(_normal(rule))


def _normal(rule: WrittenRule) -> WrittenRule:
    """Returns the rule without `or` in conditions, `B and (c or d)` as two branches, and without `f(X) = true`."""
    branches: list[WrittenBranch] = []
    for branch in rule.branches:
        choices = [_choices(_truth(condition)) for condition in branch.conditions]
        branches += (replace(branch, conditions=tuple(chain.from_iterable(choice))) for choice in product(*choices))
    return replace(rule, branches=tuple(branches))


def _choices(condition: Expression) -> list[tuple[Expression, ...]]:
    """Returns the disjunctive form of a condition."""
    match condition:
        case Or():
            return [each for operand in condition.operands for each in _choices(operand)]
        case And():
            parts = [_choices(operand) for operand in condition.operands]
            return [tuple(chain.from_iterable(choice)) for choice in product(*parts)]
        case _:
            return [(condition,)]


def _truth(condition: Expression) -> Expression:
    match condition:
        case Comparison(operator="=", left=Call() as call, right=Literal(value=bool(value))) if value:
            return call
        case _:
            return rebuild(condition, _truth)
