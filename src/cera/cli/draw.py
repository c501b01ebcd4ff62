"""`cera draw`: automata as pictures."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click

from cera.automata import drawing
from cera.automata.module import AutomatonModule
from cera.cli import report
from cera.cli.options import program_options
from cera.cli.output_paths import OutputFile
from cera.connectors.line_writer import write_output
from cera.errors import UsageError
from cera.program import Program

#: The forms by the endings of files.
_FORMS = {".svg": drawing.svg, ".dot": drawing.dot, ".mmd": drawing.mermaid}


@click.command("draw", short_help="Draw an automaton.")
@program_options
@click.option(
    "--out",
    metavar="PATH",
    type=OutputFile(),
    help="A file that ends in .svg, .dot (for Graphviz) or .mmd (for Mermaid); without it, SVG on standard output.",
)
@click.option("--automaton", "name", metavar="NAME", help="Which one, if there are several.")
def draw(program: Program, out: Path | None, name: str | None) -> None:
    """Draws an automaton of the FILEs: atomic states as circles, others as rectangles around their states, end states
    with a double border. If Graphviz is installed, it lays out the SVG, with the labels at the transitions; otherwise
    the labels have numbers, and stand below the picture.

    \b
    Examples:
      cera draw FILE --out auction.svg
      cera draw FILE --out auction.mmd
    """
    program.checked()
    report.show_diagnostics(program.diagnostics)
    automata = [module for module in program.layers.modules if isinstance(module, AutomatonModule)]
    if name is not None:
        automata = [module for module in automata if module.name == name]
    if not automata:
        raise UsageError("there is no automaton in the program" + ("" if name is None else f" called {name}"))
    if len(automata) > 1:
        raise UsageError(f"--automaton says which one to draw: {', '.join(each.name for each in automata)}")
    ending = ".svg" if out is None else out.suffix
    if ending not in _FORMS:
        raise UsageError(f"--out: {out} should end in {', '.join(_FORMS)}")
    structure = automata[0].structure
    text = _by_graphviz(drawing.dot(structure)) if ending == ".svg" else None
    if text is None:
        text = _FORMS[ending](structure)
    if out is None:
        write_output(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written: {error.strerror}") from error


def _by_graphviz(text: str) -> str | None:
    """Returns the SVG that Graphviz makes of a text; None if it is not installed, or fails."""
    command = shutil.which("dot")
    if command is None:
        return None
    done = subprocess.run([command, "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None
