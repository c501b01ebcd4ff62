"""The engines behind their protocol: what each refuses, which have streams, and what each has to explain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.row_source import Rows
from cera.connectors.sink import BatchFolder
from cera.connectors.source import source_of
from cera.diagnostics import Diagnostic
from cera.errors import ProgramError, UsageError
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.program import load
from cera.running.engine import ENGINES, InProcess, explain_on, stream
from cera.running.in_memory import answer_in_memory
from cera.running.request import Request
from cera.running.run import StreamRun
from cera.running.streams.listener import StreamListener
from cera.running.streams.request import StreamRequest, StreamSource
from cera.testing import event
from cera.wording import on_command_line

PLAIN = load("DETECT a{} ON b{{}} END")
RECURSIVE = load("DETECT a{var X} ON a{{x{{var X}}}} END")


def asked(folder: Path, engine: str) -> StreamRun:
    source = StreamSource(source_of(str(folder)))
    request = StreamRequest((source,), BatchFolder(folder / "out"), folder / "state", Layout(), engine)
    return StreamRun(PLAIN.layers, "UTC", request, StreamListener())


class Choosy(InProcess):
    """An engine that refuses every program."""

    def refuses(self, layers: Layers) -> tuple[Diagnostic, ...]:
        return (Diagnostic("XX001", "error", "not today", None),)


def test_an_engine_lists_why_it_refuses_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    choosy = Choosy(program_processor)
    monkeypatch.setattr("cera.running.engine.ENGINES", {**ENGINES, "choosy": choosy})
    with pytest.raises(ProgramError, match="not today"):
        explain_on("choosy", PLAIN.layers, timezone="UTC")


def test_no_engine_refuses_a_recursion() -> None:
    assert not any(engine.refuses(RECURSIVE.layers) for engine in ENGINES.values())


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_an_engine_without_streams_says_so(engine: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        stream(asked(tmp_path, engine))
    said = f"the {engine} engine answers recordings and has no streams; use --engine spark"
    assert on_command_line(refused.value.args[0]) == said
    assert not list(tmp_path.iterdir())


def test_the_reference_engine_runs_what_the_explanation_of_a_program_shows() -> None:
    assert explain_on("reference", PLAIN.layers, timezone="UTC") is None


def test_the_local_engine_says_how_it_takes_recordings() -> None:
    plain = explain_on("local", PLAIN.layers, timezone="UTC")
    recursive = explain_on("local", RECURSIVE.layers, timezone="UTC")
    assert plain is not None
    assert recursive is not None
    assert plain.data["recordings"] == {"columns": True, "reason": None}
    said = "recordings on the local engine: event by event, because rules are recursive"
    assert recursive.lines[0] == said


def test_the_local_engine_says_what_it_does_for_each_event() -> None:
    joined = load(
        "DETECT c{var X} ON and { event a: a{{x{{var X}}}}, event b: b{{x{{var X}}}} }"
        " where { a before b, {a, b} within 1 min } END"
    )
    explained = explain_on("local", joined.layers, timezone="UTC", max_duration=0)
    assert explained is not None
    assert explained.lines[2:] == (
        "event by event:",
        "  store 0: a by X, for 1 min",
        "  C:",
        "    answers, each row by itself",
        "      wait in slot 0 until the step is complete",
        "        select by 2 conditions",
        "          join: a goes to store 0; b meets store 0",
        "            events a as a",
        "            events b as b",
    )
    [network] = explained.data["networks"]
    assert (network["stores"][0]["kept"], network["at_once"]) == ("1 min", {})


def test_an_engine_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UsageError, match="there is no engine 'fast'; there are: auto, spark, local, reference"):
        PLAIN.run([], engine="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "engine", ["local", "reference", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))]
)
@pytest.mark.usefixtures("spark_if_needed")
def test_a_run_in_memory_counts_what_came(engine: str) -> None:
    rows = [event("b{}", 4), event("b{}", 1), event("b{}", 5), event("b{}", 5), 7, event("c{}", 6)]
    rejected: list[Rejected] = []
    late: list[object] = []
    request = Request((Rows(rows),), Layout(), engine, until=event("c{}", 5).end, max_delay=0, in_memory=True)  # type: ignore[arg-type]
    answer, outcome = answer_in_memory(
        PLAIN.layers, PLAIN.expectations, "UTC", request, reject=rejected.append, late=late.append
    )
    assert [each.event.end for each in answer.derived] == [event("b{}", second).end for second in (4, 5)]
    assert (late, [each.place for each in rejected]) == ([event("b{}", 1)], ["rows[4]"])
    counts = outcome.counts
    assert (counts.records, counts.repeated, counts.after_until, counts.late, counts.rejected) == (4, 1, 1, 1, 1)
    assert (dict(counts.labels), outcome.derived, outcome.written) == ({"b": 3, "c": 1}, Counter(a=2), 2)
