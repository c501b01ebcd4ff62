"""Examples of the documents that are complex event types: each is run by two evaluators, and its answer compared.

    ```cet              a program
    ```history          what it runs over: a word for each second, `E1 E1|E2 . E3(k=1,room=a) E2@3`
    ```detects          what is detected: `E4 at 7: E1^1 E2^2 E3^1`, and behind `→` what a head makes of it

Events at the same time are connected by `|`, `.` is a second without any, values are in brackets, and `@3` says when a
longer event began. The second event with the label E1 is called E1^2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cera.diagnostics import Source
from cera.instances.events.module import EventTypeModule
from cera.instances.types import ComplexType
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.parser import parse
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.model.terms.values import infer_scalar
from cera.modules.answers.answer import Answer
from cera.testing import SECOND, event
from docs.blocks import Block, blocks
from instance_evaluators import EVALUATORS

_WORD = re.compile(r"(?P<label>[\w-]+)(?:\((?P<values>[^)]*)\))?(?:@(?P<begin>\d+))?")
_NUMBER = "number in the history"


@dataclass
class CetExample:
    program: Block
    history: Block | None = None
    detects: Block | None = None


def cet_examples(page: Path) -> Iterator[CetExample]:
    """A program, and below it perhaps several histories: each is an example."""
    program: Block | None = None
    shown = True
    for block in blocks(page):
        if block.language == "cet":
            if program is not None and not shown:
                yield CetExample(program)
            program, shown = block, False
        elif block.language == "history":
            assert program is not None, f"{block.place}: there is no program before"
            current, shown = CetExample(program, block), True
        elif block.language == "detects":
            current.detects = block
            yield current
    if program is not None and not shown:
        yield CetExample(program)


def problems_of(example: CetExample) -> Iterator[str]:
    parsed = parse(Source("page.cet", example.program.text))
    module, diagnostics = instance_module(parsed.program, "Page")
    for diagnostic in parsed.diagnostics or diagnostics:
        if diagnostic.severity == "error":
            yield f"{example.program.place}: {diagnostic}"
    if parsed.diagnostics or module is None or example.history is None:
        return
    assert example.detects is not None, f"{example.history.place}: nothing is said about what is detected"
    for name in ("definitions", "processor"):
        answers = detections(module, EVALUATORS[name](module, list(events_of(example.history.text))))
        if answers != example.detects.text:
            yield f"{example.detects.place}, by the {name}:\n{answers}"


def events_of(text: str) -> Iterator[Event]:
    counts: dict[str, int] = {}
    for second, simultaneous in enumerate(text.split(), 1):
        for word in simultaneous.split("|") if simultaneous != "." else ():
            found = _WORD.fullmatch(word)
            assert found, word
            label = found["label"]
            counts[label] = counts.get(label, 0) + 1
            values = [each.split("=") for each in found["values"].split(",")] if found["values"] else []
            children = [Term(name, [infer_scalar(value)]) for name, value in values]
            term = Term(label, [Term(_NUMBER, [counts[label]]), *children])
            yield event(term, float(found["begin"] or second), second)


def detections(module: EventTypeModule, answer: Answer) -> str:
    known = {one.event: one for one in answer.derived}
    with_fields = {each.name for each in module.types if isinstance(each, ComplexType) and each.fields is not None}
    lines = []
    for one in answer.derived:
        for way in one.derivations:
            name = way.rule.partition(".")[2]
            leaves = " ".join(_leaves(way.causes.values(), known))
            made = f" → {one.event.term}" if name in with_fields else ""
            lines.append((one.event.end, name, f"{name} at {one.event.end // SECOND}: {leaves}{made}\n"))
    return "".join(line for _, _, line in sorted(lines))


def _leaves(causes: Iterable[Event], known: dict[Event, DerivedEvent]) -> list[str]:
    leaves: set[Event] = set()
    waiting = list(causes)
    while waiting:
        each = waiting.pop()
        if each in known:
            waiting += [cause for way in known[each].derivations for cause in way.causes.values()]
        else:
            leaves.add(each)
    return [f"{one.label}{_number(one)}" for one in sorted(leaves, key=lambda one: (one.end, one.label, _number(one)))]


def _number(leaf: Event) -> str:
    """Ticks have none."""
    found = [each.children[0] for each in leaf.term.children if isinstance(each, Term) and each.label == _NUMBER]
    return f"^{found[0]}" if found else ""
