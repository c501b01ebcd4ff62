"""Everything that is wrong with a program that can be read."""

from __future__ import annotations

from cera.diagnostics import Diagnostic, in_source_order
from cera.languages.cet.conditions import check_conditions
from cera.languages.cet.groups import check_groups
from cera.languages.cet.names import check_names
from cera.languages.cet.shapes import check_shapes
from cera.languages.cet.syntax import Program


def check_program(program: Program) -> list[Diagnostic]:
    """The errors, in the order of the text."""
    found = [*check_names(program), *check_groups(program), *check_conditions(program)]
    for definition in program.definitions:
        found += check_shapes(definition)
    return in_source_order(found)
