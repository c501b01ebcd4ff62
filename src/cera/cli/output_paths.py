"""The types of options that name what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cera.connectors.sink import is_standard_output
from cera.errors import UsageError


class OutputFile(click.Path):
    """A file for the output of a command; `-` is standard output, which is None, as where nothing is named."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if is_standard_output(str(value)) else super().convert(value, param, ctx)


class SideFile(click.Path):
    """A file or folder for what is written beside the output, which is not for standard output."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if is_standard_output(str(value)):
            option = param.opts[0] if param is not None else "a path"
            raise UsageError(f"{option}: - would be standard output, which is for answers; name a file or folder")
        return super().convert(value, param, ctx)
