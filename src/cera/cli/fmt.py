"""`cera fmt`: programs in the canonical layout."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from cera.cli import report
from cera.cli.program_text import is_standard_input, standard_input
from cera.connectors.line_writer import write_file, write_output
from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.registry import language_of
from cera.program import load


@click.command("fmt", short_help="Bring programs into the canonical layout.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Change nothing; show what would change.")
@click.pass_context
def fmt(ctx: click.Context, files: tuple[str, ...], check: bool, diff: bool) -> None:
    """Rewrites the FILEs in the canonical layout, comments included; - stands for standard input to output.

    A file that does not parse is left as it is, and the others are done all the same.

    \b
    Examples:
      cera fmt fire.xceq
      cera fmt --check rules/*.xceq
      cera fmt - < draft.xceq
    """
    wrong = changed = False
    for name in dict.fromkeys(files):
        text = _read(name)
        try:
            formatted = _formatted(Source("<stdin>" if is_standard_input(name) else name, text))
        except ProgramError as error:
            report.show_diagnostics(error.findings)
            wrong = True
            continue
        changes = formatted != text
        changed |= changes
        if diff:
            write_output(_difference(name, text, formatted))
        if check and changes:
            report.say(f"{name} would change")
        elif is_standard_input(name) and not check and not diff:
            write_output(formatted)
        elif changes and not check and not diff:
            write_file(Path(name), formatted)
            report.say(f"{name} rewritten")
    if wrong or (check and changed):
        ctx.exit(ProgramError.exit_status)


def _formatted(source: Source) -> str:
    """Returns the text in the canonical layout of its language, with the line endings that it has."""
    formatted = language_of(source).format(Source(source.name, source.text.replace("\r\n", "\n")))
    return formatted.replace("\n", "\r\n") if "\r\n" in source.text else formatted


def _read(name: str) -> str:
    """Returns the text with its own line endings, which `load` would hide."""
    if is_standard_input(name):
        return standard_input().text
    load(Path(name))  # says what is wrong with a file that is not there, not text or of another language
    return Path(name).read_bytes().decode("utf-8-sig")


def _difference(name: str, text: str, formatted: str) -> str:
    lines = difflib.unified_diff(
        text.splitlines(keepends=True), formatted.splitlines(keepends=True), name, f"{name} (formatted)"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n" for line in lines)
