"""Relations of a run: where their rows come from, in Python and in sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cera
from cera.errors import DataError, UsageError
from cera.testing import event

SHOP = """\
RELATION price{ item, euros: number } FROM "price.csv"
RELATION unused FROM "nowhere.csv"

DETECT bill{ item{var I}, euros{var E} }
ON and { event o: order{{ item{var I} }}, relation price{{ item{var I}, euros{var E} }} }
END
"""
ORDERS = [event('order{item{"tea"}}', 10), event('order{item{"cup"}}', 20)]
PRICES = [{"item": "tea", "euros": 3}]


def bills(answer: Any) -> list[str]:
    return [str(derived.event.term) for derived in answer]


@pytest.fixture
def shop(tmp_path: Path) -> cera.Program:
    (tmp_path / "shop.xceq").write_text(SHOP)
    (tmp_path / "price.csv").write_text("item,euros\ntea,2\ncup,9\n")
    return cera.load(tmp_path / "shop.xceq")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_rows_are_those_of_the_program_or_those_that_are_given(shop: cera.Program, engine: Any) -> None:
    own = ['bill{euros{2}, item{"tea"}}', 'bill{euros{9}, item{"cup"}}']
    assert bills(shop.run(ORDERS, engine=engine).derived) == own
    given = shop.run(ORDERS, engine=engine, relations={"price": PRICES})
    assert bills(given.derived) == ['bill{euros{3}, item{"tea"}}']
    assert list(given.derived[0].derivations[0].causes) == ["o"]


def test_a_relation_that_no_rule_looks_up_is_not_read(shop: cera.Program) -> None:
    assert shop.run(ORDERS, relations={"unused": 3}).derived


def test_a_session_takes_rows_and_goes_on_with_those_it_is_given(shop: cera.Program) -> None:
    session = shop.session(relations={"price": PRICES})
    assert not session.push(ORDERS[0])
    saved = session.save()
    other = shop.session(relations={"price": [{"item": "tea", "euros": 5}, {"item": "cup", "euros": 6}]})
    other.restore(saved)
    assert bills([*other.push(ORDERS[1]), *other.close()]) == [
        'bill{euros{5}, item{"tea"}}',
        'bill{euros{6}, item{"cup"}}',
    ]


def test_an_unknown_name_a_missing_source_and_a_wrong_argument_are_errors(shop: cera.Program) -> None:
    with pytest.raises(UsageError, match="declares no relation prise; did you mean 'price'"):
        shop.run(ORDERS, relations={"prise": PRICES})
    with pytest.raises(UsageError, match="`relations` is a dict of rows"):
        shop.run(ORDERS, relations=[PRICES])  # type: ignore[arg-type]
    without = cera.load(SHOP.replace(' FROM "price.csv"', ""))
    with pytest.raises(UsageError, match=r'declared without FROM; say where it is with `relations={"price": "…"}`'):
        without.run(ORDERS)
    with pytest.raises(DataError, match=r"rows\[0\]: `euros` is declared as a number"):
        without.run(ORDERS, relations={"price": [{"item": "tea", "euros": "3"}]})


def test_refresh_is_refused_where_time_goes_on_and_a_recording_reads_once() -> None:
    program = cera.load(SHOP.replace('"price.csv"', '"price.csv" REFRESH 1 hour'))
    assert bills(program.run(ORDERS, relations={"price": PRICES}).derived) == ['bill{euros{3}, item{"tea"}}']
    with pytest.raises(UsageError, match="the relation price is to be read again every 1 hour"):
        program.session(relations={"price": PRICES})
