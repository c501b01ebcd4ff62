"""The errors of a program that can be read, as far as they can be seen without other programs."""

from __future__ import annotations

from cera.diagnostics import Diagnostic, in_source_order
from cera.languages.streamlog.declared_times import with_declared_times
from cera.languages.streamlog.kinds import check_kinds
from cera.languages.streamlog.names import check_declarations, check_identifiers
from cera.languages.streamlog.syntax import Program
from cera.languages.streamlog.times import check_times, check_windows
from cera.languages.streamlog.values import check_values, check_variables

#: The checks of a rule in its module.
RULE_CHECKS = (check_identifiers, check_variables, check_values, check_times)


def check_program(program: Program) -> list[Diagnostic]:
    """Returns the errors and warnings of a program, in the order of the text, each once."""
    program = with_declared_times(program)
    found = [*check_declarations(program), *check_kinds(program), *check_windows(program)]
    for module in program.modules:
        for rule in module.rules:
            found += (each for check in RULE_CHECKS for each in check(module, rule))
    return in_source_order(list(dict.fromkeys(found)))
