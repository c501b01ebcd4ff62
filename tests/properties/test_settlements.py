"""Answers that are settled early are the answers, whatever the order, the cuts, the restarts and the plan.

The streams keep to what the settlements say, by construction. What these tests cannot show is that a settlement follows
from a constraint: that is the optimizer's part.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.division.operators import operators
from cera.languages.streamlog import lowering as streamlog
from cera.languages.streamlog.parser import parse as parse_streamlog
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.model.events.event import DerivedEvent, Event, in_output_order
from cera.model.events.occurrence import occurrence
from cera.model.matching.patterns import Pattern
from cera.modules.driving import Driver
from cera.modules.processor import Detection
from cera.modules.rules.module import rule_layers
from cera.rules.rule import RuleProgram
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, Settlement
from cera.testing import SECOND, event
from properties.holding import holds_for
from properties.local_runs import disordered, in_order, processor_of, some_variation
from properties.streaming_runs import MicroBatches, random_cuts

_ORDER = "event o: order{{ id{{ var N }} }}, event w: from-end[o, 20 sec]"
_ITEMS = "while w: collect item{{ id{{ var N }}, value{{ var V }} }}"
_NINES = "while w: not item{{ id{{ var N }}, value{{ 9 }} }}"
XCHANGEEQ = (
    "DETECT unpaid{ id{ var N } } ON and { " + _ORDER + ", while w: not item{{ id{{ var N }} }} } END",
    "DETECT total{ id{ var N }, sum{ sum(all var V) } } ON and { " + f"{_ORDER}, {_ITEMS} }} END",
    (
        "DETECT pair{ id{ var N }, value{ var V } } ON and { event o: order{{ id{{ var N }} }}, "
        "event i: item{{ id{{ var N }}, value{{ var V }} }} } END"
    ),
    (
        "DETECT pair{ value{ var V } } ON and { event o: item{{ id{{ var N }}, value{{ var V }} }}, "
        "event i: item{{ id{{ var N }}, kind{{ var K }} }} } where { o before i } END"
    ),
    "DETECT few{ id{ var N }, first{ first(all var V) } } ON and { " + f"{_ORDER}, {_ITEMS}, {_NINES} }} END",
)
STREAMLOG = (
    "Range 20sec: found(id(N), number(count(V)), sum(sum(V))) <- item(id(N), value(V)).",
    "Range 20sec Slide 5sec: found(id(N), last(last(V))) <- item(id(N), value(V)).",
    "Range 20sec: found(id(N), kind(K), number(count(V))) <- item(id(N), kind(K), value(V)).",
)
#: All items have the same weight.
DECIDED = (
    "Range 20sec Slide 5sec: found(id(N), weight(max(W))) <- item(id(N), weight(W)).",
    "Range 5sec: found(weight(max(W))) <- item(id(N), weight(W)).",
)

#: Rules that read the answers of the others: they see each when it ends, early or not.
XCHANGEEQ_READERS = (
    (
        "DETECT seen{ id{ var N } } ON and { event a: unpaid{{ id{{ var N }} }}, event i: item{{ id{{ var M }} }} } "
        "where { {a, i} within 30 sec } END"
    ),
    (
        "DETECT seen{ id{ var N }, number{ count(all var S) } } ON and { event o: order{{ id{{ var N }} }}, "
        "event w: extend[o, 35 sec], while w: collect total{{ id{{ var N }}, sum{{ var S }} }} } END"
    ),
    (
        "DETECT unseen{ id{ var N } } ON and { event o: order{{ id{{ var N }} }}, event w: extend[o, 30 sec], "
        "while w: not few{{ id{{ var N }} }} } END"
    ),
)
STREAMLOG_READERS = (
    "Range 10sec: seen(number(count(N))) <- found(id(N)).",
    "seen(id(N), value(V)) <- i: found(id(N)) and j: item(id(N), value(V)) and {i, j} within 30 sec.",
    "unseen(id(N)) <- i: order(id(N)) and w: extend[i, 20 sec] and while w: not found(id(N)).",
)


def _rule_program(text: str) -> RuleProgram:
    if text.startswith("DETECT"):
        return lower([parse(Source("a.xceq", text)).program], calendars=(), timezone="UTC", semantics=None)[0]
    return streamlog.lower([parse_streamlog(Source("a.slog", text)).program], "UTC").program


def _pattern(text: str) -> Pattern:
    return _rule_program(f"x(id(N)) <- {text}.").rules[0].branches[0].events[0].pattern


CLOSING = ClosingEvent(_pattern("done(id(N))"), ("N",))
#: There are at most three items with an id, of at most six.
MOST = (MostMatches(3, ("N",)), MostMatches(18, ()))


@dataclass(frozen=True)
class SettledCase:
    program: RuleProgram
    settlements: tuple[Settlement, ...]
    events: tuple[Event, ...]
    seed: int

    @property
    def settled(self) -> RuleProgram:
        rule, *readers = self.program.rules
        return replace(self.program, rules=(replace(rule, settlements=self.settlements), *readers))


@st.composite
def settled_cases(draw: st.DrawFn) -> SettledCase:
    text = draw(st.sampled_from((*XCHANGEEQ, *STREAMLOG, *DECIDED)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    grouped = (CLOSING, *MOST) if "count(V)" in text or "last(V)" in text else (CLOSING,)
    chosen: tuple[Settlement, ...] = tuple(each for each in grouped if chance.random() < 0.7) or (CLOSING,)
    if text in DECIDED:
        chosen = (FirstMatch(("N",) if "found(id(N)" in text else ()),)
    again = _ORDER in text and chance.random() < 0.4  # more orders may come, whose windows hold no item
    if text in XCHANGEEQ:  # all that they find is over with `done`
        chosen = (replace(CLOSING, settles=again or chance.random() < 0.8, forgets=True),)
    events: list[Event] = []
    for number in range(chance.randint(1, 6)):
        begin = chance.randint(10, 70)  # a stream takes what happened before 1970 for late
        events.append(event(f"order{{id{{{number}}}}}", begin))
        last = begin
        for _ in range(chance.randint(0, 3)):
            at = begin + chance.randint(-5, 12)
            last = max(last, at)
            content = f"id{{{number}}}, kind{{{chance.randint(0, 1)}}}, value{{{chance.randint(7, 9)}}}, weight{{3}}"
            events.append(event(f"item{{{content}}}", at - chance.choice((0, 0, 2)), at))
        if chance.random() < 0.8:
            done = last + chance.choice((0, 0, 1, 5))
            events.append(event(f"done{{id{{{number}}}}}", done))
            if again:
                ordered = done + chance.randint(0, 6)
                events.append(event(f"order{{id{{{number}}}}}", ordered - chance.choice((0, 4)), ordered))
    different = tuple(in_order(dict.fromkeys(events)))
    readers = XCHANGEEQ_READERS if text in XCHANGEEQ else STREAMLOG_READERS
    program = f"{text} {chance.choice(readers)}" if chance.random() < 0.5 else text
    return SettledCase(_rule_program(program), chosen, different, draw(st.integers(0, 2**32)))


def plain_answers(case: SettledCase) -> list[DerivedEvent]:
    return _results(_driven(case.program, case.events))


def _driven(program: RuleProgram, events: Sequence[Event], *, restarting: bool = False) -> Iterable[Detection]:
    driver = Driver(processor_of(program, events), 0)
    for each in events:
        if restarting:
            saved = dump(driver.snapshot())
            driver = Driver(processor_of(program, events), 0)
            driver.resume(restore(saved))
        yield from driver.push([occurrence(each)])
    yield from driver.close()


def _results(found: Iterable[Detection]) -> list[DerivedEvent]:
    return in_output_order(one.result() for one in found)


def _same(case: SettledCase, found: Sequence[DerivedEvent]) -> None:
    """Asserts that these are the answers, with their derivations; what the first match decides has no others."""
    expected = plain_answers(case)
    assert [one.event for one in found] == [one.event for one in expected]
    if not any(isinstance(each, FirstMatch) for each in case.settlements):
        assert [one.derivations for one in found] == [one.derivations for one in expected]


CASES = settled_cases()


@holds_for(CASES, short=150)
def test_what_is_settled_early_is_what_the_rule_answers_in_the_end(case: SettledCase) -> None:
    _same(case, _results(_driven(case.settled, case.events)))
    chance = random.Random(case.seed)
    variation = some_variation(chance)
    events = disordered(case.events, variation.max_delay, chance)
    _same(case, variation.answers(case.settled, events))


@holds_for(CASES, short=75)
def test_rows_that_can_be_settled_are_saved_and_restored(case: SettledCase) -> None:
    _same(case, _results(_driven(case.settled, case.events, restarting=True)))


@holds_for(CASES, short=75)
def test_an_answer_is_known_with_what_settles_it_or_at_its_end(case: SettledCase) -> None:
    ends = {each.end for each in case.events}
    for one in _results(_driven(case.settled, case.events)):
        assert one.known == one.event.end or one.known in ends
        assert one.known <= one.event.end


@holds_for(CASES, short=75)
def test_a_stream_in_micro_batches_settles_the_same(case: SettledCase) -> None:
    chance = random.Random(case.seed)
    delay = chance.choice((0, 3)) * SECOND
    longest = max(each.end - each.begin for each in case.events)
    found = operators(rule_layers(case.settled), max_duration=longest, buckets=chance.choice((1, 3)))
    stream = MicroBatches(found, delay)
    for batch in random_cuts(disordered(case.events, delay, chance), chance):
        stream.batch(batch)
    stream.latest = max(each.end for each in case.events) + 100 * SECOND
    stream.batch([])
    derived = stream.by_kind.derived
    expected = plain_answers(case)
    assert sorted(one.id for one in derived) == sorted(one.event.id for one in expected)
    known = {one.event.id: one.known for one in _results(_driven(case.settled, case.events))}
    if any(isinstance(each, MostMatches) for each in case.settlements):  # each part has its own matches
        assert all(one.known is None or known[one.id] <= one.known < one.end for one in derived)
    else:
        assert {one.id: one.end if one.known is None else one.known for one in derived} == known
