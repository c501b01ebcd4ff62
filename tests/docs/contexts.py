"""The tables of docs/contexts.md: what each context detects of the page's history, and what it has to remember.

    PYTHONPATH=tests python -m docs.contexts      writes them anew

A table stands below a comment with the operator that it is about, `<!-- detects: Alarm ; Call -->`, and the history in
the block below the page's heading "One history in all of them".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cera.diagnostics import Diagnostic
from cera.instances.events.module import EventTypeModule
from cera.languages.snoop.compiler import instance_module
from docs.blocks import ROOT, blocks
from docs.cet_examples import detections, events_of
from instance_evaluators import EVALUATORS, Evaluator
from languages.snoop.reading import read

PAGE = ROOT / "docs" / "contexts.md"
_TABLE = re.compile(r"(?P<mark><!-- detects: (?P<operator>.+?) -->\n)(?:\|.*\n)*")


#: How each context and preset is written, and in it the event that comes first.
SPELLINGS = (
    ("unrestricted", "Alarm"),
    ("recent", "Alarm"),
    ("chronicle", "Alarm"),
    ("continuous", "Alarm"),
    ("cumulative", "Alarm"),
    ("samos", "Alarm"),
    ("samos", "last Alarm"),
    ("samos", "TIMES([>0], Alarm)"),
    ("ode", "Alarm"),
    ("ode unrestricted", "Alarm"),
    ("adl", "Alarm"),
)


@dataclass(frozen=True)
class Row:
    """An expression, what it detects at which event (`c1`: `a1 c1, a2 c1`), what it remembers, and what is odd."""

    expression: str
    detected: dict[str, str]
    remembers: str
    remarks: str


def history() -> str:
    [block] = [each for each in blocks(PAGE) if each.heading == "One history in all of them"]
    return block.text


def words(text: str) -> list[str]:
    """The events of a history by their short names: `Alarm Call Alarm` is `a1 c1 a2`."""
    labels = text.split()
    return [f"{label[0].lower()}{labels[: place + 1].count(label)}" for place, label in enumerate(labels)]


def rows(operator: str, evaluator: str = "definitions") -> Iterator[Row]:
    """Of all contexts and presets that have the operator."""
    for context, first in SPELLINGS:
        expression = f"{context} {operator.replace('Alarm', first)}"
        module, diagnostics = instance_module(read(f"E := {expression}"), "M")
        if module is None:
            assert {each.code for each in diagnostics if each.severity == "error"} == {"SN102"}, expression
            continue
        detected = _by_event(module, EVALUATORS[evaluator])
        yield Row(expression, detected, "; ".join(_kept(diagnostics)) or "the newest", ", ".join(_odd(diagnostics)))


def _by_event(module: EventTypeModule, evaluate: Evaluator) -> dict[str, str]:
    events = words(history())
    found: dict[str, list[str]] = {}
    for line in detections(module, evaluate(module, list(events_of(history())))).splitlines():
        at, leaves = re.fullmatch(r"E at (\d+): (.*)", line).groups()  # type: ignore[union-attr]
        short = re.sub(r"(\w)\w*\^(\d+)", lambda leaf: f"{leaf[1].lower()}{leaf[2]}", leaves)
        found.setdefault(events[int(at) - 1], []).append(short)
    return {event: ", ".join(several) for event, several in found.items()}


def _kept(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """What may be kept, by CE501: `every Alarm until a Call`."""
    for each in diagnostics:
        if each.code == "CE501":
            what, how = re.match(r"`E` keeps every `(\w+)` (.*)", each.message).groups()  # type: ignore[union-attr]
            until = re.match(r"until an event with `(\w)(\w+)`", how)
            article = "an" if until and until[1] in "AEIO" else "a"
            yield f"every {what} " + (f"until {article} {until[1]}{until[2]}" if until else "for ever")


def _odd(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for code, remark in {"SN501": "irregular", "SN502": "unclear"}.items():
        if any(each.code == code for each in diagnostics):
            yield f"[{remark}](diagnostics/{code}.md)"


def table(operator: str) -> str:
    found = list(rows(operator))
    events = [event for event in words(history()) if any(event in row.detected for row in found)]
    titles = "".join(f" at {event} |" for event in events)
    lines = [f"| |{titles} remembers | |", "|---" * (len(events) + 3) + "|"]
    for row in found:
        cells = [f"`{row.expression}`", *(row.detected.get(event, "") for event in events), row.remembers, row.remarks]
        lines.append("|" + "".join(f" {cell} |" if cell else " |" for cell in cells))
    return "".join(f"{line}\n" for line in lines)


def generated(text: str) -> str:
    """The page with all its tables as running gives them."""
    return _TABLE.sub(lambda found: found["mark"] + table(found["operator"]), text)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text()))
