"""The errors and peculiarities of a Snoop program that can be read.

Names, attributes and cycles, which `.cet` has too, are checked on the event types that definitions become.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.snoop.cet_translation import conditioned
from cera.languages.snoop.modes import ROWS, check_irregularities, modes_of
from cera.languages.snoop.scopes import AmbiguousError, OperationInContext, Scope, operations_in_context, scopes
from cera.languages.snoop.syntax import SIGNS, Definition, Operation, Program, TypeName


def check_program(program: Program) -> list[Diagnostic]:
    """Returns the errors that only Snoop's definitions have."""
    found: list[Diagnostic] = []
    for definition in program.definitions:
        problems = list(_operators(definition))
        found += problems or _conditions(definition)
    return found


def peculiarities(program: Program) -> list[Diagnostic]:
    """Returns the warnings and notes of a program without errors about irregularities that the paper found."""
    return [
        diagnostic
        for definition in program.definitions
        for each in operations_in_context(definition.event)
        for diagnostic in check_irregularities(each)
    ]


def _operators(definition: Definition) -> Iterator[Diagnostic]:
    if isinstance(definition.event, TypeName):
        name = definition.event.name
        message = f"a definition needs an operator, and `{name}` is an event by itself"
        hint = f"another name for its label: `event {definition.name.name} = {name};`"
        yield Diagnostic("SN101", "error", message, definition.event.span, hint)
    for each in operations_in_context(definition.event):
        yield from _of_context(each)
        yield from _operands(each.operation)
        yield from _repeated(each)
        yield from _signs(each)


def _of_context(each: OperationInContext) -> Iterator[Diagnostic]:
    operation, context = each.operation, each.context
    if modes_of(operation.kind, context, len(operation.operands)) is None:
        has = ", ".join(SIGNS.get(kind, kind) for kind, row in ROWS.items() if context in row)
        message = f"`{context}` has no operator {SIGNS.get(operation.kind, operation.kind)}; it has {has}"
        hint = "give this operator a context of Snoop: `(recent …)`"
        yield Diagnostic("SN102", "error", message, operation.span, hint)


def _operands(operation: Operation) -> Iterator[Diagnostic]:
    number = len(operation.operands)
    if operation.required is not None and not 1 <= operation.required <= number:
        message = f"{operation.required} of {number} events cannot occur"
        yield Diagnostic("SN103", "error", message, operation.span, f"the number lies between 1 and {number}")
    if operation.kind == "any":
        names = Counter(operand.event.name for operand in operation.operands if isinstance(operand.event, TypeName))
        for name in (name for name, times in names.items() if times > 1):
            message = f"ANY is about different events, and `{name}` stands there {names[name]} times"
            hint = f"several of one event are counted in a .cet file: `(2): {name}`"
            yield Diagnostic("SN103", "error", message, operation.span, hint)
    if operation.every is not None:
        yield from _period(operation)


def _period(operation: Operation) -> Iterator[Diagnostic]:
    assert operation.every is not None
    if operation.every.months:
        message = "months and years have no fixed length, and time is counted in microseconds here"
        yield Diagnostic("SN104", "error", message, operation.span, "write days: `[30 days]`")
    elif operation.every.microseconds == 0:
        message = "a period of no length would tick for ever at once"
        yield Diagnostic("SN104", "error", message, operation.span, "give it a length, as in `[5 min]`")
    for operand in operation.operands:
        if isinstance(operand.event, Operation):
            message = "the clock runs from an event with a name to another one"
            hint = "give this a definition of its own, `Name := …`, and write `Name` here"
            yield Diagnostic("SN104", "error", message, operand.span, hint)


def _repeated(each: OperationInContext) -> Iterator[Diagnostic]:
    """Reports one event at both ends in the continuous context (SN106): its mode would use up the terminator."""
    operation = each.operation
    if each.context != "continuous" or operation.kind not in (";", "not", "A", "A*"):
        return
    first, last = operation.operands[0].event, operation.operands[1 if operation.kind == "A" else -1].event
    if isinstance(first, TypeName) and first == last:
        message = f"in the continuous context `{first.name}` cannot begin and end the same"
        hint = "another context can: `recent`, `chronicle`"
        yield Diagnostic("SN106", "error", message, operation.span, hint)


def _signs(each: OperationInContext) -> Iterator[Diagnostic]:
    """Reports signs in the wrong place (SN105): they choose among events, and there is one at the end of a `;` or
    NOT."""
    operation = each.operation
    for place, operand in enumerate(operation.operands):
        if operand.mark is None:
            continue
        sign = "TIMES" if operand.mark == "times" else operand.mark
        if each.context != "samos":
            message = f"`{sign}` belongs to SAMOS, and this is `{each.context}`"
            yield Diagnostic("SN105", "error", message, operand.span, "write `samos` before the expression")
        elif operation.kind == "or" or (operation.kind != "and" and place > 0):
            message = f"`{sign}` says which of several events is bound, and here there is one"
            hint = f"it stands before the first event of a sequence: `samos {sign} E1 ; E2`"
            if operand.mark == "times":
                hint = "it stands before the first event of a sequence: `samos TIMES([>0], E1) ; E2`"
            yield Diagnostic("SN105", "error", message, operand.span, hint)


def _conditions(definition: Definition) -> list[Diagnostic]:
    """Reports names that several operands have, in conditions and the head, and attributes that are not handed up."""
    try:
        scope = conditioned(definition, set())
        fields = () if definition.head is None else definition.head.fields or ()
        for each in fields:
            scope.resolved(each.expression)
    except AmbiguousError as error:
        message = f"several operands are called `{error}`, and it is not clear which one is meant"
        hint = f"name them: `first: {error}`, `second: {error}`"
        return [Diagnostic("SN201", "error", message, error.place or definition.span, hint)]
    return list(_handing(definition, scope))


def _handing(definition: Definition, scope: Scope) -> Iterator[Diagnostic]:
    handing = [inner for inner in scopes(scope) if inner.fields]
    if handing and (definition.head is None or definition.head.fields is None):
        message = "a condition relates events inside of an operator to others, and nothing says what is told of them"
        names = sorted({name for inner in handing for name in inner.fields})
        hint = f"end with a head, for example `as {definition.name.name}({', '.join(names)})`"
        yield Diagnostic("SN202", "error", message, handing[0].operation.span, hint)
