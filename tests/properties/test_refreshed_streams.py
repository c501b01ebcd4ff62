"""A stream whose relation changes all the time and that is killed at random moments: its answers fit together.

The price of everything rises. At whatever times versions are taken: each answer is there once, prices rise with the
ends of answers, and answers that end at the same time, by rules in different operators and layers, have the same price.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from properties.killing import run_with_kills

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

KILLS = 5
FILES = 40
ORDERS = 5
DELAY, WAIT = 3, 4
PROGRAM = """
RELATION price{ item, euros: number } REFRESH 1 sec

DETECT bill{ item{var I}, number{var N}, euros{var E} }
ON and { event o: order{{ item{var I}, number{var N} }}, relation price{{ item{var I}, euros{var E} }} }
END

# in another layer, and in one piece
DETECT note{ number{var N}, euros{var E} }
ON and { event b: bill{{ desc number{var N} }}, relation price{{ item{"tea"}, euros{var E} }} }
END

DETECT reminder{ item{var I}, number{var N}, euros{var E} }
ON and { event o: order{{ item{var I}, number{var N} }}, event t: extend[event o, 4 sec],
         relation price{{ item{var I}, euros{var E} }} }
END
"""


def write_orders(folder: Path, chance: random.Random) -> int:
    """Files of orders, an order a second, with disorder of up to two seconds; returns how many."""
    count = FILES * ORDERS
    records = [
        (n + chance.random() * 2, n, {"order": {"item": chance.choice(("tea", "cup")), "number": n}})
        for n in range(100, 100 + count)
    ]
    records.append((10**9, 10**6, {"other": {}}))  # type: ignore[dict-item]
    records.sort(key=lambda record: record[0])
    for number in range(FILES):
        part = records[number * len(records) // FILES : (number + 1) * len(records) // FILES]
        file = folder / f"{number:03d}.jsonl"
        file.write_text("".join(json.dumps({"at": at, "term": term}) + "\n" for _, at, term in part))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    return count


class Rise:
    """A thread that raises all prices by one again and again, in one transaction."""

    def __init__(self, raise_prices: Callable[[], object]) -> None:
        self._raise = raise_prices
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(0.5):
            self._raise()


def assert_a_killed_stream_is_right(folder: Path, source: str, raise_prices: Callable[[], object]) -> None:
    chance = random.Random(7)
    (folder / "in").mkdir()
    (folder / "shop.xceq").write_text(PROGRAM)
    count = write_orders(folder / "in", chance)
    command = [sys.executable, "-m", "cera", "stream", "shop.xceq", "--source", "in", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", f"{DELAY} sec", "--time-unit", "s", "--files-per-batch", "1"]
    command += ["--buckets", "3", "--max-duration", "0 sec", "--relation", f"price={source}"]
    with Rise(raise_prices):
        lines = run_with_kills(folder, command, KILLS, chance)
    prices = defaultdict(set)
    numbers = defaultdict(list)
    for record in map(json.loads, lines):
        [(label, body)] = record["term"].items()
        prices[record["end"]].add(body["euros"])
        numbers[label].append(body["number"])
    for label in ("bill", "note", "reminder"):
        assert sorted(numbers[label]) == list(range(100, 100 + count)), label
    assert all(len(those) == 1 for those in prices.values())
    rising = [min(prices[end]) for end in sorted(prices)]
    assert rising == sorted(rising)
    assert len(set(rising)) > KILLS // 2, "versions were taken while the stream ran"
    assert len(list((folder / "state" / "relations" / "rows" / "price").iterdir())) < len(set(rising)) + KILLS


def test_with_sqlite(tmp_path: Path) -> None:
    table = sqlite3.connect(tmp_path / "shop.db", isolation_level=None, check_same_thread=False)
    table.execute("CREATE TABLE price (item TEXT, euros INTEGER)")
    table.execute("INSERT INTO price VALUES ('tea', 1), ('cup', 1)")
    rise = "UPDATE price SET euros = euros + 1"
    assert_a_killed_stream_is_right(tmp_path, "sqlite:shop.db", lambda: table.execute(rise))


def test_with_postgresql(tmp_path: Path, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as table:
        table.execute("CREATE TABLE price (item text, euros int)")
        table.execute("INSERT INTO price VALUES ('tea', 1), ('cup', 1)")
        rise = "UPDATE price SET euros = euros + 1"
        assert_a_killed_stream_is_right(tmp_path, postgres, lambda: table.execute(rise))
