"""Examples of the documents that are EPL programs: each is run by both evaluators of Datalog, and its answer compared.

    ```epl              a program
    ```history          what it runs over: a stage a line, `@time` and its events, separated by `|`
    ```detects          what its rules detect, by stage: `Rule at 2: X=1 Y=2`
    ```dl1s             its translation

An event is `update ACC Accno=1 Balance=200->50` or `A k=1`; underscores stand for spaces in names. In `X=1` the 1 is
the stage of the event, 5.2 the second event of stage 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cera.datalog.printer import print_program
from cera.diagnostics import Source
from cera.languages.epl.compiler import compile_module, translated
from cera.languages.epl.parser import parse
from cera.model.terms.values import Scalar, infer_scalar
from cera.modules.tuples import EventTuple, change_fields
from conformance.epl_histories import SECOND, Stage, detected, module
from docs.blocks import Block, blocks

_KINDS = {"insert": "ins", "delete": "del", "update": "upd"}


@dataclass
class EplExample:
    program: Block
    history: Block | None = None
    detects: Block | None = None
    datalog: Block | None = None


def epl_examples(page: Path) -> Iterator[EplExample]:
    current: EplExample | None = None
    for block in blocks(page):
        if block.language == "epl":
            if current is not None:
                yield current
            current = EplExample(block)
        elif block.language in ("history", "detects", "dl1s"):
            assert current is not None, f"{block.place}: there is no program before"
            setattr(current, block.language.replace("dl1s", "datalog"), block)
    if current is not None:
        yield current


def problems_of(example: EplExample) -> Iterator[str]:
    parsed = parse(Source("page.epl", example.program.text))
    yield from (f"{example.program.place}: {diagnostic}" for diagnostic in parsed.diagnostics)
    if parsed.diagnostics:
        return
    found = module(example.program.text)
    compile_module(found)
    if example.datalog is not None and print_program(translated(found)) != example.datalog.text:
        yield f"{example.datalog.place}:\n{print_program(translated(found))}"
    if example.history is not None:
        assert example.detects is not None, f"{example.history.place}: nothing is said about what is detected"
        answers = detections(example)
        if answers != example.detects.text:
            yield f"{example.detects.place}:\n{answers}"


def detections(example: EplExample) -> str:
    assert example.history is not None
    lines = []
    for rule, bound, stage in detected(module(example.program.text), list(history(example.history.text))):
        events = " ".join(f"{name}={identity}" for name, identity in bound.items())
        lines.append((stage, f"{rule} at {stage}{': ' if events else ''}{events}\n"))
    return "".join(line for _, line in sorted(lines))


def history(text: str) -> Iterator[Stage]:
    for number, line in enumerate(text.splitlines(), 1):
        timed = re.match(r"@(\d+) ", line)
        time = int(timed[1]) if timed else number
        written = line.removeprefix(timed[0] if timed else "").split(" | ")
        events: dict[str, list[EventTuple]] = {}
        for index, event in enumerate(written, 1):
            predicate, fields = _event(event)
            identity = str(number) if len(written) == 1 else f"{number}.{index}"
            events.setdefault(predicate, []).append(EventTuple(identity, fields, time * SECOND))
        yield events, time


def _event(text: str) -> tuple[str, dict[str, Scalar]]:
    first, *rest = text.split()
    if first not in _KINDS:
        return first, {name.replace("_", " "): infer_scalar(value) for name, value in map(_pair, rest)}
    table, *pairs = rest
    old, new = {}, {}
    for name, value in map(_pair, pairs):
        before, changed, after = value.partition("->")
        old[name] = infer_scalar(before)
        new[name] = infer_scalar(after) if changed else old[name]
    contents = change_fields(None if first == "insert" else old, None if first == "delete" else new)
    return f"{_KINDS[first]}_{table}", contents  # type: ignore[return-value]  # scalars went in


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
