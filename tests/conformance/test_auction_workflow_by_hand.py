"""The expected lines of `examples/auction-workflow`, found in another way: by the state machine that is written by hand
for the benchmarks, and by counting. Neither shares code with automata or rules; ids are those of events as such."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conformance.automata import happens

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "auction-workflow"
RECORDS = [json.loads(line) for line in (EXAMPLE / "events.jsonl").read_text().splitlines()]
LINES = [json.loads(line) for line in (EXAMPLE / "expected.jsonl").read_text().splitlines()]


def parts(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    [(label, body)] = record["term"].items()
    return label, body


def found_by_hand(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.automata.handwritten import Machine, steps

    found: list[Any] = []
    machine = Machine(found.append)
    for step in steps((EXAMPLE / "events.jsonl").read_text().splitlines()):
        machine.take(step)
    machine.close()
    return found


def test_the_states_are_those_of_the_machine_that_is_written_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    by_hand = [
        (one.label, one.auction, one.part, one.begin / 1e6, None if one.end is None else one.end / 1e6)
        for one in found_by_hand(monkeypatch)
        if one.label not in ("violation", "overdue")
    ]
    expected = []
    for line in LINES:
        if line.get("state"):
            label, body = parts(line)
            part = body.get("enrollID") or body.get("itemID") or 0
            expected.append((label, body["auctionID"], part, line["begin"], line["end"]))
    assert Counter(expected) == Counter(by_hand)
    assert len(expected) == 46


def test_each_state_ends_with_an_event_of_its_auction_or_thirty_seconds_after_it() -> None:
    events = {}
    for record in RECORDS:
        label, body = parts(record)
        events[happens(label, record["at"], **body).id] = (record["at"], body["auctionID"])
    for line in LINES:
        if line.get("state"):
            causes = line["causes"]
            at, auction = events[causes.get("event") or causes["last"]]
            assert auction == parts(line)[1]["auctionID"]
            assert line["end"] == (at if "event" in causes else at + 30)
            violated = [each["id"] for each in LINES if parts(each)[0] == "violation"]
            assert causes.get("violation") in ([None] if (auction, line["end"]) != (3, 1425) else violated)


def test_the_violation_is_a_hammer_beat_before_thirty_seconds_were_over(monkeypatch: pytest.MonkeyPatch) -> None:
    [by_hand] = [one for one in found_by_hand(monkeypatch) if one.label == "violation"]
    [line] = [line for line in LINES if parts(line)[0] == "violation"]
    assert (by_hand.auction, by_hand.begin / 1e6) == (3, line["end"])
    [last_bid] = [
        each["at"]
        for each in RECORDS
        if parts(each)[0] == "bid" and each["at"] < 1425 and parts(each)[1]["auctionID"] == 3
    ]
    about = parts(line)[1]
    item = "auctionID(3), itemID(clock)"
    assert (
        about["expected"] == f"bid({item}) until {last_bid + 30 - 1e-6}; or hammerBeat({item}) from {last_bid + 30} on"
    )
    assert about["nearest"] == f"the same event from {last_bid + 30} on (I1 -> I2)"
    assert about["event"] == {"hammerBeat": {"auctionID": 3, "itemID": "clock"}}
    assert (about["state"], about["instance"]) == ("I1", {"auctionID": 3})
    assert about["part"] == {"itemOffer": {"auctionID": 3, "itemID": "clock"}}


def test_the_answers_of_the_queries_are_what_counting_gives() -> None:
    auctions = {
        body["auctionID"]: (line["begin"], line["end"])
        for line in LINES
        for label, body in [parts(line)]
        if label == "auction"
    }
    bids: Counter[tuple[int, str]] = Counter()
    offered: dict[tuple[int, str], int] = {}
    sold: dict[tuple[int, str], int] = {}
    for record in RECORDS:
        label, body = parts(record)
        begin, end = auctions[body["auctionID"]]
        if begin < record["at"] <= end and "itemID" in body:
            item = body["auctionID"], body["itemID"]
            bids[item] += label == "bid"
            if label == "itemDescription":
                offered[item] = body["value"]
            if label == "sell":
                sold[item] = body["value"]
    numbers = {("bidNumber", *item, count, *auctions[item[0]]) for item, count in bids.items() if count}
    unwanted = {
        ("uninterestingItems", *item, None, *auctions[item[0]])
        for item, value in offered.items()
        if item not in sold or (bids[item] <= 3 and sold[item] < value + value / 100)
    }
    answers = set()
    for line in LINES:
        label, body = parts(line)
        if not line.get("state") and label != "violation":
            answers.add((label, body["auctionID"], body["itemID"], body.get("number"), line["begin"], line["end"]))
    assert answers == numbers | unwanted
