"""A program over recorded events on Spark: events read, records rejected, and answers in the order of output."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cera.connectors.files import EventFile
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import Source
from cera.engines.spark.derived_states import as_tables_show, with_prefixes
from cera.engines.spark.engine import Answers, answers
from cera.engines.spark.line_files import ANSWER, Row, WriteLines, in_output_order, join_parts, write_parts
from cera.engines.spark.lineage import Lineage, event_of
from cera.engines.spark.plan.deriving import CAUSES, DERIVATION
from cera.engines.spark.plan.states import with_states
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.reading.recordings import SourceTables, is_small, read_sources
from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.session.session import session
from cera.engines.spark.session.task_progress import report_tasks
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import UNTIL, column
from cera.engines.spark.tables.term_columns import written_term
from cera.engines.spark.values.hashing import hex_id
from cera.errors import UsageError
from cera.model.events import event as model
from cera.model.events.event import DerivedEvent
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.events.states import OPEN, OPENING, is_chosen
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of

#: The precision of the times that divide the parts: a thousandth of all events.
_ACCURACY = 1_000

#: Parts of the output for each core: enough that a slow one does not hold up the others.
_PARTS_PER_CORE = 4
_MOST_PARTS = 400
_PART = "part"


@dataclass(frozen=True)
class Recorded:
    """The answers over the events that were read. Everything is computed on demand.

    `tally` counts rows in which an expression has no value, when the answers are read or written. What is `small` is
    written in one part, and its recursive rules run in one piece.
    """

    reading: SourceTables
    answers: Answers
    tally: Tally
    until: Time | None = None
    small: bool = False
    #: Whether openings of derived states are among the rows as well as endings.
    changes: bool = False
    #: The answers as if nothing else came after `until`, where these are counted.
    going_on: Answers | None = None

    @property
    def spark(self) -> SparkSession:
        return self.answers.spark

    def telling(self, activity: str, tell: Callable[[str], object]) -> AbstractContextManager[None]:
        """Reports the progress of the work inside, with the numbers of tasks."""
        return report_tasks(self.spark, activity, tell)

    @property
    def activity(self) -> str:
        """What Spark does while the answers are computed, with the recursions that its workers run then."""
        return ", ".join(("answering", *self.answers.waiting))

    def rejects(self) -> list[Rejected]:
        with engine_failure():
            return self.reading.rejects()

    def labels(self) -> tuple[Counter[str], Counter[str], int]:
        """Returns how many different events of each label there are, how many of them are later than `until`, and how
        many events were read, with duplicates."""
        if not self.reading.tables:
            return Counter(), Counter(), 0
        after = F.lit(0) if self.until is None else F.count_if(column("end") > self.until)
        every = reduce(DataFrame.unionByName, [t.frame.select("h1", "h2", "label", "end") for t in self.reading.tables])
        different = every.groupBy("h1", "h2", "label", "end").agg(F.count("*").alias("equal"))
        counted = different.groupBy("label").agg(
            F.count("*").alias("number"), after.alias("later"), F.sum("equal").alias("read")
        )
        with engine_failure():
            rows = counted.collect()
        found = Counter({row["label"]: row["number"] for row in rows})
        later = Counter({row["label"]: row["later"] for row in rows})
        return found, later, sum(row["read"] for row in rows)

    @property
    def tables_in_time(self) -> list[EventTable]:
        """The events that are not after `until`."""
        tables = self.reading.tables
        if self.until is None:
            return list(tables)
        return [replace(table, frame=table.frame.where(column("end") <= self.until)) for table in tables]

    def extent(self) -> Interval | None:
        """Returns the time from the first begin to the last end of the events that are not after `until`; an action."""
        times = [table.frame.select("begin", "end") for table in with_states(self.reading.tables, self.until)]
        if not times:
            return None
        every = reduce(DataFrame.unionByName, times)
        every = every if self.until is None else every.where(column("end") <= self.until)
        with engine_failure():
            [(begin, end)] = every.agg(F.min("begin"), F.max("end")).collect()
        return None if begin is None else Interval(begin, end)

    def open_states(self, labels: Collection[str]) -> Counter[str]:
        """Returns how many states with some labels are open at the end, by label; an action where there are labels."""
        if not labels or not self.reading.tables:
            return Counter()
        openings = [t.frame for t in with_states(self.reading.tables, self.until) if t.prefix == OPENING]
        asked = column("label").isin(*(OPENING + label for label in labels))
        begun = asked if self.until is None else asked & (column("begin") <= self.until)
        kept = [frame.where(begun & (column(UNTIL) == OPEN)).select("h1", "h2", "label") for frame in openings]
        if not kept:
            return Counter()
        different = reduce(DataFrame.unionByName, kept).distinct()
        with engine_failure():
            rows = different.groupBy("label").count().collect()
        return Counter({row["label"].removeprefix(OPENING): row["count"] for row in rows})

    def pending(self, labels: Collection[str]) -> Counter[str]:
        """Returns how many events would be derived after `until` if nothing else came, by rule; none if that is not
        asked for."""
        if self.going_on is None or self.until is None:
            return Counter()
        later = self.going_on.events(changes=False).where(column("end") > self.until)
        with engine_failure():
            rows = later.where(column("label").isin(*labels)).groupBy("rule").count().collect()
        return Counter({row["rule"]: row["count"] for row in rows})

    def rows(self, labels: Collection[str], *, base: bool) -> Iterator[Row]:
        """Yields the derived events, by end, begin and term, with the columns ANSWER; with `base` the input events too.
        An input event that was derived too comes once. Rows with none of the `labels` have no term."""
        frame = self._in_parts(labels, base=base)
        with engine_failure():
            rows = frame.toLocalIterator(prefetchPartitions=True)
            yield from in_output_order(map(tuple, rows))
            self.tally.fetched(frame)

    def events(self, labels: Collection[str] | None) -> Iterator[Occurrence]:
        """Yields the input events with some labels that are not after `until`, or all of them, in the order of their
        ends."""
        tables = [_base(table).drop("id") for table in self.tables_in_time]
        if not tables:
            return
        every = reduce(DataFrame.unionByName, tables)
        every = every if labels is None else every.where(column("label").isin(*labels))
        with engine_failure():
            for row in every.sort("end", "begin").toLocalIterator():
                term = term_from_json(loads(row["term"]))
                known = model.Event(term, Interval(row["begin"], row["end"]), row["qualifier"])
                yield occurrence(known)

    def write_lines(
        self, path: Path, labels: Collection[str], times: TimeFormat, *, base: bool
    ) -> tuple[Counter[str], int]:
        """Writes `rows` as JSON lines into a file, by the workers of Spark; returns how many were derived, by label,
        and how many were written. The workers must share the file system of this process. The file appears when it is
        complete."""
        folder = path.with_name(f".{path.name}.{os.getpid()}.parts")
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
        try:
            folder.mkdir()
            with engine_failure():
                frame = self._in_parts(labels, base=base)
                counted = write_parts(frame, WriteLines(folder, times))
                self.tally.written()
            join_parts(folder, unfinished)
            if path.exists():
                shutil.copymode(path, unfinished)
            os.replace(unfinished, path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.unlink(missing_ok=True)
        return counted

    def acted_on(self, rules: Collection[str]) -> list[DerivedEvent]:
        """Returns the detections of some rules of modules, in the order of output, with the events that caused them."""
        with engine_failure():
            found = self.answers.derivations()
            rows = found.where(column(DERIVATION)["rule"].isin(*rules)).collect()
            ids = sorted({cause["id"] for row in rows for cause in row[DERIVATION]["causes"]})
            wanted = found.sparkSession.createDataFrame([(one,) for one in ids], "id string")
            every = [*map(_base, self.reading.tables), found.select("id", "begin", "end", "label", "term")]
            known = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), every)
            causes = known.join(F.broadcast(wanted), "id").dropDuplicates(["id"]).collect()
        lineage = Lineage((), (event_of(row, row["qualifier"]) for row in causes))
        return model.in_output_order(lineage.derived(rows))

    def write_parquet(self, path: Path, labels: Collection[str]) -> tuple[Counter[str], int]:
        """Writes the derived events as a folder of Parquet files, which appears when it is complete; returns how many
        were derived, by label, and how many were written."""
        frame, path = (
            self.answers.events(changes=self.changes),
            Path(os.path.realpath(path)),
        )  # Spark may have been started elsewhere
        table = as_tables_show(frame) if self.answers.derives_states else frame
        times = {name: F.timestamp_micros(column(name)) for name in ("begin", "end")}
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
        try:
            with engine_failure():
                chosen = table.where(column("label").isin(*labels)) if labels else table
                chosen.withColumns(times).write.mode("overwrite").parquet(str(unfinished))
                self.tally.written()
            if path.exists():
                path.rmdir()  # an empty folder
            os.replace(unfinished, path)
            with engine_failure():
                whole = labels or self.answers.derives_states
                every = frame if whole else frame.sparkSession.read.parquet(str(path))
                rows = every.groupBy("label").count().collect()
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        derived = Counter({row["label"]: row["count"] for row in rows})
        return derived, sum(number for label, number in derived.items() if is_chosen(label, labels or None))

    def _in_parts(self, labels: Collection[str], *, base: bool) -> DataFrame:
        """Divides the rows of ANSWER into parts: each is sorted by end and begin, and lies before the next one."""
        frame = self.answers.events(changes=self.changes).withColumn("qualifier", F.lit(None).cast("string"))
        if base:
            every = reduce(DataFrame.unionByName, [_base(table) for table in self.reading.tables])
            every = every if self.until is None else every.where(column("end") <= self.until)
            unknown = every.dropDuplicates(["id"]).join(frame.select("id"), "id", "left_anti")
            frame = frame.unionByName(unknown, allowMissingColumns=True)
        if labels:
            chosen = column("label").isin(*with_prefixes(labels))
            kept = {name: F.when(chosen, column(name)) for name in ("term", CAUSES)}
            frame = frame.where(chosen | column("rule").isNotNull()).withColumns(kept)
        frame = frame.withColumn(CAUSES, F.map_entries(column(CAUSES))).select(*ANSWER)
        edges = self._edges()
        if edges:
            frame = frame.withColumn(_PART, _part(edges)).repartitionById(len(edges) + 1, column(_PART)).drop(_PART)
        else:
            frame = frame.coalesce(1) if self.small else frame.repartition(1)
        return frame.sortWithinPartitions("end", "begin")

    def _edges(self) -> list[Time]:
        """Returns times that divide the events into parts of about the same size, as they will the answers.

        Spark would find its own if it sorted, by computing the answers twice.
        """
        wanted = _PARTS_PER_CORE * self.spark.sparkContext.defaultParallelism
        parts = 1 if self.small else min(wanted, _MOST_PARTS)
        if parts == 1 or not self.reading.tables:
            return []
        ends = reduce(DataFrame.unionByName, [table.frame.select("end") for table in self.reading.tables])
        shares = F.array(*(F.lit(number / parts) for number in range(1, parts)))
        with engine_failure():
            [row] = ends.agg(F.percentile_approx("end", shares, F.lit(_ACCURACY)).alias("edges")).collect()
        return sorted(set(row["edges"] or ()))


def _part(edges: Sequence[Time], first: int = 0) -> Column:
    """Returns the number of the part that an end lies in, from `first` on: found by bisecting the edges."""
    if not edges:
        return F.lit(first)
    middle = len(edges) // 2
    before, after = _part(edges[:middle], first), _part(edges[middle + 1 :], first + middle + 1)
    return F.when(column("end") < edges[middle], before).otherwise(after)


def _base(table: EventTable) -> DataFrame:
    qualifier = column("qualifier") if "qualifier" in table.frame.columns else F.lit(None).cast("string")
    return table.frame.select(
        hex_id(column("h1"), column("h2")).alias("id"),
        "begin",
        "end",
        "label",
        written_term(table).alias("term"),
        qualifier.alias("qualifier"),
    )


def recorded(
    program: Layers,
    sources: Sequence[Source],
    layout: Layout,
    *,
    until: Time | None,
    max_duration: int | None,
    tick_limit: int,
    recursion_limit: int,
    timezone: str,
    master: str,
    settings: Mapping[str, str],
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
    changes: bool = False,
    counts_open: bool = False,
    tell: Callable[[str], object] = lambda activity: None,
) -> Recorded:
    """Opens a program over the events of sources, and starts Spark; reports progress, with the numbers of tasks."""
    with engine_failure():
        modules_alone = not rules_of(program)
        small = _is_small(sources, layout)
        tell("starting Spark")
        spark = session(master, settings, small=small, in_python=modules_alone)
        with report_tasks(spark, "reading events", tell):
            reading = read_sources(spark, sources, layout)
        if max_duration is not None:
            reading = reading.reject_longer(max_duration)
        tally = Tally()
        answered = partial(
            answers,
            program,
            spark=spark,
            timezone=timezone,
            max_duration=max_duration,
            tick_limit=tick_limit,
            recursion_limit=recursion_limit,
            relations=relations,
            keep=True,
            small=small,
            tell=tell,
        )
        going_on = None
        if counts_open and until is not None:
            known = tuple(replace(each, frame=each.frame.where(column("end") <= until)) for each in reading.tables)
            going_on = answered(known)
        found = answered(reading.tables, until=until, tally=tally)
        return Recorded(reading, found, tally, until, small, changes, going_on)


def _is_small(sources: Sequence[Source], layout: Layout) -> bool:
    """Returns whether there is little to read; False for standard input and databases, whose size is unknown."""
    if not all(source.is_recording for source in sources):
        return False
    found = [file for source in sources for file in source.files(layout, parquet=True)]
    return is_small(file.path for file in found if isinstance(file, EventFile))
