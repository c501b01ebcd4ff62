"""The options that commands share: which program, which events, how to answer.

Each decorator adds its options to a command and hands them over as one object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from cera.cli import report
from cera.cli.ahead import ahead_option, max_ahead_of
from cera.cli.config_file import NAME as CONFIG_FILE
from cera.cli.config_file import configure, is_from_file, used_file
from cera.cli.layout_options import check_layout, layout_options
from cera.cli.output_paths import SideFile
from cera.cli.program_text import program_parts
from cera.connectors.files import ENDINGS, Layout
from cera.connectors.records.python_values import microseconds
from cera.connectors.source import Source, source_of
from cera.errors import UsageError
from cera.languages.registry import LANGUAGES
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import ANSWER_LIMIT, GROUP_LIMIT, RECURSION_LIMIT
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeError, TimeFormat
from cera.program import load
from cera.running.choice import AUTO, Engine
from cera.running.engine import ENGINES
from cera.running.request import Request
from cera.wording import Setting

R = TypeVar("R")
Command = Callable[..., R]

#: The default of --master: Spark runs in this process.
LOCAL_MASTER = "local[*]"

_WITH_MODULES = " and ".join(language.short_name for language in LANGUAGES if language.several_modules)
_OF_RULES = " and ".join(language.short_name for language in LANGUAGES if language.one_program)


def _known_zone(ctx: click.Context, param: click.Parameter, name: str) -> str:
    try:
        TimeFormat(timezone=name)
    except TimeError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    return name


timezone_option = click.option(
    "--timezone",
    metavar="ZONE",
    callback=_known_zone,
    default="UTC",
    show_default=True,
    help="The zone of times without an offset, in the program and in the events.",
)


def _take_files(ctx: click.Context, param: click.Parameter, files: tuple[Path, ...]) -> tuple[Path, ...]:
    if "config" in ctx.params:  # else it comes after the files
        configure(ctx, files, ctx.params["config"])
    return files


def _take_config(ctx: click.Context, param: click.Parameter, config: Path | None) -> Path | None:
    if "files" in ctx.params:
        configure(ctx, ctx.params["files"], config)
    return config


def program_options(command: Command[R]) -> Command[R]:
    """Decorates a command with FILE…, --config, --quiet and so on; it gets the `program`, which may be wrong."""

    @click.argument(
        "files",
        metavar="FILE...",
        nargs=-1,
        required=True,
        type=click.Path(path_type=Path),
        is_eager=True,
        callback=_take_files,
    )
    @click.option(
        "--config",
        metavar="FILE",
        type=click.Path(path_type=Path),
        is_eager=True,
        callback=_take_config,
        help=f"A TOML file with options by their names; without it {CONFIG_FILE} beside the program, if there is one.",
    )
    @click.option("-q", "--quiet", is_flag=True, help="Say nothing on standard error but errors.")
    @click.option("-v", "--verbose", is_flag=True, help="Say more: where settings come from, and how long it took.")
    @click.option(
        "--semantics",
        type=click.Choice(["practical", "formal"]),
        help="Overrides the program's SEMANTICS. practical (default): a window never contains the event it is defined "
        "by; formal: the papers at their letter.",
    )
    @timezone_option
    @click.option(
        "--calendars",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="A TOML file with named calendars, besides those that the program names.",
    )
    @click.option(
        "--locations",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Where events come from, for constraints about places: rooms, areas, neighbours and coordinates, in TOML.",
    )
    @click.option(
        "--enable",
        metavar="MODULE,...",
        multiple=True,
        help=f"The modules of {_WITH_MODULES} files that run; all if not given.",
    )
    @click.option(
        "--answer-limit",
        metavar="N",
        type=click.IntRange(min=1),
        help=f"How many events of a rule or type of a module one event may end before the run gives up; "
        f"{ANSWER_LIMIT:,} if not given, {GROUP_LIMIT:,} for types with `combinations`. "
        f"Rules of {_OF_RULES} may join as many combinations of three or more.",
    )
    @functools.wraps(command)
    def with_program(
        files: tuple[Path, ...],
        config: Path | None,
        quiet: bool,
        verbose: bool,
        semantics: Any,
        timezone: str,
        calendars: Path | None,
        locations: Path | None,
        enable: tuple[str, ...],
        answer_limit: int | None,
        **others: Any,
    ) -> R:
        if quiet and verbose:
            raise UsageError("--quiet says less and --verbose more; give one of them")
        report.set_level("quiet" if quiet else "verbose" if verbose else "normal")
        if found := used_file(click.get_current_context()):
            report.say_more(f"settings from {found}")
        program = load(
            program_parts(files, read_by_others=reads_standard_input(others)),
            semantics=semantics,
            timezone=timezone,
            calendars=calendars or (),
            enable=_enabled(enable),
            answer_limit=answer_limit,
            locations=locations,
        )
        return command(program=program, **others)

    return with_program


def tick_limit_option(command: Command[R]) -> Command[R]:
    """Decorates a command with --tick-limit; the value is None if it is not given."""
    return click.option(
        "--tick-limit",
        metavar="N",
        type=click.IntRange(min=1),
        help=f"How often a timer may tick between two events before the run gives up; {TICK_LIMIT:,} if not given, "
        "100,000 in all on the reference engine. On Spark over a recording, the ticks of a timer in all.",
    )(command)


def changes_option(command: Command[R]) -> Command[R]:
    """--changes."""
    return click.option(
        "--changes",
        is_flag=True,
        help="Write the opening of a derived state when it begins, and its closing when it ends. Without it a state is "
        "written once, when it has ended. An answer over all of a state that --constraints make certain before is "
        "written then, with an end of null, and again when the state has ended.",
    )(command)


def recursion_limit_option(command: Command[R]) -> Command[R]:
    """--recursion-limit."""
    return click.option(
        "--recursion-limit",
        metavar="N",
        type=click.IntRange(min=1),
        default=RECURSION_LIMIT,
        show_default=True,
        help="How many events that end at one time recursive rules may derive before the run gives up.",
    )(command)


def relation_option(command: Command[R]) -> Command[R]:
    """--relation; the value is a tuple of NAME=SOURCE."""
    return click.option(
        "--relation",
        "relations",
        metavar="NAME=SOURCE",
        multiple=True,
        help="Where the rows of a relation are, instead of where the program says: a .csv, .jsonl or .parquet file, "
        "sqlite:PATH?table=NAME or postgresql://USER@HOST/DATABASE?table=NAME. May be given several times.",
    )(command)


def relation_sources(pairs: tuple[str, ...]) -> dict[str, object]:
    """Returns the sources of --relation by the names of relations."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, source = pair.partition("=")
        if not equals or not name or not source:
            raise UsageError(f"--relation takes NAME=SOURCE, like ventilation=ventilation.csv, not '{pair}'")
        if name in found:
            raise UsageError(f"--relation gives {name} twice")
        found[name] = source
    return found


