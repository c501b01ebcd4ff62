"""Absolute timers that tick often: the reference engine holds all ticks, up to a limit; the local one goes on."""

from __future__ import annotations

import pytest

from cera.engines.reference import entailment
from cera.errors import EngineError
from cera.program import load
from cera.testing import event

SECONDS = (
    "DETECT busy{var S} ON and { event t: timer:datetime{{second{var S}}}, event w: a{{}} } where { w meets t } END"
)


def test_the_reference_engine_refuses_more_ticks_than_it_can_hold_and_names_the_rule() -> None:
    year = [event("a{}", 0), event("a{}", 366 * 86_400)]
    with pytest.raises(EngineError, match=r"in rule 'busy': .* timer:datetime ticks more than 100,000 times"):
        load(SECONDS).run(year, engine="reference")


def test_the_limit_itself_is_not_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment, "TICK_LIMIT", 31)
    assert len(load(SECONDS).run([event("a{}", 0), event("a{}", 30)], engine="reference").derived) == 2
    with pytest.raises(EngineError, match="more than 31 times"):
        load(SECONDS).run([event("a{}", 0), event("a{}", 31)], engine="reference")


def test_the_local_engine_takes_the_ticks_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment, "TICK_LIMIT", 31)
    found = load(SECONDS).run([event("a{}", 0), event("a{}", 3_600)], engine="local")
    assert [str(derived.event.term) for derived in found.derived] == ["busy{0}", "busy{0}"]
