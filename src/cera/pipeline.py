"""The flow of a program on one screen.

    sources ──parse, name, compile──▶ rules, modules ──▶ layers ──▶ engine ──▶ derived events
              each in its language

What is wrong at any stage is a diagnostic. A program is one or several files; the language of each follows from its
ending. Rules and modules see what others derive: what sees it lies in a higher layer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cera.algebra.unbounded_state import check_durations, check_state
from cera.connectors.records.acceptance import accepted, in_time, lasting, refuse, reworded
from cera.connectors.records.layout import Layout, Rejected, layout_of
from cera.connectors.records.python_values import time_argument
from cera.connectors.records.rows import read_rows
from cera.connectors.source import source_of
from cera.diagnostics import Diagnostic, Diagnostics, Source, did_you_mean, in_source_order
from cera.engines.choice import AUTO, Engine, choose_in_process
from cera.engines.local import engine as local
from cera.engines.local.session import Session
from cera.engines.running import ENGINES, RunOptions, run_layers
from cera.engines.spark.division.undivided import check_division
from cera.errors import CeraWarning, ProgramError, UsageError
from cera.languages.programs import CompiledProgram, Modules, NamedModules, compile_program, name_modules
from cera.languages.protocol.results import CompileOptions
from cera.languages.registry import LANGUAGES, Recognition, by_ending, is_text, recognize
from cera.model.calendars.calendar_files import Calendar, CalendarError, load_calendars
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.events.event import Event
from cera.model.time.durations import DurationError, parse_duration
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit
from cera.model.url_paths import shown_path
from cera.modules.answers.answer import Answer
from cera.modules.expectations import Expectations, InputObserver, expectations_of
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers, layered
from cera.modules.module import RECURSION_LIMIT, Settings, known
from cera.modules.processor import AnyProcessor
from cera.rules.checks.check import check
from cera.rules.rule import RuleProgram, Semantics
from cera.wording import Setting, in_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cera.explain.plan_table import PlanTable

__all__ = [
    "ENGINES",
    "Engine",
    "Program",
    "RunOptions",
    "enabling",
    "load",
    "microseconds",
]


@dataclass(frozen=True)
class Program:
    """A program: its sources, and every stage up to the checked rules. Wrong programs are values too."""

    sources: tuple[Source, ...]
    semantics: Semantics | None = None
    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()
    #: The names of the modules that run; all if it is None.
    enabled: frozenset[str] | None = None
    #: How many events of a rule or a type one event may end; None is the usual limit.
    answer_limit: int | None = None

    @cached_property
    def recognitions(self) -> tuple[Recognition, ...]:
        """The sources, each read once in its language."""
        return tuple(map(recognize, self.sources))

    @cached_property
    def _named(self) -> NamedModules:
        return name_modules(self.recognitions)

    @property
    def module_names(self) -> tuple[str, ...]:
        """The names of all modules, whether they run or not."""
        return self._named.names

    @cached_property
    def _compiled(self) -> CompiledProgram:
        options = CompileOptions(self.timezone, self.calendars, self.semantics)
        return compile_program(self._named, options, self.enabled)

    @property
    def modules(self) -> Modules:
        """The modules that run, and what there is to say about them."""
        return self._compiled.modules

    @cached_property
    def rules(self) -> RuleProgram:
        """The normalised rules, of which a wrong program may lack some."""
        derived = known(label for each in self.modules.found for label in each.module.derives)
        limit = ANSWER_LIMIT if self.answer_limit is None else self.answer_limit
        return replace(self._compiled.rules.program, from_modules=tuple(derived), answer_limit=limit)

    @cached_property
    def _layered(self) -> tuple[Layers, tuple[Diagnostic, ...]]:
        modules = [each.module for each in self.modules.found]
        if self.answer_limit is not None:
            modules = [each.limited(self.answer_limit) for each in modules]
        rules = replace(self._compiled.rules, program=self.rules)
        return layered([rules, *modules])

    @property
    def layers(self) -> Layers:
        """Rules and modules of a program without errors, in the order in which they see each other's events."""
        self.checked()
        return self._layered[0]

    @cached_property
    def expectations(self) -> Expectations:
        """What a program without errors expects of its input."""
        return expectations_of(self.layers)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        found = list(self._compiled.rule_diagnostics)
        wrong_modules = self.modules.of("error")
        if not found:  # what is not well-formed is not judged further: it would only produce follow-up errors
            found += [each for each in check(self.rules) if each.severity == "error" or not wrong_modules]
        found += self.modules.findings
        if not any(each.severity == "error" for each in found):
            found += self._layered[1]
        return tuple(in_source_order(found))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @cached_property
    def state_warnings(self) -> tuple[Diagnostic, ...]:
        """Where what must be remembered grows with the stream; of no interest on a recorded one."""
        return () if self.errors else (*check_state(self.rules), *self.modules.state_warnings)

    @cached_property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is good to know about how the program will run on a stream: how it is divided, and what it remembers."""
        if self.errors:
            return ()
        return (*check_division(self.rules), *check_durations(self.rules), *self.modules.of("note"))

    @property
    def plan(self) -> PlanTable:
        """The optimized plan of the rules, which a notebook shows as a table. Raises ProgramError on recursion."""
        from cera.explain.plan_table import PlanTable  # prints rules, which few programs of users do

        return PlanTable(local.plan_of(self.checked()))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Every error and warning, in source order."""
        return tuple(in_source_order([*self.diagnostics, *self.state_warnings]))

    def check(self) -> tuple[Diagnostic, ...]:
        """Every error and warning, from top to bottom; none means the program is fine."""
        return Diagnostics(each.worded(in_python) for each in self.findings)

    def checked(self) -> RuleProgram:
        """The rules of a program without errors; raises ProgramError otherwise."""
        if self.errors:
            raise ProgramError(self.errors)
        return self.rules

    def run(
        self,
        events: object,
        *,
        label: str | None = None,
        label_value: str | None = None,
        time: str | None = None,
        end: str | None = None,
        id: str | None = None,
        time_unit: TimeUnit | None = None,
        time_format: str | None = None,
        timezone: str | None = None,
        csv: Mapping[str, str] | None = None,
        layout: Layout | None = None,
        engine: Engine = "auto",
        until: Time | str | date | None = None,
        reject: Callable[[Rejected], object] | None = None,
        late: Callable[[Event], object] | None = None,
        max_delay: int | str | None = None,
        max_duration: int | str | None = None,
        recursion_limit: int = RECURSION_LIMIT,
        tick_limit: int | None = None,
    ) -> Answer:
        """Answers the program over recorded events: `program.run(rows, label="type", time="ts").to_pandas()`.

        events       dicts, a DataFrame of pandas or Polars, an Arrow table, `cera.Event`s, or a path
        label        flat records: the field that holds the label; without it `label`
        label_value  flat records: the label of all of them, instead
        time, end    flat records: the fields that hold the time (or the begin) and the end; without them `at`, or
                     `begin` and `end`. The other fields are the children
        id           the field whose value keeps equal records apart
        time_unit    what a number as a time counts: s (the default), ms or us
        time_format  how texts of times are written, like `%d/%m/%Y %H:%M`; without it ISO 8601
        timezone     the zone of times without an offset; without it the program's
        csv          how files of CSV are written, setting by setting: `{"delimiter": ";", "decimal": ","}`
        layout       a `cera.Layout` in the place of all these, which can say more about files

        until        answers as if now were this time: a text, a datetime, or microseconds since 1970

        Malformed records, and events that last longer than `max_duration`, are handed to `reject`; without it they
        raise DataError. With `max_delay`, events that come too late are handed to `late` and do not count.
        Durations are microseconds or texts like `5 sec`. What rules want done is left to the caller: `cera.perform`.
        A label or an attribute that the program asks for and no event has is a `cera.CeraWarning`.
        The engine is `local`, or `reference` for a recursive program, unless one is named. `tick_limit` is how often a
        timer may tick between two events before the run gives up.
        """
        layers = self.layers
        if engine == AUTO:
            engine = choose_in_process(self.rules).engine
        named = {"label": label, "label_value": label_value, "time": time, "end": end, "id": id}
        times = {"time_unit": time_unit, "time_format": time_format, "timezone": timezone}
        layout = layout_of(layout, named, times, csv, self.timezone)
        now = None if until is None else time_argument("until", until, layout.times)
        _check_functions(reject=reject, late=late)
        if late is not None and max_delay is None:
            raise UsageError(f"{Setting.LATE} needs {Setting.MAX_DELAY}: without a limit no event is late")
        reject = refuse if reject is None else reworded(reject)
        source = source_of(str(events)) if isinstance(events, str | Path) else None
        records = read_rows(events, layout) if source is None else source.events(layout)
        happened = accepted(records, reject)
        delay, longest = _duration("max_delay", max_delay), _duration("max_duration", max_duration)
        if longest is not None:
            happened = lasting(happened, longest, reject)
        observer = InputObserver(self.expectations)
        happened = observer.passing(happened)
        if delay is not None:
            happened = in_time(happened, delay, late or (lambda event: None))
        options = RunOptions(now, self.timezone, delay, longest, recursion_limit, tick_limit)
        answer = run_layers(layers, happened, engine, options)
        for message in observer.warnings({item.event.label for item in answer.derived}):
            warnings.warn(in_python(message), CeraWarning, stacklevel=2)
        return answer

    def detect(
        self,
        events: DataFrame,
        *,
        max_delay: int | str = 0,
        max_duration: int | str | None = None,
        left_out: bool = False,
        label: str | None = None,
    ) -> DataFrame:
        """The derived events of a Spark DataFrame of events, recorded or streaming: `events.transform(program.detect)`.

        The events have the columns that `cera.spark.events` makes. On a stream, events may come `max_delay` late. Rows
        that come later, or are no events, are left out; with `left_out` they are in the result too, and the column
        `left_out`, null for derived events, says why. With a `label` only the events with this one are given, and with
        them a struct `children` of typed values; of the columns that are not used then, Spark computes nothing.
        """
        from cera.engines.spark.detecting import detect  # needs the extra `spark`

        return detect(
            self.layers,
            events,
            max_delay=microseconds(max_delay),
            max_duration=_duration("max_duration", max_duration),
            timezone=self.timezone,
            left_out=left_out,
            label=label,
        )

    def session(
        self,
        *,
        max_delay: int | str = 0,
        max_duration: int | str | None = None,
        late: Callable[[Event], object] | None = None,
        tick_limit: int = TICK_LIMIT,
    ) -> Session:
        """The program running in this process, event by event. Durations are microseconds or texts like `5 sec`.

        `tick_limit` is how often a timer may tick between two events: more is an error.
        """
        longest = _duration("max_duration", max_duration)
        processor = self.processor(max_duration=longest, tick_limit=tick_limit)
        return Session(
            processor,
            max_delay=microseconds(max_delay),
            max_duration=longest,
            timezone=self.timezone,
            late=late,
        )

    def processor(self, *, max_duration: int | None = None, tick_limit: int | None = None) -> AnyProcessor:
        """The program compiled for the local engine, which a driver or a session drives."""
        return program_processor(self.layers, Settings(self.timezone, max_duration, tick_limit))


