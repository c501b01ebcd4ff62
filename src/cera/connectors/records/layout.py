"""The layout of the records of a source, and the rejection of a record that is not an event."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from cera.connectors.records.csv_dialect import CsvDialect, csv_dialect
from cera.errors import UsageError
from cera.model.terms.term import TermError
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit
from cera.wording import Setting

if TYPE_CHECKING:
    from cera.model.terms.xml_terms import Types

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_NO_CHARACTER = re.compile("[\ud800-\udfff]")

#: How much of a rejected record is kept.
TEXT_LIMIT = 500

#: The fields of a record's times, unless a layout names others: `at`, or `begin` and `end`.
TIME_FIELDS = ("at", "begin", "end")


#: The arguments of Python that name fields.
_FIELD_ARGUMENTS = ("label", "time", "end", "id", "state")

#: Wrappers of events in other programs.
Envelope = Literal["debezium"]


@dataclass(frozen=True)
class Layout:
    """The way in which the records of a source are read.

    With one of `label_field`, `time_field`, `end_field`, `state_field` or a constant `label` the records are flat.
    Unless said otherwise a flat record has its times in `at`, or `begin` and `end`, and its label in `label`; in XML
    the label is the element's name. `state_field` says which records are states; without it, none is.
    """

    label_field: str | None = None
    time_field: str | None = None
    end_field: str | None = None
    id_field: str | None = None
    label: str | None = None
    times: TimeFormat = field(default_factory=TimeFormat)
    xml_types: Types = "inferred"
    format: str | None = None
    #: Fields of CSV and XML whose text is a string even if it looks like a number.
    string_fields: frozenset[str] = frozenset()
    #: None: the records are event objects, or flat.
    envelope: Envelope | None = None
    csv: CsvDialect = field(default_factory=CsvDialect)
    state_field: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the records are event objects or flat, each field with one meaning, so that they are read the fast
        way.
        """
        named = (self.label_source if self.is_flat else "term", self.id_field, self.state_field)
        names = [name for name in (*named, *dict.fromkeys(self.time_source or TIME_FIELDS)) if name is not None]
        usual_times = self.times.pattern is None and self.times.unit != "ns"
        return usual_times and self.envelope is None and self.id_field != "rule" and len(set(names)) == len(names)

    @property
    def is_flat(self) -> bool:
        named = (self.label_field, self.time_field, self.end_field, self.label, self.state_field)
        return any(name is not None for name in named)

    @property
    def is_points(self) -> bool:
        """Whether every record is a point of time: an envelope of a change, or flat with a time and without an end.

        Event objects beside flat records may last all the same; a promise of points rejects those.
        """
        return self.envelope is not None or (self.time_field is not None and self.end_field is None)

    def names_one_of(self, fields: Collection[str]) -> bool:
        """Returns whether a record with these fields has one that the layout names."""
        return any(name in fields for name in (self.label_field, self.time_field, self.end_field))

    @property
    def label_source(self) -> str | None:
        """The field that holds a flat record's label, None if the label is a constant."""
        return None if self.label is not None else self.label_field or "label"

    @property
    def time_source(self) -> tuple[str, str] | None:
        """The fields that hold a flat record's begin and end, None for the usual ones."""
        if self.time_field is None and self.end_field is None:
            return None
        begin = self.time_field or "begin"
        return begin, self.end_field or begin

    def missing_column(self, names: Collection[str]) -> str | None:
        """Returns what a table with these columns lacks for its rows to be events; None if it has all."""
        if self.label_source is not None and self.label_source not in names:
            return f"no column `{self.label_source}` for the label; give {Setting.LABEL_FIELD} or {Setting.LABEL}"
        if self.time_source is None and "at" not in names and not {"begin", "end"}.issubset(names):
            return f"no column `at` for the time, nor `begin` and `end`; give {Setting.TIME_FIELD}"
        for name in self.time_source or ():
            if name not in names:
                given = f"{Setting.TIME_FIELD} and {Setting.END_FIELD}"
                return f"no column `{name}` for the time; give {given} as the header spells them"
        if self.state_field is not None and self.state_field not in names:
            given = f"give {Setting.STATE_FIELD} as the header spells it"
            return f"no column `{self.state_field}` that says what is a state; {given}"
        return None