def replay_options(command: Command[R]) -> Command[R]:
    """Decorates a command with --events and everything about them; it gets a `request`.

    Stands above `program_options`.
    """

    @layout_options((*ENDINGS.values(), "parquet"))
    @click.option(
        "--events",
        "sources",
        type=source_of,
        metavar="PATH",
        multiple=True,
        required=True,
        help="Recorded events: a .jsonl, .json, .xml, .csv or .parquet file, a folder of these, - for "
        "standard input, or db:URL for the captured changes of a database. May be given several times.",
    )
    @click.option("--until", metavar="TIME", help="Answers as if now were this time.")
    @click.option(
        "--engine",
        type=click.Choice([AUTO, *ENGINES]),
        default=AUTO,
        envvar="CERA_ENGINE",
        show_default=True,
        help="What computes the answers; they are the same on every engine. auto: Spark where --master or --conf is "
        "given, Parquet is read or written or the input is large, else local. CERA_ENGINE sets another default.",
    )
    @click.option(
        "--master",
        metavar="URL",
        help="Where Spark runs; local[*], the default, needs no cluster.",
    )
    @click.option("--conf", metavar="KEY=VALUE", multiple=True, help="A setting of Spark. May be given several times.")
    @relation_option
    @recursion_limit_option
    @tick_limit_option
    @click.option(
        "--max-delay",
        metavar="DURATION",
        help="Events are sorted within this delay; those that come later are late and do not count. "
        "Without it the input is a recording, of which no event is late, however far out of order.",
    )
    @ahead_option("standard input and databases with --max-delay")
    @click.option("--late", metavar="PATH", type=SideFile(), help="Where late events go.")
    @click.option(
        "--max-duration",
        metavar="DURATION",
        help="What the source promises: no event lasts longer (0 sec: they are all points). Bounds what must be "
        "remembered; an event that breaks it is rejected.",
    )
    @click.option(
        "--rejected",
        metavar="PATH",
        type=SideFile(),
        help="Where malformed records go, as JSON lines with place, reason and text.",
    )
    @click.option("--strict", is_flag=True, help="Stop with exit status 3 if a record is malformed.")
    @functools.wraps(command)
    def with_request(
        sources: tuple[Source, ...],
        layout: Layout,
        until: str | None,
        engine: Engine,
        recursion_limit: int,
        tick_limit: int | None,
        max_delay: str | None,
        max_ahead: str | None,
        late: Path | None,
        max_duration: str | None,
        rejected: Path | None,
        strict: bool,
        master: str | None,
        conf: tuple[str, ...],
        relations: tuple[str, ...],
        **others: Any,
    ) -> R:
        if max_ahead is not None and max_delay is None:
            raise UsageError("--max-ahead needs --max-delay: a recording that is sorted has no events ahead of others")
        if late is not None and max_delay is None:
            raise UsageError("--late needs --max-delay: without a limit no event is late")
        check_layout(layout, sources)
        spark_setting = Setting.MASTER if master is not None else Setting.CONF if conf else None
        check_engine(engine, spark_setting)
        recorded = max_delay is None
        request = Request(
            sources,
            layout,
            engine,
            until=time_of("--until", until, layout.times),
            recursion_limit=recursion_limit,
            max_delay=None if max_delay is None else microseconds(max_delay),
            max_duration=None if max_duration is None else microseconds(max_duration),
            late=late,
            rejected=rejected,
            strict=strict,
            master=master or LOCAL_MASTER,
            settings=spark_settings(conf),
            spark_setting=spark_setting,
            max_ahead={source: max_ahead_of(max_ahead, source, recorded=recorded) for source in sources},
            tick_limit=tick_limit,
            relations=relation_sources(relations),
        )
        return command(request=request, **others)

    return with_request


