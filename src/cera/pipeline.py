"""The flow of a program on one screen.

    text ──parse──▶ syntax tree ──lower──▶ rules ──check──▶ diagnostics
                                             │
                                             └──▶ engine ──▶ derived events

A program is one or several files; the language of each follows from its ending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from cera.connectors.files import Layout, read_events
from cera.connectors.layout import Rejected
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.engines.answer import Answer
from cera.engines.reference import engine as reference
from cera.errors import DataError, ProgramError, UsageError
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import Parsed, parse
from cera.languages.xchangeeq.syntax import CalendarsDirective
from cera.model.calendars import Calendar, CalendarError, load_calendars
from cera.model.events import Event
from cera.model.interval import Time
from cera.rules.checks import check
from cera.rules.rule import RuleProgram, Semantics

Engine = Literal["reference"]
ENGINES: Mapping[str, Callable[..., Answer]] = MappingProxyType({"reference": reference.run})

#: The languages by the endings of their files.
ENDINGS: Mapping[str, str] = MappingProxyType({".xceq": "XChangeEQ"})


@dataclass(frozen=True)
class Program:
    """A program: its sources, and every stage up to the checked rules. Wrong programs are values too."""

    sources: tuple[Source, ...]
    semantics: Semantics | None = None
    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()

    @cached_property
    def parsed(self) -> tuple[Parsed, ...]:
        return tuple(parse(source) for source in self.sources)

    @cached_property
    def _calendars(self) -> tuple[tuple[Calendar, ...], tuple[Diagnostic, ...]]:
        """The calendars that were given and those that CALENDARS directives name."""
        found, problems = list(self.calendars), []
        for source, parsed in zip(self.sources, self.parsed, strict=True):
            for directive in parsed.program.items:
                if isinstance(directive, CalendarsDirective):
                    try:
                        found += load_calendars(Path(source.name).parent / directive.path)
                    except (CalendarError, OSError) as error:
                        problems.append(Diagnostic("XC006", "error", str(error), directive.span))
        return tuple(found), tuple(problems)

    @cached_property
    def _lowered(self) -> tuple[RuleProgram, tuple[Diagnostic, ...]]:
        return lower(
            [parsed.program for parsed in self.parsed],
            calendars=self._calendars[0],
            timezone=self.timezone,
            semantics=self.semantics,
        )

    @property
    def rules(self) -> RuleProgram:
        """The normalised rules, of which a wrong program may lack some."""
        return self._lowered[0]

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        found = [diagnostic for parsed in self.parsed for diagnostic in parsed.diagnostics]
        found += [*self._calendars[1], *self._lowered[1]]
        if not found:  # what is not well-formed is not judged further: it would only produce follow-up errors
            found += check(self.rules)
        return tuple(in_source_order(found))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    def check(self) -> tuple[Diagnostic, ...]:
        """Every error and warning, from top to bottom; none means the program is fine."""
        return self.diagnostics

    def checked(self) -> RuleProgram:
        """The rules of a program without errors; raises ProgramError otherwise."""
        if self.errors:
            raise ProgramError(self.errors)
        return self.rules

    def run(
        self,
        events: Iterable[Event] | str | Path,
        *,
        engine: Engine = "reference",
        until: Time | None = None,
        layout: Layout | None = None,
        reject: Callable[[Rejected], object] | None = None,
        recursion_limit: int | None = None,
    ) -> Answer:
        """The answers over recorded events: given as events, or as the path of a file or folder of them.

        Malformed records of a file are handed to `reject`; without it they raise DataError.
        """
        rules = self.checked()
        if isinstance(events, str | Path):
            events = accepted(read_events(str(events), layout or Layout()), reject or _refuse)
        if engine not in ENGINES:
            raise UsageError(f"there is no engine '{engine}'; there are: {', '.join(ENGINES)}")
        limits = {} if recursion_limit is None else {"recursion_limit": recursion_limit}
        return ENGINES[engine](rules, events, until=until, timezone=self.timezone, **limits)


def accepted(records: Iterable[Event | Rejected], reject: Callable[[Rejected], object]) -> Iterable[Event]:
    """The events among the records; the others are handed to `reject`."""
    for record in records:
        if isinstance(record, Rejected):
            reject(record)
        else:
            yield record


def _refuse(record: Rejected) -> None:
    raise DataError(f"{record.place}: {record.reason}; pass `reject=` to go on without such records")


def load(
    program: str | Path | Sequence[str | Path],
    *,
    semantics: Semantics | None = None,
    timezone: str = "UTC",
    calendars: str | Path | Sequence[Calendar] = (),
) -> Program:
    """A program from files, or from its text: `load("fire.xceq")`, `load(["a.xceq", "b.xceq"])`, `load("DETECT …")`.

    The program may be wrong; `check` says how, and `run` raises ProgramError.
    """
    several = [program] if isinstance(program, str | Path) else list(program)
    if isinstance(calendars, str | Path):
        try:
            calendars = load_calendars(Path(calendars))
        except (CalendarError, OSError) as error:
            raise UsageError(str(error)) from error
    return Program(tuple(_source(part) for part in several), semantics, timezone, tuple(calendars))


def _source(program: str | Path) -> Source:
    if isinstance(program, str) and (not program.strip() or any(c in program for c in "\n{")):
        return Source("<text>", program)
    path = Path(program)
    if path.suffix not in ENDINGS:
        known = ", ".join(f"{ending} ({name})" for ending, name in ENDINGS.items())
        raise UsageError(f"{path}: the language follows from the file's ending, which can be {known}")
    try:
        return Source(str(path), path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
