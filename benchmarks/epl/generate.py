"""Changes of a table of accounts as JSON lines: `python -m benchmarks.epl.generate CHANGES FILE`.

10,000 accounts; a transaction every 50 to 150 milliseconds changes one, two or three of them, at one time. 98% of the
changes are updates, which put in or take out 1 to 1,000, all amounts as likely as each other; the others close an
account or open it anew. Positions count the changes. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

ACCOUNTS = 10_000
START = 1_700_000_000_000
_CLOSED = -1


def lines(changes: int, seed: int = 5, accounts: int = ACCOUNTS) -> Iterator[str]:
    """So many changes, one a line, as `cera run` reads them."""
    random_ = random.Random(seed)
    uniform = random_.random
    balances = [int(uniform() * 100_000) for _ in range(accounts)]
    time, position, transaction = START, 0, 0
    while position < changes:
        time += 50 + int(uniform() * 100)
        transaction += 1
        for account in random_.sample(range(accounts), 1 + int(uniform() * 3)):
            position += 1
            if position > changes:
                return
            before = balances[account]
            if before == _CLOSED:
                operation, after = "insert", int(uniform() * 100_000)
            elif uniform() < 0.01:
                operation, after = "delete", _CLOSED
            else:
                amount = 1 + int(uniform() * 1000)
                operation, after = "update", before + (amount if uniform() < 0.5 or before < amount else -amount)
            balances[account] = after
            rows = [_row("old", account, before)] if before != _CLOSED else []
            rows += [_row("new", account, after)] if after != _CLOSED else []
            yield (
                f'{{"at": {time / 1000!r}, "term": {{"change": {{"operation": "{operation}", "table": "ACC", '
                f'"transaction": "{transaction}", "position": {position}, {", ".join(rows)}}}}}}}\n'
            )


def _row(name: str, account: int, balance: int) -> str:
    return f'"{name}": {{"Accno": {account}, "Owner": "o{account % 7000}", "Balance": {balance}}}'


def generate(changes: int, path: Path, seed: int = 5) -> None:
    with path.open("w") as file:
        file.writelines(lines(changes, seed))


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]))
