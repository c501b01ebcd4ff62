"""What 10,000 customers do, as JSON lines: `python -m benchmarks.instances.generate EVENTS FILE`.

An event every 50 to 150 milliseconds, no two at one time: an order, a payment or a delivery, each as likely as the
others and for any customer. `number` counts the events. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

CUSTOMERS = 10_000
LABELS = ("order", "payment", "delivery")
START = 1_700_000_000_000


def lines(events: int, seed: int = 7, customers: int = CUSTOMERS) -> Iterator[str]:
    """So many events, one a line, as `cera run` reads them."""
    uniform = random.Random(seed).random
    time = START
    for number in range(1, events + 1):
        time += 50 + int(uniform() * 100)
        label, customer = LABELS[int(uniform() * 3)], int(uniform() * customers)
        yield f'{{"at": {time / 1000!r}, "term": {{"{label}": {{"customer": {customer}, "number": {number}}}}}}}\n'


def generate(events: int, path: Path, seed: int = 7) -> None:
    with path.open("w") as file:
        file.writelines(lines(events, seed))


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]))
