"""--constraints: what the stream is trusted to satisfy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cera.program import Program, trusting

R = TypeVar("R")


def constraints_option(command: Callable[..., R], *, required: bool = False) -> Callable[..., R]:
    """Decorates a command with --constraints and --without-law; stands below `program_options`."""

    @click.option(
        "--constraints",
        metavar="FILE",
        multiple=True,
        required=required,
        type=click.Path(path_type=Path),
        help="Constraints that the stream is trusted to satisfy: rules are rewritten by them, which changes no "
        "answer on such a stream. May be given several times.",
    )
    @click.option(
        "--without-law",
        "without_laws",
        metavar="LAW",
        multiple=True,
        help="A law that is not used in rewriting, by its name, as `cera optimize` shows it.",
    )
    @functools.wraps(command)
    def with_constraints(
        program: Program, constraints: tuple[Path, ...], without_laws: tuple[str, ...], **others: Any
    ) -> R:
        return command(program=trusting(program, constraints, without_laws), **others)

    return with_constraints


#: The same, for a command that is about nothing else.
constraints_needed = functools.partial(constraints_option, required=True)
