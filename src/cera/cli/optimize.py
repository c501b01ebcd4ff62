"""`cera optimize`: what constraints make of the rules of a program."""

from __future__ import annotations

import json

import click

from cera.cli import report
from cera.cli.constraint_options import constraints_needed
from cera.cli.options import program_options
from cera.connectors.line_writer import write_output
from cera.explain.costs import basis_of
from cera.explain.rewritings import Optimization, explain_rewritings, optimization_lines
from cera.program import Program
from cera.wording import on_command_line


@click.command("optimize", short_help="Show what constraints make of the rules.")
@program_options
@constraints_needed
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def optimize(program: Program, as_json: bool) -> None:
    """Shows for each rule of the FILEs what becomes of it on a stream that satisfies the constraints: it can have no
    answers, it is rewritten, or nothing changes. Each rewriting names its law, and the constraints that justify it.
    `cera run`, `cera stream` and `cera explain` take the same --constraints, and run the rewritten rules.
    With --rates or --cost it says what each rule is estimated to cost, before and after, and what was left out.

    \b
    Examples:
      cera optimize auction.slog --constraints auction.escl
      cera optimize auction.slog --constraints auction.escl --without-law "join introduction"
      cera optimize auction.slog --constraints auction.escl --rates rates.toml --cost state
      cera run auction.slog --constraints auction.escl --events bids.jsonl
    """
    program.checked()
    report.show_diagnostics(program.diagnostics)
    found = explained_program(program)
    shown = (
        json.dumps(found, indent=2, ensure_ascii=False)
        if as_json
        else on_command_line("\n".join(optimization_lines(found)))
    )
    write_output(shown + "\n")


def explained_program(program: Program, *, with_costs: bool = True) -> Optimization:
    """Returns what constraints make of the rules of a program."""
    return explain_rewritings(
        program.rewritten,
        program.unused_constraints,
        program.choices if with_costs else (),
        basis_of(program.rates, program.cost) if with_costs else None,
        program.trusted_automata if "expected" in program.supposing else (),
        program.partial_values,
    )
