"""Checks of actions: text and arguments that do not fit together (EP401), arguments that would be run as code (EP403),
unknown functions (EP106)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.connectors.actions.arguments import ASCTIME, kind_of
from cera.connectors.actions.texts.interpreters import CODE_HINT, code_from_data, code_message
from cera.connectors.actions.texts.printf import Conversion, FormatError, parse_command, parse_format
from cera.connectors.actions.texts.statements import parse_statement
from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.epl.syntax import Action, Rule, Sql, System, Write, basics
from cera.languages.epl.variables import result_expressions
from cera.model.evaluation.functions import FUNCTIONS, arity
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Call, Expression

_IN_ORDER = "each %d or %s takes one argument, in their order; `%%` is a percent sign"
_NUMBERED = "the arguments are bound to :1, :2, … in their order, wherever these stand"


def check_action(rule: Rule) -> Iterator[Diagnostic]:
    """Reports everything that is wrong with an action and can be known before it runs, without its machine."""
    action = rule.action
    try:
        match action:
            case None:
                pass
            case Write():
                if action.file == "":
                    yield _wrong("a file has no empty name", action.span, 'write for example `write to "log.txt" (…)`')
                yield from _conversions(parse_format(action.format).conversions, action, "the text")
            case System():
                words = parse_command(action.command)
                yield from _conversions([each for word in words for each in word.conversions], action, "the command")
                if (program := code_from_data(action.command)) is not None:
                    yield Diagnostic("EP403", "error", code_message(program), action.span, CODE_HINT)
            case Sql():
                yield from _parameters(action)
    except FormatError as error:
        assert action is not None
        yield _wrong(str(error), action.span)


def check_functions(rule: Rule) -> Iterator[Diagnostic]:
    for basic in basics(rule.event):
        for condition in basic.conditions:
            yield from _functions(condition, in_action=False)
    arguments = () if rule.action is None else rule.action.arguments
    for expression in result_expressions(rule):
        yield from _functions(expression, in_action=any(expression is argument for argument in arguments))


def _conversions(found: Sequence[Conversion], action: Action, what: str) -> Iterator[Diagnostic]:
    arguments = action.arguments
    if len(found) != len(arguments):
        message = f"{what} has {_counted(len(found), 'conversion')} and {_counted(len(arguments), 'argument')}"
        yield _wrong(message, action.span, _IN_ORDER)
        return
    for conversion, argument in zip(found, arguments, strict=True):
        if not conversion.fits(kind := kind_of(argument)):
            yield _wrong(f"this is a {kind}, and {conversion} takes a number", argument.span, "%s takes anything")


def _parameters(action: Sql) -> Iterator[Diagnostic]:
    used = {part for part in parse_statement(action.command).parts if isinstance(part, int)}
    given = set(range(1, len(action.arguments) + 1))
    if missing := sorted(used - given):
        yield _wrong(f"the command uses :{missing[0]}, and there {_are(len(given))}", action.span, _NUMBERED)
    elif unused := sorted(given - used):
        yield _wrong(f"the command does not use :{unused[0]}", action.arguments[unused[0] - 1].span, _NUMBERED)


def _wrong(message: str, span: Span | None, hint: str | None = None) -> Diagnostic:
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)  # it may quote the end of a line
    return Diagnostic("EP401", "error", printable, span, hint)


def _functions(expression: Expression, *, in_action: bool) -> Iterator[Diagnostic]:
    for call in expressions.walk(expression):
        if isinstance(call, Call):
            yield from _function(call, in_action)


def _function(call: Call, in_action: bool) -> Iterator[Diagnostic]:
    function = FUNCTIONS.get(call.function)
    if call.function == ASCTIME:
        if not in_action:
            message = "`asctime` makes text for the arguments of an action, not values"
            yield Diagnostic(
                "EP106", "error", message, call.span, "compare the times themselves: `Y.evtime - X.evtime`"
            )
        elif len(call.arguments) != 1:
            yield _arity("asctime", "1 argument", len(call.arguments), call.span)
    elif function is None:
        hint = did_you_mean(call.function, [*FUNCTIONS, ASCTIME])
        yield Diagnostic("EP106", "error", f"there is no function `{call.function}`", call.span, hint)
    elif not function.accepts(len(call.arguments)):
        yield _arity(call.function, arity(function), len(call.arguments), call.span)


def _arity(name: str, wanted: str, found: int, span: Span | None) -> Diagnostic:
    return Diagnostic("EP106", "error", f"`{name}` takes {wanted}, found {found}", span)


def _are(number: int) -> str:
    return "are no arguments" if not number else "is 1 argument" if number == 1 else f"are {number} arguments"


def _counted(number: int, noun: str) -> str:
    return f"no {noun}" if not number else f"{number} {noun}" if number == 1 else f"{number} {noun}s"
