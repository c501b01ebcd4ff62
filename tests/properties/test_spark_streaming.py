"""Spark Structured Streaming against the local engine: random programs as one program, in one query, with a restart.

The labels of each program are told apart by a prefix, so that a single query serves many of them. What is compared are
the lines that are written. Disorder is within the delay, the stream is cut at random, and the second half of it comes
after the query was stopped and started again from its checkpoint.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.connectors.event_lines import base_line, event_line
from cera.connectors.records.layout import Layout
from cera.connectors.sink import BatchFolder
from cera.connectors.source import source_of
from cera.model.events.event import Event
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.terms.term import Term
from cera.model.time.time_text import TimeFormat
from cera.rules.rule import Branch, Rule, RuleProgram
from cera.testing import SECOND, event
from module_runs import rule_operators, run_locally
from properties.generator import CALENDARS, seeded_case
from properties.local_runs import disordered
from properties.theories import rules_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

DELAY = 3 * SECOND
LAST = event("the-end", 120)
TIMES = TimeFormat("us")


class OtherLabelError(Exception):
    """A program that asks for events of any label cannot be put beside others."""


def labelled_pattern(pattern: Pattern, prefix: str) -> Pattern:
    match pattern:
        case TermPattern(label=str() as label):
            return replace(pattern, label=prefix + label)
        case VariablePattern(pattern=inner) if inner is not None:
            return replace(pattern, pattern=labelled_pattern(inner, prefix))
        case _:
            raise OtherLabelError


def labelled_head(head: Construct, prefix: str) -> Construct:
    if isinstance(head, ConstructTerm):
        return replace(head, label=prefix + head.label)
    raise OtherLabelError


def labelled_branch(branch: Branch, prefix: str) -> Branch:
    def labelled(parts):  # type: ignore[no-untyped-def]
        return tuple(replace(part, pattern=labelled_pattern(part.pattern, prefix)) for part in parts)

    return replace(
        branch,
        events=labelled(branch.events),
        collections=labelled(branch.collections),
        absences=labelled(branch.absences),
    )


def labelled_rule(rule: Rule, prefix: str) -> Rule:
    branches = tuple(labelled_branch(branch, prefix) for branch in rule.branches)
    return replace(rule, name=prefix + rule.name, head=labelled_head(rule.head, prefix), branches=branches)


def programs(count: int, first_seed: int) -> Iterator[tuple[list[Rule], list[Event]]]:
    """Random programs with their streams, each under labels of its own."""
    seed = first_seed
    while count:
        seed += 1
        case = seeded_case(seed, recursive=seed % 5 == 0, windowed=seed % 5 == 1)
        program = rules_of(case)
        prefix = f"p{seed}-"
        try:
            rules = [labelled_rule(rule, prefix) for rule in program.rules]
        except OtherLabelError:
            continue
        if program.semantics != "practical":
            continue
        events = [
            replace(each, term=Term(prefix + each.label, each.term.children, ordered=each.term.ordered))
            for each in case.events
        ]
        yield rules, events
        count -= 1


def write_files(folder: Path, batches: Sequence[Sequence[Event]], first: int) -> None:
    """A file for each batch, older ones first: Spark takes them in the order of their times."""
    for number, batch in enumerate(batches, first):
        text = "".join(json.dumps(_input_line(each)) + "\n" for each in batch)
        file = folder / f"{number}.jsonl"
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))


def _input_line(each: Event) -> dict[str, object]:
    line = base_line(each, TIMES)
    del line["id"]
    if each.qualifier is not None:
        line["id"] = line.pop("source_id")
    return line


@pytest.mark.parametrize(
    ("count", "seed"), [(18, 0), *(pytest.param(*each, marks=pytest.mark.long) for each in ((36, 0), (150, 1_000)))]
)
def test_random_programs_on_spark_streaming_with_a_restart(
    spark: SparkSession, tmp_path: Path, count: int, seed: int
) -> None:
    from cera.engines.spark.streaming.live import LiveStream
    from cera.running.streams.listener import StreamListener
    from cera.running.streams.request import StreamRequest, StreamSource

    chance = random.Random(seed)
    cases = list(programs(count, seed))
    program = RuleProgram(tuple(rule for rules, _ in cases for rule in rules), calendars=CALENDARS)
    events = disordered([each for _, stream in cases for each in stream], DELAY, chance)
    cuts = sorted(chance.sample(range(len(events)), 3))
    batches = [events[start:end] for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    longest = max(each.end - each.begin for each in events)
    source = tmp_path / "in"
    source.mkdir()
    options = StreamRequest(
        (StreamSource(source_of(str(source))),),
        BatchFolder(tmp_path / "out"),
        tmp_path / "checkpoint",
        Layout(times=TIMES),
        max_delay=DELAY,
        max_duration=longest,
        rejected=tmp_path / "rejected",
        late=tmp_path / "late",
        once=True,
        files_a_batch=1,
    )
    made = rule_operators(program, max_duration=longest, buckets=4)
    write_files(source, batches[:3], 0)
    LiveStream(made, options, StreamListener()).run()
    write_files(source, [*batches[3:], [LAST]], 3)
    LiveStream(made, options, StreamListener()).run()

    assert not list((tmp_path / "late").iterdir())
    rejected = {json.loads(line)["place"] for line in lines_in(tmp_path / "rejected")}
    kept = [each for each in events if f"event {each.id}" not in rejected]
    until = LAST.end - DELAY - 1
    answer = run_locally(program, [*kept, LAST], until=until, max_duration=longest)
    assert len(answer.derived) > 100
    expected = [json.dumps(event_line(one, TIMES), ensure_ascii=False) for one in answer.derived]
    assert sorted(lines_in(tmp_path / "out")) == sorted(expected)


def lines_in(folder: Path) -> list[str]:
    return [line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text(encoding="utf-8").splitlines()]
