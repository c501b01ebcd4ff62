"""The errors of a program that can be read, among them types that cannot be.

Those are operators with the wrong components, counts that say nothing, limits of time without length, and combinations
whose terminators are not shared (M-25): the first event of a group must not take away what ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.diagnostics import Diagnostic, Note, Span, in_source_order
from cera.instances.types import STRENGTH, Delimiter
from cera.languages.cet.conditions import check_conditions
from cera.languages.cet.names import check_names
from cera.languages.cet.printer import delimiter_text, print_operand, print_type
from cera.languages.cet.syntax import Complex, Definition, Operand, Program, Timer, complexes
from cera.languages.text.nodes import Identifier
from cera.model.time.durations import Duration


def check_program(program: Program) -> list[Diagnostic]:
    """Returns the errors of a program, in the order of the text."""
    found = [*check_names(program), *check_groups(program), *check_conditions(program)]
    for definition in program.definitions:
        found += check_shapes(definition)
    return in_source_order(found)


_CUMULATIVE = ("cumulative", "restricted cumulative")


def check_shapes(definition: Definition) -> Iterator[Diagnostic]:
    """Reports wrong negations (CE301, CE302), delimiters (CE303), `==` (CE304), m of n (CE305), time (CE307, CE308)."""
    if isinstance(definition.type, Timer):
        yield from _timer(definition.type)
        return
    for type_ in complexes(definition.type):
        yield from _negation(type_)
        for operand in type_.operands:
            yield from _delimiter(operand, type_)
        yield from _simultaneous(type_)
        yield from _some_of(type_)
        if type_.within is not None:
            yield from _length(type_.within, type_.limit_span, "within 30 days")
        yield from _nothing_to_bind(type_)


def _negation(type_: Complex) -> Iterator[Diagnostic]:
    if type_.operator != "not":
        return
    if len(type_.operands) < 3:
        message = f"`not` needs three components or more, found {len(type_.operands)}"
        hint = "the first and the last say from when to when none of the others occurs: `not(E1, E2, E3)`"
        yield Diagnostic("CE301", "error", message, type_.span, hint)
        return
    for operand in type_.forbidden:
        if operand.written:
            mode = operand.written[0]
            message = f"`{mode.text}` has no meaning here: what must not occur is neither selected nor consumed"
            hint = (
                "only a delimiter may stand before it: `not(E1, (2-): E2, E3)`; modes belong to the first and the last"
            )
            yield Diagnostic("CE302", "error", message, mode.span, hint)


def _delimiter(operand: Operand, type_: Complex) -> Iterator[Diagnostic]:
    delimiter = operand.delimiter
    if delimiter is None:
        return
    text = delimiter_text(delimiter)
    if delimiter.most == 0:
        message = f"`{text}` asks for no instance at all"
        hint = "that something does not occur: `not(E1, E2, E3)`"
        yield Diagnostic("CE303", "error", message, operand.span, hint)
    elif delimiter.least == 0 and type_.operator == "not" and not any(operand is each for each in type_.forbidden):
        message = f"`{text}` lets it be missing, and `not` needs both, from when and to when none of the others occurs"
        hint = "one or more, without a delimiter, or so many that there have to be: `(2-)`"
        yield Diagnostic("CE303", "error", message, operand.span, hint)
    elif delimiter.most is not None and delimiter.most < delimiter.least:
        message = f"the range `{text}` is empty"
        hint = f"the smaller number comes first: `({delimiter.most}-{delimiter.least})`"
        yield Diagnostic("CE303", "error", message, operand.span, hint)
    elif delimiter == Delimiter(0, None) and any(operand is each for each in type_.forbidden):
        message = "`(0-)` is always so, and must not be: this type is never detected"
        hint = "without a delimiter none may occur, with `(2-)` at most one"
        yield Diagnostic("CE303", "error", message, operand.span, hint)


def _simultaneous(type_: Complex) -> Iterator[Diagnostic]:
    if type_.operator == "==" and not type_.overlapping:
        message = "what occurs at the same time overlaps, so `non-overlapping: ==` is never detected"
        yield Diagnostic("CE304", "error", message, type_.operator_span or type_.span, "leave `non-overlapping` out")


def _some_of(type_: Complex) -> Iterator[Diagnostic]:
    if type_.required is None:
        return
    number, place = len(type_.operands), type_.operator_span or type_.span
    if type_.required == 0:
        hint = "write how many of the components have to occur: `1 of (…)` is `or(…)`"
        yield Diagnostic("CE305", "error", "`0 of` asks for nothing", place, hint)
    elif type_.required > number:
        components = "is one component" if number == 1 else f"are {number} components"
        message = f"`{type_.required} of` asks for more than there are: there {components}"
        hint = f"all of them: `and(…)`; several instances of one: `({type_.required}): E1`"
        yield Diagnostic("CE305", "error", message, place, hint)


def _timer(timer: Timer) -> Iterator[Diagnostic]:
    yield from _length(timer.after, timer.span, "30 days after E1")
    if timer.after == Duration():
        message = "a timer of no length would tick when it is started"
        yield Diagnostic("CE307", "error", message, timer.span, "give it a length, as in `5 min after E1`")


def _length(duration: Duration, span: Span | None, example: str) -> Iterator[Diagnostic]:
    if duration.months:
        message = "months and years have no fixed length, and time is counted in microseconds here"
        yield Diagnostic("CE307", "error", message, span, f"write days: `{example}`")


def _nothing_to_bind(type_: Complex) -> Iterator[Diagnostic]:
    """Reports components that may be missing and bind no more than necessary, which is nothing (CE308)."""
    if type_.operator == "not":
        return  # its ends cannot be missing (CE303)
    empty = [operand for operand in type_.operands if _binds_nothing(operand)]
    if len(empty) == len(type_.operands):
        message = f"every component of `{print_type(type_)}` may be missing, so it is never detected"
        hint = "at least one has to occur, or is cumulative: `restricted cumulative: (0-): E1`"
        yield Diagnostic("CE308", "error", message, type_.span, hint)
        return
    for operand in empty:
        unlimited = operand.delimiter == Delimiter(0, None)
        if unlimited or type_.operator == "or":
            message = f"`{print_operand(operand)}` asks for nothing: `{operand.selection}` binds the fewest, here none"
            hint = "to bind those that are there: `restricted cumulative: (0-): …`"
            yield Diagnostic("CE308", "error", message, operand.span, hint)


def _binds_nothing(operand: Operand) -> bool:
    """Returns whether a component binds nothing. `combinations` also takes larger sets, so it does not count."""
    least = operand.delimiter is not None and operand.delimiter.least == 0
    return least and operand.selection not in (*_CUMULATIVE, "combinations")


_COMBINATIONS = ("combinations", "combinations minimum")


def check_groups(program: Program) -> Iterator[Diagnostic]:
    """Reports combinations in types that consume their terminators inside of a group (CE306)."""
    definitions = {definition.name.name: definition for definition in program.definitions}
    for definition in program.definitions:
        if isinstance(definition.type, Complex):
            for type_ in complexes(definition.type):
                yield from _check_group(type_, definitions)


def _check_group(type_: Complex, definitions: Mapping[str, Definition]) -> Iterator[Diagnostic]:
    bound = _bound(type_)
    combined = next((operand for operand in bound if operand.selection in _COMBINATIONS), None)
    if combined is None:
        return
    for operand in _terminators(type_, definitions):
        strongest = max(
            (each for each in bound if _same_type(each, operand)), key=lambda each: STRENGTH.index(each.inside)
        )
        if strongest.inside == "shared":
            continue
        name = operand.type.name if isinstance(operand.type, Identifier) else "…"
        yield Diagnostic(
            "CE306",
            "error",
            f"`{print_operand(operand)}` can end an event, and the first event of a group consumes it",
            operand.span,
            _instead(name, strongest),
            tuple(_reasons(combined, operand, strongest)),
        )


def _instead(name: str, strongest: Operand) -> str:
    hint = f"it has to be shared: `shared: {name}`"
    if strongest.outside == "shared":
        return hint
    return f"{hint}, or `inside shared: outside {strongest.outside}: {name}` to consume it after the group"


def _reasons(combined: Operand, operand: Operand, strongest: Operand) -> Iterator[Note]:
    yield Note(f"`{combined.selection}` makes groups of several events", combined.span)
    if operand.inside != strongest.inside:
        yield Note(f"of the modes of a type the strongest holds: here it is `{strongest.inside}`", strongest.span)


def _terminators(type_: Complex, definitions: Mapping[str, Definition]) -> list[Operand]:
    """Returns the components whose instances can be the last to come.

    Of a sequence that is the last, and where that may be missing, the one before. An instance whose time is its begin
    can come later than others that follow it.
    """
    bound = _bound(type_)
    if type_.operator not in (";", "not"):
        return bound
    ends: list[Operand] = []
    open_end = True
    for operand in reversed(bound):
        if open_end or _is_early(operand, definitions):
            ends.append(operand)
        open_end = open_end and operand.delimiter is not None and operand.delimiter.least == 0
    return ends[::-1]


def _bound(type_: Complex) -> list[Operand]:
    return [operand for operand in type_.operands if not any(operand is each for each in type_.forbidden)]


def _same_type(one: Operand, other: Operand) -> bool:
    return one is other or (isinstance(one.type, Identifier) and one.type == other.type)


def _is_early(operand: Operand, definitions: Mapping[str, Definition]) -> bool:
    """Returns whether the time of a component's instances is their begin."""
    if isinstance(operand.type, Complex):
        return operand.type.time == "begin"
    defined = definitions.get(operand.type.name)
    return defined is not None and isinstance(defined.type, Complex) and defined.type.time == "begin"
