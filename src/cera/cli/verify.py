"""`cera verify`: whether recorded events keep to the automata and the constraints of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from cera.automata.module import OVERDUE, VIOLATION, AutomatonModule
from cera.cli import report
from cera.cli.constraint_report import Tally, with_locations, with_reference
from cera.cli.engine_choice import with_engine
from cera.cli.options import program_options, replay_options
from cera.cli.recording import Terminal, report_formats
from cera.cli.side_files import check_side_files
from cera.cli.summary import refuse, show_missing_attributes, show_summary
from cera.cli.tables import on_terminal
from cera.connectors.sink import sink_of
from cera.constraints.module import UNKNOWN_PLACE, ConstraintModule
from cera.errors import UsageError
from cera.model.events.states import ENDING, OPENING
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module
from cera.program import Program
from cera.running.engine import answer
from cera.running.outcome import Outcome
from cera.running.request import Request
from cera.running.run import Run

#: The exit status where there are violations.
VIOLATED = 6


@click.command("verify", short_help="Check recorded events against automata and constraints.")
@replay_options
@program_options
@click.option(
    "--strict-verify",
    "expects_all",
    is_flag=True,
    help="An event that an automaton knows, and that no instance of it waits for, is a violation too.",
)
@click.option(
    "--locations",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where events come from, for constraints about places: rooms, areas, neighbours and coordinates, in TOML.",
)
@click.option(
    "--as",
    "shown_as",
    type=click.Choice(["table", "jsonl"]),
    help="What is written on standard output; a table if that is a terminal, else JSON lines.",
)
@click.option(
    "--out",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write to this file, whole or not at all, and not on standard output.",
)
def verify(
    program: Program,
    request: Request,
    expects_all: bool,
    locations: Path | None,
    shown_as: str | None,
    out: Path | None,
) -> None:
    """Follows recorded events through the automata of the FILEs and writes what violates them: which event, of which
    instance, in which state, and what was expected. Instances that are overdue, because nothing can happen to them any
    more, are written too, and are no violations.

    Constraints (.escl) are verified by the reference engine, over a whole recording: what violates them is written with
    the values of the variables, what was expected and found, at the time at which it is certain.

    The exit status is 6 if there are violations, and 0 if there are none.

    \b
    Examples:
      cera verify FILE --events events.jsonl --time-unit s
      cera verify FILE --events loans.jsonl.gz --label-field activity --strict-verify --as table
      cera verify metro.escl --events smoke.jsonl --locations metro.toml
    """
    sink = sink_of(out)
    program.checked()
    automata = [module for module in program.layers.modules if isinstance(module, AutomatonModule)]
    constraints = [module for module in program.layers.modules if isinstance(module, ConstraintModule)]
    if not automata and not constraints:
        raise UsageError("there is no automaton in the program, and no constraint; rules are answered by `cera run`")
    request = with_reference(request) if constraints else with_engine(program, request, sink)
    report_formats(request)
    table = out is None and (on_terminal() if shown_as is None else shown_as == "table")
    request = replace(request, labels=frozenset({VIOLATION, OVERDUE, UNKNOWN_PLACE}), changes=True)
    layers = with_locations(verified(program.layers, expects_all=expects_all), locations)
    report.show_diagnostics(program.diagnostics)
    check_side_files(request, program)
    terminal = Terminal(request)
    tally = Tally(request.times)
    opened = partial(terminal.output, out, table=table)
    output = tally.counting(opened) if constraints else opened
    outcome = answer(Run(layers, program.expectations, program.timezone, request, sink, output, terminal))
    unusable = show_summary(program, request, replace(outcome, derived=_reports(outcome)))
    show_missing_attributes(program, outcome)
    tally.show(constraints)
    violations = _show_instances(automata, outcome, expects_all=expects_all, outside=bool(constraints))
    refuse(unusable)
    if violations:
        click.get_current_context().exit(VIOLATED)


def verified(layers: Layers, *, expects_all: bool) -> Layers:
    """Returns a program whose automata report the instances of their roots, and no other states."""

    def prepared(module: Module) -> Module:
        if not isinstance(module, AutomatonModule):
            return module
        needed = {label for each in layers.modules if each is not module for label in each.reads}
        own = {label for label in module.derives if label.startswith((OPENING, ENDING))}
        return replace(module, expects_all=expects_all, states="all" if own & needed else "root")

    return Layers(tuple(Layer(tuple(map(prepared, layer.modules))) for layer in layers.layers))


def _reports(outcome: Outcome) -> Counter[str]:
    return Counter(
        {name: outcome.derived[name] for name in (VIOLATION, OVERDUE, UNKNOWN_PLACE) if outcome.derived[name]}
    )


def _show_instances(automata: Sequence[AutomatonModule], outcome: Outcome, *, expects_all: bool, outside: bool) -> int:
    """Says what became of the instances of each automaton; returns the number of violations. `outside` are constraints,
    whose violations are no instances' ends."""
    violations = outcome.derived[VIOLATION]
    for module in automata:
        label = module.structure.labels[module.structure.root]
        seen, ended = outcome.derived[OPENING + label], outcome.ended_states.get(label, 0)
        how = f"{ended:,} ended"
        if len(automata) == 1 and not expects_all and not outside:  # every violation has ended an instance
            how = f"{ended - violations:,} finished, {violations:,} violated"
        report.say(f"{module.name}: {report.count(seen, 'instance')}, {how}, {seen - ended:,} still running")
    report.say(f"{report.count(violations, 'violation')}" if violations else "no violations")
    return violations
