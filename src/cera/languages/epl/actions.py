"""Whether the text of an action and its arguments fit together (EP401), and which functions there are (EP106)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.epl.syntax import Action, Rule, Sql, System, Write, basics
from cera.languages.epl.variables import result_expressions
from cera.model import expressions
from cera.model.expressions import Call, Expression
from cera.model.functions import FUNCTIONS
from cera.rules.signatures import arity

#: `%d`, `%-10s`, `%.2f`; `%%` is a percent sign.
_CONVERSION = re.compile(r"%(?P<flags>[-+ 0#]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<kind>.?)", re.DOTALL)
CONVERSIONS = "diouxXeEfgGsc"

_PARAMETER = re.compile(r"'(?:[^']|'')*'|(?<![:\w]):(\d+)")

_IN_ORDER = "each %d or %s takes one argument, in their order; `%%` is a percent sign"

#: For the arguments of actions only: a time or a length of time as C's asctime would write it.
ASCTIME = "asctime"


def check_action(rule: Rule) -> Iterator[Diagnostic]:
    match rule.action:
        case None:
            pass
        case Write():
            yield from _printf(rule.action.format, rule.action, "the text")
        case System():
            yield from _printf(rule.action.command, rule.action, "the command")
        case Sql():
            yield from _parameters(rule.action)


def check_functions(rule: Rule) -> Iterator[Diagnostic]:
    for basic in basics(rule.event):
        for condition in basic.conditions:
            yield from _functions(condition, in_action=False)
    arguments = () if rule.action is None else rule.action.arguments
    for expression in result_expressions(rule):
        yield from _functions(expression, in_action=any(expression is argument for argument in arguments))


def conversions(text: str) -> list[str]:
    """The conversions of a printf format that take an argument: `%d`, `%-10s`."""
    return [found[0] for found in _CONVERSION.finditer(text) if found["kind"] != "%"]


def _printf(text: str, action: Action, what: str) -> Iterator[Diagnostic]:
    found = conversions(text)
    for conversion in found:
        if conversion[-1] not in CONVERSIONS or len(conversion) < 2:
            message = f"`{conversion}` is no conversion of printf"
            hint = "there are %d for numbers, %s for anything, %.2f with two decimals; `%%` is a percent sign"
            yield Diagnostic("EP401", "error", message, action.span, hint)
            return
    if len(found) != len(action.arguments):
        message = f"{what} has {_counted(len(found), 'conversion')} and {_counted(len(action.arguments), 'argument')}"
        yield Diagnostic("EP401", "error", message, action.span, _IN_ORDER)


def _parameters(action: Sql) -> Iterator[Diagnostic]:
    used = {int(found[1]) for found in _PARAMETER.finditer(action.command) if found[1]}
    given = set(range(1, len(action.arguments) + 1))
    if used == given:
        return
    hint = "the arguments are bound to :1, :2, … in their order, wherever these stand"
    if missing := sorted(used - given):
        message = f"the command uses :{missing[0]}, and there {_are(len(given))}"
        yield Diagnostic("EP401", "error", message, action.span, hint)
    else:
        message = f"the command does not use :{min(given - used)}"
        yield Diagnostic("EP401", "error", message, action.arguments[min(given - used) - 1].span, hint)


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