def check_engine(engine: Engine, spark_setting: Setting | None) -> None:
    """Raises UsageError if an engine was named together with a setting that only Spark takes."""
    if spark_setting is not None and engine not in (AUTO, "spark"):
        ctx = click.get_current_context()
        is_environment = ctx.get_parameter_source("engine") is ParameterSource.ENVIRONMENT
        found = used_file(ctx) if is_from_file(ctx, "engine") else None
        named = "CERA_ENGINE" if is_environment else "--engine" if found is None else f"the engine in {found.path}"
        remedy = f"give --engine spark, or leave {spark_setting} out"
        raise UsageError(f"{spark_setting} is for Spark, and {named} is {engine}; {remedy}")


def reads_standard_input(options: Mapping[str, Any]) -> bool:
    """Returns whether events come from standard input."""
    request = options.get("request")
    sources = request.sources if isinstance(request, Request) else options.get("sources") or ()
    return any(source.is_standard_input for source in sources)


def spark_settings(pairs: tuple[str, ...]) -> dict[str, str]:
    """Returns the settings of --conf."""
    settings: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--conf takes KEY=VALUE, not '{pair}'")
        settings[key] = value
    return settings


def time_of(option: str, text: str | None, times: TimeFormat) -> Time | None:
    """Returns the time that an option gives; None if it is not given. Raises UsageError."""
    try:
        return None if text is None else times.parse(text)
    except TimeError as error:
        raise UsageError(f"{option}: {error}") from error


def _enabled(parts: tuple[str, ...]) -> list[str] | None:
    """Returns the names of modules; None if the option is not given. One without a name is refused."""
    names = [name for part in parts for each in part.split(",") if (name := each.strip())]
    if parts and not names:
        raise UsageError("--enable has no name of a module; leave it out to run all of them")
    return names or None
