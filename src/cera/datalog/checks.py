"""All checks of a program in one list."""

from __future__ import annotations

from cera.datalog.safety import check_rules
from cera.datalog.stratification import stratify
from cera.datalog.syntax import Program
from cera.diagnostics import Diagnostic, in_source_order
from cera.errors import ProgramError


def check(program: Program) -> tuple[Diagnostic, ...]:
    """What is wrong with a program; nothing if it can be evaluated."""
    _, no_order = stratify(program)
    return tuple(in_source_order([*check_rules(program), *no_order]))


def checked(program: Program) -> Program:
    """The program itself. Raises ProgramError if something is wrong with it."""
    diagnostics = check(program)
    if diagnostics:
        raise ProgramError(diagnostics)
    return program
