"""The local engine over a recorded stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.diagnostics import Diagnostic, Note
from cera.engines.answers.answer import Answer
from cera.engines.local.host import Driven, Found, Host
from cera.engines.local.occurrence import Occurrence, occurrence
from cera.engines.local.processor import Processor
from cera.errors import ProgramError
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Event, in_output_order
from cera.model.time.interval import Time
from cera.optimizer.driver import optimize
from cera.rules.analysis.strata import PrecedenceGraph
from cera.rules.reasoning.graph import shortest_path
from cera.rules.rule import Rule, RuleProgram
from cera.wording import Setting


def run(
    program: RuleProgram,
    events: Iterable[Event],
    *,
    until: Time | None = None,
    timezone: str = "UTC",
    max_delay: int | None = None,
    max_duration: int | None = None,
    late: Callable[[Occurrence], object] = lambda occurrence: None,
    tick_limit: int = TICK_LIMIT,
) -> Answer:
    """The answers of a program over a complete stream, event by event.

    Without `max_delay` the events are sorted first, however late they come.
    """
    processor = Processor(plan_of(program), max_duration=max_duration, timezone=timezone)
    return drive(processor, events, until=until, max_delay=max_delay, late=late, tick_limit=tick_limit)


def drive(
    processor: Driven,
    events: Iterable[Event],
    *,
    until: Time | None = None,
    max_delay: int | None = None,
    late: Callable[[Occurrence], object] = lambda occurrence: None,
    tick_limit: int = TICK_LIMIT,
) -> Answer:
    """The answers of a processor over a complete stream."""
    host = Host(processor, max_delay, late, tick_limit=tick_limit)
    derived: list[Found] = []
    for event in events:
        if until is None or event.end <= until:
            derived += host.push(occurrence(event))
    derived += host.close() if until is None else host.advance_to(until)
    ordered = tuple(in_output_order(d.result() for d in derived))
    return Answer(ordered, processor.undefined, processor.left_out(host.state))


def plan_of(program: RuleProgram, engine: str = "the local engine") -> Plan:
    """The optimized plan of a hierarchical program; a recursive one is refused, with the engine that can run it.

    `engine` is what was asked for, as a message names it.
    """
    precedence = PrecedenceGraph(program.rules)
    components = precedence.recursive_components()
    if components:
        raise ProgramError([_recursion(_cycle(precedence, component), engine) for component in components])
    return optimize(translate(program))


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
