"""A stream of an EPL module over files that is killed at random moments detects everything, and nothing twice."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.program import load
from cera.testing import SECOND
from properties.killing import run_with_kills

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

KILLS = 8
FILES = 60
CHANGES = 20
END = 10**6
PROGRAM = """
begin Bank
  monitor insert(ACC), update(ACC), delete(ACC);
  relation ACC(Accno, Balance);
  partition by Accno;

  PaidBack:
    [update(ACC(X), X.old_Balance - X.new_Balance > 300), update(ACC(Y), Y.new_Balance - Y.old_Balance > 300)]
      within 10 min
    in chronicle context
    as paidBack(account: X.Accno, taken: X.old_Balance - X.new_Balance, given: Y.new_Balance - Y.old_Balance).

  Falls:
    (update(ACC(X), X.Balance > 800), *: update(ACC(Y), Y.new_Balance < Y.old_Balance), update(ACC(Z), Z.Balance = 0))
    as fell(account: X.Accno, from: X.Balance).

  Unclosed:
    (insert(ACC(X)), !delete(ACC(Y))) as kept(account: X.Accno).
end.
"""


def write_changes(folder: Path, chance: random.Random) -> list[Event]:
    """Files of changes of accounts, with disorder of up to two seconds, the oldest file first."""
    balances: dict[int, int] = {}
    records = []
    for second in range(FILES * CHANGES):
        account = chance.randrange(8)
        change: dict[str, object] = {"table": "ACC", "position": second, "transaction": str(second)}
        old = {"Accno": account, "Balance": balances.get(account)}
        new = {"Accno": account, "Balance": chance.choice((0, 0, 100, 500, 900))}
        if account not in balances:
            change |= {"operation": "insert", "new": new}
        elif chance.random() < 0.1:
            change |= {"operation": "delete", "old": old}
        else:
            change |= {"operation": "update", "old": old, "new": new}
        if change["operation"] == "delete":
            del balances[account]
        else:
            balances[account] = int(str(new["Balance"]))
        records.append((second + chance.random() * 2, second, {"change": change}))
    records.append((10**9, END, {"other": {}}))
    records.sort(key=lambda record: record[0])
    for number in range(FILES):
        part = records[number * len(records) // FILES : (number + 1) * len(records) // FILES]
        file = folder / f"{number:03d}.jsonl"
        file.write_text("".join(json.dumps({"at": at, "term": term}) + "\n" for _, at, term in part))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    return [Event(term_from_json(term), point(at * SECOND)) for _, at, term in records]


def test_a_stream_of_a_module_that_is_killed_gives_what_it_gives_without(tmp_path: Path) -> None:
    chance = random.Random(5)
    (tmp_path / "in").mkdir()
    (tmp_path / "bank.epl").write_text(PROGRAM)
    events = write_changes(tmp_path / "in", chance)
    command = [sys.executable, "-m", "cera", "stream", "bank.epl", "--source", "in", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", "3 sec", "--time-unit", "s", "--files-per-batch", "1"]
    command += ["--buckets", "4", "--max-duration", "0 sec"]
    lines = run_with_kills(tmp_path, command, KILLS, chance)

    answer = load(PROGRAM).run(
        sorted(events, key=lambda event: event.end), engine="local", until=(END - 3) * SECOND - 1
    )
    found = Counter(json.loads(line)["id"] for line in lines)
    assert found == Counter(one.event.id for one in answer.derived)
    assert {one.event.label for one in answer.derived} == {"paidBack", "fell", "kept"}
    assert len(found) > 100
