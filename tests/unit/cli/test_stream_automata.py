"""`cera stream` of an automaton, with rules in its states: what `cera run` gives, over a restart."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from unit.cli.command_line import Cera, terms

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

ROOT = Path(__file__).parents[3]
RULES = """\
auction(auctionID(A)):
  bids(auctionID(A), number(count(I))) <- bid(auctionID(A), itemID(I)).
"""


def test_an_automaton_reports_in_a_stream_what_it_does_in_a_recording(
    cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.automata.auctions import START, Market

    records = list(Market(6, broken=0.5, together=True, seed=4).records(10))
    lines = [each._replace(at=each.at - START).line for each in records]
    last = round((records[-1].at - START) / 1_000_000) + 100
    lines.append(json.dumps({"at": last, "term": {"theEnd": {}}}) + "\n")
    (folder / "auction.ihta").write_text((ROOT / "examples" / "auction-workflow" / "auction.ihta").read_text())
    (folder / "bids.slog").write_text(RULES)
    (folder / "in").mkdir()
    program = ("auction.ihta", "bids.slog")
    options = ("--source", "in", "--sink", "out", "--checkpoint", "state", "--max-delay", "60 sec", "--once")
    half = len(lines) // 2
    for number, part in enumerate((lines[:half], lines[half:])):
        mixed = part[:-3]  # some come a little late, the last ones of each file in their order
        Random(number).shuffle(nearby := mixed[-6:])
        (folder / "in" / f"{number}.jsonl").write_text("".join([*mixed[:-6], *nearby, *part[-3:]]))
        result = cera("stream", *program, *options, "--time-unit", "s", "--changes")
        assert result.exit_code == 0, result.stderr
    recorded = ("--events", "in", "--time-unit", "s", "--until", str(last - 61), "--as", "jsonl", "--changes")
    expected = cera("run", *program, *recorded, "--engine", "local")
    assert expected.exit_code == 0, expected.stderr
    found = [line for file in sorted((folder / "out").glob("*.jsonl")) for line in file.read_text().splitlines()]
    assert sorted(found) == sorted(expected.stdout.splitlines())
    labels = {label for term in terms(expected.stdout) for label in term}
    assert labels >= {"violation", "bids", "auction", "bidderEnrollment", "itemOffer", "B3", "I5"}
