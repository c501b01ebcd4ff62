"""`cera check`: what is wrong with a program, and where."""

from __future__ import annotations

import json

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.connectors.line_writer import write_output
from cera.diagnostics import in_source_order
from cera.errors import ProgramError
from cera.program import Program
from cera.wording import on_command_line


@click.command("check", short_help="Parse and check a program.")
@program_options
@click.option("--json", "as_json", is_flag=True, help="Write the findings as a JSON list on standard output.")
@click.pass_context
def check(ctx: click.Context, program: Program, as_json: bool) -> None:
    """Parses and checks the program of the FILEs: errors and warnings with line, column, caret and hint, and notes on
    how the program will run.

    Every finding has a stable code with a page that `cera explain CODE` shows. The exit status is 1 if there are
    errors. - stands for standard input, whose language follows from the text.

    \b
    Examples:
      cera check fire.xceq
      cera check rules/*.xceq --json
      cera check - < draft.xceq
    """
    diagnostics = in_source_order([*program.findings, *program.notes])
    if as_json:
        findings = [diagnostic.worded(on_command_line).as_json() for diagnostic in diagnostics]
        write_output(json.dumps(findings, indent=2, ensure_ascii=False) + "\n")
    else:
        for diagnostic in diagnostics:  # what was asked for, also of a quiet command
            click.echo(report.coloured(diagnostic) + "\n", err=True)
        report.say(summary(program))
    if program.errors:
        ctx.exit(ProgramError.exit_status)


def summary(program: Program) -> str:
    """Returns a line like `3 files, 12 rules, 2 constraints: no errors, 1 warning, 2 notes`."""
    errors, notes = len(program.errors), len(program.notes)
    defined = [report.count(number, *words) for words, number in program.modules.definitions.items()]
    return (
        f"{report.count(len(program.sources), 'file')}, {report.listed(defined) or 'no rules'}: "
        f"{report.count(errors, 'error')}, {report.count(len(program.findings) - errors, 'warning')}"
    ) + (f", {report.count(notes, 'note')}" if notes else "")
