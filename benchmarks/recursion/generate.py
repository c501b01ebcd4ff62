"""Links between hosts as flat records with ISO times: `python -m benchmarks.recursion.generate LINKS FILE`.

10 sites have 8 tiers of 10 hosts each. A link leads from a host to one of the next tier at its site, and of every host
about 1.65 links are seen in an hour. So a new link joins the paths that lead to it and those that go on from it, on
both sides for several tiers: about 50 paths come of it, and never 1,000. No two links are seen at one time, and they
are in the order of time. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

SITES, TIERS, HOSTS = 10, 8, 10
LINKS_PER_HOUR = 1.65
START = 1_780_300_800_000
_STEP = round(3_600_000 / (SITES * (TIERS - 1) * HOSTS * LINKS_PER_HOUR))


def lines(links: int, seed: int = 3) -> Iterator[str]:
    """Yields so many links, one a line."""
    chance = random.Random(seed)
    time = START
    for _ in range(links):
        time += chance.randint(1, 2 * _STEP)
        site, tier = chance.randrange(SITES), chance.randrange(TIERS - 1)
        source, target = (f"h{tier + further}-{chance.randrange(HOSTS)}" for further in (0, 1))
        ends = f'"from": "{source}", "to": "{target}"'
        yield f'{{"type": "link", "ts": "{_iso_8601(time)}", "site": "s{site}", {ends}}}\n'


def generate(links: int, path: Path, seed: int = 3) -> None:
    with path.open("w") as file:
        file.writelines(lines(links, seed))


def _iso_8601(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]))
