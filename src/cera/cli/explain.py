"""`cera explain`: what a program becomes before it runs, or the page about an error or a warning."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from cera.cli import report
from cera.cli.constraint_options import constraints_option
from cera.cli.optimize import explained_program
from cera.cli.options import program_options
from cera.cli.tables import on_terminal
from cera.connectors.line_writer import write_output
from cera.connectors.records.python_values import microseconds
from cera.constraints.translation.layers import all_rules
from cera.diagnostic_pages import is_code, page
from cera.errors import UsageError
from cera.explain.costs import basis_of, cost_lines, explain_costs
from cera.explain.modules import explain_modules, module_lines
from cera.explain.program import explain as explained
from cera.explain.program import text
from cera.explain.rewritings import optimization_lines
from cera.program import Program
from cera.running.engine import explain_on
from cera.wording import on_command_line


class ExplainCommand(click.Command):
    """A command whose arguments may be codes in the place of files."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [word for word in args if not word.startswith("-")]
        codes = [word for word in words if is_code(word) and not Path(word).exists()]
        if codes:
            if len(codes) < len(args):
                other = next(word for word in args if word not in codes)
                raise UsageError(f"{codes[0]} is a code, whose page has no options; leave out {other}")
            show_pages(codes)
            ctx.exit()
        return super().parse_args(ctx, args)


def show_pages(codes: list[str]) -> None:
    """Writes the pages: laid out on a terminal, as they are elsewhere."""
    texts = [page(code) for code in codes]
    write_output("\n".join(map(_laid_out, texts) if on_terminal() else texts))


def _laid_out(text: str) -> str:
    from rich.console import Console  # takes a while to import
    from rich.markdown import Markdown

    console = Console(no_color=bool(os.environ.get("NO_COLOR")))
    with console.capture() as drawn:
        console.print(Markdown(text, code_theme="ansi_dark"))
    return drawn.get()


@click.command("explain", cls=ExplainCommand, short_help="Show rules, strata, plan and state, or the page of a code.")
@program_options
@constraints_option
@click.option(
    "--max-duration",
    metavar="DURATION",
    help="Shows what is remembered when no event lasts longer, as `cera run --max-duration` has it.",
)
@click.option("--differences", is_flag=True, help="Shows how each part of the plan changes when something new comes.")
@click.option(
    "--spark",
    "on_spark",
    is_flag=True,
    help="The same as --engine spark, with Spark's own plan. Starts Spark.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    help="With spark, shows what runs on Spark too: how each join and window is made and why, and what runs in Python.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def explain(
    program: Program, max_duration: str | None, differences: bool, on_spark: bool, engine: str, as_json: bool
) -> None:
    """Shows what the program of the FILEs becomes: its normalised rules with all their branches, what each reads and
    derives, the dependencies between them and of which kind, the strata, and what is recursive; the plan as it is
    translated and as it is optimized, how long events are remembered and why, and what the local engine does with each
    event. Of a module: what it monitors and derives, its layer, and the Datalog_1S program that runs, or the event
    types and what they remember.

    In the place of FILEs it takes the codes of errors and warnings, and shows their pages.

    \b
    Examples:
      cera explain XC201
      cera explain fire.xceq
      cera explain fire.xceq --max-duration "5 sec"
      cera explain fire.xceq --json | jq .strata
      cera explain fire.xceq --engine spark
    """
    program.checked()
    rules = all_rules(program.running_rules, program.layers.modules)
    report.show_diagnostics(program.diagnostics)
    longest = None if max_duration is None else microseconds(max_duration)
    explanation = explained(rules, max_duration=longest, differences=differences)
    modules = explain_modules(program.modules.found, program.layers)
    parts = [text(explanation)] if rules.rules or not modules else []
    shown = "\n\n".join([*parts, *(["\n".join(module_lines(modules))] if modules else [])])
    data: dict[str, Any] = {**explanation, **({"modules": modules} if modules else {})}
    if program.trusted:
        rewritings = explained_program(program, with_costs=False)
        data["optimization"] = rewritings
        shown = "\n".join([shown, "", "by constraints:", *(f"  {line}" for line in optimization_lines(rewritings))])
    basis = basis_of(program.rates, program.cost)
    if rules.rules and basis is not None:
        costs = explain_costs(rules, program.choices, basis)
        data["costs"] = costs
        shown = "\n".join([shown, "", *cost_lines(costs)])
    if rules.rules:
        local = explain_on("local", program.layers, timezone=program.timezone, max_duration=longest)
        if local is not None:
            data["local"] = local.data
            shown = "\n".join([shown, "", *local.lines])
    if on_spark or engine == "spark":
        timezone = program.timezone
        spark = explain_on("spark", program.layers, timezone=timezone, max_duration=longest, started=on_spark)
        if spark is not None:
            data["spark"] = spark.data
            shown = "\n".join([shown, "", *spark.lines])
    write_output((json.dumps(data, indent=2, ensure_ascii=False) if as_json else on_command_line(shown)) + "\n")
