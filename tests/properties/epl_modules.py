"""Random programs of EPL modules between rules of XChangeEQ, and random streams of events and changes for them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from cera.languages.epl.event_shapes import check_shapes
from cera.languages.epl.printer import print_event
from cera.languages.epl.syntax import Context, Rule
from cera.languages.epl.variables import check_variables, visible_outside
from cera.languages.text.nodes import EventType, Identifier
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import Interval
from cera.program import Program, load
from properties.epl_programs import left_out, random_event

SECOND = 1_000_000
CONTEXTS: tuple[Context, ...] = ("unrestricted", "unrestricted", "recent", "chronicle")

#: What the modules read beside events of their own, and what reads the events of modules.
RULES = """
DETECT B{ v{ var V }, k{ var K } } ON event b: low{{ v{{ var V }}, k{{ var K }} }} END

DETECT pair{ k{ var K } }
ON and { event a: A{{ k{{ var K }} }}, event f: f0{{ key{{ var K }} }} } where { {a, f} within 20 sec } END

DETECT seen{ times{ count(all var K) } }
ON and { event a: f1{{}}, event w: from-end-backward[event a, 10 sec], while w: collect A{{ k{{ var K }} }} } END
"""

#: Reads what the other modules detect, and what the rules derive from that.
UPPER = """
begin Upper
  monitor pair, f2, f3;
  Twice: [pair(X), {f2, f3}] within 8 sec as twice(k: X.k).
end.
"""


def random_program(random: Random, modules: int, *, rules: bool = True) -> Program:
    """Modules over the same events; with `rules`, some below and above them, and a module over those."""
    written = [_module(random, number) for number in range(modules)]
    return load(["\n".join([*written, UPPER]), RULES] if rules else "\n".join(written))


def _module(random: Random, number: int) -> str:
    partition = random.random() < 0.6
    lines = [f"begin M{number}", "  monitor A, B, update(R);"]
    lines += [f"  granularity {random.choice(('operation', 'transaction', 'time'))};"]
    lines += ["  partition by k;"] if partition else []
    for rule in range(random.choice((1, 1, 2))):
        event, context = _event(random)
        names = sorted(visible_outside(event))
        chosen = random.sample(names, min(len(names), random.choice((0, 1, 2))))
        head = [f"v{place}: {name}.v" for place, name in enumerate(chosen)]
        head += [f"key: {names[0]}.k"] if names and (number == 0 or random.random() < 0.5) else []
        used = {expression.partition(": ")[2].partition(".")[0] for expression in head}
        event = left_out(event, random, used) if random.random() < 0.5 else event
        label = f"f{number}" if rule == 0 else f"f{random.choice((number, 7))}"
        lines.append(f"  R{rule}: {print_event(event)} in {context} context as {label}({', '.join(head)}).")
    return "\n".join([*lines, "end."])


def _event(random: Random) -> tuple[Any, Context]:
    context = random.choice(CONTEXTS)
    while True:
        event = random_event(random, random.choice((1, 2, 2)), context)
        event = _with_changes(event)
        rule = Rule(Identifier("R"), event, context)
        if not check_variables(rule) and not list(check_shapes(rule)):
            return event, context


def _with_changes(node: Any) -> Any:
    """The event with updates of a table in the place of C."""
    if node == EventType(None, "C"):
        return EventType("update", "R")
    if isinstance(node, tuple):
        return tuple(map(_with_changes, node))
    if is_dataclass(node) and not isinstance(node, type):
        found = {each.name: _with_changes(getattr(node, each.name)) for each in fields(node)}
        return replace(node, **found)
    return node


def random_stream(random: Random, count: int) -> list[Event]:
    """Events in the order of time; some are simultaneous, some lack the partition attribute."""
    events: list[Event] = []
    time = 0
    for number in range(count):
        time += random.choice((0, 1, 1, 2)) * SECOND
        row: dict[str, object] = {"v": random.randrange(2), "k": random.choice((0, 1, 2, "x", 2.5, True))}
        if random.random() < 0.1:
            del row["k"]
        label = random.choice(("A", "A", "low", "B", "change", "change", "other"))
        body: dict[str, object] = row
        if label == "change":
            old = {**row, "v": random.randrange(2)}
            told = {"operation": random.choice(("update", "update", "insert")), "table": random.choice("RRS")}
            body = {**told, "position": number, "transaction": str(number // 2), "new": row}
            body |= {"old": old} if told["operation"] == "update" else {}
        begin = time - random.choice((0, 0, 0, SECOND))
        events.append(Event(term_from_json({label: body}), Interval(begin, time)))
    return events
