"""In which order the causes of an event are told: the same on every engine, so that their lines are equal."""

from __future__ import annotations

from typing import Any

import pytest

from cera.program import load
from cera.testing import event


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_the_causes_of_branches_are_told_in_one_order_for_the_whole_rule(engine: Any) -> None:
    """i and j are those of the first branch, then come those that only the second one has; timers after events."""
    program = """
    DETECT r{} ON and {
      event w: from-end[i, 1 sec],
      or { and { event i: a{{}}, event j: b{{}} }, and { event k: c{{}}, event j: d{{}}, event i: a{{}} } }
    } END
    """
    stream = [event(f"{label}{{}}", at) for at, label in enumerate("abcd")]
    told = {tuple(one.derivations[0].causes) for one in load(program).run(stream, engine=engine).derived}
    assert told == {("i", "j", "w"), ("i", "j", "w", "k")}