def microseconds(duration: int | str) -> int:
    """A duration that is no calendar month, in microseconds."""
    if isinstance(duration, int) and duration >= 0:
        return duration
    if not isinstance(duration, str):
        raise UsageError(f"{duration!r} is not a duration; give microseconds, or a text like '5 sec'")
    try:
        parsed = parse_duration(duration)
    except DurationError as error:
        raise UsageError(str(error)) from error
    if parsed.months:
        raise UsageError(f"'{duration}' has no fixed length; give days instead of months")
    return parsed.microseconds


def _duration(name: str, duration: int | str | None) -> int | None:
    try:
        return None if duration is None else microseconds(duration)
    except UsageError as error:
        raise UsageError(f"`{name}`: {error.message}") from error


def _check_functions(**functions: object) -> None:
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise UsageError(f"`{name}` is a function that takes one argument; found {function!r}")


def load(
    program: str | Path | Source | Sequence[str | Path | Source],
    *,
    semantics: Semantics | None = None,
    timezone: str = "UTC",
    calendars: str | Path | Sequence[Calendar] = (),
    enable: Sequence[str] | None = None,
    answer_limit: int | None = None,
) -> Program:
    """A program from files, or from its text: `load("fire.xceq")`, `load(["a.xceq", "b.epl"])`, `load("DETECT …")`.

    With `enable`, only the modules with these names run. Of a rule or type of a module one event may end
    `answer_limit` events before a run gives up. The program may be wrong; `check` says how, and `run` raises
    ProgramError.
    """
    if semantics not in (None, "practical", "formal"):
        raise UsageError(f"there is no semantics '{semantics}'; there are practical and formal")
    try:
        TimeFormat(timezone=timezone)
    except TimeError as error:
        raise UsageError(str(error)) from error
    several = _parts(program)
    if isinstance(calendars, str | Path):
        try:
            calendars = load_calendars(Path(calendars))
        except (CalendarError, OSError) as error:
            raise UsageError(str(error)) from error
    sources = tuple(_source(part) for part in several)
    loaded = Program(sources, semantics, timezone, tuple(calendars), answer_limit=answer_limit)
    return loaded if enable is None else enabling(loaded, enable)


