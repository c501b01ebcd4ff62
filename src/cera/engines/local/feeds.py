"""All patterns of one label as one Python function that matches an event and processes its rows.

A flat pattern is read directly off the content of a flat event. For all other events and patterns the matching of the
model decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cera.codegen.functions import indented
from cera.engines.local.flat_patterns import flat_pattern
from cera.engines.local.forgetting import EndingStage, ForgettingStage
from cera.engines.local.network import Feed, Network
from cera.engines.local.pattern_rows import compile_pattern
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.row_stages import PRELUDE, Stage
from cera.engines.local.state import State
from cera.model.events.occurrence import Occurrence
from cera.model.matching.patterns import Pattern, TermPattern

Query = tuple[Pattern, Stage]


def compile_feeds(queries: Sequence[Query]) -> Feed:
    """Returns a function that matches an event with the patterns, in their order, and pushes the rows of each on."""
    writer = SourceWriter()
    body = _patterns(queries, writer, f"return {writer.name(_each(queries))}(state, event)")
    feed: Feed = writer.function("feed", "state, event", body)
    return feed


def compile_alone(queries: Sequence[Query], slots: frozenset[int], network: Network, feed: Feed) -> Feed:
    """Returns the same for an event that is alone in its step; slots with a row of it are finished at the end."""
    writer = SourceWriter()
    writer.own_slots, writer.alone = slots, True
    body = _patterns(queries, writer, f"return {writer.name(feed)}(state, event)")
    finished = dict(writer.finished)
    written = [
        line
        for slot, cells in sorted(finished.items())
        for line in _finished(slot, network.finishers[slot].lines(cells, writer), network, writer)
    ]
    initial = [f"ready_{slot} = False" for slot in finished] + [f"{name} = None" for name in writer.buckets]
    alone: Feed = writer.function("alone", "state, event", [*initial, *body, *written])
    return alone


def compile_forgetting(queries: Sequence[Query], network: Network) -> Callable[[State, Sequence[Occurrence]], None]:
    """Returns a function that takes several events with which groups are over, and nothing else happens. Steps in
    between need not be taken: a group may be forgotten later.
    """
    stages = [stage for _, stage in queries if isinstance(stage, EndingStage)]
    feed = _each(queries)

    def with_values(state: State, event: Occurrence) -> None:
        feed(state, event)
        network.settle(state)

    writer = SourceWriter()
    forgetting = [(pattern, ForgettingStage(stage)) for (pattern, _), stage in zip(queries, stages, strict=True)]
    body = [
        "content = event.content",
        f"if content is None: {writer.name(with_values)}(state, event); continue",
        *_flat_patterns(forgetting, writer),
    ]
    later = {stage.groups.number: stage.groups for stage in stages if stage.groups.has_partial}
    function: Callable[[State, Sequence[Occurrence]], None] = writer.function(
        "forget",
        "state, events",
        [
            "stores = state.stores",
            *(f"over_{number} = []" for number in later),
            "for event in events:",
            *indented(body),
            *(f"{writer.name(each.forget_later)}(state, over_{number})" for number, each in later.items()),
        ],
    )
    return function


def _finished(slot: int, lines: Sequence[str], network: Network, writer: SourceWriter) -> list[str]:
    """Returns the lines that finish a slot after those before it."""
    before = [f"if state.due: {writer.name(network.finish)}(state, {slot})"] if slot else []
    return [*before, f"if ready_{slot}:", *indented(lines)]


def _each(queries: Sequence[Query]) -> Feed:
    """Returns a function that matches every event by the matching of the model."""
    matching = [(compile_pattern(pattern), stage) for pattern, stage in queries]

    def feed(state: State, event: Occurrence) -> None:
        for matcher, stage in matching:
            for row in matcher(event):
                stage(state, row)

    return feed


def _patterns(queries: Sequence[Query], writer: SourceWriter, otherwise: str) -> list[str]:
    """Returns the lines for a flat event; `otherwise` is done with others."""
    return [
        "content = event.content",
        "if content is None:",
        f"    {otherwise}",
        PRELUDE,
        "begin = event.begin",
        *_flat_patterns(queries, writer),
    ]


def _flat_patterns(queries: Sequence[Query], writer: SourceWriter) -> list[str]:
    """Returns the lines for the content of a flat event."""
    reading: dict[str, str] = {}
    body = [line for query in queries for line in _pattern(query, writer, reading)]
    return [*(f"{name} = content.get({label!r})" for label, name in reading.items()), *body]


def _pattern(query: Query, writer: SourceWriter, reading: dict[str, str]) -> list[str]:
    """Returns the lines for a pattern on a flat event. `reading` has the variables for the children that are read."""
    flat = flat_pattern(query[0], reading)
    if flat is None:
        return [f"{writer.name(_each([query]))}(state, event)"]
    cells, constants, labels = flat
    tests = [f"{name} is not None" for name in labels if name not in constants]
    tests += [f"{name} == {writer.name(value)}" for name, value in constants.items()]
    if isinstance(query[0], TermPattern) and query[0].total:
        tests.append(f"len(content) == {len(labels)}")
    columns = tuple(cells[variable] for variable in sorted(cells))
    row = Cells((*columns, "event"), (*columns, "event"), None, {len(columns): ("begin", "now")})
    lines = query[1].write(row, writer)
    return [f"if {' and '.join(tests)}:", *indented(lines)] if tests else lines
