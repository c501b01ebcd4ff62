"""`translate --to cet`: the event types of a Snoop program as the text of a `.cet` file."""

from __future__ import annotations

from cera.errors import ProgramError
from cera.languages.cet import syntax as cet
from cera.languages.cet.printer import Printer
from cera.languages.snoop.checks import check_program
from cera.languages.snoop.printer import print_definition
from cera.languages.snoop.syntax import Definition, Program
from cera.languages.snoop.translation import definitions_of, translated
from cera.languages.text.formatting import Place
from cera.languages.text.layout import HARD, Document, concat, render


def to_cet(program: Program) -> str:
    """The types, each under a comment that says what it comes from. ProgramError where the program is wrong.

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
    """For each definition the first of the types that it becomes, and its text on one line."""
    taken = {definition.name.name for definition in program.definitions}
    found: dict[str, str] = {}
    for item in program.items:
        if isinstance(item, Definition):
            names = [each.name.name for each in definitions_of(item, taken)]
            taken |= set(names)
            found[names[0]] = print_definition(item)
    return found
