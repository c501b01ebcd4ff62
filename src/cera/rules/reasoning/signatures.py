"""How the built-in functions are called, in words."""

from __future__ import annotations

from cera.model.evaluation.functions import Function


def arity(function: Function) -> str:
    """`2 arguments`, `2 to 3 arguments`, `1 argument or more`."""
    most = len(function.parameters)
    least = most - function.optional
    if function.variadic:
        return f"{_count(least)} or more"
    return _count(most) if least == most else f"{least} to {_count(most)}"


def _count(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"


def signature(function: Function) -> str:
    """`substring(string, number, number)`."""
    return f"{function.name}({', '.join(function.parameters)}{', …' if function.variadic else ''})"
