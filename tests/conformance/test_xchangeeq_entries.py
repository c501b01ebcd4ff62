"""X-04 to X-15, X-30 to X-34, X-37: what the programs of seed 001 answer. Times are seconds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from cera.errors import RecursionLimitError
from cera.model.events.event import Event, Recipient
from cera.pipeline import load
from cera.testing import assert_same_events, event
from conformance.asking import ask, derive

BUY = 'buy[orderId{4711}, tradeId{4242}, customer{"John"}, stock{"IBM"}, price{2.71}, volume{4000}]'

BIGBUY = """
DETECT bigbuy { tradeId { var I }, customer { var C }, stock { var S } }
ON buy {{ tradeId { var I }, customer { var C }, stock { var S }, price { var P }, volume { var V } }}
   where { var P * var V >= 10000 }
END
"""


def test_X_04_a_big_purchase_is_detected_at_the_time_of_the_purchase() -> None:
    expected = event('bigbuy{tradeId{4242}, customer{"John"}, stock{"IBM"}}', 7)
    assert_same_events(ask(BIGBUY, event(BUY, 7)), [expected])


def test_X_02_a_purchase_below_the_total_is_not() -> None:
    assert ask(BIGBUY, event(BUY.replace("2.71", "2.49"), 7)) == []


def test_X_05_a_reactive_rule_sends_the_whole_matched_term_and_derives_nothing() -> None:
    program = (
        BIGBUY
        + """
    RAISE to(recipient="http://auditor.com", transport="http://www.w3.org/HTTP/") { var B } ON var B -> bigbuy {{ }} END
    DETECT heard{} ON event x: audited{{}} END
    """
    )
    derived = derive(program, event(BUY, 7))
    [sent] = [d for d in derived if d.recipient]
    assert sent.recipient == Recipient("http://auditor.com", "http://www.w3.org/HTTP/")
    assert sent.event.term == event('bigbuy{tradeId{4242}, customer{"John"}, stock{"IBM"}}', 7).term
    assert sent.event.interval == event("x{}", 7).interval
    assert len(derived) == 2


def test_X_05_what_a_reactive_rule_sends_is_not_queried() -> None:
    program = """
    RAISE to(recipient="r") { b{} } ON a{{}} END
    DETECT c{} ON b{{}} END
    """
    assert ask(program, event("a{}", 1)) == []


FULFILLED = """
DETECT buyorderfulfilled { orderId { var O }, tradeId { var I }, stock { var S } }
ON and { order {{ orderId { var O }, buy {{ stock { var S } }} }},
         buy {{ orderId { var O }, tradeId { var I } }} }
