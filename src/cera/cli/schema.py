"""`cera schema`: what the events of an input look like."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from cera.cli import report
from cera.cli.layout_options import check_layout, layout_options
from cera.cli.looking import look_at
from cera.cli.options import timezone_option
from cera.cli.summary import all_rejected, refuse
from cera.connectors.files import Layout
from cera.connectors.line_writer import write_output
from cera.connectors.source import Source, source_of
from cera.languages.xchangeeq.printer import print_source
from cera.model.events.event_schema import AttributeSchema, EventSchema, LabelSchema
from cera.model.events.states import shown_label, state_label
from cera.model.time.durations import Duration, format_duration
from cera.model.time.time_text import TimeFormat
from cera.rules.declarations import Attribute, SourceLabel

_DECLARED = {"string": "string", "integer": "number", "decimal": "number", "boolean": "boolean"}


@click.command("schema", short_help="Show what the events of an input look like.")
@click.option(
    "--events",
    "sources",
    type=source_of,
    metavar="PATH",
    multiple=True,
    required=True,
    help="A file, a folder, - for standard input, or db:URL. May be given several times.",
)
@layout_options()
@timezone_option
@click.option("--json", "as_json", is_flag=True, help="Write it as JSON.")
@click.option("--declare", is_flag=True, help="Write it as SOURCE directives, to be put into a program.")
def schema(sources: tuple[Source, ...], layout: Layout, timezone: str, as_json: bool, declare: bool) -> None:
    """Shows the labels of recorded events, their attributes with types, when they happened and how many there are.

    Events are read once, in bounded memory. With --declare the same is written as a part of a program, against which
    `cera check` then holds its rules.

    \b
    Examples:
      cera schema --events events.jsonl
      cera schema --events log.csv --label-field type --time-field ts
      cera schema --events log.csv --label-field type --time-field ts --declare >> program.xceq
    """
    check_layout(layout, sources)
    found = EventSchema()
    records = itertools.chain.from_iterable([source.occurrences(layout) for source in sources])
    rejected = look_at(records, found.take)
    found.finish()
    if as_json:
        write_output(json.dumps(_as_json(found, rejected, layout.times), indent=2, ensure_ascii=False) + "\n")
    elif declare:
        write_output("".join(f"{line}\n" for line in declarations(found)))
    else:
        write_output("".join(f"{line}\n" for line in _lines(found, layout.times)))
    unusable = all_rejected(rejected) if rejected and not found.events else None
    if unusable:
        report.fail(unusable)
    report.say(_summary(found, rejected))
    refuse(unusable)


def declarations(found: EventSchema) -> Iterator[str]:
    """Yields the directives that declare the labels of a schema; attributes of a label only if all are known."""
    for label, events in sorted(found.labels.items()):
        open_ = events.values or events.more
        own = state_label(label) or label
        yield "SOURCE " + print_source(SourceLabel(own, None if open_ else _declared(events.attributes)))


def _declared(attributes: Mapping[str, AttributeSchema]) -> tuple[Attribute, ...]:
    return tuple(_attribute(name, one) for name, one in attributes.items())


def _attribute(name: str, one: AttributeSchema) -> Attribute:
    if set(one.types) == {"object"}:
        return Attribute(name, children=_declared(one.attributes))
    kinds = {_DECLARED.get(kind) for kind in one.types}
    return Attribute(name, kinds.pop() if len(kinds) == 1 else None)


def _lines(found: EventSchema, times: TimeFormat) -> Iterator[str]:
    for label, events in sorted(found.labels.items()):
        number = report.count(events.events, "event" if state_label(label) is None else "record")
        number += "" if state_label(label) is None else f", {events.ends:,} with an end"
        when = f"{times.format(events.first)} to {times.format(events.last)}"
        yield f"{report.printable(shown_label(label))}: {number}, {when}"
        if events.values:
            yield f"  (a value)  {_types(AttributeSchema(events.values), events.events)}"
        rows = list(_rows(events.attributes, events.events))
        width = max((len(name) for name, _ in rows), default=0)
        yield from (f"  {name:<{width}}  {types}" for name, types in rows)
        if events.more:
            yield "  … and other attributes"


def _rows(attributes: Mapping[str, AttributeSchema], events: int, depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, one in attributes.items():
        yield f"{'  ' * depth}{report.printable(name)}", _types(one, events)
        yield from _rows(one.attributes, events, depth + 1)


def _types(one: AttributeSchema, events: int) -> str:
    """Returns the types of an attribute, counted if there are several, and in how many events it is unless in all."""
    several = len(one.types) > 1
    text = ", ".join(f"{kind} {number:,}" if several else kind for kind, number in one.types.most_common())
    return text if one.count >= events else f"{text} (in {one.count:,} of {events:,})"


def _summary(found: EventSchema, rejected: int) -> str:
    parts = [f"{report.count(found.events, 'event')} read"]
    if found.others:
        parts.append(f"{found.others:,} of labels that are not shown: there are too many")
    if found.events:
        order = f"{found.disordered:,} out of order, by at most {_length(found.greatest_delay)}"
        parts.append(order if found.disordered else "in the order of time")
        parts.append(f"they last up to {_length(found.longest)}" if found.longest else "points of time")
    if rejected:
        parts.append(f"{report.count(rejected, 'record')} rejected")
    return "; ".join(parts)


def _length(microseconds: int) -> str:
    return format_duration(Duration(0, microseconds))


def _as_json(found: EventSchema, rejected: int, times: TimeFormat) -> dict[str, Any]:
    events = {label: each for label, each in sorted(found.labels.items()) if state_label(label) is None}
    states = {state_label(label): each for label, each in sorted(found.labels.items()) if label not in events}
    record = {
        "events": found.events,
        "rejected": rejected,
        "in_order": not found.disordered,
        "out_of_order": found.disordered,
        "greatest_delay_us": found.greatest_delay,
        "longest_us": found.longest,
        "labels": {label: _label_json(each, times) for label, each in events.items()},
        "events_of_other_labels": found.others,
    }
    found_states = {label: _label_json(each, times) | {"ends": each.ends} for label, each in states.items()}
    return record | ({"states": found_states} if states else {})


def _label_json(events: LabelSchema, times: TimeFormat) -> dict[str, Any]:
    record: dict[str, Any] = {
        "events": events.events,
        "first": times.format(events.first),
        "last": times.format(events.last),
        "attributes": {name: _attribute_json(one) for name, one in events.attributes.items()},
    }
    if events.values:
        record["values"] = dict(events.values)
    return record | ({"more": True} if events.more else {})


def _attribute_json(one: AttributeSchema) -> dict[str, Any]:
    inside = {name: _attribute_json(inner) for name, inner in one.attributes.items()}
    return {"events": one.count, "types": dict(one.types)} | ({"attributes": inside} if inside else {})
