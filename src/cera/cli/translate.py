"""`cera translate`: what a program becomes in another form."""

from __future__ import annotations

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.cli.writing import write_output
from cera.datalog.directive_printer import print_section
from cera.datalog.module_text import section_of
from cera.datalog.modules import EventModule
from cera.errors import UsageError
from cera.languages.cet import syntax as cet
from cera.languages.cet.printer import print_program
from cera.languages.modules import ProgramModule
from cera.languages.snoop import syntax as snoop
from cera.languages.snoop.writing import to_cet
from cera.languages.translations.snoop_to_datalog import to_datalog
from cera.pipeline import Program


@click.command("translate", short_help="Show what a program becomes.")
@program_options
@click.option(
    "--to",
    "form",
    type=click.Choice(["datalog", "cet"]),
    required=True,
    help="datalog: the Datalog_1S rules of EPL modules, and of Snoop's sequences; cet: the event types of Snoop.",
)
def translate(program: Program, form: str) -> None:
    """Prints what the FILEs become in another form. The Datalog_1S program of EPL modules can be kept as a .dl1s
    file, read, changed and run by itself: it detects the same events. Actions are not a part of it. The event types of
    a Snoop program can be kept as a .cet file in the same way.

    \b
    Examples:
      cera translate bank.epl --to datalog
      cera translate bank.epl --enable Alerts --to datalog > alerts.dl1s
      cera translate logins.snoop --to cet
    """
    program.checked()
    report.show_diagnostics(program.diagnostics)
    found = program.modules.found
    if not found:
        wanted = (
            "modules of EPL, and Snoop, have a translation to Datalog" if form == "datalog" else "Snoop has event types"
        )
        raise UsageError(f"only {wanted}, and there is none in the program")
    if form == "cet" and len(found) > 1:
        raise UsageError("a file of event types is one module; translate one file at a time")
    write_output("\n".join(map(translation if form == "datalog" else event_types, found)))


def translation(module: ProgramModule) -> str:
    """The module as it stands in a .dl1s file. What rules do besides detecting is not a part of it."""
    actions = [f"% {one.rule}: its action is left out\n" for one in module.actions]
    match module:
        case ProgramModule(module=EventModule() as event_module, shown=shown) if shown is not None:
            return "".join(actions) + print_section(section_of(event_module, shown))
        case ProgramModule(types=snoop.Program() as program):
            return to_datalog(program, module.module.name)
        case _:
            raise UsageError(f"{module.module.name}: event types have no translation to Datalog")


def event_types(module: ProgramModule) -> str:
    """The module as it stands in a .cet file."""
    match module.types:
        case snoop.Program() as program:
            return to_cet(program)
        case cet.Program() as program:
            return print_program(program)
        case None:
            raise UsageError(f"{module.module.name} is a module of Datalog, which has no event types")
