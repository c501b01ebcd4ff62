"""Which context each operator of a definition has: its own, or that of the operator around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.languages.snoop.syntax import DEFAULT, Context, Event, Operation


@dataclass(frozen=True)
class Placed:
    """An operator with its context, and that of the operator around it."""

    operation: Operation
    context: Context
    around: Context | None


def context_of(operation: Operation, around: Context | None) -> Context:
    return operation.context or around or DEFAULT


def placed(event: Event, around: Context | None = None) -> Iterator[Placed]:
    """All operators of an event, outermost first, from left to right."""
    if isinstance(event, Operation):
        context = context_of(event, around)
        yield Placed(event, context, around)
        for operand in event.operands:
            yield from placed(operand.event, context)
