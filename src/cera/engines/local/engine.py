"""The local engine over a recorded stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.diagnostics import Diagnostic, Note
from cera.errors import ProgramError
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.modules.driving import Driver
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor
from cera.optimizer.driver import optimize
from cera.rules.analysis.strata import PrecedenceGraph
from cera.rules.reasoning.graph import shortest_path
from cera.rules.rule import Rule, RuleProgram
from cera.wording import Setting


def run(
    layers: Layers,
    events: Iterable[Event],
    settings: Settings,
    *,
    max_delay: int | None = None,
    late: Callable[[Occurrence], object] = lambda occurrence: None,
) -> Answer:
    """Returns the answers of a program over a complete stream, event by event.

    Without `max_delay` the events are sorted first, however late they come.
    """
    return drive(program_processor(layers, settings), events, until=settings.until, max_delay=max_delay, late=late)


def drive(
    processor: AnyProcessor,
    events: Iterable[Event],
    *,
    until: Time | None = None,
    max_delay: int | None = None,
    late: Callable[[Occurrence], object] = lambda occurrence: None,
) -> Answer:
    """Returns the answers of a processor over a complete stream."""
    driver = Driver(processor, max_delay, late)
    found = list(driver.push(occurrence(event) for event in events if until is None or event.end <= until))
    found += driver.close() if until is None else driver.advance_to(until)
    counts = driver.counts
    ordered = tuple(in_output_order(detection.result() for detection in found))
    return Answer(ordered, counts.undefined, counts.left_out)


def plan_of(program: RuleProgram, engine: str = "the local engine") -> Plan:
    """Returns the optimized plan of a hierarchical program; raises ProgramError for a recursive one.

    `engine` is what was asked for, as the message names it.
    """
    refuse_recursion(program, engine)
    return optimize(translate(program))


def refuse_recursion(program: RuleProgram, engine: str) -> None:
    """Raises ProgramError for a recursive program."""
    precedence = PrecedenceGraph(program.rules)
    components = precedence.recursive_components()
    if components:
        raise ProgramError([_recursion(_cycle(precedence, component), engine) for component in components])


def _cycle(precedence: PrecedenceGraph, component: Sequence[int]) -> list[Rule]:
    """A shortest cycle through the first rule of a component."""
    first = component[0]
    ways = [shortest_path(precedence.graph, used, first) for used in sorted(precedence.graph[first])]
    shortest = min([way for way in ways if way is not None], key=len)
    return [precedence.rules[i] for i in (first, *shortest[:-1])]


def _recursion(rules: Sequence[Rule], engine: str) -> Diagnostic:
    names = " → ".join([*(rule.name for rule in rules), rules[0].name])
    return Diagnostic(
        "XC304",
        "error",
        f"{engine} runs no recursion, and these rules depend on each other: {names}",
        rules[0].span,
        f"run it with {Setting.ENGINE.of('reference')}, which can",
        tuple(Note(f"rule '{rule.name}' is on the cycle", rule.span) for rule in rules[1:]),
    )