END
"""
ORDER = 'order[orderId{4711}, customer{"John"}, buy[stock{"IBM"}, limit{3.14}, volume{4000}]]'


def test_X_07_a_conjunction_has_an_answer_for_each_pair_that_agrees() -> None:
    other = event(BUY.replace("orderId{4711}", "orderId{1}"), 6)
    expected = event('buyorderfulfilled{orderId{4711}, tradeId{4242}, stock{"IBM"}}', 0, 5)
    assert_same_events(ask(FULFILLED, event(ORDER, 0), event(BUY, 5), other), [expected])


def test_X_07_as_printed_the_total_pattern_does_not_match_the_order_of_figure_1() -> None:
    printed = FULFILLED.replace("order {{ orderId", "order { orderId").replace("}} }},", "}} },")
    assert ask(printed, event(ORDER, 0), event(BUY, 5)) == []


EXTENDED = "DETECT late{} ON and { event o: order{{}}, event t: extend[o, 1 min] } END"


@pytest.mark.parametrize(("now", "known"), [(69.999999, False), (70, True)])
def test_X_08_a_timer_event_is_waited_for(now: float, known: bool) -> None:
    expected = [event("late{}", 10, 70)] if known else []
    assert_same_events(ask(EXTENDED, event(ORDER, 10), until=now), expected)


@pytest.mark.parametrize(
    ("timer", "duration", "begin", "end"),
    [
        ("extend", 5, 10, 25),
        ("extends", 5, 10, 25),
        ("extend-end", 5, 10, 25),
        ("shorten", 5, 10, 15),
        ("shorten-end", 5, 10, 15),
        ("extend-begin", 5, 5, 20),
        ("shorten-begin", 5, 15, 20),
        ("shift-forward", 5, 15, 25),
        ("shift-backward", 5, 5, 15),
        ("from-end", 5, 20, 25),
        ("from-end-backward", 5, 15, 20),
        ("from-start", 5, 10, 15),
        ("from-begin", 5, 10, 15),
        ("from-start-backward", 5, 5, 10),
        ("from-begin-backward", 5, 5, 10),
        ("shorten", 10, 10, 10),
        ("shorten-begin", 10, 20, 20),
    ],
)
@pytest.mark.parametrize("prefix", ["", "timer:"])
def test_X_09_relative_timers_stand_where_the_papers_put_them(
    prefix: str, timer: str, duration: int, begin: float, end: float
) -> None:
    program = f"""
    DETECT t{{from{{seconds(begin(t))}}, to{{seconds(end(t))}}}}
    ON and {{ event j: x{{{{}}}}, event t: {prefix}{timer}[j, {duration} sec] }} END
    """
    [answer] = ask(program, event("x{}", 10, 20))
    assert answer.term == event(f"t{{from{{{begin}}}, to{{{end}}}}}", 0).term


@pytest.mark.parametrize("timer", ["shorten", "shorten-begin"])
def test_X_09_a_timer_that_would_begin_after_its_end_does_not_happen(timer: str) -> None:
    program = f"DETECT t{{}} ON and {{ event j: x{{{{}}}}, event t: {timer}[j, 11 sec] }} END"
    assert ask(program, event("x{}", 10, 20)) == []


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("i before j", [(0, 4, 5, 6)]),
        ("{i, j} within 6 sec", [(0, 4, 5, 6), (0, 4, 4, 6)]),
        ("{i, j} within 5 sec", []),
    ],
)
def test_X_19_before_is_strict_and_within_is_the_length_of_the_hull(
    where: str, found: list[tuple[int, int, int, int]]
) -> None:
    program = f"""
    DETECT h{{seconds(begin(i)), seconds(end(i)), seconds(begin(j)), seconds(end(j))}}
    ON and {{ event i: a{{{{}}}}, event j: b{{{{}}}} }} where {{ {where} }} END
    """
    answers = ask(program, event("a{}", 0, 4), event("b{}", 5, 6), event("b{}", 4, 6))
    assert {answer.term for answer in answers} == {event(f"h{{{', '.join(map(str, four))}}}", 0).term for four in found}


@pytest.mark.parametrize(("timer", "begin", "end"), [("from-end", 20, 25), ("from-start-backward", 5, 10)])
def test_X_19_timers_begin_or_end_where_their_event_ends_or_begins(timer: str, begin: int, end: int) -> None:
    program = f"""
    DETECT t{{seconds(begin(t)), seconds(end(t))}} ON and {{ event j: x{{{{}}}}, event t: {timer}[j, 5 sec] }} END
    """
    [answer] = ask(program, event("x{}", 10, 20))
    assert answer.term == event(f"t{{{begin}, {end}}}", 0).term


RESELL = """
DETECT earlyResellWithLoss { customer { var C }, stock { var S } }
ON and {
  event b: buy {{ customer { var C }, stock { var S }, price { var P1 } }},
  event s: sell {{ customer { var C }, stock { var S }, price { var P2 } }}
} where { b before s, timeDiff(b,s)<1hour, var P1>var P2 }
END
"""


def trade(kind: str, customer: str, price: float, at: float) -> Event:
    return event(f'{kind}{{customer{{"{customer}"}}, stock{{"IBM"}}, price{{{price}}}}}', at)


@pytest.mark.parametrize(
    ("sale", "found"),
    [
        (trade("sell", "C1", 9, 3000), True),
        (trade("sell", "C1", 9, 3600), False),
        (trade("sell", "C1", 10, 3000), False),
        (trade("sell", "C2", 9, 3000), False),
        (trade("sell", "C1", 9, -1), False),
    ],
)
def test_X_10_sold_again_at_a_loss_in_less_than_an_hour(sale: Event, found: bool) -> None:
    expected = [event('earlyResellWithLoss{customer{"C1"}, stock{"IBM"}}', 0, 3000)] if found else []
    assert_same_events(ask(RESELL, trade("buy", "C1", 10, 0), sale), expected)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ('o before datetime("1970-01-01T00:01:00")', True),
        ('o after datetime("1970-01-01T00:01:00")', False),
        ('o during datetime("1970-01-01T00:00:00", "1970-01-01T00:01:00")', True),
        ("length(o) = 10 sec", True),
        ("length(o) > 9 sec 999 ms", True),
        ("length(o) < 1 month", True),
        ("timeDiff(o, p) = 25 sec", True),
        ("timeDiff(p, o) = 25 sec", True),
        ("timeDiff(o, p) <= 24 sec", False),
        ("extend(o, 5 sec) meets p", False),
        ("extend(o, 10 sec) meets p", True),
        ("shift-forward(o, 20 sec) starts p", False),
        ("begin(p) - end(o) = 10 sec", True),
        ("o overlaps shift-forward(o, 5 sec)", True),
        ("shift-forward(o, 5 sec) overlaps o", False),
        ("p during timer:datetime{{ minute{0} }}", False),
        ("timer:datetime{{ second{35} }} finishes hull(o, p)", True),
        ("timer:datetime{{ second{36} }} finishes hull(o, p)", False),
    ],
)
def test_X_11_built_in_conditions(condition: str, holds: bool) -> None:
    program = f"DETECT h{{}} ON and {{ event o: a{{{{}}}}, event p: b{{{{}}}} }} where {{ {condition} }} END"
    found = ask(program, event("a{}", 10, 20), event("b{}", 30, 35))
    assert bool(found) == holds


def test_X_12_a_time_reference_in_a_condition_is_not_waited_for() -> None:
    program = 'DETECT early{} ON event o: order{{}} where { o before datetime("2999-01-01") } END'
    assert_same_events(ask(program, event(ORDER, 10), until=10), [event("early{}", 10)])


OVERDUE = """
DETECT buyOrderOverdue { orderId { var I } }
ON and { event o: order {{ orderId { var I }, buy {{ }} }};
         event t: extend[o, 1 min],
         while t: not buy {{ orderId { var I } }} }
