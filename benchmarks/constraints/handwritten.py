"""Three of the constraints on auctions by hand, as one would write them in Python for these alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LONG_AGO = 30 * 1_000_000


def violations(records: Iterable[tuple[int, str, dict[str, Any]]]) -> dict[str, int]:
    """Counts what violates `offered-once`, `sale-in-time` and `no-bid-after-end` of the benchmark."""
    found = {"offered-once": 0, "sale-in-time": 0, "no-bid-after-end": 0}
    offered: dict[tuple[int, int], int] = {}
    beats: dict[tuple[int, int], int] = {}
    ended: set[int] = set()
    for at, label, given in records:
        item = (given["auctionID"], given.get("itemID", 0))
        match label:
            case "itemDescription":
                offered[item] = offered.get(item, 0) + 1
                found["offered-once"] += offered[item] == 2
            case "hammerBeat":
                beats[item] = at
            case "sell":
                found["sale-in-time"] += at - beats.get(item, -LONG_AGO) > 999_999
            case "auctionEnd":
                ended.add(given["auctionID"])
            case "bid":
                found["no-bid-after-end"] += given["auctionID"] in ended
    return found
