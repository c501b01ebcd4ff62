"""`cera.toml`: the options that every command of a project repeats, beside its program or where `--config` says.

    label-field = "type"
    time-field = "ts"

    [run]
    engine = "local"

A key is the name of an option. At the top it is for every command that has the option, in a table for that command. The
command line wins, then the environment, then the file. Relative paths are relative to the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.types import FuncParamType

from cera.cli.program_text import is_standard_input
from cera.connectors.relations.reading import located
from cera.connectors.source import source_of
from cera.errors import UsageError
from cera.model.message_text import did_you_mean
from cera.model.url_paths import shown_path

NAME = "cera.toml"
#: Where the context of a command keeps what was read.
_META = "cera.config"

#: Options that no file may set: a project that someone sends would give itself permissions.
_PERMISSIONS = frozenset({"allow-exec", "allow-sql", "allow-write"})
#: Options that only a file named by --config may set: they write files, or let Spark run other code.
_ASKED_FOR = frozenset({"out", "rejected", "late", "sink", "checkpoint", "actions-ledger", "master", "conf"})
_NO_SETTINGS = frozenset({"help", "config", "quiet", "verbose", "version"})


class ConfigFile:
    """A file of settings, and those of them that the running command has."""

    def __init__(self, path: Path, settings: Mapping[str, object]) -> None:
        self.path = path
        self.settings = settings

    def __str__(self) -> str:
        return f"{self.path}: {', '.join(self.settings) or 'nothing for this command'}"


def configure(ctx: click.Context, files: Iterable[Path], named: Path | None) -> None:
    """Makes the settings of a project the defaults of the command that is being parsed."""
    path = named or _beside(files)
    if path is None or ctx.resilient_parsing:
        return
    data = _read(path)
    options = dict(_options(ctx.command))
    settings = {}
    for key, value in _settings(ctx, path, data, asked_for=named is not None):
        if key in options:
            settings[key] = _value(options[key], key, value, path)
    ctx.default_map = {options[key].name: value for key, value in settings.items()}
    ctx.meta[_META] = ConfigFile(path, settings)


def used_file(ctx: click.Context) -> ConfigFile | None:
    """Returns the file that settings of a command came from, if there is one."""
    found = ctx.meta.get(_META)
    return found if isinstance(found, ConfigFile) else None


def is_from_file(ctx: click.Context, name: str) -> bool:
    """Returns whether the value of a parameter came from the file."""
    return ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def with_file_name(error: click.BadParameter) -> click.ClickException:
    """Returns the error about a value, with the name of the file if the value came from one."""
    found = None if error.ctx is None else used_file(error.ctx)
    if found is None or error.ctx is None or error.param is None or not is_from_file(error.ctx, error.param.name or ""):
        return error
    return click.UsageError(f"{found.path}: {error.format_message()}", error.ctx)


def _beside(files: Iterable[Path]) -> Path | None:
    for file in files:
        beside = file.parent / NAME
        return beside if not is_standard_input(file) and beside.is_file() else None
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from None


def _settings(
    ctx: click.Context, path: Path, data: Mapping[str, Any], *, asked_for: bool
) -> Iterator[tuple[str, object]]:
    """Yields the settings for every command, then those for the running one; raises UsageError on unknown keys."""
    commands = dict(_commands(ctx))
    every = {key for command in commands.values() for key, _ in _options(command)}
    for key, value in data.items():
        if key in commands and isinstance(value, dict):
            known = {name for name, _ in _options(commands[key])}
            for inner in value:
                _check_key(inner, known, f"{path}: [{key}]", asked_for=asked_for)
        else:
            _check_key(key, every | set(commands), str(path), asked_for=asked_for)
            yield _name(key), value
    own = data.get(ctx.command.name or "")
    for key, value in own.items() if isinstance(own, dict) else ():
        yield _name(key), value


def _check_key(key: str, known: Iterable[str], place: str, *, asked_for: bool) -> None:
    name = _name(key)
    if name in _PERMISSIONS:
        raise UsageError(f"{place}: `{key}` is a permission, which is given on the command line only: --{name}")
    if name not in known:
        raise UsageError(f"{place}: there is no option `{key}`{did_you_mean(name, known)}")
    if name in _ASKED_FOR and not asked_for:
        raise UsageError(f"{place}: `{key}` is taken only from a file that is asked for: --config {NAME}")


def _name(key: str) -> str:
    return key.replace("_", "-")


def _commands(ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Yields the commands that run programs, with their names."""
    parent = ctx.parent
    if parent is None or not isinstance(parent.command, click.Group):
        return
    for name in parent.command.list_commands(parent):
        command = parent.command.get_command(parent, name)
        if command is not None and any(param.name == "config" for param in command.params):
            yield name, command


def _options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    for param in command.params:
        if isinstance(param, click.Option):
            name = max(param.opts, key=len).lstrip("-")
            if name not in _NO_SETTINGS:
                yield name, param


def _value(option: click.Option, key: str, value: object, path: Path) -> object:
    """Returns a setting as the command line would give it."""
    if isinstance(value, dict) and key in ("conf", "csv"):
        value = [f"{name}={_text(setting)}" for name, setting in value.items()]
    if isinstance(value, dict) and key == "relation":
        value = [f"{name}={located(_text(source), path.parent)}" for name, source in value.items()]
    several = value if isinstance(value, list) else [value]
    for each in several:
        if isinstance(each, dict | list):
            raise UsageError(f"{path}: `{key}` is a text, a number or a truth value, or several of them in a list")
    if isinstance(value, list) and not option.multiple:
        raise UsageError(f"{path}: `{key}` has one value, found {len(value)} in a list")
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{path}: `{key}` is true or false, found {value!r}")
        return value
    texts = [_text(each) for each in several]
    if _is_path(option):
        texts = [source_of(text).in_folder(path.parent).text for text in texts]
    return texts if option.multiple else texts[0]


def _is_path(option: click.Option) -> bool:
    """Returns whether an option names a file or a source, relative to the file that it stands in."""
    by_function = isinstance(option.type, FuncParamType) and option.type.func is source_of
    return by_function or isinstance(option.type, click.Path)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)