def _parts(given: object) -> list[str | Path | Source]:
    parts = [given] if isinstance(given, str | Path) or not isinstance(given, Iterable) else list(given)
    found = [part for part in parts if isinstance(part, str | Path | Source)]
    if len(found) < len(parts):
        raise UsageError(f"a program is a text, the path of a file, or several of these, found {given!r}")
    return found


def enabling(program: Program, names: Sequence[str]) -> Program:
    """The program with those of its modules that are named."""
    for name in names:
        if name not in program.module_names:
            known = program.module_names
            hint = did_you_mean(name, known) or (f"there are {', '.join(known)}" if known else "it has no modules")
            raise UsageError(f"the program has no module '{name}'; {hint}")
    chosen = replace(program, enabled=frozenset(names))
    vars(chosen)["recognitions"] = program.recognitions  # they are the same sources: none is read again
    return chosen


def _source(program: str | Path | Source) -> Source:
    if isinstance(program, Source):
        return program
    if isinstance(program, str) and is_text(program):
        return Source("<text>", program)
    path = Path(program)
    if by_ending(str(path)) is None:
        known = ", ".join(f"{language.ending} ({language.name})" for language in LANGUAGES)
        raise UsageError(f"{shown_path(path)}: the language follows from the file's ending, which can be {known}")
    try:
        return Source(str(path), path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
