"""Settings that messages speak of, which are put into words where a message is shown.

The same setting is an option on the command line, an argument in Python and a field on a page. A message names the
setting, and stays a text:

    f"run it with {Setting.ENGINE.of('reference')}, which can"    run it with ⟦engine=reference⟧, which can
    in_python(…)                                                  run it with `engine="reference"`, which can
    on_command_line(…)                                            the same, with the option

A mark is text, so that it comes through all that messages go through: other messages, rows of Spark, JSON, the
traceback of a worker. What leaves for a Python user is worded on its way: the text of an error by the error itself,
diagnostics, rejected records and failed actions by the functions that give them. The command line words what it writes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from types import MappingProxyType


class Setting(Enum):
    """A setting of a user. The values are the names of options, and stay as they are: marks may be kept in files."""

    ALLOW_EXEC = "allow_exec"
    ALLOW_SQL = "allow_sql"
    ALLOW_WRITE = "allow_write"
    ANSWER_LIMIT = "answer_limit"
    BUCKETS = "buckets"
    CHECKPOINT = "checkpoint"
    CONF = "conf"
    CONSTRAINTS = "constraints"
    COST = "cost"
    CSV = "csv"
    DB = "db"
    END_FIELD = "end_field"
    ENGINE = "engine"
    EVENT = "event"
    FORMAT = "format"
    FROM = "from"
    LABEL = "label"
    LABELS = "labels"
    LABEL_FIELD = "label_field"
    LATE = "late"
    LAW = "law"
    LAYOUT = "layout"
    LOCATIONS = "locations"
    MASTER = "master"
    MAX_AHEAD = "max_ahead"
    MAX_DELAY = "max_delay"
    MAX_DURATION = "max_duration"
    OUT = "out"
    RECURSION_LIMIT = "recursion_limit"
    REJECTED = "rejected"
    RELATION = "relation"
    RESTART_CHANGED = "restart_changed"
    SINK = "sink"
    SOURCE = "source"
    STATE_FIELD = "state_field"
    STRICT = "strict"
    STRING_FIELD = "string_field"
    SUPPOSING = "supposing"
    TABLES = "tables"
    TICK_LIMIT = "tick_limit"
    TIMEZONE = "timezone"
    TIME_FIELD = "time_field"
    TIME_FORMAT = "time_format"
    TIME_UNIT = "time_unit"
    UNTIL = "until"
    UPGRADE = "upgrade"
    VERIFY = "verify"
    WITHOUT_LAW = "without_law"
    XML_TYPES = "xml_types"

    def __str__(self) -> str:
        return f"⟦{self.value}⟧"

    def of(self, value: str) -> str:
        """Returns the mark of the setting with a value."""
        return f"⟦{self.value}={value}⟧"


#: Words for a setting, with the value that a message gives it, if any.
Wording = Callable[[Setting, str | None], str]

_MARK = re.compile(f"⟦({'|'.join(setting.value for setting in Setting)})(?:=([^⟧]*))?⟧")

#: What only commands have; elsewhere it is called what it is called there.
_OF_COMMANDS = frozenset(
    {
        *(
            Setting.BUCKETS,
            Setting.CHECKPOINT,
            Setting.DB,
            Setting.EVENT,
            Setting.LAW,
            Setting.MAX_AHEAD,
            Setting.OUT,
            Setting.REJECTED,
            Setting.WITHOUT_LAW,
        ),
        *(Setting.RESTART_CHANGED, Setting.SINK, Setting.SOURCE, Setting.STRICT, Setting.TABLES, Setting.UPGRADE),
    }
)
#: The arguments of Python that have other names.
_ARGUMENTS: Mapping[Setting, str] = MappingProxyType(
    {
        Setting.LABEL_FIELD: "label",
        Setting.LABEL: "label_value",
        Setting.TIME_FIELD: "time",
        Setting.END_FIELD: "end",
        Setting.STATE_FIELD: "state",
        Setting.CONF: "settings",
        Setting.RELATION: "relations",
        Setting.FROM: "since",
    }
)
#: The attributes of `cera.Layout` that are no arguments of their own.
_ATTRIBUTES: Mapping[Setting, str] = MappingProxyType(
    {
        Setting.FORMAT: "format",
        Setting.LAYOUT: "envelope",
        Setting.STRING_FIELD: "string_fields",
        Setting.XML_TYPES: "xml_types",
    }
)


def worded(text: str, wording: Wording) -> str:
    """Returns the text with words in the place of its marks."""
    return _MARK.sub(lambda mark: wording(Setting(mark[1]), mark[2]), text) if "⟦" in text else text


def on_command_line(text: str) -> str:
    """Returns the text with options in the place of its marks."""
    return worded(text, _option)


def in_python(text: str) -> str:
    """Returns the text with arguments in the place of its marks."""
    return worded(text, _argument)


class MarkedError(Exception):
    """An error whose `message` has marks. Its text, which Python shows, has words of Python."""

    is_text_marked = False

    @property
    def message(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return self.message if self.is_text_marked else in_python(self.message)


@contextmanager
def keeping_marks() -> Iterator[None]:
    """Leaves the marks in the text of an error that ends a worker of Spark, of which nothing else comes back."""
    try:
        yield
    except MarkedError as error:
        error.is_text_marked = True
        raise


def _option(setting: Setting, value: str | None) -> str:
    name = f"--{setting.value.replace('_', '-')}"
    return name if value is None else f"{name} {shlex.quote(value)}"


def _argument(setting: Setting, value: str | None) -> str:
    if setting in _OF_COMMANDS:
        return _option(setting, value)
    if (attribute := _ATTRIBUTES.get(setting)) is not None:
        return f"`layout=cera.Layout({attribute}={'…' if value is None else _python_value(setting, value)})`"
    name = _ARGUMENTS.get(setting, setting.value)
    return f"`{name}`" if value is None else f"`{name}={_python_value(setting, value)}`"


def _python_value(setting: Setting, value: str) -> str:
    match setting:
        case Setting.CSV | Setting.CONF | Setting.RELATION:
            key, _, text = value.partition("=")
            return f"{{{_quoted(key)}: {_quoted(text)}}}"
        case Setting.STRING_FIELD:
            return f"frozenset({{{_quoted(value)}}})"
        case _:
            return _quoted(value)


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)
