"""Which options of cera's commands a file names in its texts."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import click

from cera.cli.main import main

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@cache
def options() -> frozenset[str]:
    """Returns the long options of all commands."""
    context = click.Context(main)
    commands = [main, *(main.get_command(context, name) for name in main.list_commands(context))]
    found = [option for command in commands if command is not None for each in command.params for option in each.opts]
    return frozenset(option for option in found if option.startswith("--"))


def options_in(file: Path) -> set[str]:
    """Returns the options that stand in string literals of a file of Python, docstrings among them."""
    texts = [node.value for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant)]
    return {option for text in texts if isinstance(text, str) for option in _OPTION.findall(text)} & options()
