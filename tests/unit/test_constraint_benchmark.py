"""What the benchmark of constraints compares finds the same: constraints, and the loop by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: The kinds of constraints that are there by hand, too, and their names there.
BY_HAND = {"existence": "sale-in-time", "once": "offered-once", "order": "no-bid-after-end"}


@pytest.mark.slow
def test_the_loop_by_hand_finds_what_constraints_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.constraints.__main__ import KINDS, by_hand, generate, verify

    path = tmp_path / "auctions.jsonl"
    generate(40_000, path, broken=0.5)
    expected, _ = by_hand(path)
    assert min(expected.values()) > 0
    for kind, name in BY_HAND.items():
        number, _, _ = verify(KINDS[kind], path, "local")
        assert number == expected[name], kind
