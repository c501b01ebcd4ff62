"""A program as its users have it: loaded from files or a text, checked, and run over events."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from cera.connectors.records.acceptance import refuse, reworded
from cera.connectors.records.layout import Layout, Rejected, layout_of
from cera.connectors.records.python_values import duration_argument, limit_argument, microseconds, time_argument
from cera.connectors.row_source import Rows
from cera.connectors.source import source_of
from cera.constraints.completeness import check_complete_since, complete_since
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import SUPPOSITIONS, Supposition
from cera.constraints.locating import check_located
from cera.constraints.locations import NO_LOCATIONS, read_locations
from cera.constraints.module import ConstraintModule
from cera.constraints.reports import VIOLATION
from cera.constraints.translation.layers import by_rules
from cera.diagnostics import Diagnostic, Diagnostics, Source, did_you_mean
from cera.engines.local import engine as local
from cera.engines.local.session import Session
from cera.errors import CeraWarning, UsageError
from cera.languages.registry import LANGUAGES, by_ending, is_text
from cera.model.calendars.calendar_files import Calendar, CalendarError, load_calendars
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.event import Event
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit
from cera.model.url_paths import shown_path
from cera.modules.answers.answer import Answer
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor
from cera.optimizer.costs.rates_file import read_rates
from cera.optimizer.semantic.driver import LAWS
from cera.optimizer.semantic.estimates import COST_MODELS, CostModel
from cera.pipeline import Pipeline
from cera.rules.rule import Semantics
from cera.running.choice import AUTO, Engine, choose_in_process
from cera.running.in_memory import answer_in_memory
from cera.running.refreshing import StreamRelations, detected_relations, session_relations
from cera.running.relations import read_relations
from cera.running.request import Request
from cera.wording import Setting, in_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cera.explain.plan_table import PlanTable


@dataclass(frozen=True)
class Program(Pipeline):
    """A program, which may be wrong: `check` says how, and `run` raises ProgramError then."""

    @property
    def plan(self) -> PlanTable:
        """The optimized plan of the rules, which a notebook shows as a table."""
        from cera.explain.plan_table import PlanTable  # prints rules, which few programs of users do

        return PlanTable(local.plan_of(self.checked()))

    def check(self) -> tuple[Diagnostic, ...]:
        """Returns every error and warning, from top to bottom; none means the program is fine."""
        return Diagnostics(each.worded(in_python) for each in self.findings)

    def minimal_constraints(self) -> tuple[str, ...]:
        """Returns the names of constraints that say the same as all of the program, `shop.paid`: none is known to
        follow from the others. `check` says of each that is left out which ones it follows from (EC405)."""
        from cera.constraints.consequences.minimal import analysed, statements_of  # few programs ask for it

        modules = [each.module for each in self.modules.found if isinstance(each.module, ConstraintModule)]
        found = analysed([one for each in modules for one in statements_of(each.name, each.clauses, each.origin)])
        return tuple(f"{each.file}.{each.name}" for each in found.minimal)

    def run(
        self,
        events: object,
        *,
        label: str | None = None,
        label_value: str | None = None,
        time: str | None = None,
        end: str | None = None,
        id: str | None = None,
        state: str | None = None,
        time_unit: TimeUnit | None = None,
        time_format: str | None = None,
        timezone: str | None = None,
        csv: Mapping[str, str] | None = None,
        layout: Layout | None = None,
        engine: Engine = "auto",
        until: Time | str | date | None = None,
        since: Time | str | date | None = None,
        reject: Callable[[Rejected], object] | None = None,
        late: Callable[[Event], object] | None = None,
        max_delay: int | str | None = None,
        max_duration: int | str | None = None,
        recursion_limit: int = RECURSION_LIMIT,
        tick_limit: int | None = None,
        relations: Mapping[str, object] | None = None,
        changes: bool = False,
    ) -> Answer:
        """Answers the program over recorded events: `program.run(rows, label="type", time="ts").to_pandas()`.

        events       dicts, a DataFrame of pandas or Polars, an Arrow table, `cera.Event`s, or a path
        label        flat records: the field that holds the label; without it `label`
        label_value  flat records: the label of all of them, instead
        time, end    flat records: the fields that hold the time (or the begin) and the end; without them `at`, or
                     `begin` and `end`. The other fields are the children
        id           the field whose value keeps equal records apart
        state        flat records: the field that is true, or 1, where a record is a state, which may have no end yet
        time_unit    what a number as a time counts: s (the default), ms or us
        time_format  how texts of times are written, like `%d/%m/%Y %H:%M`; without it ISO 8601
        timezone     the zone of times without an offset; without it the program's
        csv          how files of CSV are written, setting by setting: `{"delimiter": ";", "decimal": ","}`
        layout       a `cera.Layout` in the place of all these, which can say more about files

        relations    the rows of relations by name, where they are not those that the program names: dicts, a table as
                     for events, a path or a URL

        until        answers as if now were this time: a text, a datetime, or microseconds since 1970
        since        from when on the events are complete, for constraints of the program that miss something; the first
                     event if not given

        changes      whether the answer has the opening and the closing of each derived state; otherwise a state is in
                     it once, when it has ended, or without an end. `cera.state_of` makes a `cera.State` of both

        Malformed records, and events that last longer than `max_duration`, are handed to `reject`; without it they
        raise DataError. With `max_delay`, events that come too late are handed to `late` and do not count.
        Durations are microseconds or texts like `5 sec`. What rules want done is left to the caller: `cera.perform`.
        A label or an attribute that the program asks for and no event has is a `cera.CeraWarning`.
        The engine is `local` unless one is named. `tick_limit` is how often a timer may tick between two events before
        the run gives up, `recursion_limit` how many events of recursive rules may end at one time.
        """
        if engine == AUTO:
            engine = choose_in_process().engine
        named = {"label": label, "label_value": label_value, "time": time, "end": end, "id": id, "state": state}
        times = {"time_unit": time_unit, "time_format": time_format, "timezone": timezone}
        layout = layout_of(layout, named, times, csv, self.timezone)
        now = None if until is None else time_argument("until", until, layout.times)
        layers = self._complete_since(since, layout.times, now)
        _check_functions(reject=reject, late=late)
        _check_limits(tick_limit, recursion_limit)
        if late is not None and max_delay is None:
            raise UsageError(f"{Setting.LATE} needs {Setting.MAX_DELAY}: without a limit no event is late")
        reject = refuse if reject is None else reworded(reject)
        request = Request(
            (source_of(str(events)) if isinstance(events, str | Path) else Rows(events),),
            layout,
            engine,
            until=now,
            recursion_limit=recursion_limit,
            max_delay=duration_argument("max_delay", max_delay),
            max_duration=duration_argument("max_duration", max_duration),
            tick_limit=tick_limit,
            in_memory=True,
            changes=changes,
            relations=_given_relations(relations),
        )
        answer, outcome = answer_in_memory(layers, self.expectations, self.timezone, request, reject=reject, late=late)
        for message in self.expectations.unmet(outcome.observed, outcome.counts.labels, outcome.derived):
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
        recursion_limit: int = RECURSION_LIMIT,
        relations: Mapping[str, object] | None = None,
        changes: bool = False,
        versions: str | Path | None = None,
        since: Time | str | date | None = None,
    ) -> DataFrame:
        """Returns the events derived from a DataFrame, recorded or streaming: `events.transform(program.detect)`.

        The events have the columns that `cera.spark.events` makes. On a stream, events may come `max_delay` late. Rows
        that come later, or are no events, are left out; with `left_out` they are in the result too, and the column
        `left_out`, null for derived events, says why. With a `label` only the events with this one are given, and with
        them a struct `children` of typed values; of the columns that are not used then, Spark computes nothing.
        Where recursive rules derive more than `recursion_limit` events that end at one time, it fails. `relations` are
        the rows of relations, as for `run`; a DataFrame of Spark is joined there, and over a stream it is read once.
        A program that derives states gives a column `state`, and an end of null to a state that has not ended; with
        `changes` there is a row for the opening of each state, and one for its closing.
        Over a stream, relations with REFRESH are read again, and `versions` is the folder for what was read: one for
        each query, kept as long as its checkpoint. `since` is from when on the events are complete, as for `run`.
        """
        from cera.engines.spark.detecting import detect  # needs the extra `spark`

        _check_limits(None, recursion_limit)
        check_located(self.layers.modules)
        if label in self.ruled_out:
            raise UsageError(
                f"no rule derives events with the label `{label}`: by the constraints there can be none; "
                "`cera optimize` says by which"
            )
        layers = self._complete_since(since, TimeFormat(timezone=self.timezone))
        given = _given_relations(relations)
        kept: StreamRelations | None = None
        if getattr(events, "isStreaming", False):
            kept = detected_relations(self.layers, given, self.timezone, versions, events)
        rows = read_relations(self.layers, given, self.timezone, in_place=True) if kept is None else kept.rows
        return detect(
            by_rules(layers, in_parts=True),
            events,
            max_delay=microseconds(max_delay),
            max_duration=duration_argument("max_duration", max_duration),
            timezone=self.timezone,
            left_out=left_out,
            label=label,
            recursion_limit=recursion_limit,
            changes=changes,
            relations=rows,
            announcements=None if kept is None else kept.announcements,
        )

    def session(
        self,
        *,
        max_delay: int | str = 0,
        max_duration: int | str | None = None,
        late: Callable[[Event], object] | None = None,
        tick_limit: int = TICK_LIMIT,
        recursion_limit: int = RECURSION_LIMIT,
        relations: Mapping[str, object] | None = None,
        since: Time | str | date | None = None,
    ) -> Session:
        """Returns the program running here, event by event. Durations are microseconds or texts like `5 sec`.

        `tick_limit` is how often a timer may tick between two events, `recursion_limit` how many events of recursive
        rules may end at one time: more is an error. `relations` are the rows of relations, as for `run`; they are read
        now, and are not saved with the state. One with REFRESH is read again when its duration has passed, before the
        next call that moves time on; its rows are saved, and may come from a function that returns them. `since` is
        from when on the events are complete, as for `run`.
        """
        _check_limits(tick_limit, recursion_limit)
        check_located(self.layers.modules)
        longest = duration_argument("max_duration", max_duration)
        layers = self._complete_since(since, TimeFormat(timezone=self.timezone))
        rows, refreshed = session_relations(layers, _given_relations(relations), self.timezone)
        settings = Settings(self.timezone, longest, tick_limit, recursion_limit=recursion_limit, relations=rows)
        processor = program_processor(by_rules(layers), settings)
        return Session(
            processor,
            max_delay=microseconds(max_delay),
            max_duration=longest,
            timezone=self.timezone,
            late=late,
            refreshed=refreshed,
        )

    def _complete_since(self, since: Time | str | date | None, times: TimeFormat, until: Time | None = None) -> Layers:
        found = None if since is None else time_argument("since", since, times)
        check_complete_since(self.layers, found, until, times)
        return complete_since(self.layers, found)

    def processor(self, *, max_duration: int | None = None, tick_limit: int | None = None) -> AnyProcessor:
        """Returns the program compiled for the local engine, which a driver or a session drives."""
        rows = read_relations(self.layers, {}, self.timezone)
        layers = by_rules(self.layers)
        return program_processor(layers, Settings(self.timezone, max_duration, tick_limit, relations=rows))


def _given_relations(relations: object) -> Mapping[str, object]:
    if relations is None:
        return {}
    if not isinstance(relations, Mapping) or not all(isinstance(name, str) for name in relations):
        raise UsageError(f"`relations` is a dict of rows by the names of relations; found {relations!r}")
    return relations


def _check_limits(tick_limit: int | None, recursion_limit: int) -> None:
    if tick_limit is not None:
        limit_argument("tick_limit", tick_limit)
    limit_argument("recursion_limit", recursion_limit)


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
    locations: str | Path | None = None,
    constraints: str | Path | Source | Sequence[str | Path | Source] = (),
    verify: bool = False,
    rates: str | Path | None = None,
    cost: CostModel | None = None,
    supposing: Sequence[Supposition] = (),
) -> Program:
    """Returns a program from files or a text: `load("fire.xceq")`, `load(["a.xceq", "b.epl"])`, `load("DETECT …")`.

    With `enable`, only the modules with these names run. Of a rule or type of a module one event may end
    `answer_limit` events before a run gives up. `locations` is a file that says where events come from, for constraints
    about places. `constraints` are files that the stream is trusted to satisfy: they make rules cheaper, and change no
    answer on such a stream. With `verify` they are not trusted: the rules run as they are, and what violates a
    constraint is an event `violation`. `rates` is a file that says how often events come, as `cera sample` writes it,
    and `cost` what is chosen by it: `state`, `work` or `latency`. No answer depends on these. What follows from
    automata among the `constraints` is used if what it supposes of the stream is among `supposing`. The program may be
    wrong; `check` says how, and `run` raises ProgramError.
    """
    if semantics not in (None, "practical", "formal"):
        raise UsageError(f"there is no semantics '{semantics}'; there are practical and formal")
    try:
        TimeFormat(timezone=timezone)
    except TimeError as error:
        raise UsageError(str(error)) from error
    if supposing and not _parts(constraints):
        raise UsageError(f"{Setting.SUPPOSING} is about {Setting.CONSTRAINTS}, and there are none")
    several = _parts(program)
    if isinstance(calendars, str | Path):
        try:
            calendars = load_calendars(Path(calendars))
        except (CalendarError, OSError) as error:
            raise UsageError(str(error)) from error
    sources = tuple(_source(part) for part in several)
    places = NO_LOCATIONS if locations is None else read_locations(Path(locations))
    loaded = Program(
        sources,
        semantics,
        timezone,
        tuple(calendars),
        answer_limit=answer_limit,
        locations=places,
        trusted=tuple(_source(part) for part in dict.fromkeys(_parts(constraints))),
        supposing=frozenset(supposing),
    )
    if rates is not None or cost is not None:
        loaded = estimating(loaded, rates, cost)
    chosen = loaded if enable is None else enabling(loaded, enable)
    return verifying(chosen) if verify else chosen


def _parts(given: object) -> list[str | Path | Source]:
    parts = [given] if isinstance(given, str | Path) or not isinstance(given, Iterable) else list(given)
    found = [part for part in parts if isinstance(part, str | Path | Source)]
    if len(found) < len(parts):
        raise UsageError(f"a program is a text, the path of a file, or several of these, found {given!r}")
    return found


def enabling(program: Program, names: Sequence[str]) -> Program:
    """Returns the program with those of its modules that are named."""
    for name in names:
        if name not in program.module_names:
            known = program.module_names
            hint = did_you_mean(name, known) or (f"there are {', '.join(known)}" if known else "it has no modules")
            raise UsageError(f"the program has no module '{name}'; {hint}")
    chosen = replace(program, enabled=frozenset(names))
    vars(chosen)["recognitions"] = program.recognitions  # they are the same sources: none is read again
    return chosen


def trusting(
    program: Program,
    constraints: Sequence[str | Path],
    without_laws: Sequence[str] = (),
    supposing: Sequence[Supposition] = (),
    *,
    only_laws: Sequence[str] = (),
) -> Program:
    """Returns the program for streams that satisfy constraints, which rewrite its rules by all laws or only some, but
    for some laws. What follows from automata among the constraints is used if what it supposes is supposed."""
    for law in (*only_laws, *without_laws):
        if law not in LAWS:
            hint = did_you_mean(law, LAWS) or f"there are {', '.join(LAWS)}"
            raise UsageError(f"the optimizer has no law '{law}'; {hint}")
    if not constraints:
        about = {Setting.LAW: only_laws, Setting.WITHOUT_LAW: without_laws, Setting.SUPPOSING: supposing}
        for setting in (each for each, given in about.items() if given):
            raise UsageError(f"{setting} is about {Setting.CONSTRAINTS}, and there are none")
        return program
    trusted = replace(
        program,
        trusted=tuple(map(_source, dict.fromkeys(constraints))),
        without_laws=frozenset(without_laws) | (frozenset(LAWS) - frozenset(only_laws or LAWS)),
        supposing=frozenset(supposing),
    )
    vars(trusted)["recognitions"] = program.recognitions  # they are the same sources: none is read again
    if not trusted.errors:
        _check_something_is_trusted(trusted)
    return trusted


def _check_something_is_trusted(program: Program) -> None:
    """Raises UsageError if nothing is said of the stream."""
    if program.constraint_modules or program.derives_constraints:
        return
    names = ", ".join(shown_path(Path(source.name)) for source in program.trusted)
    automata = program.trusted_automata
    if not automata:
        raise UsageError(f"{Setting.CONSTRAINTS}: there is no constraint in {names}")
    found = [each for one in automata for each in of_automaton(one.automaton)]
    if not found:
        raise UsageError(
            f"{Setting.CONSTRAINTS}: no constraint follows from {names}; `cera derive` says from what it does"
        )
    least = min((each.supposing for each in found), key=lambda each: (len(each), sorted(each)))
    needed = " ".join(str(Setting.SUPPOSING.of(name)) for name in SUPPOSITIONS if name in least)
    raise UsageError(
        f"{Setting.CONSTRAINTS}: what follows from {names} supposes more of the stream than that the automaton accepts "
        f"it; give {needed}, if that is so, or more, as `cera derive` says"
    )


def estimating(program: Program, rates: str | Path | None, cost: CostModel | None) -> Program:
    """Returns the program with rates of its events, by which joins are ordered, and a model of costs, by which laws are
    chosen."""
    if cost is not None and cost not in COST_MODELS:
        raise UsageError(f"there is no model of costs '{cost}'; there are {', '.join(COST_MODELS)}")
    if cost is not None and not program.trusted:
        raise UsageError(f"{Setting.COST} chooses among what {Setting.CONSTRAINTS} allow, and there are none")
    chosen = replace(program, rates=None if rates is None else read_rates(Path(rates)), cost=cost)
    vars(chosen)["recognitions"] = program.recognitions  # they are the same sources: none is read again
    return chosen


def verifying(program: Program) -> Program:
    """Returns the program that checks its constraints beside its rules, instead of trusting them."""
    if not program.trusted:
        raise UsageError(f"{Setting.VERIFY} is about {Setting.CONSTRAINTS}, and there are none")
    if program.trusted_automata:
        names = ", ".join(each.name for each in program.trusted_automata)
        raise UsageError(
            f"{Setting.VERIFY}: what follows from the automaton {names} is relied on, and not checked beside rules; "
            "verify the automaton apart, with `cera verify`"
        )
    if {VIOLATION, None} & program.read_by_rules:
        raise UsageError(
            f"{Setting.VERIFY}: a rule asks for events `{VIOLATION}`, or for any, and would see those of the "
            "constraints; verify them apart, with `cera verify`"
        )
    chosen = replace(program, verifying=True)
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
