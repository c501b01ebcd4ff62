"""Constraints as rules: what engines run in the place of the clauses that rules can say.

The reference engine keeps to the definition of all clauses. Any other runs the rules, natively and in its bounds of
state, beside the modules with the clauses that are left; `cera.constraints.translation` says which these are, and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule, asks_for
from cera.constraints.partition import partitions, parts_of_clause
from cera.constraints.queries import WindowLiteral
from cera.constraints.reports import VIOLATION
from cera.constraints.times import is_moving
from cera.constraints.translation.clause_rules import ByRules, EventByEvent, rules_of
from cera.model.time.interval import Time
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module
from cera.modules.rules.module import RuleModule
from cera.rules.rule import Accumulation, Branch, Rule, RuleProgram, set_on


def by_rules(layers: Layers, *, in_parts: bool = False) -> Layers:
    """Returns a program in which rules stand in the place of clauses, in the same layers.

    `in_parts`: clauses whose events can be divided by the same attribute are modules of their own.
    """
    if not any(isinstance(module, ConstraintModule) for module in layers.modules):
        return layers
    return Layers(tuple(_by_rules(layer, in_parts=in_parts) for layer in layers.layers))


def by_rules_from(begin: Time, layers: Layers) -> Layers:
    """Returns a program in which rules stand in the place of clauses that need to know when a recording begins.

    Nothing begins before that. What a layer derives may, so that it is for constraints of the lowest layer.
    """

    def begun(module: Module) -> Module:
        if isinstance(module, ConstraintModule) and module.since is None:
            return replace(module, since=begin)
        return module

    if not layers.layers:
        return layers
    lowest, *others = layers.layers
    changed = Layer(tuple(map(begun, lowest.modules)))
    return layers if changed == lowest else Layers((_by_rules(changed, in_parts=False), *others))


def all_rules(program: RuleProgram, modules: Iterable[Module]) -> RuleProgram:
    """Returns the rules of a program together with those that verify the constraints of its modules."""
    made = RuleModule(program)
    for module in modules:
        if isinstance(module, ConstraintModule):
            made = _joined(made, divided(module)[0])
    return made.program


def verification_lines(module: ConstraintModule) -> Iterator[str]:
    """Yields for each clause how it is verified: by which rules, or event by event, and why."""
    for clause, found in verifications(module):
        match found:
            case ByRules(rules=()):
                yield f"{clause.name}: nothing violates it"
            case ByRules(rules=rules):
                yield f"{clause.name}: by {', '.join(f'rule {rule.name}' for rule in rules)}"
            case EventByEvent(reason=reason):
                yield f"{clause.name}: event by event, because {reason}"


def _by_rules(layer: Layer, *, in_parts: bool) -> Layer:
    found: list[Module] = []
    rules: RuleModule | None = None
    for module in layer.modules:
        match module:
            case ConstraintModule():
                translated, rest = divided(module)
                rules = translated if rules is None else _joined(rules, translated)
                found += by_partition(rest) if in_parts else [rest] if rest.clauses else []
            case RuleModule():
                rules = module if rules is None else _joined(module, rules)
            case _:
                found.append(module)
    if rules is not None and rules.rules:
        found.append(rules)  # behind all others, as states are saved
    return Layer(tuple(found))


def verifications(module: ConstraintModule) -> list[tuple[Clause, ByRules | EventByEvent]]:
    """Returns how each clause of a module is verified.

    Windows that move have a time for each event that some clause asks for: then one walk over the events takes all.
    """
    parts = (part for clause in module.clauses for part in parts_of_clause(clause, ()))
    if any(isinstance(part, WindowLiteral) and is_moving(part.window) for part in parts):
        reason = "a window of the file moves with each event that one of its constraints asks for"
        return [(clause, EventByEvent(reason)) for clause in module.clauses]
    given = partial(rules_of, since=module.since, timezone=module.timezone)
    return [
        (
            clause,
            _ASKING
            if asks_for(clause, VIOLATION)
            else given(clause, module.name, module.relations, module.origin, module.unit),
        )
        for clause in module.clauses
    ]


#: Rules would see the violations that they derive themselves.
_ASKING = EventByEvent("it speaks of violations, those of its own file excepted")


def divided(module: ConstraintModule) -> tuple[RuleModule, ConstraintModule]:
    """Returns the clauses of a module that are rules, and a module with the others."""
    made = verifications(module)
    rules = tuple(rule for _, found in made if isinstance(found, ByRules) for rule in found.rules)
    rest = tuple(clause for clause, found in made if not isinstance(found, ByRules))
    return RuleModule(RuleProgram(rules, relations=module.relations)), module.of_clauses(rest)


def by_partition(module: ConstraintModule) -> list[ConstraintModule]:
    """Returns modules with the clauses that can be divided by the same attribute, and with those that cannot."""
    found: list[ConstraintModule] = []
    rest = [(clause, partitions(clause)) for clause in module.clauses]
    while names := Counter(name for _, several in rest for name in sorted(several)):
        [(most, _)] = names.most_common(1)
        found.append(module.of_clauses(tuple(clause for clause, several in rest if most in several)))
        rest = [each for each in rest if most not in each[1]]
    return [*found, *([module.of_clauses(tuple(clause for clause, _ in rest))] if rest else [])]


def _joined(module: RuleModule, other: RuleModule) -> RuleModule:
    """Returns the rules of two modules as one."""
    program, more = module.program, other.program
    if program.semantics == "formal":
        more = replace(more, rules=tuple(_without_anchors(rule) for rule in more.rules))
    relations = dict.fromkeys((*program.relations, *more.relations))
    joined = replace(program, rules=(*program.rules, *more.rules), relations=tuple(relations))
    return replace(module, program=joined)


def _without_anchors(rule: Rule) -> Rule:
    """Returns the rule of a constraint so that it means the same in the formal semantics: its absences name the events
    that their windows are defined relative to, which never violate or fulfil a constraint."""
    return replace(rule, branches=tuple(map(_naming_anchors, rule.branches)))


def _naming_anchors(branch: Branch) -> Branch:
    events = {query.identifier for query in branch.events}
    absences: list[Accumulation] = []
    for each in branch.absences:
        anchors = () if each.with_anchor else [name for name in set_on(each.window, branch) if name in events]
        absences.append(replace(each, excluded=tuple(dict.fromkeys((*each.excluded, *anchors)))))
    return replace(branch, absences=tuple(absences))
