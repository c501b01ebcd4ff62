"""A program over recorded events on Spark: what was read, what was rejected, and the answers in the order of output."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cera.connectors.files import Source, names_files, sources
from cera.connectors.layout import Layout, Rejected
from cera.engines.layers.layering import Layers
from cera.engines.spark.deriving import DERIVATION
from cera.engines.spark.engine import Answers, answers
from cera.engines.spark.failures import engine_failure
from cera.engines.spark.hashing import hex_id
from cera.engines.spark.lineage import Lineage, event_of, recipient_of
from cera.engines.spark.reading import Reading, is_small, read_files
from cera.engines.spark.relations import column
from cera.engines.spark.session import session
from cera.engines.spark.tables import EventTable
from cera.engines.spark.term_columns import term_column
from cera.engines.spark.undefined import Tally
from cera.model.events import DerivedEvent, Event, Recipient, in_output_order
from cera.model.interval import Time


@dataclass(frozen=True)
class Found:
    """An event that is written: one of the input has no rule."""

    event: Event
    rule: str | None
    causes: Mapping[str, str]
    recipient: Recipient | None


@dataclass(frozen=True)
class Recorded:
    """The answers over what was read. Nothing is computed before it is asked for.

    `tally` counts rows in which an expression has no value, when the answers are read or written.
    """

    reading: Reading
    answers: Answers
    tally: Tally
    until: Time | None = None

    def rejects(self) -> list[Rejected]:
        with engine_failure():
            return self.reading.rejects()

    def labels(self) -> tuple[Counter[str], int]:
        """How many events of each label were read, and how many of all are later than `until`."""
        found: Counter[str] = Counter()
        later = 0
        after = F.lit(0) if self.until is None else F.count_if(column("end") > self.until)
        with engine_failure():
            for table in self.reading.tables:
                counted = table.frame.groupBy("label").agg(F.count("*").alias("number"), after.alias("later"))
                for row in counted.collect():
                    found[row["label"]] += row["number"]
                    later += row["later"]
        return found, later

    def in_order(self, labels: Collection[str], *, base: bool) -> Iterator[Found]:
        """What is written, by end, begin and term. An input event that was derived too is written once."""
        frame = self._chosen(labels, base=base).orderBy("end", "begin")
        with engine_failure():
            rows = frame.toLocalIterator(prefetchPartitions=True)
            for _, together in itertools.groupby(rows, key=lambda row: (row["end"], row["begin"])):
                yield from sorted(map(self._found, together), key=lambda found: found.event.output_key)
            self.tally.fetched(frame)

    def _found(self, row: Row) -> Found:
        if row["rule"] is None:
            return Found(event_of(row, row["qualifier"]), None, {}, None)
        recipient = recipient_of(row)
        event = event_of(row, recipient.qualifier if recipient else None)
        causes = _in_order(row["causes"], self.answers.cause_names[row["rule"]])
        return Found(event, row["rule"], causes, recipient)

    def acted_on(self, rules: Collection[str]) -> list[DerivedEvent]:
        """What some rules of modules detect, in the order of output, with the events that it comes from."""
        with engine_failure():
            found = self.answers.derivations()
            rows = found.where(column(DERIVATION)["rule"].isin(*rules)).collect()
            ids = sorted({cause["id"] for row in rows for cause in row[DERIVATION]["causes"]})
            wanted = found.sparkSession.createDataFrame([(one,) for one in ids], "id string")
            every = [*map(_base, self.reading.tables), found.select("id", "begin", "end", "label", "term")]
            known = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), every)
            causes = known.join(F.broadcast(wanted), "id").dropDuplicates(["id"]).collect()
        lineage = Lineage((), (event_of(row, row["qualifier"]) for row in causes))
        return in_output_order(lineage.derived(rows))

    def write_parquet(self, path: Path, labels: Collection[str]) -> Counter[str]:
        """Writes the derived events as a folder of Parquet files; tells how many there are of each label."""
        frame = self._chosen(labels, base=False)
        with engine_failure():
            times = {name: F.timestamp_micros(column(name)) for name in ("begin", "end")}
            frame.withColumns(times).write.mode("overwrite").parquet(str(path))
            self.tally.written()
            written = frame.sparkSession.read.parquet(str(path)).groupBy("label").count().collect()
        return Counter({row["label"]: row["count"] for row in written})

    def _chosen(self, labels: Collection[str], *, base: bool) -> DataFrame:
        frame = self.answers.events()
        if base:
            every = reduce(DataFrame.unionByName, [_base(table) for table in self.reading.tables])
            every = every if self.until is None else every.where(column("end") <= self.until)
            unknown = every.dropDuplicates(["id"]).join(frame.select("id"), "id", "left_anti")
            frame = frame.unionByName(unknown, allowMissingColumns=True)
        return frame.where(column("label").isin(*labels)) if labels else frame


def _base(table: EventTable) -> DataFrame:
    qualifier = column("qualifier") if "qualifier" in table.frame.columns else F.lit(None).cast("string")
    return table.frame.select(
        hex_id(column("h1"), column("h2")).alias("id"),
        "begin",
        "end",
        "label",
        term_column(table)["json"].alias("term"),
        qualifier.alias("qualifier"),
    )


def recorded(
    program: Layers,
    paths: tuple[str, ...],
    layout: Layout,
    *,
    until: Time | None,
    max_duration: int | None,
    tick_limit: int,
    timezone: str,
    master: str,
    settings: Mapping[str, str],
) -> Recorded:
    """A program over the events at paths; Spark is started."""
    with engine_failure():
        modules_alone = all(layer.rules is None for layer in program.layers)
        spark = session(master, settings, small=_is_small(paths, layout), in_python=modules_alone)
        reading = read_files(spark, paths, layout)
        if max_duration is not None:
            reading = reading.lasting(max_duration)
        tally = Tally()
        found = answers(
            program,
            reading.tables,
            spark,
            until=until,
            timezone=timezone,
            max_duration=max_duration,
            tick_limit=tick_limit,
            tally=tally,
            keep=True,
        )
        return Recorded(reading, found, tally, until)


def _is_small(paths: Sequence[str], layout: Layout) -> bool:
    """Whether there is little to read; of standard input and databases nobody knows."""
    if not all(map(names_files, paths)):
        return False
    found = [file for path in paths for file in sources(path, layout, parquet=True)]
    return is_small(file.path for file in found if isinstance(file, Source))


def _in_order(causes: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Causes in the order of the names of a rule, then others; `E1[1]`, `E1[2]` stand for several of the name `E1`."""

    def place(name: str) -> tuple[int, str, int]:
        plain, _, number = name.partition("[")
        return names.index(plain) if plain in names else len(names), plain, int(number.rstrip("]") or 0)

    return {name: causes[name] for name in sorted(causes, key=place)}
