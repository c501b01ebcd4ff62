"""What a stream has derived since it began: each micro-batch once, with the first lines of each rule."""

from __future__ import annotations

import json
from pathlib import Path

from cera.engines.spark.streaming.stream_totals import StreamTotals, Totals


def test_a_batch_that_comes_again_after_a_restart_is_counted_once(tmp_path: Path) -> None:
    file = tmp_path / "labels.json"
    totals = StreamTotals(file)
    totals.take(0, Totals.of(["violation", "state"], [("shop.paid", "one")]))
    totals.take(1, Totals.of(["violation"] * 2, [("shop.paid", "two"), ("shop.once", "three")]))
    again = StreamTotals(file)
    again.take(1, Totals.of(["violation"] * 2, [("shop.paid", "two"), ("shop.once", "three")]))
    assert again.sums == totals.sums
    assert again.sums.labels == {"violation": 3, "state": 1}
    assert again.sums.rules["shop.paid"].first == ("one", "two")
    assert again.now.labels == {"violation": 2}


def test_the_first_lines_of_a_rule_are_kept(tmp_path: Path) -> None:
    totals = StreamTotals(tmp_path / "labels.json")
    for batch in range(3):
        totals.take(batch, Totals.of(["violation"] * 2, [("shop.paid", f"{batch} a"), ("shop.paid", f"{batch} b")]))
    [paid] = totals.sums.rules.values()
    assert (paid.number, paid.first) == (6, ("0 a", "0 b", "1 a"))


def test_sums_by_label_alone_are_read(tmp_path: Path) -> None:
    file = tmp_path / "labels.json"
    file.write_text(json.dumps({"batch": 4, "before": {"violation": 3}, "last": {"overdue": 1}}))
    assert StreamTotals(file).sums.labels == {"violation": 3, "overdue": 1}
