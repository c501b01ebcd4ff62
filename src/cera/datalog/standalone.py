"""A `.dl1s` program that runs by itself: predicates without rules are events, those that no rule reads are told.

The predicate of a change of a table begins with `ins_`, `del_` or `upd_`; any other is the label of its events.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.datalog.modules import EventModule, Monitored, Output
from cera.datalog.syntax import Atom, Program, Rule, atoms
from cera.diagnostics import Diagnostic
from cera.model.expressions import Variable

_OPERATIONS = {"ins": "insert", "del": "delete", "upd": "update"}
#: What the evaluators know by themselves.
_GIVEN = ("any", "time", "stage")


def event_module(program: Program, name: str) -> tuple[EventModule, tuple[Diagnostic, ...]]:
    """The module, and what is wrong with its events (DL401)."""
    derived = {rule.head.predicate for rule in program.rules}
    events: dict[str, Atom] = {}
    problems = []
    for atom in (atom for rule in program.rules for atom in atoms(rule)):
        if atom.predicate in derived or atom.predicate in _GIVEN or atom.stage is None:
            continue
        if atom.predicate not in events and len(atom.arguments) != 1:
            problems.append(_not_an_event(atom))
        events.setdefault(atom.predicate, atom)
    monitored = tuple(_monitored(predicate, atom) for predicate, atom in events.items())
    outputs = tuple(_output(rule, name) for rule in _told(program))
    return EventModule(name, program, monitored, outputs), tuple(problems)


def _monitored(predicate: str, atom: Atom) -> Monitored:
    prefix, underscore, table = predicate.partition("_")
    if prefix in _OPERATIONS and underscore and table:
        return Monitored(predicate, table, _OPERATIONS[prefix], span=atom.span)
    return Monitored(predicate, predicate, span=atom.span)


def _told(program: Program) -> Iterator[Rule]:
    """The first rule of each predicate with stages that no rule of another predicate reads."""
    read = {atom.predicate for rule in program.rules for atom in atoms(rule) if atom.predicate != rule.head.predicate}
    seen = set()
    for rule in program.rules:
        predicate = rule.head.predicate
        if predicate not in seen and predicate not in read and rule.head.stage is not None:
            seen.add(predicate)
            yield rule


def _output(rule: Rule, name: str) -> Output:
    """Arguments are called as in the head of the first rule, and by their number where they have no name there."""
    head = rule.head
    named = [a.name.rpartition(".")[2] if isinstance(a, Variable) else "" for a in head.arguments]
    names = [name or f"argument{i}" for i, name in enumerate(named, 1)]
    if len(set(names)) < len(names):
        names = [f"argument{i}" for i in range(1, len(names) + 1)]
    fields = tuple((each, Variable(each)) for each in names)
    return Output(f"{name}.{head.predicate}", head.predicate, tuple(names), head.predicate, fields, head.span)


def _not_an_event(atom: Atom) -> Diagnostic:
    count = len(atom.arguments)
    return Diagnostic(
        "DL401",
        "error",
        f"`{atom.predicate}` has no rules, so it stands for events, and has {count} arguments besides its stage",
        atom.span,
        f"an event is one argument: write `{atom.predicate}(X, J)` and `X.name` for what it tells",
    )
