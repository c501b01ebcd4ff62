"""Whole checkpoints of streams, as cera wrote them on 2026-11-17, for each kind of operator and of source.

The archives beside `unit/engines/spark/streaming/test_recorded_checkpoints.py` hold the folder of a stream that took
the events `before` and ended: its checkpoint `state`, what it wrote into `out`, its database if it has one. They are
never written again: what a later version makes of them is what its users' checkpoints depend on. Those of kinds that
are new here are written by `cd tests && python -m recorded_checkpoints`, which leaves those that are there.

A checkpoint knows where it lies: cera notes its sources, Spark the files that it has read and those of its schemas. In
an archive the folder is called `@folder@`, and so a checkpoint is unpacked wherever a test wants it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

import cera
from cera.cli.main import main
from cera.connectors.event_lines import base_line
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.testing import event
from recorded_states import RECORDED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).parent / "unit" / "engines" / "spark" / "streaming" / "recorded_checkpoints"
_EXAMPLES = Path(__file__).parents[1] / "examples"
_HERE = "@folder@"
_SECONDS = TimeFormat("s")
_OUTPUT = ("--sink", "out", "--checkpoint", "state", "--once", "--buckets", "2")

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Stream:
    """Programs by the names of their files, and the events before and after the checkpoint, as lines."""

    programs: Mapping[str, str]
    before: Sequence[str]
    after: Sequence[str]
    source: str = "incoming"


def _temp(area: str, sensor: str, value: float, time: int) -> str:
    term = {"temp": {"area": area, "sensor": sensor, "value": value}}
    return json.dumps({"at": time, "term": term})


def _labelled(label: str, area: str, time: int) -> str:
    return json.dumps({"at": time, "term": {label: {"area": area}}})


def _record(label: str, at: int, **children: Any) -> Record:
    return {"label": label, "at": at, **children}


def _lines(events: Sequence[Event]) -> tuple[str, ...]:
    return tuple(json.dumps(base_line(one, _SECONDS)) for one in events)


def _texts(name: str, *files: str) -> dict[str, str]:
    return dict(zip(files, map(str, RECORDED[name].texts), strict=True))


_TEMPERATURES = (("s", 50, 12), ("r", 70.5, 13), ("r", 71, 14), ("s", 1, 20), ("r", 2, 21), ("s", 3, 90))
_END = _labelled("other", "", 1_000)

STREAMS = {
    #: Rules that are divided by a key: a join, an absence, an average.
    "keyed": Stream(
        {"fire.xceq": (_EXAMPLES / "sensors" / "fire.xceq").read_text()},
        (
            _labelled("smoke", "a", 60),
            _temp("a", "s", 39, 62),
            _labelled("smoke", "b", 84),
            _temp("b", "r", 41, 85),
            _temp("b", "q", 42, 93),
            _labelled("smoke", "c", 94),
            _labelled("other", "", 95),
        ),
        (_temp("a", "s", 50, 100), _temp("c", "t", 60, 101), _temp("b", "r", 60, 120), _temp("a", "s", 1, 121), _END),
    ),
    #: Rules in one piece: a join without a common variable, absolute timers; standard input.
    "undivided": Stream(
        {
            "near.xceq": """DETECT near{ from{ var A }, to{ var B } }
ON and { event s: smoke{{ area{{ var A }} }}, event d: door{{ area{{ var B }} }} }
where { s before d, {s, d} within 1 min } END

DETECT busy{ at{ var S } }
ON and { event t: timer:datetime{{ second{{ var S }} }}, event s: door{{}} } where { s meets t } END
"""
        },
        (
            _labelled("smoke", "a", 60),
            _labelled("door", "x", 65),
            _labelled("smoke", "b", 70),
            _labelled("other", "", 80),
        ),
        (_labelled("door", "y", 90), _labelled("door", "z", 125), _labelled("other", "", 200)),
        source="-",
    ),
    #: Modules of EPL, Datalog, event types and Snoop, divided and in one piece.
    "modules": Stream(
        {
            **_texts("epl", "epl.epl"),
            **_texts("relaxed", "relaxed.epl"),
            "stages.dl1s": str(RECORDED["datalog"].texts[0]).replace("module M.", "module Stages."),
            **_texts("operators", "operators.cet"),
            **_texts("contexts", "contexts.snoop"),
        },
        _lines((*RECORDED["epl"].before, *RECORDED["operators"].before)),
        (*_lines((*RECORDED["epl"].after, *RECORDED["operators"].after)), _END),
    ),
    #: Rules and event types over modules over rules.
    "layers": Stream(
        {
            **_texts("layers", "hot.xceq", "twice.epl", "alarm.xceq", "pair.cet"),
            "pair.cet": "Pair := ;(twice, temp);\n",
            "many.xceq": """DETECT many{ n{ count(all var S) } }
