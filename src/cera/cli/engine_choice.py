"""The choice behind `--engine auto`: a command takes an engine, and says which and why."""

from __future__ import annotations

from dataclasses import replace

from cera.cli import report
from cera.connectors.sink import Sink
from cera.program import Program
from cera.running.choice import AUTO, Choice, Recording, choose, choose_in_process
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
    program.checked()  # what is wrong with it is said first
    return _with(request, choose(recording))


def with_engine_in_process(program: Program, request: Request) -> Request:
    """Returns the request with an engine that runs in this process, for a command that follows causes."""
    if request.engine not in (AUTO, "spark"):
        return request
    program.checked()
    return _with(request, choose_in_process("causes are followed in this process"))


def _with(request: Request, choice: Choice) -> Request:
    report.say(report.printable(str(choice)))
    return replace(request, engine=choice.engine)
