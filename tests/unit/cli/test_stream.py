"""`cera stream`: what is refused before Spark starts, and one stream from beginning to end."""

from __future__ import annotations

import csv
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cera.cli import report
from cera.cli.stream_reports import StreamReports
from cera.connectors.records.layout import Layout
from cera.connectors.sink import StandardOutput
from cera.connectors.source import source_of
from cera.engines.spark.streaming import progress
from cera.model.time.time_text import TimeFormat
from cera.running.spark_stream import longest_event
from cera.running.streams.request import StreamRequest, StreamSource
from unit.cli.command_line import STREAM, Cera, records, write_lines

pytestmark = pytest.mark.xdist_group("spark")

OUTPUT = ("--sink", "out", "--checkpoint", "state", "--time-unit", "s")


@pytest.fixture(name="incoming")
def _incoming(folder: Path) -> Path:
    made = folder / "incoming"
    made.mkdir()
    return made


def test_a_folder_that_is_not_there_is_said_to_be_missing(cera: Cera) -> None:
    result = cera("stream", "fire.xceq", "--source", "nowhere", *OUTPUT)
    assert result.exit_code == 2
    assert "--source: nowhere is not there" in result.stderr


def test_a_file_is_no_source(cera: Cera) -> None:
    result = cera("stream", "fire.xceq", "--source", "events.jsonl", *OUTPUT)
    assert result.exit_code == 2
    assert "events.jsonl is a file; name the folder" in result.stderr


@pytest.mark.usefixtures("incoming")
def test_the_same_source_is_not_given_twice(cera: Cera) -> None:
    result = cera("stream", "fire.xceq", "--source", "incoming", "--source", "incoming", *OUTPUT)
    assert result.exit_code == 2
    assert "given twice" in result.stderr


@pytest.mark.usefixtures("incoming")
@pytest.mark.parametrize("option", ["--sink", "--late", "--rejected", "--checkpoint"])
def test_what_a_stream_writes_is_not_among_what_it_reads(cera: Cera, option: str) -> None:
    result = cera("stream", "fire.xceq", "--source", "incoming", *OUTPUT, option, "incoming/below")
    assert result.exit_code == 2
    assert f"{option}: incoming/below lies in --source incoming" in result.stderr


@pytest.mark.usefixtures("incoming")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--once", "--trigger", "5 sec"), "give one of them"),
        (("--trigger", "0 sec"), "is no interval"),
        (("--max-delay", "soon"), "soon"),
        (("--conf", "spark.x"), "--conf takes KEY=VALUE"),
    ],
)
def test_options_that_make_no_sense_are_refused(cera: Cera, options: tuple[str, ...], said: str) -> None:
    result = cera("stream", "fire.xceq", "--source", "incoming", *OUTPUT, *options)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.usefixtures("incoming")
def test_select_of_a_label_that_nothing_derives_is_a_warning_with_a_guess(cera: Cera) -> None:
    result = cera("stream", "fire.xceq", "--source", "incoming", *OUTPUT, "--select", "fier", "--late", "incoming/late")
    assert "--select: nothing has the label `fier`; did you mean `fire`?" in result.stderr


@pytest.mark.usefixtures("incoming")
def test_a_sink_that_is_a_file_is_refused(cera: Cera, folder: Path) -> None:
    (folder / "out").write_text("")
    result = cera("stream", "fire.xceq", "--source", "incoming", *OUTPUT)
    assert result.exit_code == 2
    assert "--sink: out is a file; name a folder" in result.stderr


@pytest.mark.usefixtures("incoming")
def test_a_checkpoint_in_a_folder_of_other_things_is_refused(cera: Cera, folder: Path) -> None:
    (folder / "state").mkdir()
    (folder / "state" / "thesis.txt").write_text("")
    result = cera("stream", "fire.xceq", "--source", "incoming", *OUTPUT)
    assert result.exit_code == 2
    assert "no checkpoint of cera" in result.stderr


@pytest.mark.usefixtures("incoming")
def test_a_wrong_program_is_shown_with_its_place(cera: Cera, folder: Path) -> None:
    (folder / "wrong.xceq").write_text("DETECT a{ var X } ON b{{ }} END")
    result = cera("stream", "wrong.xceq", "--source", "incoming", *OUTPUT)
    assert result.exit_code == 1
    assert "XC201" in result.stderr


