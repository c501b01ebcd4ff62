"""Histories of a bank's accounts, and of events by their letters, for the entries about EPL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from cera.datalog import stages
from cera.datalog.history import HistoryStage, evaluate
from cera.datalog.syntax import Program
from cera.diagnostics import Source
from cera.languages.epl.compiler import CompiledModule, compile_module, translated
from cera.languages.epl.parser import parse
from cera.languages.epl.syntax import Module
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Expression, variables
from cera.modules.tuples import EventTuple, change_fields

ACCOUNTS = "monitor insert(ACC), update(ACC), delete(ACC); relation ACC(Accno, Owner, Type, Balance);"

#: The events of a stage by predicate, and its time in seconds.
Stage = tuple[Mapping[str, Sequence[EventTuple]], int]

SECOND = 1_000_000


def module(text: str) -> Module:
    """The one module of a text without mistakes."""
    parsed = parse(Source("test.epl", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    [only] = parsed.modules
    return only


def rule(event: str, monitored: str = "A, B, C, D", rest: str = "") -> Module:
    """A module with the rule `R`."""
    return module(f"begin M monitor {monitored}; R: {event} {rest} end.")


def detected(found: Module, history: Sequence[Stage]) -> list[tuple[str, dict[str, str], int]]:
    """(rule, identities by variable, stage) of all detections, in order; both evaluators have to agree."""
    compiled, machine, program = _made_ready(found)
    state = machine.start()
    stage_wise = [machine.step(state, _facts(events), time * SECOND) for events, time in history]
    plain = evaluate(program, [HistoryStage(_facts(events), time * SECOND) for events, time in history])
    answers = []
    for number, facts in enumerate(stage_wise, 1):
        for each in compiled.rules:
            rows = set(facts.get(each.predicate, ()))
            assert rows == set(plain[number].get(each.predicate, ()))
            for row in sorted(rows, key=lambda row: [one.identity for one in row]):
                bound = {name: one.identity for name, one in zip(each.variables, row, strict=True)}
                answers.append((each.name.partition(".")[2], bound, number))
    return answers


@cache
def _made_ready(found: Module) -> tuple[CompiledModule, stages.Machine, Program]:
    compiled = compile_module(found)
    machine = stages.compile(compiled.datalog, outputs=[each.predicate for each in compiled.rules])
    return compiled, machine, translated(found)


def stages_of(found: Module, history: Sequence[Stage]) -> list[int]:
    """The stages at which something is detected."""
    return sorted({number for _, _, number in detected(found, history)})


def runs_of(found: Module, history: Sequence[Stage]) -> set[str]:
    """What is detected as the events' identities in the order of the variables: `A1 B1 C1`."""
    return {" ".join(bound.values()) for _, bound, _ in detected(found, history)}


def _facts(events: Mapping[str, Sequence[EventTuple]]) -> dict[str, list[tuple[EventTuple]]]:
    return {predicate: [(each,) for each in found] for predicate, found in events.items()}


def word(text: str) -> list[Stage]:
    """`A B A+C`: a stage for each word, simultaneous events connected by `+`; the second A is called A2."""
    history: list[Stage] = []
    counts: dict[str, int] = {}
    for number, letters in enumerate(text.split(), 1):
        events: dict[str, list[EventTuple]] = {}
        for letter in letters.split("+"):
            counts[letter] = counts.get(letter, 0) + 1
            identity = f"{letter.rpartition('_')[2]}{counts[letter]}"
            events.setdefault(letter, []).append(EventTuple(identity, {"k": 1}, number * SECOND))
        history.append((events, number))
    return history


def account(number: int, owner: str, kind: str, balance: int) -> dict[str, Any]:
    return {"Accno": number, "Owner": owner, "Type": kind, "Balance": balance}


def inserted(time: int, row: dict[str, Any]) -> Stage:
    return {"ins_ACC": [EventTuple(f"ins@{time}", change_fields(None, row), time * SECOND)]}, time


def deleted(time: int, row: dict[str, Any]) -> Stage:
    return {"del_ACC": [EventTuple(f"del@{time}", change_fields(row, None), time * SECOND)]}, time


def updated(time: int, row: dict[str, Any], balance: int) -> Stage:
    """The account's balance becomes another."""
    changed = {**row, "Balance": balance}
    return {"upd_ACC": [EventTuple(f"upd@{time}", change_fields(row, changed), time * SECOND)]}, time


def value(expression: Expression, bound: Mapping[str, EventTuple]) -> Any:
    values = {}
    for name in variables(expression):
        variable, _, attribute = name.partition(".")
        found = bound[variable].attribute(attribute)
        if found is not None:
            values[name] = found
    return Evaluator().value(expression, values, {})
