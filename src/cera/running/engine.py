"""The engines behind one protocol: each answers a program from sources to an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from cera.constraints.locating import check_located
from cera.constraints.translation.layers import by_rules, by_rules_from
from cera.diagnostics import Diagnostic
from cera.engines.local.explaining import explained, explained_lines
from cera.engines.reference.processor import DefinitionProcessor
from cera.errors import ProgramError, UsageError
from cera.model.time.interval import Time
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor
from cera.modules.rules.module import RuleModule
from cera.running.choice import AUTO
from cera.running.columns_flow import ColumnsFlow, explained_columns, takes_columns
from cera.running.flow import Flow
from cera.running.late_occasions import look_by_rules
from cera.running.outcome import Outcome
from cera.running.run import Run, StreamRun
from cera.running.streams.running_stream import RunningStream
from cera.wording import Setting


@dataclass(frozen=True)
class EngineExplanation:
    """How an engine would run a program: data that prints as JSON, and lines for a person."""

    data: Mapping[str, Any]
    lines: tuple[str, ...]


class Engine(Protocol):
    """An engine over recorded events, and over streams if it has them."""

    def refuses(self, layers: Layers) -> tuple[Diagnostic, ...]:
        """Returns why it does not run a program; nothing if it does."""

    def answer(self, run: Run) -> Outcome:
        """Reads the sources, answers the program over them, and writes what it derives."""

    def stream(self, run: StreamRun) -> RunningStream:
        """Opens a stream, which the caller then runs. Raises UsageError if the engine has none."""

    def explain(
        self, layers: Layers, *, timezone: str, max_duration: int | None, started: bool
    ) -> EngineExplanation | None:
        """Returns how it would run a program; None where `cera.explain` says all there is to say.

        What can only be known from an engine that has been started is there if it shall be `started`.
        """


class InProcess:
    """An engine whose processor takes the events in this process, as they are read."""

    def __init__(self, processor: Callable[[Layers, Settings], AnyProcessor]) -> None:
        self._processor = processor

    def refuses(self, layers: Layers) -> tuple[Diagnostic, ...]:
        return ()

    def answer(self, run: Run) -> Outcome:
        with run.output() as output:
            return Flow(self.processor_of(run), run, output).run()

    def processor_of(self, run: Run) -> Callable[[int | None, Time | None], AnyProcessor]:
        """Returns a function that makes the processor, given how long an event can last, and when the recording begins
        if that is known."""
        return lambda max_duration, _: self._processor(run.layers, run.settings(max_duration))

    def stream(self, run: StreamRun) -> NoReturn:
        raise UsageError(
            f"the {run.request.engine} engine answers recordings and has no streams; use {Setting.ENGINE.of('spark')}"
        )

    def explain(
        self, layers: Layers, *, timezone: str, max_duration: int | None, started: bool
    ) -> EngineExplanation | None:
        return None


class Local(InProcess):
    """The incremental engine: it takes large recordings in columns where it can, and all else event by event.

    Answers that are written in the order of their ends are not given before them: they would wait in memory. Where
    changes of states are written, those whose end is open yet are.
    """

    def answer(self, run: Run) -> Outcome:
        if not run.request.comes and not run.request.changes:
            run = replace(run, layers=_at_ends(run.layers))
        with run.output() as output:
            flow = ColumnsFlow if takes_columns(run, output) else Flow
            return flow(self.processor_of(run), run, output).run()

    def processor_of(self, run: Run) -> Callable[[int | None, Time | None], AnyProcessor]:
        def processor(max_duration: int | None, begin: Time | None) -> AnyProcessor:
            layers = run.layers if begin is None else by_rules_from(begin, run.layers)
            return self._processor(layers, run.settings(max_duration))

        return processor

    def explain(self, layers: Layers, *, timezone: str, max_duration: int | None, started: bool) -> EngineExplanation:
        found = explained_columns(_at_ends(layers), max_duration)
        data: dict[str, Any] = {"recordings": found.data}
        lines = list(found.lines)
        for module in layers.modules:
            if isinstance(module, RuleModule):
                network = explained(module.plan, max_duration)
                data.setdefault("networks", []).append({"module": module.name, **network})
                lines += ["", *explained_lines(network)]
        return EngineExplanation(data, tuple(lines))


def _at_ends(layers: Layers) -> Layers:
    """Returns a program whose rules give no answer before its end."""
    return layers.changed(lambda module: module.at_ends() if isinstance(module, RuleModule) else module)


class OnSpark:
    """Spark: events and answers are DataFrames, and workers write large answers."""

    def refuses(self, layers: Layers) -> tuple[Diagnostic, ...]:
        return ()

    def answer(self, run: Run) -> Outcome:
        from cera.running import spark_run  # starts nothing, but is heavy and needs the extra `spark`

        return spark_run.answer_in_memory(run) if run.request.in_memory else spark_run.answer_recording(run)

    def stream(self, run: StreamRun) -> RunningStream:
        from cera.running.spark_stream import open_stream

        return open_stream(run)

    def explain(self, layers: Layers, *, timezone: str, max_duration: int | None, started: bool) -> EngineExplanation:
        from cera.engines.spark.explaining import explain_spark, plan_of_spark, spark_lines
        from cera.running.spark_stream import explained_operators, operator_lines

        streams = explained_operators(layers, max_duration=max_duration, timezone=timezone)
        explained = explain_spark(layers, max_duration=max_duration, timezone=timezone)
        if started:
            explained["plan"] = plan_of_spark(layers, max_duration=max_duration, timezone=timezone)
        lines = (*operator_lines(streams), *spark_lines(explained))
        return EngineExplanation({"streams": streams, **explained}, lines)


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        "spark": OnSpark(),
        "local": Local(program_processor),
        "reference": InProcess(DefinitionProcessor),
    }
)


def answer(run: Run) -> Outcome:
    """Answers a program over recorded events: the one way from sources to an output, whatever the engine."""
    run = replace(run, layers=_run_by(run.request.engine, run.layers.with_times(run.request.times)))
    check_located(run.layers.modules)
    outcome = _ready(run.request.engine, run.layers).answer(run)
    if run.occasions is not None:
        look_by_rules(run, answer)
    return outcome


def stream(run: StreamRun) -> RunningStream:
    """Opens a program over a stream: the one way from sources that go on to a sink."""
    run = replace(run, layers=_run_by(run.request.engine, run.layers.with_times(run.request.layout.times)))
    check_located(run.layers.modules)
    return _ready(run.request.engine, run.layers).stream(run)


def explain_on(
    engine: str, layers: Layers, *, timezone: str, max_duration: int | None = None, started: bool = False
) -> EngineExplanation | None:
    """Returns how an engine would run a program, if there is more to say than `cera.explain` does."""
    layers = _run_by(engine, layers)
    return _ready(engine, layers).explain(layers, timezone=timezone, max_duration=max_duration, started=started)


def _run_by(engine: str, layers: Layers) -> Layers:
    """Returns what an engine runs: the reference engine keeps to definitions, others take rules for constraints."""
    return layers if engine == "reference" else by_rules(layers, in_parts=engine == "spark")


def _ready(name: str, layers: Layers) -> Engine:
    """Returns the engine with a name. Raises ProgramError if it does not run the program."""
    engine = ENGINES.get(name)
    if engine is None:
        raise UsageError(f"there is no engine '{name}'; there are: {AUTO}, {', '.join(ENGINES)}")
    if errors := engine.refuses(layers):
        raise ProgramError(errors)
    return engine
