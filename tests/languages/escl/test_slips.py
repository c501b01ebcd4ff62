"""Slips of people who are new to the language: each message says what was found, and its hint what to write."""

from __future__ import annotations

import pytest

from conformance.constraints import diagnostics_of

ORDER = "IF event: order(id(N)) THEN {} END"
PAIR = "IF event i: order(id(N)) and event j: pay(id(N)) THEN {} END"
FACT = "WHILE {} LET IN ANY CASE exists <= 1 event: sale() END END"

#: A text, what its first message finds, and how its hint begins.
SLIPS = [
    ("IF stat s: open() THEN event: a() END", "'s'", "did you mean `state s`?"),
    (ORDER.format("whle w: event: pay(id(N))"), "'w'", "did you mean `while w`?"),
    (ORDER.format("exist >= 1 event: pay(id(N))"), "'event'", "did you mean `exists >= 1 event`?"),
    (ORDER.format("exists at least 1 event: pay()"), "'at'", "after `exists` stands how many there are"),
    (ORDER.format("exists >= one event: pay()"), "'one'", "a variable begins with a capital letter: `One`"),
    (ORDER.format("event: pay(id(N)) grup-by {N}"), "'grup-by'", "did you mean `group-by`?"),
    (ORDER.format("no event: pay(id(N))"), "'event'", "a negation is `not event: p(X)`"),
    (ORDER.format("N between 1 and 3"), "'between'", "write two comparisons"),
    (ORDER.format("event: pay(id(N)) ELSE event: b()"), "'ELSE'", "a rule has no other case"),
    (PAIR.format("{i, j} sent from the same rom"), "'the'", "did you mean `the same room`?"),
    (PAIR.format("{i, j} sent from neighbouring areas"), "'neighbouring'", "did you mean `neighbour areas`?"),
    (PAIR.format("{i} sent from platform"), "'platform'", 'a place stands in quotes, `sent from "platform"`'),
    (PAIR.format("j soth of i"), "'soth'", "did you mean `south of`?"),
    (PAIR.format("j north-eas of i"), "'north-eas'", "did you mean `north-east of`?"),
    (PAIR.format("j south i"), "'south'", "a direction is written `south of`"),
    (PAIR.format("{i, j} apart-by max 3 parsec"), "'parsec'", "units of time are us, ms, sec, min, hour, day"),
    (PAIR.format("{i, j} apart-by none event: b()"), "'none'", "did you mean `apart-by no …`?"),
    (PAIR.format("{i, j} apart-by at least 1h"), "'at'", "did you mean `apart-by min …`?"),
    (PAIR.format("{i, j} withn max 1h"), "'withn'", "did you mean `within`?"),
    (PAIR.format("{i, j} within maximum 1h"), "'maximum'", "did you mean `within max …`?"),
    (PAIR.format("{i, j} within 3 houres"), "'3'", "'houres' is not a unit of time; there are us, ms"),
    (PAIR.format("(i, j) within max 1h"), "','", "identifiers stand in braces: `{i, j} within max 1h`"),
    (PAIR.format("i bfore j"), "'bfore'", "did you mean `before`?"),
    (PAIR.format("i precedes j"), "'precedes'", "times are compared by `before` and `after`"),
    (PAIR.format("while intersect{i, j}: event: c()"), "'{'", "did you mean `intersection`?"),
    (PAIR.format("event t: from-ende[i, 1h]"), "'['", "did you mean `from-end`?"),
    (PAIR.format("event t: from-end[i]"), "']'", "a timer has a length: `from-end[i, 1h]`"),
    ("IF event: order(id(N)) event: pay(id(N)) END", "'event'", "`and`, `or` or `THEN` is missing before `event`"),
    ("IF event: order(id=N) THEN event: pay() END", "'='", "an attribute is written with parentheses: `id(N)`"),
    ("IF event order(id(N)) THEN event: pay() END", "'('", "a colon is missing: `event: order(…)`"),
    (FACT.format("state offer(item(I))"), "'offer'", "a colon is missing: `state: offer(…)`"),
    (FACT.format("Rnge 1h"), "'1'", "did you mean `Range 1`?"),
    (FACT.format("Range 1h slide 10 min"), "'slide'", "did you mean `Slide`?"),
    (FACT.format("[nw - 1h, now]"), "`nw`", "did you mean `now`?"),
    ("WHILE state: s() IN ANY CASE event: a() END END", "'IN'", "`LET` is missing before `IN`"),
    ("IN ANY CASES exists <= 1 event: a() END", "'IN'", "a fact is `IN ANY CASE … END`"),
    ("ALWAYS exists <= 1 event: a() END", "'ALWAYS'", "a fact is `IN ANY CASE … END`"),
    ("CONSTRANT paid: IF event: a() THEN event: b() END", "'CONSTRANT'", "did you mean `CONSTRAINT`?"),
    ("IF event: a() THEN event: b() END END", "'END'", "there is an `END` too many"),
    ('relaton vip(id) from "vip.csv"\nIF event: a() THEN event: b() END', "'relaton'", "did you mean `relation`?"),
    ('relation vip(id) form "vip.csv"\nIF event: a() THEN event: b() END', "'form'", "did you mean `from`?"),
    ("LET DETECT event: m() ON event: b() IN IF event: m() THEN event: a() END END", "'IN'", "the definition has no"),
    (ORDER.format("exists >= -1 event: pay()"), "'-'", "a count is a whole number, from 0 on"),
    (ORDER.format("exists >= 1 event: pay(id(N)) group-by N"), "'N'", "groups stand in braces: `group-by {N}`"),
    ("IN ANY CASE exists (>= 3 and <= 1) event: pay(id(N)) END", "no number", "limits that are joined by `and`"),
    (PAIR.format("b(i) < 5 and e(j) > b(i)"), "a time interval cannot be compared with a number", "a time is"),
    (PAIR.format('b(i) < "2026-01-01"'), "a time interval", "a time is written `datetime("),
    ("IF event i: a() and event j: b() and {i, j} within max 1h and i != j THEN event: c() END", "`i`", "times are"),
    ("relation vip(id)\nIF event: a(id(N)) and vip(ids(N)) THEN N > 3 END", "no attribute `ids`", "did you mean `id`"),
    ("IF evnt: order(id(N)) THEN N > 3 END", "`evnt`", "write `event: order(…)`"),
    (
        "IF event: order(id(n)) THEN event: pay(id(n)) and n > 3 END",
        "a string cannot be compared with a number",
        '`n` is the string "n"; a variable begins with a capital letter: `N`',
    ),
]


@pytest.mark.parametrize(("text", "found", "hint"), SLIPS, ids=[text for text, _, _ in SLIPS])
def test_a_slip_is_answered_by_what_to_write(text: str, found: str, hint: str) -> None:
    first = next(each for each in diagnostics_of(text) if each.severity != "note")
    assert found in first.message
    assert first.hint is not None
    assert first.hint.startswith(hint)


@pytest.mark.parametrize(
    "text",
    [
        "IF event: order(id(N)) and e: order(id(N), price(P)) THEN P > 3 END",
        "IF event i: a() and event j: b() THEN {i, j} apart-by max 3 event: sec() END",
        "IF event southern: a() and event j: b() THEN southern before j END",
        'IF event i: a(of(N)) THEN N != "i" and b(i) > datetime("2026-01-01") END',
        "relation vip\nIF event: a(id(N)) and vip(any(N)) THEN N > 3 END",
    ],
)
def test_what_only_looks_like_a_slip_is_none(text: str) -> None:
    assert not [each for each in diagnostics_of(text) if each.severity in ("error", "warning")]
