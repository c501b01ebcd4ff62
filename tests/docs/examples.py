"""Examples of the documents that are programs: each is run, and its answer compared.

    ```xceq             a program; or ```slog
    ```toml             its calendars, if it has some
    ```csv relation=x   the rows of a relation, if it looks one up
    ```events           what it runs over: a term and its time in seconds (or ISO 8601), one event a line; a state is
                        `state on{} [5, 10[`, or `state on{} [5, …[` if it has not ended
    ```derives          what it answers, in the order of output
    ```check            the codes of what is wrong with it, instead of events and answers

`derives` may say `formal`, `until=70` or `timezone=Europe/Berlin`. A program may be run over several streams, and a
stream in several ways. Conditions stand in a block of their own, one a line, and all of them hold:

    ```holds            with i = [10, 20] and j = [30, 35]
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cera.model.calendars.calendar_files import parse_calendars
from cera.model.events.event import Event, Recipient
from cera.model.events.states import announced_end, ending, opening, without_announcement
from cera.model.terms.term import Term
from cera.model.terms.term_text import parse_term
from cera.model.terms.values import infer_scalar
from cera.model.time.interval import interval
from cera.model.time.time_text import TimeFormat
from cera.program import Program, load
from cera.rules.rule import Semantics
from cera.testing import difference
from docs.blocks import Block, blocks

NOTHING = "(nothing)"

_EVENT = re.compile(
    r"(?P<term>.+) \[(?P<begin>[^],]+)(?:, (?P<end>[^],]+))?\](?: id (?P<id>\S+))?"
    r"(?: to (?P<to>\S+)(?: by (?P<by>\S+))?)?"
)
_STATE = re.compile(r"state (?P<term>.+) \[(?P<begin>[^],]+), (?P<end>[^],]+)\[")
_PROBE = "DETECT held{{}} ON and {{ event i: i{{{{}}}}, event j: j{{{{}}}} }} where {{ {} }} END"
_PROBED = "i{} [10, 20]\nj{} [30, 35]\n"


#: Examples are short: many of them remember events for good, and that is not what they are about.
TOLERATED = {"XC501"}


@dataclass
class Example:
    """A program and what the page says about it: answers, or codes of diagnostics."""

    program: Block
    calendars: Block | None = None
    relations: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    answers: list[tuple[Block, Block]] = field(default_factory=list)
    codes: Block | None = None


def examples(page: Path) -> Iterator[Example]:
    """The examples of a page from top to bottom."""
    current: Example | None = None
    events: Block | None = None
    for block in blocks(page):
        match block.language:
            case _ if block.options.keys() & {"file", "from"}:
                pass  # it is run from that file
            case "xceq" | "slog":
                if current is not None:
                    yield current
                current, events = Example(block), None
            case "toml" if current is not None:
                current.calendars = block
            case "csv" if current is not None and "relation" in block.options:
                current.relations[block.options["relation"]] = list(csv.DictReader(block.text.splitlines()))
            case "events":
                events = block
            case "derives":
                assert current is not None, f"{block.place}: there is no program before"
                assert events is not None, f"{block.place}: there are no events before"
                current.answers.append((events, block))
            case "check":
                assert current is not None, f"{block.place}: there is no program before"
                current.codes = block
            case _:
                pass
    if current is not None:
        yield current


def problems_of(example: Example) -> list[str]:
    """How the example differs from what it says."""
    if example.codes is not None:
        found = sorted({diagnostic.code for diagnostic in _load(example, {}).check()} - TOLERATED)
        said = sorted(example.codes.text.split())
        return [] if found == said else [f"{example.codes.place}: found {' '.join(found) or 'nothing'}"]
    problems = [f"{example.program.place}: {d}" for d in _load(example, {}).check() if d.code not in TOLERATED]
    if not example.answers and not problems:
        problems.append(f"{example.program.place}: nothing is said about what it derives")
    for events, answer in example.answers:
        if not problems:
            problems += _differences(example, events, answer)
    return problems


def _load(example: Example, options: dict[str, str]) -> Program:
    calendars = parse_calendars(example.calendars.text, "calendars.toml") if example.calendars else ()
    semantics: Semantics | None = "formal" if "formal" in options else None
    return load(example.program.text, semantics=semantics, timezone=options.get("timezone", "UTC"), calendars=calendars)


def _differences(example: Example, events: Block, answer: Block) -> Iterator[str]:
    options = dict(answer.options)
    times = TimeFormat("s", options.get("timezone", "UTC"))
    until = times.parse(options["until"]) if "until" in options else None
    given = {name: [_typed(row) for row in rows] for name, rows in example.relations.items()}
    program, stream = _load(example, options), read_events(events.text, times)
    derived = program.run(stream, engine="reference", until=until, relations=given).derived
    actual, expected = [item.event for item in derived], list(map(_as_derived, read_events(answer.text, times)))
    if actual != expected:
        yield f"{answer.place}:\n{difference(actual, expected) or 'the order differs'}"


def _as_derived(event: Event) -> Event:
    """A state as it is derived: when it has ended, its ending."""
    end = announced_end(event.qualifier)
    return event if end is None else ending(without_announcement(event), end)


def _typed(row: dict[str, str]) -> dict[str, object]:
    return {name: infer_scalar(cell) for name, cell in row.items()}


def read_events(text: str, times: TimeFormat) -> list[Event]:
    """Events as the documents write them: `temp{value{40}} [60, 63]`, `smoke{} [65] id 7`."""
    return [_event(line, times) for line in text.splitlines() if line.strip() and line.strip() != NOTHING]


def _event(line: str, times: TimeFormat) -> Event:
    if state := _STATE.fullmatch(line.strip()):
        term = parse_term(state["term"])
        assert isinstance(term, Term), line
        return opening(term, times.parse(state["begin"]), None if state["end"] == "…" else times.parse(state["end"]))
    parts = _EVENT.fullmatch(line.strip())
    assert parts, f"not an event: {line}"
    term = parse_term(parts["term"])
    assert isinstance(term, Term), line
    begin = times.parse(parts["begin"])
    qualifier = Recipient(parts["to"], parts["by"]).qualifier if parts["to"] else parts["id"]
    return Event(term, interval(begin, times.parse(parts["end"]) if parts["end"] else begin), qualifier)


def conditions(page: Path) -> Iterator[tuple[str, str]]:
    """The conditions of a page, each with its place."""
    for block in blocks(page):
        if block.language == "holds":
            for number, line in enumerate(block.text.splitlines(), block.line + 1):
                if line.strip():
                    yield f"{block.place.rpartition(':')[0]}:{number}", line.strip()


def holds(condition: str) -> bool:
    """Whether the condition holds for i = [10, 20] and j = [30, 35]."""
    program = load(_PROBE.format(condition))
    program.checked()
    return bool(program.run(read_events(_PROBED, TimeFormat("s")), engine="reference").derived)
