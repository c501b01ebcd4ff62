"""`cera derive`: the constraints that follow from the automata and rules of a program."""

from __future__ import annotations

import click

from cera.cli import report
from cera.cli.options import program_options
from cera.connectors.line_writer import write_output
from cera.constraints.derivation.derived import MEANINGS, SUPPOSITIONS, Supposition
from cera.constraints.derivation.program import derive_constraints
from cera.languages.derived_text import derived_text
from cera.program import Program

#: No supposition at all.
NOTHING = "nothing"


@click.command("derive", short_help="Show the constraints that follow from a program.")
@program_options
@click.option(
    "--supposing",
    type=click.Choice([*SUPPOSITIONS, NOTHING]),
    multiple=True,
    help="Only constraints that hold if this is so of the stream, and no more; may be given several times. "
    + "; ".join(f"{each}: {meaning}" for each, meaning in MEANINGS.items())
    + ".",
)
def derive(program: Program, supposing: tuple[str, ...]) -> None:
    """Prints the constraints that follow from the automata and rules of the FILEs, as a text that can be read again.
    Constraints among the FILEs are propagated through the rules. Each says in a comment what it follows from, and what
    it supposes.

    \b
    Examples:
      cera derive auction.ihta
      cera derive auction.ihta queries.slog auction.escl
      cera derive auction.ihta --supposing points --supposing distinct > derived.escl
    """
    program.checked()
    report.show_diagnostics(program.diagnostics)
    write_output(derived(program, supposing))


def derived(program: Program, supposing: tuple[str, ...] = ()) -> str:
    """Returns the text of what follows from a program."""
    given: list[Supposition] = [each for each in SUPPOSITIONS if not supposing or each in supposing]
    found = derive_constraints(program.layers.modules, program.rules, given)
    if not found:
        report.say("no constraint follows from the program" + (" under these suppositions" if supposing else ""))
    return derived_text(found)
