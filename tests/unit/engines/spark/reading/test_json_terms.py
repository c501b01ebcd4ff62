"""Terms in JSON text, as the workers of Spark read them."""

from __future__ import annotations

from cera.engines.spark.reading.json_terms import found_in
from cera.model.terms.hashing import hash_value
from cera.model.terms.json_terms import loads, term_from_json


def test_a_row_without_a_text_leaves_the_hashes_of_the_others_as_they_are() -> None:
    text = '{"rows": [{"a": 1, "b": 2}]}'
    term = term_from_json(loads(text))
    found = found_in([text, None, "["])
    assert found["h1"].tolist()[0] == hash_value(term, 1)
    assert found["h2"].tolist()[0] == hash_value(term, 2)
    assert found["json"].tolist() == [text, None, None]
    assert found["h1"].isna().tolist() == [False, True, True]
    assert [reason is None for reason in found["reason"]] == [True, True, False]


def test_of_no_texts_there_are_the_same_columns() -> None:
    assert found_in([]).dtypes.to_dict() == found_in([None]).dtypes.to_dict()
