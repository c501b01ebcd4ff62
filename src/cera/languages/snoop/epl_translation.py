"""What Snoop is as `datalog`: its sequences by the rules of seed 003, section 4.1, as a module of EPL.

A chain `E1 ; E2 ; E3` is the relaxed sequence [E1, E2, E3], and where the second event is a sequence itself it is
`prior`; the contexts are EPL's. Where events never occur together, both ways detect the same (N-16).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.datalog.printer import print_section
from cera.datalog.sections import section_of
from cera.diagnostics import Span
from cera.errors import ProgramError, UsageError
from cera.languages.epl import syntax as epl
from cera.languages.epl.compiler import compile_module, event_module
from cera.languages.epl.compiler import translated as datalog_of
from cera.languages.snoop.compiler import instance_module
from cera.languages.snoop.scopes import Path, Scope, mentioned, name_of, scope_of, scopes
from cera.languages.snoop.syntax import SIGNS, Context, Definition, Operand, Operation, Program, TypeName
from cera.languages.text.nodes import EventType, Field, Identifier, Kind, Partition
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, Expression, Variable

#: The contexts of the rules of seed 003. SAMOS's Petri nets use each event once, the oldest first: that is chronicle.
_CONTEXTS: Mapping[Context, epl.Context] = MappingProxyType(
    {
        "unrestricted": "unrestricted",
        "ode unrestricted": "unrestricted",
        "recent": "recent",
        "chronicle": "chronicle",
        "samos": "chronicle",
    }
)


def to_datalog(program: Program, name: str) -> str:
    """Returns the text of a `.dl1s` file. Raises UsageError with the place that has no translation."""
    module = epl_module(program, name)
    return print_section(section_of(event_module(module, compile_module(module)), datalog_of(module)))


def epl_module(program: Program, name: str) -> epl.Module:
    """Returns the module of EPL that detects the same as a program of sequences. Raises ProgramError for errors."""
    found, problems = instance_module(program, name)
    if found is None:
        raise ProgramError(problems)
    events = {each.predicate: EventType(_kind(each.operation), each.name) for each in found.monitored}
    rules = tuple(_Translator(definition, events).rule() for definition in program.definitions)
    declarations: list[epl.Declaration] = [epl.Monitor(tuple(dict.fromkeys(events.values())))]
    declarations += [item for item in program.items if isinstance(item, Partition)]
    return epl.Module(Identifier(name), tuple(declarations), rules)


class _Translator:
    """One definition. Its operands are variables of EPL, each with the conditions of which it is the last operand."""

    def __init__(self, definition: Definition, events: Mapping[str, EventType]) -> None:
        assert isinstance(definition.event, Operation)
        self._definition = definition
        self._events = events
        self._scope = scope_of(definition.event)
        self._context = self._one_context()
        self._variables: dict[Path, Identifier] = {}
        self._conditions: dict[Path, list[Expression]] = {}

    def rule(self) -> epl.Rule:
        self._name(self._scope, ())
        self._collect(self._scope, ())
        event = self._event(self._scope, ())
        return epl.Rule(self._definition.name, event, self._context, self._head(), None, self._definition.span)

    def _one_context(self) -> epl.Context:
        contexts = {each.context for each in scopes(self._scope)}
        for each in scopes(self._scope):
            if each.operation.kind != ";":
                raise self._refusal(f"`{SIGNS.get(each.operation.kind, each.operation.kind)}`", each.operation.span)
            if each.context not in _CONTEXTS:
                raise self._refusal(f"`;` in the context `{each.context}`", each.operation.span)
        if len(contexts) > 1:
            raise self._refusal("several contexts in one definition", self._scope.operation.span)
        return _CONTEXTS[contexts.pop()]

    def _refusal(self, what: str, span: Span | None) -> UsageError:
        place = "" if span is None else f" ({span})"
        return UsageError(
            f"`{self._definition.name.name}` has no translation to Datalog{place}: there are rules for sequences of "
            f"events in one of the contexts unrestricted, recent and chronicle, but not for {what}"
        )

    def _name(self, scope: Scope, path: Path) -> None:
        """Gives each event of the sequence a variable, named after the operand."""
        first, second = scope.operation.operands
        if isinstance(first.event, TypeName) and first.event == second.event and self._context != "unrestricted":
            raise self._refusal("two of the same event in a row, of which it takes each in both places", first.span)
        for place, operand in enumerate(scope.operation.operands):
            if place in scope.nested:
                self._name(scope.nested[place], (*path, place))
                continue
            taken = {each.name for each in self._variables.values()}
            plain = (name_of(operand) or "").replace("-", "_").lower()
            candidates = (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3)))
            self._variables[*path, place] = Identifier(next(each for each in candidates if each not in taken))

    def _collect(self, scope: Scope, path: Path) -> None:
        for conjunct in scope.operation.where:
            places = [(*path, *(scope.path(name) or ())) for name in mentioned(conjunct)]
            if len(set(places)) > 1 and self._context == "recent":
                raise self._refusal("conditions that relate two events in the recent context", conjunct.span)
            if _meets_before_a_sequence(self._scope, places):
                raise self._refusal("conditions that relate an event to a sequence after it", conjunct.span)
            last = max(places, default=max(self._variables))
            self._conditions.setdefault(last, []).append(self._renamed(conjunct, scope, path))
        for place, inner in scope.nested.items():
            self._collect(inner, (*path, place))

    def _renamed(self, expression: Expression, scope: Scope, path: Path) -> Expression:
        match expression:
            case Variable(name=name):
                operand, _, attribute = name.partition(".")
                place = (*path, *(scope.path(operand) or ()))
                if place not in self._variables:
                    raise self._refusal(f"an attribute of a sequence, `{name}`", expression.span)
                return Variable(f"{self._variables[place].name}.{attribute}", expression.span)
            case Aggregate(function=function):
                raise self._refusal(f"`{function}(…)` in a head", expression.span)
            case _:
                return expressions.rebuild(expression, lambda inner: self._renamed(inner, scope, path))

    def _event(self, scope: Scope, path: Path) -> epl.Event:
        operation = scope.operation
        parts = [self._part(scope, place, path) for place in (0, 1)]
        sequence: epl.Event
        if 1 in scope.nested:
            sequence = epl.Prior(tuple(parts), operation.span)
        elif isinstance(parts[0], epl.RelaxedSequence):
            sequence = epl.RelaxedSequence((*parts[0].events, parts[1]), operation.span)
        else:
            sequence = epl.RelaxedSequence(tuple(parts), operation.span)
        return sequence if operation.within is None else epl.Within(sequence, operation.within, operation.span)

    def _part(self, scope: Scope, place: int, path: Path) -> epl.Event:
        operand = scope.operation.operands[place]
        here = (*path, place)
        if operand.mark in ("last", "times"):
            raise self._refusal(f"`{'TIMES' if operand.mark == 'times' else 'last'}` of SAMOS", operand.span)
        if place in scope.nested:
            return self._event(scope.nested[place], here)
        return epl.Basic(
            self._primitive(operand), self._variables[here], tuple(self._conditions.get(here, ())), operand.span
        )

    def _primitive(self, operand: Operand) -> EventType:
        name = operand.event.name if not isinstance(operand.event, Operation) else ""
        if name not in self._events:
            raise self._refusal(f"sequences of detected events, and `{name}` is defined in the program", operand.span)
        return self._events[name]

    def _head(self) -> epl.Head | None:
        head = self._definition.head
        if head is None:
            return None
        fields = tuple(
            Field(each.name, self._renamed(each.expression, self._scope, ()), each.span) for each in head.fields or ()
        )
        return epl.Head(head.label, fields, head.span)


def _meets_before_a_sequence(scope: Scope, places: list[Path]) -> bool:
    """Returns whether some places lie in the first operand of a `;` and others in the second, which is a sequence."""
    while len({place[0] for place in places if place}) == 1 and places[0][0] in scope.nested:
        scope = scope.nested[places[0][0]]
        places = [place[1:] for place in places]
    return len({place[0] for place in places if place}) > 1 and 1 in scope.nested


def _kind(operation: str | None) -> Kind | None:
    match operation:
        case "insert" | "delete" | "update":
            return operation
        case _:
            return None