@pytest.mark.usefixtures("spark")
def test_a_stream_goes_on_after_a_restart_past_what_is_broken(cera: Cera, incoming: Path, folder: Path) -> None:
    arguments = ("stream", "fire.xceq", "--source", "incoming", *OUTPUT, "--once", "--buckets", "2")
    write_lines(incoming / "1.jsonl", [*STREAM, '{"at": 100, "term": {"other": {}}}', "no event"])
    (incoming / "2.parquet").write_bytes(b"PAR1 and then nothing of the kind")
    (incoming / "3.csv").write_text("label,area\nsmoke,a\n")
    first = cera(*arguments, "--rejected", "rejected")
    assert first.exit_code == 0, first.stderr
    assert "fire, partitioned by var A" in first.stderr
    assert "batch 0: 4 events in, 0 out, 0 late, 3 rejected" in first.stderr
    found = sorted((line["begin"], line["end"], line["rule"]) for line in _lines(folder / "out"))
    assert found == [(10, 80, "avg_temp"), (65, 80, "fire")]
    reasons = sorted(Path(line["place"]).name + ": " + line["reason"] for line in _lines(folder / "rejected"))
    assert reasons[0].startswith("1.jsonl:5: not JSON")
    assert reasons[1].startswith("2.parquet: not readable as Parquet")
    assert reasons[2].startswith("3.csv:1: the header has no column `at` for the time")

    late = [f'{{"at": {time}, "term": {{"smoke": {{"area": "a"}}}}}}' for time in range(5, 16)]
    write_lines(incoming / "4.jsonl", ['{"at": 300, "term": {"other": {}}}', *late])
    second = cera(*arguments, "--late", "late", "--select", "burnt_down")
    assert second.exit_code == 0, second.stderr
    assert "11 late" in second.stderr
    assert "warning: nearly all events are late, 11 of the last 12: time has come to" in second.stderr
    assert {"begin": 70, "end": 92} in [{k: line[k] for k in ("begin", "end")} for line in _lines(folder / "out")]
    assert [line["term"] for line in _lines(folder / "late")] == [{"smoke": {"area": "a"}}] * 11

    (folder / "other.xceq").write_text("DETECT a{ } ON b{{ }} END")
    third = cera("stream", "other.xceq", "--source", "incoming", *OUTPUT)
    assert third.exit_code == 2
    assert "belongs to another program, with the rules fire, burnt_down, avg_temp" in third.stderr


@pytest.mark.usefixtures("spark")
def test_a_recursion_without_an_end_ends_the_stream_with_the_rule_named(cera: Cera, folder: Path) -> None:
    (folder / "loop.xceq").write_text("DETECT n{ var N + 1 } ON event e: n{{ var N }} END")
    (folder / "numbers").mkdir()
    write_lines(folder / "numbers" / "n.jsonl", ['{"at": 0, "term": {"n": 0}}', '{"at": 100, "term": {"other": {}}}'])
    arguments = ("--source", "numbers", "--once", "--recursion-limit", "50")
    result = cera("stream", "loop.xceq", *arguments, *OUTPUT)
    assert result.exit_code == 4
    assert (
        "rule 'n' (loop.xceq:1:8) is recursive, and its recursion has derived more than 50 events that end at one time"
        in result.stderr
    )
    assert "(--recursion-limit)" in result.stderr


NAMES = (
    ("log 1", "log%201", "a#b", "a?b", "a+b", "ü€", "e\u0301", "emoji😀", "tab\tx", "new\nline"),
    ('q"uote', "q'uote", "back\\slash", "co:lon", "star*", "br[1]", "cu{a,b}", "per%", "%zz", "x%2f..%2f..%2foutside"),
)


