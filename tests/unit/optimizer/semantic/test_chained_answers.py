"""Answers that are known early and read by other rules and modules: these see them when they end, as ever."""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.engines.local.network import Network
from cera.engines.local.processor import RuleProcessor
from cera.engines.local.state import State
from cera.engines.local.state_bytes import dump, restore
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.modules.driving import Driver
from cera.program import Program, load
from cera.testing import SECOND, event
from unit.optimizer.semantic.rewriting import rewritten_program

COUNTED = "Range 10sec: n(k(K), number(count(V))) <- p(k(K), v(V))."
#: For the first `r` the answer that is known has not ended.
READER = "calm(k(K)) <- i: r(k(K)) and w: extend-begin[i, 15sec] and while w: not n(k(K))."
LAST = "IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END"
EVENTS = (
    *(event("p{k{1}, v{1}}", 1), event("p{k{1}, v{2}}", 2), event("q{k{1}}", 3), event("r{k{1}}", 5)),
    *(event("p{k{2}, v{1}}", 6), event("p{k{2}, v{2}}", 21), event("q{k{2}}", 22), event("r{k{2}}", 33)),
)


def program_of(*texts: str, trusted: bool = True) -> Program:
    endings = {"automaton": "ihta"}
    sources = [Source(f"a{n}.{endings.get(text.split()[0], 'slog')}", text) for n, text in enumerate(texts)]
    program = load(sources, constraints=Source("c.escl", LAST) if trusted else ())
    assert not program.errors
    return program


def answers(program: Program, *events: Event, restarting: bool = False) -> list[DerivedEvent]:
    driver = Driver(program.processor(max_duration=0), 0)
    found = []
    for each in events:
        if restarting:
            saved = dump(driver.snapshot())
            driver = Driver(program.processor(max_duration=0), 0)
            driver.resume(restore(saved))
        found += driver.push([occurrence(each)])
    return sorted((one.result() for one in [*found, *driver.close()]), key=lambda one: one.event.order_key)


def shown(found: list[DerivedEvent]) -> list[str]:
    return [str(one.event) for one in found]


def test_a_rule_sees_an_early_answer_when_it_ends() -> None:
    plain = answers(program_of(COUNTED, READER, trusted=False), *EVENTS)
    found = answers(program_of(COUNTED, READER), *EVENTS)
    assert shown(found) == shown(plain)
    assert sorted(one.known // SECOND for one in found if one.event.label == "n") == [3, 9, 22]
    assert [one.event.end // SECOND for one in found if one.event.label == "calm"] == [5]


def test_what_is_seen_later_is_saved_and_restored() -> None:
    program = program_of(COUNTED, READER)
    assert shown(answers(program, *EVENTS, restarting=True)) == shown(answers(program, *EVENTS))


def test_a_rule_that_saw_an_answer_when_it_is_known_would_answer_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unsound neighbour: the answer over [0, 10[ is known at 3, and one with an event at 5 is none before 10."""
    program = program_of(COUNTED, "seen(k(K)) <- i: r(k(K)) and j: n(k(K)) and {i, j} within 30 sec.")
    early = EVENTS[:4]
    ends = [one.event.end for one in answers(program, *early) if one.event.label == "seen"]
    assert ends == [10 * SECOND - 1]
    networks: list[Network] = []
    made = RuleProcessor.__init__

    def remember(self: RuleProcessor, *args: object, **others: object) -> None:
        made(self, *args, **others)  # type: ignore[arg-type]
        networks.append(self.network)

    def see_now(self: State, seen: Occurrence) -> None:
        networks[-1].take(self, seen.copy())

    monkeypatch.setattr(RuleProcessor, "__init__", remember)
    monkeypatch.setattr(State, "hear_later", see_now)
    ends = [one.event.end for one in answers(program, *early) if one.event.label == "seen"]
    assert ends == [5 * SECOND], "an answer that depends on the future"


def test_a_module_of_another_layer_sees_an_early_answer_when_it_ends() -> None:
    watching = "automaton Seen(k(K)) { start A; end B; enter -> A: n(k(K*)); A -> B: r(k(K)); }"
    plain = answers(program_of(COUNTED, watching, trusted=False), *EVENTS)
    program = program_of(COUNTED, watching)
    found = answers(program, *EVENTS)
    assert sorted(one.known // SECOND for one in found if one.event.label == "n") == [3, 9, 22]
    assert shown(found) == shown(plain)
    assert shown(answers(program, *EVENTS, restarting=True)) == shown(plain)


def test_answers_that_another_rule_gives_too_are_not_early() -> None:
    """One that both give would be given early by the one, and again at its end by the other."""
    [counted, _] = rewritten_program(f"{COUNTED}\nn(k(K), number(N)) <- s(k(K), number(N)).", LAST).rules
    assert counted.rewritings == ()
