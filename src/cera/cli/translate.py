"""`cera translate`: what a program becomes in another form."""

from __future__ import annotations

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.cli.writing import write_output
from cera.datalog.printer import print_program
from cera.errors import UsageError
from cera.pipeline import Program


@click.command("translate", short_help="Show what a program becomes.")
@program_options
@click.option(
    "--to",
    "form",
    type=click.Choice(["datalog"]),
    required=True,
    help="datalog: the Datalog_1S rules of EPL modules.",
)
def translate(program: Program, form: str) -> None:
    """Prints what the FILEs become in another form. The Datalog_1S program of a module of EPL can be kept as a .dl1s
    file, read, changed and run by itself.

    \b
    Examples:
      cera translate bank.epl --to datalog
      cera translate bank.epl --enable Alerts --to datalog > alerts.dl1s
    """
    program.checked()
    report.show_diagnostics(program.diagnostics)
    found = program.modules.found
    if not found:
        raise UsageError("only modules of EPL have a translation to Datalog, and there is none in the program")
    parts = [(f"% {each.module.name}\n" if len(found) > 1 else "") + print_program(each.shown) for each in found]
    write_output("\n".join(parts))
