"""The checks that evaluators rely on: of single rules, of the shapes of predicates, and of stratification."""

from __future__ import annotations

from collections.abc import Iterator

from cera.datalog.printer import print_atom
from cera.datalog.stratification import stratify, xy_stage
from cera.datalog.syntax import (
    NEXT,
    Anonymous,
    Argument,
    Atom,
    Program,
    Rule,
    atoms,
    conditions,
    negated_atoms,
    positive_atoms,
    root,
)
from cera.diagnostics import Diagnostic, Note, did_you_mean, in_source_order
from cera.errors import ProgramError
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Call, Expression, Variable, walk


def check(program: Program) -> tuple[Diagnostic, ...]:
    """Returns the diagnostics of a program; there are none if it can be evaluated."""
    _, no_order = stratify(program)
    return tuple(in_source_order([*check_rules(program), *no_order]))


def checked(program: Program) -> Program:
    """Returns the program itself. Raises ProgramError if it has errors."""
    diagnostics = check(program)
    if diagnostics:
        raise ProgramError(diagnostics)
    return program


#: Predicates of every stage without rules: that something happened, and the time.
BUILT_IN = {"any": 0, "time": 1}

_FOREIGN = (
    expressions.Aggregate,
    expressions.DateTime,
    expressions.DurationLiteral,
    expressions.EventReference,
    expressions.Periodic,
    expressions.Temporal,
    expressions.Within,
    expressions.InOneWindow,
    expressions.Different,
)


#: The most atoms of a body, and the most that may give values to variables of their own.
MAX_ATOMS, MAX_COMBINED = 50, 19


def check_rules(program: Program) -> Iterator[Diagnostic]:
    yield from _shapes(program)
    for rule in program.rules:
        yield from _size(rule)
        yield from _stages(rule)
        yield from _variables(rule)
        yield from _expressions(rule)


def _shapes(program: Program) -> Iterator[Diagnostic]:
    """Reports predicates that do not have one number of arguments, and a stage everywhere or nowhere."""
    first: dict[str, Atom] = {}
    for rule in program.rules:
        for atom in (rule.head, *atoms(rule)):
            known = first.setdefault(atom.predicate, atom)
            same = len(known.arguments) == len(atom.arguments) and (known.stage is None) == (atom.stage is None)
            notes = () if same else (Note(f"first used here: `{print_atom(known)}`", known.span),)
            if (known.stage is None) != (atom.stage is None):
                message = f"`{atom.predicate}` stands with a stage in one place and without in another"
                yield Diagnostic("DL102", "error", message, atom.span, "a stage is the last argument", notes)
            elif len(known.arguments) != len(atom.arguments):
                counts = f"{len(atom.arguments)} and {len(known.arguments)}"
                message = f"`{atom.predicate}` has {counts} arguments besides its stage"
                yield Diagnostic("DL102", "error", message, atom.span, None, notes)
    heads = {rule.head.predicate for rule in program.rules}
    for predicate, arity in BUILT_IN.items():
        atom = first.get(predicate, Atom(predicate, (Anonymous(),) * arity, NEXT))
        if predicate not in heads and (len(atom.arguments), atom.stage is None) != (arity, False):
            shape = "any(J)" if predicate == "any" else "time(T, J)"
            yield Diagnostic("DL102", "error", f"`{predicate}` is built in: `{shape}`", atom.span)


def _size(rule: Rule) -> Iterator[Diagnostic]:
    """Reports bodies too long to be written as nested loops."""
    count, positive = sum(1 for _ in atoms(rule)), list(positive_atoms(rule))
    names = {name for atom in positive for argument in atom.arguments if (name := _bound_by(argument))}
    combined = min(len(positive), len(names))
    hint = "derive a part of it in a rule of its own, and ask for that"
    if count > MAX_ATOMS:
        message = f"the body of the rule has {count:,} atoms; there can be {MAX_ATOMS}"
        yield Diagnostic("DL104", "error", message, rule.span, hint)
    elif combined > MAX_COMBINED:
        message = f"the rule combines the facts of {combined} atoms; there can be {MAX_COMBINED}"
        yield Diagnostic("DL104", "error", message, rule.span, hint)


