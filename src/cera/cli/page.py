"""`cera explain CODE`: the page about an error or a warning."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cera.cli.tables import on_terminal
from cera.connectors.line_writer import write_output
from cera.diagnostic_pages import is_code, page
from cera.errors import UsageError


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
