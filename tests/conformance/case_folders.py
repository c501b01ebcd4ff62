"""All cases as data: the examples, what was wrong once, and the entries of CONFORMANCE that ask what a program answers.

A case is a folder with `case.toml`, programs, events and `expected.jsonl`. What the lines of the last leave out (rules,
ids, causes) is not compared. `case.toml` says

    title      what the case shows, in a sentence
    entries    the ids of CONFORMANCE that it is about, if it is about any
    programs   the files of the program; without it `program.xceq`
    events     the file of the events; without it `events.jsonl`
    relations  the files of relations by their names, where the program does not say it

and options of `cera run` by their names: semantics, until, timezone, calendars, and how the events are written.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cera
from cera.connectors.files import Layout
from cera.connectors.source import source_of
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.program import Program

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "tests/conformance/cases", "tests/conformance/entries")
LAYOUT_FIELDS = ("label_field", "time_field", "end_field", "id_field", "state_field", "label", "xml_types")


@dataclass(frozen=True, eq=False)
class Case:
    """A program, events, and what is expected of every engine."""

    folder: Path
    title: str
    entries: tuple[str, ...]
    programs: tuple[Path, ...]
    events: Path
    expected: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name of the folder, and the ids of entries that it does not have in it."""
        return "+".join([self.folder.name, *(entry for entry in self.entries if entry not in self.folder.name)])

    @property
    def times(self) -> TimeFormat:
        return TimeFormat(self.options.get("time_unit"), self.options.get("timezone", "UTC"))

    @property
    def layout(self) -> Layout:
        return Layout(times=self.times, **{name: self.options[name] for name in LAYOUT_FIELDS if name in self.options})

    @property
    def relations(self) -> dict[str, object]:
        return {name: self.folder / file for name, file in self.options.get("relations", {}).items()}

    @property
    def until(self) -> int | None:
        return self.times.parse(self.options["until"]) if "until" in self.options else None

    @cached_property
    def program(self) -> Program:
        return cera.load(
            self.programs,
            semantics=self.options.get("semantics"),
            timezone=self.times.timezone,
            calendars=self.folder / self.options["calendars"] if "calendars" in self.options else (),
        )

    @cached_property
    def stream(self) -> tuple[Event, ...]:
        """The events of its file."""
        records = list(source_of(str(self.events)).events(self.layout))
        events = tuple(record for record in records if isinstance(record, Event))
        assert len(events) == len(records), "a record of the case is malformed"
        return events


def list_cases() -> list[Case]:
    """Returns all cases, sorted by their folders."""
    return [_case(path.parent) for folder in FOLDERS for path in sorted((ROOT / folder).glob("*/case.toml"))]


def _case(folder: Path) -> Case:
    options = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    lines = (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()
    return Case(
        folder,
        options.pop("title"),
        tuple(options.pop("entries", ())),
        tuple(folder / name for name in options.pop("programs", ["program.xceq"])),
        folder / options.pop("events", "events.jsonl"),
        tuple(json.loads(line) for line in lines),
        options,
    )
