"""Snoop programs compiled by way of event types: to an EventTypeModule, and to the text of a `.cet` file."""

from __future__ import annotations

from dataclasses import replace

from cera.diagnostics import Diagnostic, Span, in_source_order
from cera.errors import ProgramError
from cera.instances.events.module import EventTypeModule
from cera.languages.cet import lowering
from cera.languages.cet import syntax as cet
from cera.languages.cet.printer import Printer
from cera.languages.snoop.cet_translation import definitions_of, translated
from cera.languages.snoop.checks import check_program, peculiarities
from cera.languages.snoop.printer import print_definition
from cera.languages.snoop.syntax import Definition, Program
from cera.languages.text.formatting import Place
from cera.languages.text.layout import HARD, Document, concat, render

_FORGET = "`within 1 hour` after the operator would forget it after an hour"


def instance_module(
    program: Program, name: str, span: Span | None = None
) -> tuple[EventTypeModule | None, tuple[Diagnostic, ...]]:
    """Returns the module, None if there are errors, and the diagnostics: the errors, or else warnings and notes."""
    errors = check_program(program)
    if errors:
        return None, tuple(in_source_order(errors))
    module, found = lowering.instance_module(translated(program), name, span)
    found = tuple(map(_in_words_of_snoop, found))
    return module, found if module is None else tuple(in_source_order([*found, *peculiarities(program)]))


def _in_words_of_snoop(diagnostic: Diagnostic) -> Diagnostic:
    """Replaces the hint of a warning about memory by one in Snoop's syntax."""
    if diagnostic.code != "CE501":
        return diagnostic
    ticks = diagnostic.message.startswith("the timer")
    hint = "in the recent context it ticks after the newest only" if ticks else _FORGET
    return replace(diagnostic, hint=hint)


def to_cet(program: Program) -> str:
    """Returns the types as text, each below its definition as a comment. Raises ProgramError if the program has errors.

    Reading the text gives the module that the program is.
    """
    errors = check_program(program)
    if errors:
        raise ProgramError(errors)
    types = translated(program)
    origins = _origins(program)

    def note(place: Place, document: Document) -> Document:
        if isinstance(place, cet.Definition) and place.name.name in origins:
            return concat(f"# {origins[place.name.name]}", HARD, document)
        return document

    return render(Printer(note).program(types))


def _origins(program: Program) -> dict[str, str]:
    """Returns the text of each definition on one line, by the name of the first type that it becomes."""
    taken = {definition.name.name for definition in program.definitions}
    found: dict[str, str] = {}
    for item in program.items:
        if isinstance(item, Definition):
            names = [each.name.name for each in definitions_of(item, taken)]
            taken |= set(names)
            found[names[0]] = print_definition(item)
    return found
