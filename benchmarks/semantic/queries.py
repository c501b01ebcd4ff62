"""The queries of the experiment, in the style of Examples 25 to 31 and of Listings 5.1 to 5.3 and 12.1 of seed 002.

The paper's are about an auction or a day; here windows of auctions have six hours, so that a recording ends one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: The label of an event, and the attributes that it has in common with the answer that it decides.
Deciding = tuple[str, tuple[str, ...]]

_END: Deciding = ("auctionEnd", ("auctionID",))
_SALE: Deciding = ("sell", ("auctionID", "itemID"))


@dataclass(frozen=True)
class Query:
    """A rule with the place that it resembles, and the events that decide its answers: the first of them does."""

    name: str
    like: str
    text: str
    decided_by: Sequence[Deciding] = ()


AUCTIONS = (
    Query(
        "offered",
        "Examples 29 to 31",
        "Range 6h: offered(auctionID(A), number(count(I))) <- itemDescription(auctionID(A), itemID(I)).",
        (_END,),
    ),
    Query(
        "bidNumber",
        "Listing 5.1",
        "Range 6h: bidNumber(auctionID(A), itemID(I), number(count(V))) <- bid(auctionID(A), itemID(I), value(V)).",
        (_SALE, _END),
    ),
    Query(
        "unsold",
        "Listing 5.2",
        "Range 6h: unsold(auctionID(A), itemID(I)) <- "
        "itemDescription(auctionID(A), itemID(I)) and not sell(auctionID(A), itemID(I)).",
        (_END,),
    ),
    Query(
        "highest",
        "Listing 5.3",
        "Range 6h: highest(auctionID(A), itemID(I), value(max(V))) <- bid(auctionID(A), itemID(I), value(V)).",
        (_SALE, _END),
    ),
    Query(
        "enrolled",
        "Example 30",
        "Range 6h: enrolled(auctionID(A), number(count(E))) <- enrollment(auctionID(A), enrollID(E)).",
        (("itemDescription", ("auctionID",)), _END),
    ),
    Query(
        "takings",
        "Example 30",
        "Range 6h: takings(auctionID(A), value(sum(V))) <- sell(auctionID(A), itemID(I), value(V)).",
        (_END,),
    ),
    Query(
        "price",
        "Example 29",
        "Range 6h: price(auctionID(A), itemID(I), value(last(V))) <- sell(auctionID(A), itemID(I), value(V)).",
        (_SALE,),
    ),
    Query(
        "profitable",
        "Listing 12.1",
        "Range 6h: profitable(auctionID(A), itemID(I)) <- itemDescription(auctionID(A), itemID(I), value(V)) and "
        "sell(auctionID(A), itemID(I), value(W)) and W > 2 * V.",
    ),
    Query(
        "from7",
        "Examples 25, 26",
        "Range 6h: from7(auctionID(A), itemID(I)) <- itemDescription(auctionID(A), itemID(I)) and "
        "bid(auctionID(A), itemID(I), bidderID(7)).",
    ),
    Query(
        "lowered",
        "Example 26",
        "Range 6h: lowered(auctionID(A), itemID(I)) <- i: bid(auctionID(A), itemID(I), value(V)) and "
        "j: bid(auctionID(A), itemID(I), value(W)) and i before j and W <= V.",
    ),
    Query(
        "afterSale",
        "Example 26",
        "Range 6h: afterSale(auctionID(A), itemID(I)) <- i: sell(auctionID(A), itemID(I)) and "
        "j: bid(auctionID(A), itemID(I)) and i before j.",
    ),
    Query(
        "quiet",
        "Example 28",
        "unbounded: quiet(auctionID(A)) <- j: auctionEnd(auctionID(A)) and w: from-end[j, 1h] and "
        "while w: not bid(auctionID(A)).",
    ),
    Query(
        "paid",
        "Example 28",
        "unbounded: paid(auctionID(A), itemID(I)) <- bid(auctionID(A), itemID(I), bidderID(3), value(V)) and V > 0.",
    ),
)

#: Queries of which constraints make a smaller plan: an event is always there, or a bound on one follows from another.
JOINS = (
    Query(
        "withBids",
        "Example 26",
        "unbounded: withBids(auctionID(A), itemID(I), value(W)) <- i: itemDescription(auctionID(A), itemID(I)) and "
        "j: bid(auctionID(A), itemID(I)) and k: sell(auctionID(A), itemID(I), value(W)) and i before j and j before k.",
        (_SALE,),
    ),
    Query(
        "bargain",
        "Example 28",
        "unbounded: bargain(auctionID(A), itemID(I), value(W)) <- "
        "i: itemDescription(auctionID(A), itemID(I), value(V)) and "
        "k: sell(auctionID(A), itemID(I), value(W)) and W < 100.",
        (_SALE,),
    ),
    Query(
        "underdog",
        "Example 28",
        "unbounded: underdog(auctionID(A), itemID(I), bidderID(B), value(V)) <- "
        "j: bid(auctionID(A), itemID(I), bidderID(B), value(V)) and k: sell(auctionID(A), itemID(I), value(W)) and "
        "W < 100.",
        (_SALE,),
    ),
)

METRO = (
    Query(
        "readings",
        "Listing 5.1",
        "Range 24h: readings(area(A), sensor(S), number(count(V))) <- temp(area(A), sensor(S), value(V)).",
        (("shutdown", ("area", "sensor")),),
    ),
    Query(
        "averageTemp",
        "Listing 5.3, Example 27",
        "Range 1h Slide 30min: averageTemp(area(A), value(avg(V))) <- temp(area(A), value(V)).",
    ),
    Query(
        "hottest",
        "Listing 8.2",
        "Range 24h: hottest(area(A), value(max(V))) <- temp(area(A), value(V)) and V > 30.",
        (("closed", ("area",)),),
    ),
    Query(
        "cold",
        "Example 26",
        "Range 24h: cold(area(A)) <- i: temp(area(A), sensor(S), value(V)) and "
        "j: smoke(area(A), sensor(S)) and V < 0 - 40.",
    ),
    Query(
        "spreads",
        "Example 3 of section 2.1",
        "Range 24h: spreads(area(A)) <- i: smoke(area(A), sensor(S)) and j: smoke(area(A), sensor(T)) and "
        "i before j and S != T.",
    ),
    Query(
        "unnoticed",
        "Example 1 of section 2.1",
        "Range 24h: unnoticed(area(A), sensor(S)) <- smoke(area(A), sensor(S)) and not alarm(area(A)).",
        (("closed", ("area",)),),
    ),
)
