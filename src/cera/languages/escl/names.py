"""Labels, names of constraints and local definitions."""

from __future__ import annotations

from collections.abc import Iterator

from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    LocalDefinitions,
    Module,
    parts_of,
)
from cera.constraints.definitions import all_parts, literals_of
from cera.constraints.kinds import said_kinds, uses
from cera.constraints.queries import Kind, Literal
from cera.constraints.reports import VIOLATION
from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.atoms.syntax import Relation
from cera.languages.escl.hints import misspelt
from cera.languages.escl.syntax import Program
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Literal as Constant

_ARTICLES: dict[Kind, str] = {"event": "an event", "state": "a state", "relation": "a relation"}


def check_names(program: Program) -> Iterator[Diagnostic]:
    yield from _kinds(program)
    yield from _constraint_names(program)
    yield from _own_violations(program)
    for tree in program.sets:
        yield from _definitions(tree)


def _kinds(program: Program) -> Iterator[Diagnostic]:
    """Reports labels of events and of states where it is not said which is meant, or of relations (EC103), and those of
    which nothing is said at all (EC108)."""
    said = said_kinds(program.sets)
    relations = {each.name: each for each in program.relations}
    taken: set[str] = set()
    for tree in program.sets:
        for literal, local in uses(tree):
            label = literal.atom.label
            yield from _misspelt_kind(literal)
            known = said.get(label, {})
            if label in local:
                continue
            if label in relations and literal.kind is not None:
                message = f"`{label}` is the name of a relation, and not {_ARTICLES[literal.kind]}"
                note = (Note("it is declared here", relations[label].span),)
                yield Diagnostic("EC103", "error", message, literal.span, f"write `{label}(…)`", note)
            elif label in relations:
                yield from _relation_attributes(literal.atom, relations[label])
            elif label not in relations and literal.kind is None and len(known) > 1:
                notes = tuple(Note(f"here it is {_ARTICLES[kind]}", use.span) for kind, use in sorted(known.items()))
                message = f"`{label}` is the label of events and of states"
                hint = f"say which is meant: `event: {label}(…)` or `state: {label}(…)`"
                yield Diagnostic("EC103", "error", message, literal.span, hint, notes)
            elif label not in relations and literal.kind is None and not known and label not in taken:
                taken.add(label)
                message = f"`{label}` is taken for the label of events: no relation is called so"
                nearest = did_you_mean(label, relations)
                hint = nearest or f"write `event: {label}(…)` or `state: {label}(…)`, or declare `relation {label}(…)`"
                yield Diagnostic("EC108", "note", message, literal.span, hint)


def _relation_attributes(atom: Atom, relation: Relation) -> Iterator[Diagnostic]:
    """Reports attributes that a relation is declared without (EC112)."""
    if relation.attributes is None:
        return
    known = [each.name for each in relation.attributes]
    for argument in atom.arguments:
        if isinstance(argument, Atom) and argument.label not in known:
            message = f"the relation `{relation.name}` has no attribute `{argument.label}`"
            hint = did_you_mean(argument.label, known) or f"its attributes are {', '.join(known)}"
            note = (Note("it is declared here", relation.span),)
            yield Diagnostic("EC112", "error", message, argument.span or atom.span, hint, note)


def _own_violations(program: Program) -> Iterator[Diagnostic]:
    """Reports atoms that ask for violations of a constraint of the same file, which they do not see (EC111)."""
    own = {each.name: each for each in program.constraints if each.name is not None}
    for literal in (literal for tree in program.sets for literal, _ in uses(tree)):
        if literal.atom.label != VIOLATION:
            continue
        for argument in literal.atom.arguments:
            match argument:
                case Atom("constraint", (Constant(str() as name),)) if name in own:
                    message = f"violations of `{name}` are not seen here: it is a constraint of the same file"
                    hint = "write what asks for them into a file of its own, and verify both"
                    note = (Note(f"`{name}` is here", own[name].span),)
                    yield Diagnostic("EC111", "warning", message, literal.span, hint, note)
                case _:
                    pass


def _misspelt_kind(literal: Literal) -> Iterator[Diagnostic]:
    """Reports identifiers of atoms without a kind that look like one (EC110): `evnt: order(id(N))`."""
    if literal.kind is not None or literal.identifier is None:
        return
    name = literal.identifier.identifier
    meant = misspelt(name, ("event", "state"), 0.8)
    if meant is not None:
        message = f"`{name}` is taken for an identifier, and looks like `{meant}`"
        hint = f"write `{meant}: {literal.atom.label}(…)`, or give it another name"
        yield Diagnostic("EC110", "warning", message, literal.identifier.span or literal.span, hint)


def _constraint_names(program: Program) -> Iterator[Diagnostic]:
    """Reports constraints that have one name (EC104)."""
    first: dict[str, Span | None] = {}
    for constraint in program.constraints:
        if constraint.name is None:
            continue
        if constraint.name in first:
            note = (Note("the other one is here", first[constraint.name]),)
            message = f"two constraints are called `{constraint.name}`"
            yield Diagnostic("EC104", "error", message, constraint.span, "give one of them another name", note)
        first.setdefault(constraint.name, constraint.span)


def _definitions(tree: ConstraintSet) -> Iterator[Diagnostic]:
    """Reports definitions that need themselves (EC107), and literals that ask for what none derives (EC106)."""
    match tree:
        case LocalDefinitions():
            later = [each.head.atom.label for each in tree.definitions]
            for number, definition in enumerate(tree.definitions):
                unknown = set(later[number:])
                for part in parts_of(definition.body):
                    for literal in literals_of(part):
                        if literal.atom.label in unknown:
                            label = literal.atom.label
                            message = f"`{label}` is derived here or later, and cannot be asked for yet"
                            hint = "a definition may use those before it, and not itself"
                            yield Diagnostic("EC107", "error", message, literal.span, hint)
            heads: dict[str, list[Atom]] = {}
            for definition in tree.definitions:
                heads.setdefault(definition.head.atom.label, []).append(definition.head.atom)
            for part in all_parts(tree.constraints):
                for literal in literals_of(part):
                    yield from _attributes(literal.atom, heads.get(literal.atom.label, []))
            yield from _definitions(tree.constraints)
        case Module():
            yield from _definitions(tree.constraints)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from _definitions(each)
        case Constraint():
            return


def _attributes(atom: Atom, heads: list[Atom]) -> Iterator[Diagnostic]:
    for head in heads:
        known = {each.label for each in head.arguments if isinstance(each, Atom)}
        for each in atom.arguments:
            if isinstance(each, Atom) and each.label not in known:
                message = f"the local definition of `{atom.label}` derives no `{each.label}`"
                note = (Note("this is what it derives", head.span),)
                yield Diagnostic("EC106", "error", message, each.span, "add it there, or leave it out here", note)