END
"""


@pytest.mark.parametrize(
    ("purchase", "overdue"),
    [(None, True), ((1, 60), False), ((1, 61), True), ((2, 30), True), ((1, 0), False)],
)
def test_X_13_an_order_without_purchase_within_a_minute_is_overdue(
    purchase: tuple[int, float] | None, overdue: bool
) -> None:
    events = [event('order{orderId{1}, buy{stock{"IBM"}}}', 0)]
    if purchase:
        events.append(event(f"buy{{orderId{{{purchase[0]}}}, tradeId{{7}}}}", purchase[1]))
    expected = [event("buyOrderOverdue{orderId{1}}", 0, 60)] if overdue else []
    assert_same_events(ask(OVERDUE, *events), expected)


DAILY = """
RAISE to(recipient="http://reports") {
  reportOfDailyAverages { all entry { stock { var S }, avgPrice { avg(all var P) } } group-by var S } }
ON and { event t: tradingDay{{ }}; while t: collect sell {{ stock { var S }, price { var P } }} }
END
"""


def sale(stock: str, price: float, at: float, id: str | None = None) -> Event:
    return event(f'sell{{stock{{"{stock}"}}, price{{{price}}}}}', at, id=id)


def test_X_14_the_daily_report_has_the_average_price_of_each_stock() -> None:
    day = event("tradingDay{}", 0, 100)
    [report] = derive(DAILY, day, sale("IBM", 10, 10), sale("IBM", 20, 20), sale("SUN", 5, 30), sale("IBM", 99, 101))
    expected = 'reportOfDailyAverages{entry{stock{"IBM"}, avgPrice{15}}, entry{stock{"SUN"}, avgPrice{5}}}'
    assert report.event.term == event(expected, 0).term
    assert report.event.interval == day.interval


def test_X_14_a_day_without_sales_has_no_report() -> None:
    assert derive(DAILY, event("tradingDay{}", 0, 100), sale("IBM", 99, 101)) == []


@pytest.mark.parametrize(("semantics", "average"), [("practical", 50), ("formal", 55)])
def test_ERR_07_two_sales_at_the_same_price_count_twice_unless_formal(semantics: str, average: float) -> None:
    program = "DETECT h{avg(all var P)} ON and { event t: tradingDay{{}}, while t: collect sell{{price{var P}}} } END"
    events = [event("tradingDay{}", 0, 100), sale("IBM", 40, 10), sale("IBM", 40, 20), sale("IBM", 70, 30)]
    [answer] = ask(program, *events, semantics=semantics)  # type: ignore[arg-type]
    assert answer.term == event(f"h{{{average}}}", 0).term


def test_ERR_07_distinct_is_the_set_reading_in_either_semantics() -> None:
    program = (
        "DETECT h{avg(distinct var P)} ON and { event t: tradingDay{{}}, while t: collect sell{{price{var P}}} } END"
    )
    events = [event("tradingDay{}", 0, 100), sale("IBM", 40, 10), sale("SUN", 40, 20), sale("IBM", 70, 30)]
    assert [e.term for e in ask(program, *events)] == [event("h{55}", 0).term]


def test_equal_messages_with_ids_stay_two_events() -> None:
    program = "DETECT h{count(all var P)} ON and { event t: tradingDay{{}}, while t: collect sell{{price{var P}}} } END"
    day = event("tradingDay{}", 0, 100)
    merged = ask(program, day, sale("IBM", 40, 10), sale("IBM", 40, 10))
    apart = ask(program, day, sale("IBM", 40, 10, id="1"), sale("IBM", 40, 10, id="2"))
    assert [merged[0].term, apart[0].term] == [event("h{1}", 0).term, event("h{2}", 0).term]


def test_X_15_a_window_from_one_event_until_another_is_a_composite_event() -> None:
    program = """
    DETECT c{} ON and { event x: a{{}}, event y: b{{}} } where { x before y } END
    DETECT quiet{} ON and { event w: c{{}}, while w: not z{{}} } END
    """
    assert_same_events(
        ask(program, event("a{}", 0), event("z{}", 5), event("b{}", 9), event("a{}", 10), event("b{}", 12)),
        [
            *(event("c{}", begin, end) for begin, end in [(0, 9), (0, 12), (10, 12)]),
            event("quiet{}", 10, 12),
        ],
    )


def test_X_30_the_same_event_must_serve_both_conditions() -> None:
    program = """
    DETECT h{var X, var Y, var Z} ON and { a: a{var X}, b: b{var Y}, c: c{var Z} } where { a before c, b before c } END
    """
    stream = [event("a{0}", 0), event("c{1}", 1), event("b{2}", 2), event("c{3}", 3)]
    assert_same_events(ask(program, *stream), [event("h{0, 2, 3}", 0, 3)])


#: Every way in which four events can stand to each other on three points of time, each way under a number of its own.
SMALL = [(begin, end) for begin in range(3) for end in range(begin, 3)]
FOUR = list(itertools.product(SMALL, repeat=4))
STREAM = [
    event(f"{label}{{k{{{number}}}}}", *interval)
    for number, intervals in enumerate(FOUR)
    for label, interval in zip("abcd", intervals, strict=True)
]

Span = tuple[int, int]


def sequence(first: Span | None, second: Span | None) -> Span | None:
    """first ; second, of an algebra of intervals."""
    return (first[0], second[1]) if first and second and first[1] < second[0] else None


def conjunction(one: Span | None, other: Span | None) -> Span | None:
    """one ^ other."""
    return (min(one[0], other[0]), max(one[1], other[1])) if one and other else None


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize(
    ("conditions", "term"),
    [
        pytest.param(
            "a before b, a before c, c before d",
            lambda a, b, c, d: sequence(a, conjunction(b, sequence(c, d))),
            id="X_31",
        ),
        pytest.param(
            "a before b, a before c, c before d, b before d",
            lambda a, b, c, d: sequence(sequence(a, conjunction(b, c)), d),
            id="X_32",
        ),
    ],
)
def test_X_31_X_32_conditions_on_time_are_a_term_of_three_operators_in_an_algebra(
    conditions: str, term: Callable[..., Span | None], engine: Any
) -> None:
    queries = ", ".join(f"{label}: {label}{{{{k{{var K}}}}}}" for label in "abcd")
    program = load(f"DETECT h{{var K}} ON and {{ {queries} }} where {{ {conditions} }} END")
    expected = [event(f"h{{{number}}}", *found) for number, four in enumerate(FOUR) if (found := term(*four))]
    assert 0 < len(expected) < len(FOUR)
    assert_same_events([derived.event for derived in program.run(STREAM, engine=engine).derived], expected)


def test_X_33_metric_constraints_between_neighbours_do_not_bound_the_whole() -> None:
    program = """
    DETECT h{} ON and { a: a{{}}, b: b{{}}, c: c{{}} }
    where { a before b, b before c, timeDiff(b,a) < 1 hour, timeDiff(c,b) < 1 hour } END
    """
    found = ask(program, event("a{}", 0), event("b{}", 50 * 60), event("c{}", 100 * 60))
    assert_same_events(found, [event("h{}", 0, 100 * 60)])


SEQUENCE = "DETECT sequence[var X, var Y] ON and { event x: var X, event y: var Y } where {x before y} END"


def test_X_34_a_rule_provides_a_sequence_operator() -> None:
    assert_same_events(ask(SEQUENCE, event("a{}", 0), event("b{}", 1)), [event("sequence[a, b]", 0, 1)])


def test_X_34_the_sequence_rule_uses_its_own_events() -> None:
    expected = [
        event("sequence[a, b]", 0, 1),
        event("sequence[b, c]", 1, 2),
        event("sequence[a, c]", 0, 2),
        event("sequence[a, sequence[b, c]]", 0, 2),
        event("sequence[sequence[a, b], c]", 0, 2),
    ]
    assert_same_events(ask(SEQUENCE, event("a{}", 0), event("b{}", 1), event("c{}", 2)), expected)


def test_X_34_on_a_long_stream_it_stops_with_an_error_that_names_the_rule() -> None:
    stream = [event(f"a{{{i}}}", i) for i in range(300)]
    with pytest.raises(RecursionLimitError, match=r"'sequence'.*recursive"):
        load(SEQUENCE).run(stream, engine="reference", recursion_limit=2_000)


def test_a_recursion_that_wraps_its_own_events_stops_with_an_error() -> None:
    with pytest.raises(RecursionLimitError, match="'a'"):
        load("DETECT a{var X} ON event e: var X -> a{{}} END").run([event("a{}", 0)], engine="reference")


def test_X_37_an_order_that_is_not_fulfilled_within_two_days() -> None:
    program = """
    DETECT unfulfilled{var O} ON and { event o: order{{id{var O}}}, event t: extend[o, 2 days],
      while t: not fulfilled{{id{var O}}} } END
    """
    day = 86_400
    events = [event("order{id{1}}", 0), event("order{id{2}}", 10), event("fulfilled{id{2}}", 2 * day)]
    assert_same_events(ask(program, *events), [event("unfulfilled{1}", 0, 2 * day)])
