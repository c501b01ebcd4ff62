"""The Python that is generated for programs, in files: tests/unit/codegen/golden/NAME.txt.

    cd tests && python -m generated_functions      records it again

A file holds the functions that a run over the events of an example makes, each once, in the order of their making.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cera.codegen.functions import FunctionWriter
from cera.diagnostics import Source
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.rules.settlements import ClosingEvent
from cera.testing import event
from conformance.case_folders import Case, list_cases

GOLDEN = Path(__file__).parent / "unit" / "codegen" / "golden"

#: The examples, and what each shows: joins, absence and an average; chained windows; timers by the calendar and events
#: that are not flat; recursion; states; sequences of EPL.
EXAMPLES = ("sensors", "rising-average", "library", "network", "suspicious-bids", "bank")

#: Of the examples with many programs, those that are run.
_PROGRAMS = {"bank": ("translation.epl",)}

#: The function that reads lines is that of the events, and not of the program.
_READER = "make"

_EARLY = "Range 24h: offered(auction(A), number(count(I))) <- item(auction(A), item(I))."
_LAST = "x(id(A)) <- end(auction(A))."


def generated(name: str) -> str:
    """Returns the functions of an example."""
    with _recorded() as sources:
        RUNS[name]()
    return "\n\n\n".join(dict.fromkeys(sources)) + "\n"


@contextmanager
def _recorded() -> Iterator[list[str]]:
    """Records the source of each function that is made."""
    sources: list[str] = []
    original = FunctionWriter.function

    def function(self: FunctionWriter, *arguments: Any) -> Any:
        made = original(self, *arguments)
        if arguments[0] != _READER:
            sources.append(made.source)
        return made

    with patch.object(FunctionWriter, "function", function):
        yield sources


def _run(case: Case) -> Callable[[], object]:
    files = _PROGRAMS.get(case.folder.name)
    program = replace(case, programs=tuple(case.folder / file for file in files)).program if files else case.program
    options: Any = {"engine": "local", "layout": case.layout, "until": case.until}
    return lambda: program.run(case.events, **options).derived


def _early_answers() -> None:
    """Runs a rule whose answers are known before its window ends, because an event says that nothing more comes."""
    program, closing = (lower([parse(Source("early.slog", text)).program], "UTC").program for text in (_EARLY, _LAST))
    [rule], [last] = program.rules, closing.rules[0].branches[0].events
    program = replace(program, rules=(replace(rule, settlements=(ClosingEvent(last.pattern, ("A",)),)),))
    driver = Driver(RuleModule(program).processor(Settings(max_duration=0)), 0)
    for number, term in enumerate(("item{auction{1}, item{1}}", "item{auction{1}, item{2}}", "end{auction{1}}")):
        driver.push([occurrence(event(term, number))])
    driver.close()


RUNS: Mapping[str, Callable[[], object]] = {
    **{case.folder.name: _run(case) for case in list_cases() if case.folder.name in EXAMPLES},
    "early-answers": _early_answers,
}


if __name__ == "__main__":
    for each in RUNS:
        (GOLDEN / f"{each}.txt").write_text(generated(each), encoding="utf-8")
