"""Lookups of one row of a table are one, where a constraint declares the key."""

from __future__ import annotations

import pytest

from cera.connectors.relations.relation import Record, Relation
from cera.model.events.relation_rows import RelationRows
from cera.rules.rule import RuleProgram
from cera.testing import event
from module_runs import run_by_definition, run_locally
from unit.optimizer.semantic.rewriting import laws, program_of, rewritten, rewritten_program

TABLE = 'relation items(id, price, kind) from "items.csv"\n'
RULE = f"{TABLE}unbounded: h(i(I), p(P), k(K)) <- bid(item(I)) and items(id(I), price(P)) and items(id(I), kind(K))."
DECLARED = "relation items(id, price, kind)\n"
KEY = f"{DECLARED}CONSTRAINT key: IN ANY CASE exists <= 1 items(id(I)) group-by {{I}} END"


def _rows(*rows: tuple[int, int | None, str | None]) -> RelationRows:
    names = ("id", "price", "kind")
    found = [{name: value for name, value in zip(names, row, strict=True) if value is not None} for row in rows]
    return Relation("items").rows(Record(f"row {number}", values) for number, values in enumerate(found))


def _answers(program: RuleProgram, rows: RelationRows) -> set[str]:
    bids = [event(f"bid{{item{{{number}}}}}", number) for number in (1, 2, 3)]
    found = run_locally(program, bids, relations={"items": rows}).derived
    defined = run_by_definition(program, bids, relations={"items": rows}).derived
    assert {str(one.event) for one in found} == {str(one.event) for one in defined}
    return {str(one.event) for one in found}


def test_a_key_makes_two_lookups_one() -> None:
    found = rewritten_program(RULE, KEY)
    assert laws(found.rules[0]) == ["lookup merging"]
    assert found.rules[0].rule is not None
    [lookup] = found.rules[0].rule.branches[0].relations
    whole = RULE.replace("items(id(I), price(P)) and items(id(I), kind(K))", "items(id(I), price(P), kind(K))")
    assert lookup.pattern == program_of(whole).rules[0].branches[0].relations[0].pattern
    rows = _rows((1, 10, "a"), (2, None, "b"), (3, 30, None))
    assert _answers(found.program, rows) == _answers(program_of(RULE), rows)
    assert len(_answers(found.program, rows)) == 1


@pytest.mark.parametrize(
    "constraint",
    [
        "IN ANY CASE exists <= 2 items(id(I)) group-by {I} END",
        "IN ANY CASE exists <= 1 items(id(I), price(P)) group-by {I} END",  # rows without a price may be more
        "IN ANY CASE exists <= 1 items(id(I), kind(K)) group-by {I, K} END",
        "IF event: bid(item(I)) THEN exists <= 1 items(id(I)) group-by {I} END",  # of those with bids only
        "IN ANY CASE exists >= 1 items(id(I)) group-by {I} END",
    ],
)
def test_what_is_not_a_key_merges_nothing(constraint: str) -> None:
    assert laws(rewritten(RULE, DECLARED + constraint)) == []
    rows = _rows((1, 10, None), (1, None, "a"))
    merged = rewritten_program(RULE, KEY).program
    assert _answers(program_of(RULE), rows) != _answers(merged, rows), "two rows, which no one row stands for"


def test_lookups_by_different_values_are_two() -> None:
    other = RULE.replace("items(id(I), kind(K))", "items(id(J), kind(K))").replace(
        "bid(item(I))", "bid(item(I), other(J))"
    )
    assert laws(rewritten(other, KEY)) == []
    compared = RULE.replace("price(P)) and items(id(I), kind(K))", "price(P)) and items(id(I), price(Q), kind(K))")
    assert laws(rewritten(compared, KEY)) == []


def test_rows_that_are_read_again_may_be_others() -> None:
    assert laws(rewritten(RULE.replace('"items.csv"', '"items.csv" refresh 1h'), KEY)) == []
