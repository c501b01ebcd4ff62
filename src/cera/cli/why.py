"""`cera why`: how an event came about, as a tree of causes with their times."""

from __future__ import annotations

import json
from contextlib import nullcontext

import click

from cera.cli import report
from cera.cli.cause_tree import draw, graph, tree
from cera.cli.engine_choice import with_engine_in_process
from cera.cli.options import program_options, replay_options
from cera.cli.recording import Terminal
from cera.cli.side_files import check_side_files
from cera.connectors.line_writer import lines, write_output
from cera.connectors.sink import StandardOutput
from cera.model.events.event import Event
from cera.program import Program
from cera.running.causes import Causes
from cera.running.engine import Run, answer
from cera.running.listener import Collected
from cera.running.request import Request


@click.command("why", short_help="Show how an event came about.")
@replay_options
@program_options
@click.option(
    "--event",
    "names",
    metavar="ID",
    required=True,
    multiple=True,
    help="The id of an event, its begin, or a source's id. May be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="The events and derivations as JSON, each event once.")
def why(program: Program, request: Request, names: tuple[str, ...], as_json: bool) -> None:
    """Shows how an event came about when the FILEs' program runs over recorded events: every rule that derived it and
    the events that made the rule fire, down to the input, with their times.

    ID is what `cera run` writes as "id" and "causes", its first characters if they are enough, or the id that the
    source gave an input event. With several, the trees come one after the other, in the order of the options.

    \b
    Example:
      cera why fire.xceq --events events.jsonl --event 3f2a91c0
    """
    request = with_engine_in_process(program, request)
    layers = program.layers
    report.show_diagnostics(program.diagnostics)
    check_side_files(request, program)
    events: dict[Event, None] = {}
    found = Collected()
    answer(
        Run(
            layers,
            program.expectations,
            program.timezone,
            request,
            StandardOutput(),
            lambda: nullcontext(found),
            Terminal(request),
            lambda event: events.setdefault(event),
        )
    )
    modules = [each.module for each in program.modules.found]
    causes = Causes(program.rules, modules, program.timezone, tuple(events), found.derived, request.times)
    asked = tuple(dict.fromkeys(causes.find(name) for name in names))
    if as_json:
        write_output(json.dumps(graph(causes, asked), indent=2, ensure_ascii=False) + "\n")
    else:
        trees = (lines([event.id, *draw(tree(causes, event))]) for event in asked)
        write_output("\n".join(trees))
