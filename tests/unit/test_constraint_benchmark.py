"""What the benchmark of constraints compares finds the same: constraints, and the loops by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
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
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join(with_others_values(states.read_text().splitlines())))
    found: dict[str, int] = {}
    for name in BY_HAND:
        kind = BY_NAME[name]
        path = mixed if kind.states else plain
        found[name] = by_hand(kind, path)
        assert (name, verify(kind, path)[0]) == (name, found[name])
    never = ("hourly windows, 7.3", "order of states, 7.2")
    assert all(found[name] for name in found if name not in never), found


def with_others_values(lines: Iterable[str]) -> Iterator[str]:
    """Yields records of which some events have the auction or the item of another event, or a lower price."""
    chance = random.Random(1)
    seen: list[tuple[int, int]] = []
    for line in lines:
        record = json.loads(line)
        [given] = record["term"].values()
        if "state" not in record and "itemID" in given:
            if seen and chance.random() < 0.1:
                auction, item = chance.choice(seen[-60:])
                given["auctionID"] = auction
                if chance.random() < 0.5:
                    given["itemID"] = item
                if "value" in given:
                    given["value"] -= chance.randint(0, 30)
            seen.append((given["auctionID"], given["itemID"]))
        yield json.dumps(record) + "\n"


def test_every_constraint_of_the_example_has_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.constraints.kinds import KINDS

    folder = ROOT / "examples" / "auction"
    named = {name for kind in KINDS for each in kind.constraints for name in each.split(" or ")}
    for path in folder.glob("*.escl"):
        lines = path.read_text().splitlines()
        words = [line.split("CONSTRAINT ")[1].split(":")[0] for line in lines if "CONSTRAINT " in line]
        assert set(words) <= named, path.name
