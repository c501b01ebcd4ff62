"""Auctions whose hammer beats and sales carry the last bid, and which constraint finds what breaks a rule of them.

The records are those of `benchmarks.automata.auctions`, which knows nothing of automata or constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.automata.auctions import START, Kind, Record

#: From when on a recording of auctions is taken as complete: long before the first one.
SINCE = START - 365 * 86_400 * 1_000_000

#: The constraints of `examples/auction/workflow.escl` of which one at least finds a record that breaks a rule.
FINDERS: dict[Kind, frozenset[str]] = {
    Kind.LATE_BID: frozenset({"bid-in-time"}),
    Kind.BID_IN_SALE: frozenset({"i4-no-bid"}),
    Kind.BID_AFTER_SALE: frozenset({"i5-no-bid"}),
    Kind.EARLY_BEAT: frozenset({"beat-in-time"}),
    Kind.BEAT_BEFORE_BID: frozenset({"i0-no-beat", "i5-no-beat"}),
    Kind.FOURTH_BEAT: frozenset({"i4-no-beat"}),
    Kind.EARLY_SALE: frozenset({"i0-no-sale", "i1-no-sale", "i2-no-sale", "i3-no-sale"}),
    Kind.LATE_SALE: frozenset({"sale-in-time"}),
    Kind.TOO_FEW_BIDDERS: frozenset({"two-bidders"}),
    Kind.ITEM_DURING_OFFER: frozenset({"i0-no-item", "i1-no-item", "i2-no-item", "i3-no-item", "i4-no-item"}),
    Kind.END_BEFORE_ITEMS: frozenset({"some-item"}),
    Kind.END_DURING_OFFER: frozenset({"i0-no-end", "i1-no-end", "i2-no-end", "i3-no-end", "i4-no-end"}),
    Kind.LATE_ENROLLMENT: frozenset({"enrolled-before"}),
    Kind.ENROLLED_TWICE: frozenset({"enrolled-once"}),
    Kind.OFFERED_TWICE: frozenset({"offered-once"}),
    Kind.DATA_TWICE: frozenset({"data-once"}),
    Kind.DATA_AGAIN: frozenset({"data-again"}),
    Kind.UNAUTHENTICATED: frozenset({"result-of-check"}),
    Kind.AFTER_THE_END: frozenset({"ended-once", "no-bid-after-end", "no-enrollment-after-end"}),
    Kind.BEFORE_THE_BEGIN: frozenset({"end-of-auction", "bid-for-offer"}),
    Kind.OTHER_DATA: frozenset({"check-of-data"}),
    Kind.OTHER_ITEM: frozenset({"bid-for-offer"}),
    Kind.STARTED_AGAIN: frozenset({"started-once"}),
}


def with_prices(records: Iterable[Record]) -> Iterator[Record]:
    """Yields records in which hammer beats and sales have the bidder and the price of the last bid."""
    last: dict[int, dict[int, dict[str, int]]] = {}
    for record in records:
        given = record.attributes
        item = given.get("itemID", 0)
        if record.label == "bid":
            bid = {"bidderID": given.get("bidderID", 0), "value": given.get("value", 0)}
            last.setdefault(record.auction, {})[item] = bid
        elif record.label in ("hammerBeat", "sell"):
            known = last.get(record.auction, {}).get(item, {"bidderID": 0, "value": 0})
            record = record._replace(attributes={**given, **known})
        elif record.label == "auctionEnd":
            last.pop(record.auction, None)
        yield record