def own_times(names: Collection[str], layout: Layout) -> tuple[str, str] | None:
    """Returns the fields of begin and end among those of records; None if these do not say which they are."""
    if layout.time_source is not None:
        return layout.time_source if set(layout.time_source) <= set(names) else None
    there = {name for name in TIME_FIELDS if name in names}
    return ("at", "at") if there == {"at"} else ("begin", "end") if there == {"begin", "end"} else None


def layout_of(
    layout: Layout | None,
    fields: Mapping[str, str | None],
    times: Mapping[str, str | None],
    csv: Mapping[str, str] | None,
    program_zone: str,
) -> Layout:
    """Returns the layout that arguments of Python describe: `label`, `label_value`, `time`, `end`, `id` and `state` of
    `fields`, `time_unit`, `time_format` and `timezone` of `times`.
    """
    _check_kinds(layout, {**fields, **times}, csv)
    given = [name for name, value in (*fields.items(), *times.items(), ("csv", csv)) if value is not None]
    if layout is not None:
        if given:
            raise UsageError(f"`layout` says how records are laid out, and so does `{given[0]}`; give one of them")
        return layout
    if fields["label"] is not None and fields["label_value"] is not None:
        raise UsageError("`label` is the field of the labels, `label_value` the label of all records; give one of them")
    unit: Any = times["time_unit"]
    if unit not in (None, *get_args(TimeUnit)):
        raise UsageError(f"`time_unit` is s, ms, us or ns, found {unit!r}")
    try:
        format = TimeFormat(unit, times["timezone"] or program_zone, times["time_format"])
    except TimeError as error:
        raise UsageError(str(error)) from error
    dialect = csv_dialect(f"{key}={value}" for key, value in (csv or {}).items())
    names = (fields["label"], fields["time"], fields["end"], fields["id"], fields["label_value"])
    return Layout(*names, format, csv=dialect, state_field=fields["state"])


def _check_kinds(layout: object, texts: Mapping[str, object], csv: object) -> None:
    """Raises UsageError where an argument is of another type than expected."""
    if not isinstance(layout, Layout | None):
        raise UsageError(f"`layout` is a cera.Layout, like cera.Layout(label_field='type'); found {layout!r}")
    if not isinstance(csv, Mapping | None):
        raise UsageError(f"`csv` is a dict of settings, like {{'delimiter': ';'}}; found {csv!r}")
    for name, value in texts.items():
        if not isinstance(value, str | None):
            what = "the name of a field, a text" if name in _FIELD_ARGUMENTS else "a text"
            raise UsageError(f"`{name}` is {what}; found {value!r}")


@dataclass(frozen=True)
class Rejected:
    """A record that is not an event: its place (file:line), the reason, and the start of its text."""

    place: str
    reason: str
    text: str = ""


def rejected(place: str, reason: str, text: str = "") -> Rejected:
    """Returns a rejected record with its text cut to TEXT_LIMIT; bytes that are not characters are shown as such."""
    cut = text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
    return Rejected(place, _printable(reason), _printable(cut))


def _printable(text: str) -> str:
    return _NO_CHARACTER.sub("\ufffd", text)


class RecordError(ValueError):
    """A record is not an event; the message is the reason."""


def too_large(name: str, reason: str, *others: str) -> RecordError:
    """Returns the error for a text that looks like a number but has no value, with what to do if it is a text."""
    ways = " or ".join((Setting.STRING_FIELD.of(name), *others))
    return RecordError(f"in `{name}`: {reason}; if it is a text and not a number, give {ways}")


#: Errors that a record itself causes.
RECORD_ERRORS = (RecordError, TermError, TimeError)


def decode(data: bytes) -> str:
    """Returns the text of UTF-8 without a byte order mark; other bytes are kept for `check_text` to find."""
    return data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")


def is_unicode(text: str) -> bool:
    """Returns whether a text was UTF-8."""
    return text.isascii() or _NO_CHARACTER.search(text) is None


def check_text(text: str) -> None:
    """Raises RecordError for a text that was not UTF-8."""
    if not text.isascii():
        for column, character in enumerate(text, 1):
            if "\udc80" <= character <= "\udcff":
                raise RecordError(f"not UTF-8: the byte 0x{ord(character) - 0xDC00:02X} at column {column}")
