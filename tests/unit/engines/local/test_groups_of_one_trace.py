"""Two groups of one event trace that make the same event: one derivation, with what the first group collected."""

from __future__ import annotations

import pytest

from cera.program import load
from cera.testing import event


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_the_first_group_tells_what_was_collected(engine: str) -> None:
    program = """
    DETECT q{least(var V, 1)}
    ON and { event i: i{{}}, event w: extend[i, 20 sec], while w: collect b{var V} } END
    """
    stream = [event("i{}", 0), event("b{2}", 1), event("b{1}", 5)]
    [derived] = load(program).run(stream, engine=engine).derived  # type: ignore[arg-type]
    [derivation] = derived.derivations
    assert [str(one.term) for one in derivation.collected] == ["b{2}"]