@pytest.mark.usefixtures("spark")
def test_every_file_is_read_once_whatever_its_name_is(cera: Cera, folder: Path) -> None:
    (folder / "names.xceq").write_text("DETECT seen{ name{ var N } } ON f{{ name{{ var N }} }} END")
    source = folder / "in [1]{2}*\\x"
    (source / "x").mkdir(parents=True)
    write_lines(folder / "outside.jsonl", [json.dumps({"at": 1, "term": {"f": {"name": "outside"}}})])
    arguments = ("stream", "names.xceq", "--source", str(source), *OUTPUT, "--once", "--buckets", "1")
    for run, names in enumerate(NAMES):  # the second goes on from the checkpoint of the first
        for name in names:
            time = 100 * run
            write_lines(source / f"{name}.jsonl", [json.dumps({"at": time, "term": {"f": {"name": f"{name} jsonl"}}})])
            with (source / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([("at", "label", "name"), (time, "f", f"{name} csv")])
            columns = {"at": [time], "label": ["f"], "name": [f"{name} parquet"]}
            pq.write_table(pa.table(columns), source / f"{name}.parquet")
        write_lines(source / f"end {run}.jsonl", [json.dumps({"at": 100 * run + 50, "term": {"other": {}}})])
        result = cera(*arguments)
        assert result.exit_code == 0, result.stderr
        assert f"{3 * len(names) + 1} events read; {3 * len(names)} derived, 0 late, 0 rejected" in result.stderr
    found = sorted(line["term"]["seen"]["name"] for line in _lines(folder / "out"))
    kinds = ("jsonl", "csv", "parquet")
    assert found == sorted(f"{name} {kind}" for names in NAMES for name in names for kind in kinds)


@pytest.mark.usefixtures("spark")
def test_standard_input_is_a_stream_that_may_stand_still_and_ends(cera: Cera, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    stalled = threading.Event()
    say = report.warn
    monkeypatch.setattr(progress, "STALLED_AFTER", 0.0)
    monkeypatch.setattr(report, "warn", lambda text: (say(text), stalled.set() if "stands at" in text else None))

    def send() -> None:
        with os.fdopen(writer, "w") as pipe:
            far = '{"at": 253402300799, "term": {"other": {}}}'  # would make all that follows late
            pipe.write("".join(f"{line}\n" for line in (far, *STREAM, "no event")))
            pipe.flush()
            stalled.wait(120)
            pipe.write('{"at": 200, "term": {"other": {}}}\n')

    threading.Thread(target=send, daemon=True).start()
    arguments = ("--source", "-", "--sink", "-", "--checkpoint", "state", "--time-unit", "s", "--buckets", "2")
    with os.fdopen(reader, "rb") as pipe:
        result = cera("stream", "fire.xceq", *arguments, input=pipe)
    assert result.exit_code == 0, result.stderr
    assert "warning: time stands at 70: no newer events from standard input" in result.stderr
    assert [line["rule"] for line in records(result.stdout)] == ["avg_temp", "fire", "burnt_down"]
    assert "<stdin>:5: not JSON" in result.stderr
    assert "the event ends at 9999-12-31T23:59:59Z, more than 1 day ahead of the clock" in result.stderr
    assert "0 late, 2 rejected" in result.stderr


@pytest.mark.parametrize(
    ("layout", "sources", "promised", "longest"),
    [
        (Layout(label_field="type", time_field="ts"), ("in",), None, 0),
        (Layout(label_field="type", time_field="ts"), ("in",), False, None),  # its checkpoint remembers without it
        (Layout(label_field="type", time_field="ts", end_field="te"), ("in",), None, None),
        (Layout(), ("db:sqlite:bank.db",), None, 0),
        (Layout(), ("db:sqlite:bank.db", "in"), None, None),
    ],
)
def test_sources_of_points_promise_points(
    layout: Layout, sources: tuple[str, ...], promised: bool | None, longest: int | None
) -> None:
    checkpoint = Mock(promised_duration=lambda: promised)
    given = tuple(StreamSource(source_of(text)) for text in sources)
    request = StreamRequest(given, StandardOutput(), Path("state"), layout)
    assert longest_event(request, checkpoint) == longest
    assert longest_event(replace(request, max_duration=5_000_000), checkpoint) == 5_000_000


def test_where_nothing_came_since_the_start_all_sources_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    StreamReports(TimeFormat()).quiet(("incoming", "standard input"))
    assert "no newer events from incoming, standard input since the start" in capsys.readouterr().err


def _lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"), key=os.path.getmtime)
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


ORDER = """automaton Order(id(O)) {
  start Open; Paid; end Done;
  enter -> Open: ordered(id(O*), invoice(unique N* for 1 h));
  Open -> Paid: paid(id(O)) and e(this) - e(last) <= 60 s;
  Paid -> Done: delivered(id(O)) and e(this) - e(last) >= 30 s;
}
"""


def _happened(label: str, at: int, id_: int) -> str:
    return json.dumps({"at": at, "term": {label: {"id": id_, "invoice": 7 if label == "ordered" and id_ < 3 else id_}}})


@pytest.mark.usefixtures("spark")
def test_a_stream_is_verified_and_goes_on_with_its_numbers_after_a_restart(
    cera: Cera, incoming: Path, folder: Path
) -> None:
    (folder / "order.ihta").write_text(ORDER)
    (folder / "orders.escl").write_text(
        """CONSTRAINT quick: IF event o: ordered(id(N)) and event w: from-end[o, 40 sec]
        THEN while w: event: paid(id(N)) END
        CONSTRAINT few: IN ANY CASE exists <= 9 event: ordered(id(N)) END"""
    )
    program = ("order.ihta", "orders.escl")
    arguments = ("stream", *program, "--source", "incoming", *OUTPUT, "--once", "--verify", "--max-delay", "0 sec")
    first = [("ordered", 0, 1), ("paid", 10, 1), ("ordered", 20, 3), ("delivered", 50, 1)]
    write_lines(incoming / "1.jsonl", [_happened(*each) for each in first])
    found = cera(*arguments, "--buckets", "2")
    assert found.exit_code == 0, found.stderr
    assert "Order: 2 instances, 0 finished, 0 violated, 2 still running" in found.stderr
    assert "since the stream began: no violations" in found.stderr
    assert "orders: 2 constraints, 0 violated, 2 not violated so far, judged or not" in found.stderr

    second = [("paid", 5, 1), ("ordered", 51, 2), ("delivered", 60, 3), ("paid", 100, 9), ("paid", 400, 9)]
    write_lines(incoming / "2.jsonl", [_happened(*each) for each in second])
    found = cera(*arguments, "--buckets", "2")
    assert found.exit_code == 6, found.stderr
    assert "1 event that no instance waited for" in found.stderr
    assert "Order: 3 instances, 1 finished, 1 violated, 1 still running" in found.stderr
    assert "since the stream began: 4 violations: quick 2" in found.stderr
    assert "warning: constraints have not seen late events of labels that they ask for: paid 1" in found.stderr
    assert "warning: automata have not seen late events of labels that they ask for: paid 1" in found.stderr
    summary = """orders: 2 constraints, 1 violated, 1 not violated so far, judged or not
  quick: violated 2 times (orders.escl:1:1)
    60 for N = 3: expected at least 1 paid, found none
    91 for N = 2: expected at least 1 paid, found none
Order: 3 instances, 1 finished, 1 violated, 1 still running
  51 """
    assert summary in found.stderr
    assert found.stderr.endswith("4 violations since the stream began\n4 violations in this run\n")
    written = [(line["end"], next(iter(line["term"].items()))) for line in _lines(folder / "out")]
    said = sorted((end, label, found.get("reason", "")) for end, (label, found) in written)
    assert said == [
        (51, "violation", "another instance has this value already"),
        (60, "violation", ""),
        (60, "violation", "no transition accepts it"),
        (91, "violation", ""),
        (111.000001, "overdue", ""),
    ]


WATCHED = """Range 10sec: offered(k(K), number(count(I))) <- item(k(K), i(I)).
unbounded: low(k(K), v(V)) <- bid(k(K), v(V)) and V < 1.
unbounded: many(k(K)) <- offered(k(K), number(N)) and N > 1.
unbounded: quiet(k(K)) <- j: end(k(K)) and w: from-end[j, 5 sec] and while w: not bid(k(K)).
"""
KNOWN = """CONSTRAINT over: IF event i: bid(k(K)) and event j: end(k(K)) THEN i before j END
CONSTRAINT positive: IF event: bid(v(V)) THEN V >= 1 END
CONSTRAINT items: IF event i: item(k(K)) and event j: end(k(K)) THEN e(i) <= e(j) END
"""


@pytest.mark.usefixtures("spark")
def test_constraints_are_checked_beside_the_rules_of_a_stream_and_cost_no_answer(
    cera: Cera, incoming: Path, folder: Path
) -> None:
    """The first batch satisfies the constraints, the second one violates them all, and the third one none.

    One `end` is followed by a bid, so that two auctions are quiet.
    """
    (folder / "a.slog").write_text(WATCHED)
    (folder / "c.escl").write_text(KNOWN)
    batches = (
        (("item", 11, 1, 0), ("bid", 12, 1, 3), ("end", 13, 1, 0)),
        (("bid", 15, 1, 0), ("item", 16, 1, 0), ("bid", 21, 2, 5), ("end", 22, 2, 0)),
        (("item", 31, 3, 0), ("end", 33, 3, 0), ("tick", 60, 0, 0)),
    )
    for number, batch in enumerate(batches):
        terms = [(at, {label: {"k": k, "i": at, "v": v}}) for label, at, k, v in batch]
        lines = [json.dumps({"at": at, "term": term}) for at, term in terms]
        write_lines(incoming / f"{number}.jsonl", lines)
        os.utime(incoming / f"{number}.jsonl", (1_000_000 + number, 1_000_000 + number))
    program = ("a.slog", "--constraints", "c.escl", "--verify")
    options = ("--source", "incoming", *OUTPUT, "--once", "--max-delay", "0 sec", "--buckets", "2")
    found = cera("stream", *program, *options, "--files-per-batch", "1")
    assert found.exit_code == 6, found.stderr
    for said in (
        "constraint over was violated once; --trust would have relied on it: predicate elimination in quiet",
        "constraint positive was violated once; --trust would have relied on it: result by contradiction in low",
        "constraint items was violated once; --trust would have relied on it: join introduction in offered",
    ):
        assert found.stderr.count(said) == 1, found.stderr
    plain = cera("run", "a.slog", "--events", "incoming", "--time-unit", "s", "--engine", "local")
    expected = sorted(json.dumps(each) for each in records(plain.stdout))
    written = _lines(folder / "out")
    assert sorted(json.dumps(each) for each in written if "violation" not in each["term"]) == expected
    labels = [label for each in written for label in each["term"]]
    counts = {label: labels.count(label) for label in labels}
    assert counts == {"low": 1, "offered": 2, "many": 1, "quiet": 2, "violation": 3}
