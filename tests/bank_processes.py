"""The processes of a bank under load, and what they lead to.

`python bank_processes.py write URL SEED FIRST PAUSE`, and `… read URL STORE STOP`.

Writers change accounts of their own, a transaction after the other. The reader follows the changes, and keeps what it
has detected, where it is, and what the program remembers in one transaction of its own: it may be killed at any time.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cera.connectors.databases.reading import poll
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.json_terms import term_to_json
from cera.program import load

PROGRAM = Path(__file__).parents[1] / "examples" / "bank" / "alerts.epl"
TABLE = "CREATE TABLE ACC (Accno INTEGER PRIMARY KEY, Owner TEXT, Type TEXT, Balance INTEGER)"
TRANSACTIONS = 150
ACCOUNTS = 3
SEEDS = (1, 2)

#: The label of a detection, the account and, if it is known, the amount.
Told = tuple[str, int, int | None]


def transactions(seed: int, first: int) -> Iterator[list[tuple[int, int]]]:
    """What a writer commits: accounts and their new balances, each account at most once in a transaction."""
    chance = random.Random(seed)
    for _ in range(TRANSACTIONS):
        accounts = chance.sample(range(first, first + ACCOUNTS), chance.randint(1, 2))
        yield [(account, chance.choice((0, 500, 3_000, 20_000, 50_000))) for account in accounts]


def expected() -> Counter[Told]:
    """What the two rules detect in what a writer for each seed commits, written down from their meaning.

    All of it happens within minutes, and each account is changed by one writer, so that times do not matter.
    """
    found: Counter[Told] = Counter()
    balances = dict.fromkeys(range(ACCOUNTS * len(SEEDS)), 0)
    filled: defaultdict[int, list[int]] = defaultdict(list)
    taken: defaultdict[int, deque[int]] = defaultdict(deque)
    for number, seed in enumerate(SEEDS):
        for account, balance in (change for each in transactions(seed, number * ACCOUNTS) for change in each):
            difference = balance - balances[account]
            balances[account] = balance
            if balance == 0:
                found.update(("emptied", account, amount) for amount in filled.pop(account, ()))
            if difference > 10_000:
                filled[account].append(difference)
            if difference > 1_000 and taken[account]:
                taken[account].popleft()
                found["paidBack", account, None] += 1
            if difference < -1_000:
                taken[account].append(difference)
    return found


def connect(url: str) -> Any:
    """A connection of which every command is a transaction, unless one is begun."""
    if url.startswith("sqlite:"):
        return sqlite3.connect(url.removeprefix("sqlite:"), isolation_level=None, timeout=60)
    import psycopg

    return psycopg.connect(url, autocommit=True)


def write(url: str, seed: int, first: int, pause: float) -> None:
    connection = connect(url)
    sqlite = url.startswith("sqlite:")
    for transaction in transactions(seed, first):
        connection.execute("BEGIN IMMEDIATE" if sqlite else "BEGIN")
        if sqlite:
            connection.execute("INSERT INTO cera_transaction DEFAULT VALUES")
        for account, balance in transaction:
            connection.execute(f"UPDATE ACC SET Balance = {balance} WHERE Accno = {account}")
        if sqlite:
            connection.execute("DELETE FROM cera_transaction")
        connection.execute("COMMIT")
        time.sleep(pause)
    connection.close()


def read(url: str, store: str, stop: Path) -> None:
    """Follows the changes; ends when `stop` is there and nothing is left to read."""
    kept = sqlite3.connect(store, isolation_level=None)
    kept.execute("CREATE TABLE IF NOT EXISTS place (position TEXT, state BLOB)")
    kept.execute("CREATE TABLE IF NOT EXISTS found (label TEXT, account INTEGER, amount INTEGER)")
    # in PostgreSQL transactions that overlap are seen in another order than that of their times
    session = load(PROGRAM).session(max_delay="0 sec" if url.startswith("sqlite:") else "30 sec", max_duration="0 sec")
    position = None
    for position, state in kept.execute("SELECT * FROM place"):  # noqa: B007  # there is one at most
        session.restore(state)
    while True:
        stopped = stop.exists()
        polled = poll(url, position, 20)
        events = [record for record in polled.records if isinstance(record, Event)]
        assert len(events) == len(polled.records), polled.records
        derived = session.push(*events)
        position = polled.position
        last = stopped and not polled.more
        if last:
            assert not session.late
            derived += session.close()
        kept.execute("BEGIN")
        kept.executemany("INSERT INTO found VALUES (?, ?, ?)", map(told, derived))
        kept.execute("DELETE FROM place")
        if not last:
            kept.execute("INSERT INTO place VALUES (?, ?)", (position, session.save()))
        kept.execute("COMMIT")
        if last:
            return
        time.sleep(0.01)


def told(derived: DerivedEvent) -> Told:
    [(label, body)] = term_to_json(derived.event.term).items()
    return label, body["account"], body.get("amount")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", url, seed, first, pause]:
            write(url, int(seed), int(first), float(pause))
        case ["read", url, store, stop]:
            read(url, store, Path(stop))
        case other:
            sys.exit(f"write or read, not {other}")
