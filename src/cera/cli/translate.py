"""`cera translate`: what a program becomes in another form."""

from __future__ import annotations

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.cli.writing import write_output
from cera.datalog.directive_printer import print_section
from cera.datalog.writing import section_of
from cera.errors import UsageError
from cera.languages.modules import ProgramModule
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
    """Prints what the FILEs become in another form. The Datalog_1S program of EPL modules can be kept as a .dl1s
    file, read, changed and run by itself: it detects the same events. Actions are not a part of it.

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
    write_output("\n".join(map(translation, found)))


def translation(module: ProgramModule) -> str:
    """The module as it stands in a .dl1s file. What rules do besides detecting is not a part of it."""
    actions = [f"% {one.rule}: its action is left out\n" for one in module.actions]
    return "".join(actions) + print_section(section_of(module.module, module.shown))
