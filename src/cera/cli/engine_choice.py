"""What a command does about `--engine auto`: it takes an engine and says which, and why."""

from __future__ import annotations

from dataclasses import replace

from cera.cli import report
from cera.connectors.sink import Sink
from cera.engines.choice import AUTO, Choice, Recording, choose, choose_in_process
from cera.program import Program
from cera.running.request import Request


def with_engine(program: Program, request: Request, sink: Sink) -> Request:
    """Returns the request with the engine that answers; one that was named is kept."""
    if request.engine != AUTO:
        report.say_more(f"engine: {request.engine} (it was asked for)")
        return request
    recording = Recording(
        request.sources,
        request.layout,
        request.spark_setting,
        sorted_within_delay=request.max_delay is not None,
        writes_parquet=sink.is_parquet,
    )
    return _with(request, choose(program.checked(), recording))


def with_engine_in_process(program: Program, request: Request) -> Request:
    """The same for a command that needs everything that led to an event: it answers in this process."""
    if request.engine not in (AUTO, "spark"):
        return request
    return _with(request, choose_in_process(program.checked(), "causes are followed in this process"))


def _with(request: Request, choice: Choice) -> Request:
    report.say(report.printable(str(choice)))
    return replace(request, engine=choice.engine)
