"""Events whose children have children are held as JSON says them, and mean what their terms mean."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from cera.model.events.event import Event
from cera.model.events.occurrence import json_occurrence, occurrence
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.modules.arrivals import Recognizer
from cera.modules.driving import distinct
from cera.program import load

MODULE = """\
begin M
  monitor insert(ACC), update(ACC), delete(ACC), update(Other), change;
  relation ACC(Accno, Balance);
  relation Other(a);
  relation change(table);
  R: update(ACC(X)).
end.
"""
UPDATE = {"operation": "update", "table": "ACC", "transaction": "7", "position": 3}
ROWS = {"old": {"Accno": 1, "Balance": 2}, "new": {"Accno": 1, "Balance": 3.5}}


@pytest.mark.parametrize(
    "body",
    [
        {**UPDATE, **ROWS},
        {**UPDATE, "table": "acc", "old": {"accno": 1, "BALANCE": True}, "new": {"accno": 1}},
        {**UPDATE, "old": {"accno": 1, "Accno": 2}, "new": {"Accno": 3, "ACCNO": 4}},
        {**UPDATE, "old": {"new_Accno": 1, "Accno": 2}, "new": {"old_Accno": 3, "Accno": 4}},
        {**UPDATE, "operation": "delete", "old": {"Accno": 1}},
        {**UPDATE, "operation": "insert", "new": {"Accno": 1}},
        {**UPDATE, "old": {"Accno": 1}},
        {**UPDATE, "old": {"Accno": 1}, "new": {}},
        {**UPDATE, "old": 5, "new": {"Accno": 1}},
        {**UPDATE, **ROWS, "transaction": {"a": 1}},
        {**UPDATE, **ROWS, "operation": {"a": "update"}},
        {**UPDATE, **ROWS, "table": {}},
        {**UPDATE, **ROWS, "position": {"a": 1}},
        {**UPDATE, **ROWS, "position": "3"},
        {**ROWS},
    ],
)
def test_a_change_is_recognized_as_its_term_is(body: dict[str, Any]) -> None:
    recognizer = Recognizer(load(MODULE).modules.found[0].module)
    light = json_occurrence(5, 5, "change", body)
    assert light.nested is not None
    whole = occurrence(Event(term_from_json({"change": body}), point(5)))
    for one in (light, pickle.loads(pickle.dumps(light))):
        found, expected = (list(recognizer.arrivals([each], 0)) for each in (one, whole))
        assert found == expected
        fields, wanted = ([each.fields for _, a in some for _, each in a.tuples] for some in (found, expected))
        assert fields == wanted
        assert one.event == whole.event


def test_changes_are_told_apart_by_their_positions_or_else_by_their_terms() -> None:
    def change(position: object, balance: int) -> Any:
        return json_occurrence(5, 5, "change", {"position": position, "new": {"Balance": balance}})

    different = [change(1, 0), change(2, 0)]
    assert distinct(different) == different
    equal = [change(1, 0), change(1, 0), change(1, 1), change({"a": 1}, 1)]
    assert [each.term for each in distinct(equal)] == [equal[0].term, equal[2].term, equal[3].term]
    known = occurrence(change(1, 0).event)
    assert len(distinct([known, change(1, 0)])) == 1
