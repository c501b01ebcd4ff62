"""Where events go: the operators that can use them, and their buckets."""

from __future__ import annotations

import pytest

from cera.engines.spark.division.routing import DividedEventError, Router, bucket, key_hash
from cera.model.events.occurrence import json_occurrence, occurrence
from cera.model.terms.term import Term
from cera.program import load
from cera.testing import event
from module_runs import rule_operators

PROGRAM = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END
DETECT deep{ var K } ON reading{{ sensor{{ name{{ var K }} }} }} END
"""


@pytest.fixture(name="router")
def _router() -> Router:
    return Router(rule_operators(load(PROGRAM).checked(), buckets=1000))


def buckets(router: Router, term: str) -> list[int]:
    return [each.bucket for each in router.destinations(occurrence(event(term, 0)))]


def test_events_with_the_same_key_meet_in_one_bucket(router: Router) -> None:
    [smoke] = router.destinations(occurrence(event('smoke{area{"a"}}', 1)))
    [temp] = router.destinations(json_occurrence(2, 2, "temp", {"area": "a", "value": 41}))
    assert smoke == temp
    assert buckets(router, 'smoke{area{"a"}}') != buckets(router, 'smoke{area{"b"}}')


def test_a_key_inside_of_a_term_is_found(router: Router) -> None:
    assert buckets(router, 'reading{sensor{name{"s1"}, unit{"C"}}}') == [bucket([key_hash("s1")], 1000)]


def test_a_key_may_be_a_term(router: Router) -> None:
    term = Term("zone", [3])
    assert buckets(router, "smoke{area{zone{3}}}") == [bucket([key_hash(term)], 1000)]


@pytest.mark.parametrize("term", ["noise{area{1}}", "smoke{}", "smoke{area{}}", "smoke{place{1}}"])
def test_an_event_that_no_query_can_match_goes_nowhere(router: Router, term: str) -> None:
    assert buckets(router, term) == []


def test_whole_numbers_are_one_value_however_they_are_written(router: Router) -> None:
    assert buckets(router, "smoke{area{1}}") == buckets(router, "smoke{area{1.0}}")


def test_an_event_with_two_values_of_a_key_cannot_be_divided(router: Router) -> None:
    with pytest.raises(DividedEventError, match=r"`var A`.* has several values.*with ⟦buckets=1⟧"):
        buckets(router, 'smoke{area{"a"}, area{"b"}}')


def test_an_event_whose_second_value_no_query_can_see_is_divided_by_the_other() -> None:
    text = "DETECT seen{ var A } ON smoke{{ area{ var A } }} END"
    router = Router(rule_operators(load(text).checked(), buckets=1000))
    assert buckets(router, 'smoke{area{"a"}, area{"b", "c"}}') == [bucket([key_hash("a")], 1000)]
