"""`cera explain`: what a program becomes before it runs."""

from __future__ import annotations

import json
from typing import Any

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.cli.page import ExplainCommand
from cera.connectors.line_writer import write_output
from cera.connectors.records.python_values import microseconds
from cera.engines.local.engine import plan_of
from cera.explain.modules import explain_modules, module_lines
from cera.explain.program import explain as explained
from cera.explain.program import text
from cera.program import Program
from cera.wording import on_command_line


@click.command("explain", cls=ExplainCommand, short_help="Show rules, strata, plan and state, or the page of a code.")
@program_options
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
    help="Shows how joins are made on Spark, what runs in Python there, and Spark's own plan. Starts Spark.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def explain(program: Program, max_duration: str | None, differences: bool, on_spark: bool, as_json: bool) -> None:
    """Shows what the program of the FILEs becomes: its normalised rules with all their branches, what each reads and
    derives, the dependencies between them and of which kind, the strata, and what is recursive; the plan as it is
    translated and as it is optimized, and how long events are remembered and why. Of a module: what it monitors and
    derives, its layer, and the Datalog_1S program that runs, or the event types and what they remember.

    In the place of FILEs it takes the codes of errors and warnings, and shows their pages.

    \b
    Examples:
      cera explain XC201
      cera explain fire.xceq
      cera explain fire.xceq --max-duration "5 sec"
      cera explain fire.xceq --json | jq .strata
      cera explain fire.xceq --spark
    """
    rules = program.checked()
    report.show_diagnostics(program.diagnostics)
    longest = None if max_duration is None else microseconds(max_duration)
    explanation = explained(rules, max_duration=longest, differences=differences)
    modules = explain_modules(program.modules.found, program.layers)
    parts = [text(explanation)] if rules.rules or not modules else []
    shown = "\n\n".join([*parts, *(["\n".join(module_lines(modules))] if modules else [])])
    data: dict[str, Any] = {**explanation, **({"modules": modules} if modules else {})}
    if on_spark:
        plan_of(rules, "Spark")  # a recursive program is refused before Spark is started
        from cera.engines.spark.explaining import explain_spark, spark_lines  # needs the extra `spark`

        data["spark"] = spark = explain_spark(program.layers, max_duration=longest, timezone=program.timezone)
        shown = "\n".join([shown, "", *spark_lines(spark)])
    write_output((json.dumps(data, indent=2, ensure_ascii=False) if as_json else on_command_line(shown)) + "\n")
