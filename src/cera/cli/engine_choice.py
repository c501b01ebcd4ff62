"""What a command does about `--engine auto`: it takes an engine and says which, and why."""

from __future__ import annotations

from dataclasses import replace

from cera.cli import report
from cera.cli.options import Replay
from cera.connectors.sink import Sink
from cera.engines.choice import AUTO, Choice, Recording, choose, choose_in_process
from cera.pipeline import Program


def with_engine(program: Program, replay: Replay, sink: Sink) -> Replay:
    """The replay with the engine that answers; one that was named is kept."""
    if replay.engine != AUTO:
        report.say_more(f"engine: {replay.engine} (it was asked for)")
        return replay
    recording = Recording(
        replay.sources,
        replay.layout,
        replay.spark_setting,
        sorted_within_delay=replay.max_delay is not None,
        writes_parquet=sink.is_parquet,
    )
    return _with(replay, choose(program.checked(), recording))


def with_engine_in_process(program: Program, replay: Replay) -> Replay:
    """The same for a command that needs everything that led to an event: it answers in this process."""
    if replay.engine not in (AUTO, "spark"):
        return replay
    return _with(replay, choose_in_process(program.checked(), "causes are followed in this process"))


def _with(replay: Replay, choice: Choice) -> Replay:
    report.say(report.printable(str(choice)))
    return replace(replay, engine=choice.engine)
