"""`cera why`: the causes of an event with their times, as a tree of text for a person and as a graph for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import click

from cera.cli import report
from cera.cli.engine_choice import with_engine_in_process
from cera.cli.options import program_options, replay_options
from cera.cli.recording import Terminal
from cera.cli.report import printable
from cera.cli.side_files import check_side_files
from cera.cli.verification import complete_from, from_option, traced
from cera.connectors.line_writer import lines, write_output
from cera.connectors.sink import StandardOutput
from cera.constraints.clause import Clause
from cera.constraints.explanations import Explanation, explanation
from cera.constraints.module import ConstraintModule
from cera.errors import UsageError
from cera.languages.xchangeeq.printer import print_conditions, print_query_pattern
from cera.model.events.event import Event
from cera.model.events.states import is_ending, is_opening, state_label, state_term
from cera.model.expressions.expression import Expression
from cera.model.message_text import count
from cera.model.terms.json_terms import term_to_json
from cera.model.terms.term import format_value
from cera.program import Program
from cera.running.causes import Causes, Reason, event_text
from cera.running.derived_states import with_known_causes
from cera.running.engine import answer
from cera.running.listener import Collected
from cera.running.request import Request
from cera.running.run import Run

#: How many collected events are listed in the tree.
COLLECTED_SHOWN = 20
#: How many derivations of an event the tree has.
DERIVATIONS_SHOWN = 10
#: How many derivations deep the tree goes.
DEEPEST = 50
#: How many characters of a constraint are shown.
TEXT_SHOWN = 300


@click.command("why", short_help="Show how an event came about.")
@replay_options
@program_options
@from_option
@click.option(
    "--event",
    "names",
    metavar="ID",
    required=True,
    multiple=True,
    help="The id of an event, its begin, or a source's id. May be given several times.",
)
@click.option("--first", is_flag=True, help="Only the first derivation of each event, the one that `cera run` writes.")
@click.option(
    "--all",
    "shows_all",
    is_flag=True,
    help=f"All derivations of each event; without it the tree has the first {DERIVATIONS_SHOWN}, and --json has all.",
)
@click.option("--json", "as_json", is_flag=True, help="The events and derivations as JSON, each event once.")
def why(
    program: Program,
    request: Request,
    since: str | None,
    names: tuple[str, ...],
    first: bool,
    shows_all: bool,
    as_json: bool,
) -> None:
    """Shows how an event came about when the FILEs' program runs over recorded events: every rule that derived it and
    the events that made the rule fire, down to the input, with their times.

    ID is what `cera run` writes as "id" and "causes", its first characters if they are enough, or the id that the
    source gave an input event. With several, the trees come one after the other, in the order of the options.

    In a recursion, or where a constraint counts, an event may come about in very many ways. The tree has the first few
    of them for each event, and says how many others there are; with --all it has them all, and with --first one, which
    leads to the input all the same.

    \b
    Example:
      cera why fire.xceq --events events.jsonl --event 3f2a91c0
    """
    if first and shows_all:
        raise UsageError("--first shows one derivation of each event and --all every one; give one of them")
    request = replace(with_engine_in_process(program, request), changes=True)
    layers = complete_from(traced(program.layers), since, request.times, request.until)
    report.show_diagnostics(program.diagnostics)
    check_side_files(request, program)
    events: dict[Event, None] = {}
    found = Collected()
    answer(
        Run(
            layers,
            program.expectations,
            program.timezone,
            request,
            StandardOutput(),
            lambda: nullcontext(found),
            Terminal(request),
            lambda event: events.setdefault(event),
        )
    )
    modules = [each.module for each in program.modules.found]
    derived = with_known_causes(found.derived, events)
    wanted = 1 if first else None if shows_all or as_json else DERIVATIONS_SHOWN
    causes = Causes(program.rules, modules, program.timezone, tuple(events), derived, request.times, wanted)
    asked = tuple(dict.fromkeys(causes.find(name) for name in names))
    if as_json:
        write_output(json.dumps(graph(causes, asked), indent=2, ensure_ascii=False) + "\n")
    else:
        trees = (lines([event.id, *draw(tree(causes, event))]) for event in asked)
        write_output("\n".join(trees))


@dataclass(frozen=True)
class Node:
    """A line of the tree, with those below it."""

    text: str
    children: tuple[Node, ...] = ()


def draw(node: Node) -> Iterator[str]:
    """Yields the lines of a tree, children below their parent."""
    yield node.text
    for position, child in enumerate(node.children, start=1):
        last = position == len(node.children)
        first, *rest = draw(child)
        yield ("└─ " if last else "├─ ") + first
        yield from (("   " if last else "│  ") + line for line in rest)


def tree(causes: Causes, event: Event) -> Node:
    """Returns the tree of the causes of an event."""
    return _Tree(causes).event(event)


@dataclass
class _Tree:
    """A builder of the tree of causes, which shows the derivations of an event once, where it comes up first."""

    causes: Causes
    shown: set[Event] = field(default_factory=set)

    @cached_property
    def constraints(self) -> Mapping[str, Clause]:
        """The clauses of constraints, by the names that derivations call them."""
        return _clauses(self.causes)

    def event(self, event: Event, identifier: str = "", depth: int = 0) -> Node:
        title = f"{identifier}{event_text(event)} {self.causes.times_of(event)}"
        item = self.causes.derived.get(event)
        if item is None:
            named = event.qualifier is not None and not is_opening(event.label)
            return Node(f"{title} with id {printable(event.qualifier or '')}" if named else title)
        if item.recipient:
            title += printable(f" to {item.recipient.address}")
        if event in self.shown:
            return Node(f"{title} (see above)")
        if depth == DEEPEST:
            return Node(f"{title} … goes on: --event {event.id}")
        self.shown.add(event)
        children = [self.reason(event, reason, depth) for reason in self.causes.reasons(event)]
        if more := self.causes.left_out(event):
            children.append(Node(f"… and {count(more, 'other derivation')}: --all"))
        if event in self.causes.input:
            children.append(Node("also in the input"))
        return Node(title, tuple(children))

    def reason(self, event: Event, reason: Reason, depth: int) -> Node:
        clause = self.constraints.get(reason.derivation.rule)
        what = "rule" if clause is None else "constraint"
        title = f"by {what} {reason.derivation.rule}" + (f" ({reason.place})" if reason.place else "")
        if reason.values:
            title += " with " + ", ".join(f"{name} = {format_value(value)}" for name, value in reason.values.items())
        causes = reason.derivation.causes
        children = [self.event(cause, f"{identifier}: ", depth + 1) for identifier, cause in causes.items()]
        if reason.derivation.collected:
            children.append(Node("collected", tuple(self._collected(reason.derivation.collected, depth))))
        for part in reason.branch.absences:
            window = self.causes.times_of(causes[part.window])
            condition = f" where {_conditions(part.conditions)}" if part.conditions else ""
            children.append(Node(f"no {print_query_pattern(part.pattern)} while {part.window} {window}{condition}"))
        if reason.branch.conditions:
            children.append(Node(f"where {_conditions(reason.branch.conditions)}"))
        if clause is not None:
            children += self._explained(explanation(clause, event.term))
        if clause is not None and reason.place is not None:
            children.append(Node(printable(_shortened(" ".join(reason.place.text.split())))))
        return Node(printable(title), tuple(children))

    def _explained(self, found: Explanation) -> Iterator[Node]:
        """Yields what was counted, and which conditions do not hold, in words of the constraint."""
        for each in found.counted:
            time = f" while {each.time}" if each.time else ""
            window = "" if each.window is None else " [{}, {}]".format(*each.window)
            instead = f", expected {each.expected}" if each.expected else ""
            yield Node(printable(f"{each.number or 'no'} {each.query}{time}{window}{instead}"))
        yield from (Node(printable(f"not {condition}")) for condition in found.refuted)

    def _collected(self, events: Sequence[Event], depth: int) -> Iterator[Node]:
        for event in events[:COLLECTED_SHOWN]:
            yield self.event(event, depth=depth + 1)
        more = len(events) - COLLECTED_SHOWN
        if more > 0:
            yield Node(f"… and {more:,} more")


def _clauses(causes: Causes) -> dict[str, Clause]:
    modules = (each for each in causes.modules if isinstance(each, ConstraintModule))
    return {f"{module.name}.{clause.name}": clause for module in modules for clause in module.clauses}


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"


def _conditions(conditions: Sequence[Expression]) -> str:
    return printable(", ".join(print_conditions(conditions)))


def graph(causes: Causes, events: Sequence[Event]) -> dict[str, Any]:
    """Returns the JSON record of some events and all their causes, each event once, nearest first, linked by ids."""
    asked = [event.id for event in events]
    return {"asked": asked, "events": [_event_record(causes, found) for found in causes.reachable(events)]}


def _event_record(causes: Causes, event: Event) -> dict[str, Any]:
    kind = "input" if event in causes.input else "timer" if causes.is_timer(event) else "derived"
    state = state_label(event.label) is not None
    term = state_term(event) if state else event.term
    record: dict[str, Any] = {"id": event.id, "kind": kind, **_times(causes, event), "term": term_to_json(term)}
    if state:
        record |= {"kind": "state", "end": causes.times.format(event.end) if is_ending(event.label) else None}
    elif kind == "input" and event.qualifier is not None:
        record["source_id"] = event.qualifier
    if (item := causes.derived.get(event)) and item.recipient:
        record["to"] = {"recipient": item.recipient.address, "transport": item.recipient.transport}
    record["derivations"] = [_reason_record(causes, event, reason) for reason in causes.reasons(event)]
    if more := causes.left_out(event):
        record["other_derivations"] = more
    return record


def _reason_record(causes: Causes, event: Event, reason: Reason) -> dict[str, Any]:
    derivation = reason.derivation
    record = {
        "rule": reason.derivation.rule,
        "place": None if reason.place is None else str(reason.place),
        "variables": {name: format_value(value) for name, value in reason.values.items()},
        "causes": {identifier: event.id for identifier, event in derivation.causes.items()},
        "collected": [event.id for event in derivation.collected],
        "absent": [
            {
                "query": print_query_pattern(part.pattern),
                "window": part.window,
                **_times(causes, derivation.causes[part.window]),
                "conditions": print_conditions(part.conditions),
            }
            for part in reason.branch.absences
        ],
        "conditions": print_conditions(reason.branch.conditions),
    }
    clause = _clauses(causes).get(derivation.rule)
    return record if clause is None else record | _explanation_record(explanation(clause, event.term))


def _explanation_record(found: Explanation) -> dict[str, Any]:
    """Returns what a violation rests on, besides the events at fault."""
    counted: list[dict[str, Any]] = []
    for each in found.counted:
        edges = {} if each.window is None else dict(zip(("begin", "end"), each.window, strict=True))
        counted.append({"query": each.query, "window": each.time or None, **edges, "number": each.number})
    absent = [{**each, "conditions": []} for each in counted if not each.pop("number")]
    return {"absent": absent, "refuted": list(found.refuted)}


def _times(causes: Causes, event: Event) -> dict[str, Any]:
    return {"begin": causes.times.format(event.begin), "end": causes.times.format(event.end)}
