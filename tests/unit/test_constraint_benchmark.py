"""What the benchmark of constraints compares finds the same: constraints, and the loops by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_loops_by_hand_find_what_constraints_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.constraints.handwritten import BY_HAND
    from benchmarks.constraints.kinds import BY_NAME
    from benchmarks.constraints.recording import write
    from benchmarks.constraints.workloads import by_hand, verify

    plain, states = write(tmp_path, 4_000, 100, broken=0.5)
    found: dict[str, int] = {}
    for name in BY_HAND:
        kind = BY_NAME[name]
        path = states if kind.states else plain
        found[name] = by_hand(kind, path)
        assert (name, verify(kind, path)[0]) == (name, found[name])
    assert all(found[name] for name in found if name != "hourly windows, 7.3"), found


def test_every_constraint_of_the_example_has_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.constraints.kinds import KINDS

    folder = ROOT / "examples" / "auction-workflow"
    named = {name for kind in KINDS for each in kind.constraints for name in each.split(" or ")}
    for path in folder.glob("*.escl"):
        lines = path.read_text().splitlines()
        words = [line.split("CONSTRAINT ")[1].split(":")[0] for line in lines if "CONSTRAINT " in line]
        assert set(words) <= named, path.name