def _stages(rule: Rule) -> Iterator[Diagnostic]:
    """Reports atoms of other stages: a rule derives the facts of a stage from that stage and the one before it."""
    known = xy_stage(rule)
    for atom in atoms(rule):
        if atom.stage is None or (rule.head.stage is not None and atom.stage in known):
            continue
        notes = (Note(f"the head is `{print_atom(rule.head)}`", rule.head.span),)
        if rule.head.stage is None:
            message = f"`{print_atom(atom)}` has a stage and the head has none"
            hint = "give the head the stage, too"
        elif atom.stage is NEXT:
            message = f"`{print_atom(atom)}` is later than the head: the rule would report before it happens"
            hint = f"write `s(J)` in the head: `{print_atom(Atom(rule.head.predicate, rule.head.arguments, NEXT))}`"
        else:
            message = f"`{print_atom(atom)}` is neither at the stage of the head nor one stage before it"
            hint = "numbers stand for stages in rules whose head has a number; otherwise use J and s(J)"
        yield Diagnostic("DL103", "error", message, atom.span, hint, notes)
    for atom in (rule.head, *atoms(rule)):
        if isinstance(atom.stage, int) and atom.stage < 0:
            yield Diagnostic("DL103", "error", "there is no stage before stage 0", atom.span)


def _variables(rule: Rule) -> Iterator[Diagnostic]:
    """Reports unbound variables. Range restriction: every variable gets its value from a positive atom of the body."""
    bound = {name for atom in positive_atoms(rule) for argument in atom.arguments if (name := _bound_by(argument))}
    for argument in rule.head.arguments:
        if isinstance(argument, Anonymous):
            yield Diagnostic("DL201", "error", "`_` has no value that the head could have", argument.span)
            continue
        for used in _unbound(argument, bound):
            only_negated = any(root(used.name) in names_of(atom) for atom in negated_atoms(rule))
            hint = "what occurs under `not` only has no value" if only_negated else None
            yield _not_bound("DL201", used, "of the head", bound, hint)
    for atom in positive_atoms(rule):
        for argument in atom.arguments:
            if not isinstance(argument, Anonymous) and not _bound_by(argument):
                for used in _unbound(argument, bound):
                    yield _not_bound("DL202", used, "in a computed argument", bound)
    for atom in negated_atoms(rule):
        for argument in atom.arguments:
            if not isinstance(argument, Anonymous):
                for used in _unbound(argument, bound):
                    hint = "write `_` where any value will do"
                    yield _not_bound("DL202", used, "under `not`", bound, hint)
    for condition in conditions(rule):
        for used in _unbound(condition, bound):
            yield _not_bound("DL202", used, "of a condition", bound)


def _bound_by(argument: Argument) -> str | None:
    """Returns the variable that gets its value from this argument, None if there is none."""
    return argument.name if isinstance(argument, Variable) and "." not in argument.name else None


def names_of(atom: Atom) -> set[str]:
    """Returns the variables of an atom."""
    found: set[str] = set()
    for argument in atom.arguments:
        if not isinstance(argument, Anonymous):
            found |= {root(name) for name in expressions.variables(argument)}
    return found


def _unbound(expression: Expression, bound: set[str]) -> Iterator[Variable]:
    return (e for e in walk(expression) if isinstance(e, Variable) and root(e.name) not in bound)


def _not_bound(code: str, used: Variable, where: str, bound: set[str], hint: str | None = None) -> Diagnostic:
    name = root(used.name)
    message = f"the variable {name} {where} has no value: no positive atom of the body has it as an argument"
    return Diagnostic(code, "error", message, used.span, hint or did_you_mean(name, bound))


def _expressions(rule: Rule) -> Iterator[Diagnostic]:
    found: list[Expression] = [*conditions(rule)]
    for atom in (rule.head, *atoms(rule)):
        found += [argument for argument in atom.arguments if not isinstance(argument, Anonymous)]
    for expression in found:
        yield from check_expression(expression)


def check_expression(expression: Expression) -> Iterator[Diagnostic]:
    """Reports expressions that Datalog does not have (DL203)."""
    for inner in walk(expression):
        if isinstance(inner, _FOREIGN):
            message = f"Datalog_1S has no {type(inner).__name__}: times are numbers of microseconds"
            yield Diagnostic("DL203", "error", message, inner.span)
        elif isinstance(inner, Call):
            yield from _call(inner)


def _call(call: Call) -> Iterator[Diagnostic]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        hint = did_you_mean(call.function, FUNCTIONS)
        yield Diagnostic("DL203", "error", f"there is no function `{call.function}`", call.span, hint)
    elif not function.accepts(len(call.arguments)):
        message = f"`{call.function}` does not take {len(call.arguments)} arguments"
        yield Diagnostic("DL203", "error", message, call.span)