ON and { event t: twice{{}}, event w: extend-begin[event t, 1 min], while w: collect hot{{ sensor{{ var S }} }} } END
""",
        },
        _lines((*RECORDED["layers"].before, event("other{}", 9))),
        (
            *(_temp("a", sensor, value, time) for sensor, value, time in _TEMPERATURES),
            _END,
        ),
    ),
}

#: The changes of a database, an EPL module, and its actions: one is done before, one has failed, one is still to come.
ORDERS = "orders"
_ORDERS_PROGRAM = str(_EXAMPLES / "orders" / "orders.epl")
_ORDERS_BEFORE = """
INSERT INTO refunds VALUES (16, 0);
INSERT INTO outbox (topic, orderno, amount) VALUES ('paid', 16, 5);
INSERT INTO outbox (topic, orderno) VALUES ('cancelled', 16);
INSERT INTO outbox (topic, orderno, amount) VALUES ('paid', 17, 42.5);
INSERT INTO outbox (topic, orderno, amount) VALUES ('paid', 18, 10);
INSERT INTO outbox (topic, orderno, amount) VALUES ('paid', 18, 10);
INSERT INTO outbox (topic, orderno, customer) VALUES ('placed', 19, 'Cleo');
"""
_ORDERS_AFTER = """
DELETE FROM refunds WHERE orderno = 16;
INSERT INTO outbox (topic, orderno) VALUES ('cancelled', 17);
INSERT INTO outbox (topic, orderno, amount) VALUES ('paid', 18, 12.5);
INSERT INTO outbox (topic, orderno, customer) VALUES ('placed', 20, 'Dan');
"""

#: A streaming DataFrame of typed columns, from Python, and events that several parts of the stream derive.
COLUMNS = "columns"
COLUMNS_PROGRAM = cera.load("""
DETECT fire{ area{ var A }, sensor{ var S } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, sensor{{ var S }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END

DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ sensor{{ var S }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END

DETECT alarm{} ON and { event f: fire{{ sensor{{ var S }} }}, event s: silent{{ sensor{{ var S }} }} }
where { f before s, {f, s} within 1 min } END
""")
COLUMNS_BEFORE = (
    _record("smoke", 60, area="a"),
    _record("temp", 62, area="a", sensor=1, value=39.0),
    _record("temp", 63, area="b", sensor=2, value=41.5),
    _record("smoke", 64, area="b"),
    _record("other", 70),
)
COLUMNS_AFTER = (
    _record("temp", 72, area="a", sensor=1, value=50.0),
    _record("temp", 73, area="b", sensor=2, value=60.0),
    _record("other", 1_000),
)

KINDS = (*STREAMS, ORDERS, COLUMNS)


def unpack(kind: str, folder: Path) -> None:
    """Puts the folder of a stream there, as if it had always been there."""
    with tarfile.open(FOLDER / f"{kind}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    _rename(folder, _HERE, str(folder.resolve()))


def go_on(kind: str) -> Result:
    """Runs the stream of the current folder from the command line, now that the events `after` have come."""
    if kind == ORDERS:
        return _stream_orders("--retry-failed")
    return _stream(STREAMS[kind], STREAMS[kind].after, 2)


def written() -> list[str]:
    """The lines that the stream of the current folder has written since its begin."""
    return sorted(line for file in Path("out").iterdir() for line in file.read_text().splitlines())


def at_once(kind: str) -> list[str]:
    """The lines of a run over all events of the current folder, which is never interrupted; without Spark."""
    if kind == ORDERS:
        shutil.copy("shop.db", "copy.db")
        options = [_ORDERS_PROGRAM, "--events", "db:sqlite:copy.db", "--allow-sql", "sqlite:copy.db"]
    else:
        stream = STREAMS[kind]
        _write(Path("all.jsonl"), (*stream.before, *stream.after), 0)
        options = [*stream.programs, "--events", "all.jsonl", "--time-unit", "s"]
    result = _cera("run", *options, "--engine", "local", "--as", "jsonl")
    assert result.exit_code == 0, result.stderr
    return sorted(line for line in result.stdout.splitlines() if line.startswith("{"))


def detect(spark: SparkSession, folder: Path, records: Sequence[Record], number: int) -> None:
    """Runs the query over a streaming DataFrame when a file of records has come; the ids of its events go to `out`."""
    _write(folder / "incoming" / f"{number}.json", list(map(json.dumps, records)), number)
    schema = "label string, at bigint, area string, sensor int, value double"
    frame = spark.readStream.schema(schema).json(str(folder / "incoming"))
    found: list[str] = []
    derived = COLUMNS_PROGRAM.detect(frame, max_delay="3 sec", max_duration="0 sec")
    writer = derived.writeStream.foreachBatch(lambda rows, _: found.extend(row["id"] for row in rows.collect()))
    query = writer.option("checkpointLocation", str(folder / "state")).trigger(availableNow=True).start()
    query.awaitTermination()
    _write(folder / "out" / f"{number}.txt", found, number)


def _stream(stream: Stream, lines: Sequence[str], number: int) -> Result:
    """Runs a stream in the current folder when a file of lines has come, or over these lines on standard input."""
    for name, text in stream.programs.items():
        Path(name).write_text(text)
    if stream.source != "-":
        _write(Path(stream.source) / f"{number}.jsonl", lines, number)
    given = "".join(f"{line}\n" for line in lines) if stream.source == "-" else None
    return _cera(
        "stream",
        *stream.programs,
        "--source",
        stream.source,
        *_OUTPUT,
        "--time-unit",
        "s",
        "--max-delay",
        "2 sec",
        input=given,
    )


def _stream_orders(*options: str) -> Result:
    options = ("--allow-sql", "sqlite:shop.db", "--max-delay", "0 sec", *options)
    return _cera("stream", _ORDERS_PROGRAM, "--source", "db:sqlite:shop.db", *_OUTPUT, *options)


def _cera(*arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=input)


def _change_shop(script: str) -> None:
    """Runs the script; the changes that it makes are a second apart, from a given time on."""
    with contextlib.closing(sqlite3.connect("shop.db")) as shop:
        shop.executescript(script)
        shop.execute("UPDATE cera_changes SET committed = printf('2026-03-02T10:00:%02d.000Z', position)")
        shop.commit()


def _write(file: Path, lines: Sequence[str], number: int) -> None:
    """The time of the file is given: Spark passes over files that are much older than those it has read."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines))
    os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))


def _rename(folder: Path, old: str, new: str) -> None:
    """Puts another name of the folder into the files that name it."""
    spark = folder / "state" if not (folder / "state" / "spark").exists() else folder / "state" / "spark"
    files = [folder / "state" / "cera.json", *spark.glob("sources/*/*"), *spark.glob("state/*/_metadata/*/*")]
    for file in files:
        if file.is_file() and file.suffix != ".crc":
            file.write_text(file.read_text().replace(old, new))


def _write_archive(kind: str, spark: SparkSession, folder: Path) -> None:
    with contextlib.chdir(folder):
        if kind == COLUMNS:
            detect(spark, folder, COLUMNS_BEFORE, 1)
        elif kind == ORDERS:
            with contextlib.closing(sqlite3.connect("shop.db")) as shop:
                shop.executescript((_EXAMPLES / "orders" / "schema.sql").read_text())
            _cera("capture", "--db", "sqlite:shop.db", "--tables", "outbox")
            _change_shop(_ORDERS_BEFORE)
            result = _stream_orders()
            assert "1 action done; 1 failed" in result.stderr, result.stderr
            _change_shop(_ORDERS_AFTER)
        else:
            result = _stream(STREAMS[kind], STREAMS[kind].before, 1)
            assert result.exit_code == 0, result.stderr
    _pack(kind, folder)


def _pack(kind: str, folder: Path) -> None:
    """Checksums are left out: they would be those of other names. Files that were read are gone, as they may be."""
    _rename(folder, str(folder.resolve()), _HERE)
    kept = [folder / name for name in ("state", "out", "shop.db") if (folder / name).exists()]
    with tarfile.open(FOLDER / f"{kind}.tar.xz", "w:xz") as archive:
        for path in kept:
            archive.add(path, path.name, filter=lambda found: None if found.name.endswith((".crc", ".log")) else found)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    missing = [kind for kind in KINDS if not (FOLDER / f"{kind}.tar.xz").exists()]
    if missing:
        from cera.engines.spark.session import session

        running = session("local[2]", {"spark.sql.shuffle.partitions": "2"})
        for each in missing:
            _write_archive(each, running, Path(tempfile.mkdtemp()))
