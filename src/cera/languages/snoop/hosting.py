"""A Snoop program as what runs over events: an InstanceModule, by way of event types."""

from __future__ import annotations

from dataclasses import replace

from cera.diagnostics import Diagnostic, Span, in_source_order
from cera.instances.types import InstanceModule
from cera.languages.cet import lowering as cet
from cera.languages.snoop.checks import check_program, peculiarities
from cera.languages.snoop.syntax import Program
from cera.languages.snoop.translation import translated

_FORGET = "`within 1 hour` after the operator would forget it after an hour"


def instance_module(
    program: Program, name: str, span: Span | None = None
) -> tuple[InstanceModule | None, tuple[Diagnostic, ...]]:
    """The module, or None, and what there is to say about it: its errors; if there are none, warnings and notes."""
    errors = check_program(program)
    if errors:
        return None, tuple(in_source_order(errors))
    module, found = cet.instance_module(translated(program), name, span)
    found = tuple(map(_in_words_of_snoop, found))
    return module, found if module is None else tuple(in_source_order([*found, *peculiarities(program)]))


def _in_words_of_snoop(diagnostic: Diagnostic) -> Diagnostic:
    """What there is to do about memory is written otherwise here."""
    if diagnostic.code != "CE501":
        return diagnostic
    ticks = diagnostic.message.startswith("the timer")
    hint = "in the recent context it ticks after the newest only" if ticks else _FORGET
    return replace(diagnostic, hint=hint)
