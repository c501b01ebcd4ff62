"""From StreamLog to normalised rules: the disjunctive form of each body, each branch in its evaluation time.

    unbounded                       nothing
    a state s                       an event x is in s; a negated literal is absent from s
    an event or a timer i           an event x lies in i; a negated literal is absent from i
    Range d Slide d', now           all events lie in one window; a negated literal is absent from it
    [now - d, now]                  the events span at most d
    [f, g]                          f <= b(x) and e(x) <= g

An aggregate gathers the events of its body: what remains of the event trace is the evaluation time. Residues are never
matched. A rule without a module has the window or the state of its body as its evaluation time (`branches`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cera.diagnostics import Diagnostic
from cera.languages.atoms.syntax import Kind, Origin, Relation
from cera.languages.streamlog.activation import activation_of
from cera.languages.streamlog.atoms import head_of
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.branch_parts import RuleContext, declared_identifiers
from cera.languages.streamlog.branches import BranchLowering
from cera.languages.streamlog.scopes import atom_values
from cera.languages.streamlog.sliding import branches_of
from cera.languages.streamlog.state_rules import LoweredState, StateLowering, composed, endless
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Program,
    Query,
    WindowLiteral,
    anchored,
    leaves,
    literals,
)
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Expression, Variable
from cera.model.time.time_text import TimeError, parse_datetime
from cera.modules.states.module import StateModule
from cera.rules import rule as hub
from cera.rules.branch_building import Names
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import RuleProgram


@dataclass(frozen=True)
class Lowered:
    """The rules of all files as one program, the modules of the states that they derive, what cannot be lowered, and
    the warnings about states that never end."""

    program: RuleProgram
    states: tuple[StateModule, ...]
    problems: tuple[Diagnostic, ...]
    endless: tuple[Diagnostic, ...]


def lower(programs: Sequence[Program], timezone: str) -> Lowered:
    kinds = _kinds(programs)
    relations = {each.name for program in programs for each in program.relations}
    names = Names()
    problems: list[Diagnostic] = []
    rules: list[hub.Rule] = []
    states: list[LoweredState] = []
    for program in programs:
        origin = _origin(program, timezone, problems)
        for module in program.modules:
            for rule in module.rules:
                context = RuleContext(kinds, relations, origin, timezone, module.time, rule, problems)
                if rule.head.kind == "state":
                    states += _states(context, names)
                else:
                    rules += _rules(context, names.fresh(rule.head.atom.label))
    about_states, modules = composed(states)
    declared = tuple(_declared(each) for program in programs for each in program.relations)
    together = RuleProgram((*rules, *about_states), relations=declared)
    return Lowered(together, modules, tuple(problems), tuple(endless(states)))


def _declared(relation: Relation) -> RelationDeclaration:
    versions = (relation.valid_from, relation.versions_of)
    return RelationDeclaration(
        relation.name, relation.attributes, relation.source, relation.refresh, *versions, relation.span
    )


def _origin(program: Program, timezone: str, problems: list[Diagnostic]) -> int:
    for each in program.declarations:
        if isinstance(each, Origin):
            try:
                return parse_datetime(each.text, timezone).begin
            except TimeError as error:
                problems.append(Diagnostic("SL001", "error", str(error), each.span))
    return 0


def _kinds(programs: Sequence[Program]) -> dict[str, Kind]:
    """Returns the kind of each label: that of its rules, or what is said somewhere; an evaluation time is a state."""
    heads = {rule.head.atom.label: rule.head.kind or "event" for program in programs for rule in program.rules}
    said: dict[str, Kind] = {}
    times: dict[str, Kind] = {}
    for module in (module for program in programs for module in program.modules):
        bodies = [literal for rule in module.rules for literal in literals(rule.query)]
        for literal in (anchored(module.time), *bodies):
            if literal is not None and literal.kind is not None:
                said.setdefault(literal.atom.label, literal.kind)
        for time in (module.time, *(literal.time for literal in bodies)):
            if isinstance(time, Literal):
                times[time.atom.label] = "state"
    return {**times, **said, **heads}


def _rules(context: RuleContext, name: str) -> list[hub.Rule]:
    """Returns the rule of the hub; none if it is refused."""
    head = context.source.head
    if head.until is not None:
        message = "`until` says when a state ends, and this rule derives events"
        hint = f"derive a state: `state: {head.atom.label}(…) until …`"
        context.refuse("SL312", message, head.until.span, hint)
    if head.conditions:
        message = "conditions on the time of an answer are not run yet"
        context.refuse("SL307", message, head.span, "its time is that of what it was derived from")
    once = _once(context)
    declared = set(declared_identifiers(leaves(context.source.query), context.time))
    lowered = branches_of(_alternatives(context.source.query), lambda: Body(context, once, Names("_", declared)))
    branches = tuple(branch for branch in lowered if branch is not None)
    derived = _texts_read(head_of(head.atom), context)
    if context.refused:
        return []
    activation = activation_of(context.time, context.source.query, context.kinds)
    return [hub.Rule(name, derived, branches, span=context.source.span, activation=activation)]


def _texts_read(construct: Construct, context: RuleContext) -> Construct:
    """Returns a head with its texts of times read."""
    match construct:
        case ConstructTerm():
            return replace(construct, children=tuple(_texts_read(child, context) for child in construct.children))
        case ConstructValue():
            return replace(construct, expression=context.texts_read(construct.expression))
        case All() | OptionalConstruct():
            raise AssertionError("no head of this language has it")


def _states(context: RuleContext, names: Names) -> list[LoweredState]:
    """Returns a rule that derives states, a part for each conjunction of its body; none if it is refused."""
    label = context.source.head.atom.label
    shown: str | None = None
    once = _once(context)
    declared = set(declared_identifiers(leaves(context.source.query), context.time))
    found: list[LoweredState] = []
    for conjunction in _alternatives(context.source.query):
        body = Body(context, once, Names("_", declared))
        state = StateLowering(context, body)
        made = BranchLowering(body, conjunction, state).branch()
        name = names.fresh(label)
        shown = shown or name
        lowered = None if made is None else state.lowered(name, shown, made)
        found += [] if lowered is None else [lowered]
    return [] if context.refused else found


def _once(context: RuleContext) -> frozenset[str]:
    """Returns the variables that stand at one place of the rule only: their values do not matter."""
    rule = context.source
    time = anchored(context.time)
    known = [*literals(rule.query), *(each for each in (time, rule.head.until) if each is not None)]
    atoms = [literal.atom for literal in known]
    counts = Counter(_names(atoms))
    used = {*_names([rule.head.atom]), *_bounded(context.time)}
    for leaf in leaves(rule.query):
        if isinstance(leaf, Expression):
            used |= expressions.variables(leaf)
        used |= {*_bounded(leaf.time if isinstance(leaf, Literal) else leaf)}
    return frozenset(name for name, count in counts.items() if count == 1 and name not in used)


def _bounded(time: EvaluationTime | Leaf | None) -> Iterator[str]:
    """Yields the variables in the bounds of a window."""
    if isinstance(time, WindowLiteral) and isinstance(time.window, Between):
        yield from expressions.variables(time.window.begin)
        yield from expressions.variables(time.window.end)


def _alternatives(query: Query) -> list[tuple[Leaf, ...]]:
    """Returns the disjunctive form of a body."""
    match query:
        case Conjunction():
            parts = [_alternatives(part) for part in query.queries]
            return [tuple(itertools.chain.from_iterable(choice)) for choice in itertools.product(*parts)]
        case Disjunction():
            return [each for part in query.queries for each in _alternatives(part)]
        case _:
            return [(query,)]


def _names(atoms: Iterable[Atom]) -> Iterator[str]:
    """Yields the variables of atoms, each as often as it stands there."""
    return (each.name for atom in atoms for each in atom_values(atom) if isinstance(each, Variable))
