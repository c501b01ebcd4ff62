"""Relations of a run: where their rows come from, in Python and in sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
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
    with pytest.raises(UsageError, match=r'declared without `from`; say where it is with `relations={"price": "…"}`'):
        without.run(ORDERS)
    with pytest.raises(DataError, match=r"rows\[0\]: `euros` is declared as a number"):
        without.run(ORDERS, relations={"price": [{"item": "tea", "euros": "3"}]})


def test_files_that_say_different_places_for_one_relation_are_an_error(tmp_path: Path) -> None:
    """A path is relative to the file that has it; before, the rows of one of the files were read in silence."""
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one" / "a.slog").write_text('relation t(k) from "t.csv"\nunbounded: a(k(K)) <- p(k(K)) and t(k(K)).')
    (tmp_path / "other" / "c.escl").write_text('relation t(k) from "t.csv"\nIF event: p(k(K)) THEN t(k(K)) END')
    program = cera.load([tmp_path / "one" / "a.slog", tmp_path / "other" / "c.escl"])
    for engine in ("local", "reference"):
        with pytest.raises(UsageError, match=r"the relation t is `t.csv` in .* and `t.csv` in .*; say which"):
            program.run([event("p{k{1}}", 1)], engine=engine)  # type: ignore[arg-type]
    assert len(program.run([event("p{k{1}}", 1)], relations={"t": [{"k": 1}]}).derived) == 1


REFRESHED = cera.load(SHOP.replace('"price.csv"', '"price.csv" REFRESH 1 hour'))


def test_a_recording_reads_a_relation_with_refresh_once() -> None:
    assert bills(REFRESHED.run(ORDERS, relations={"price": PRICES}).derived) == ['bill{euros{3}, item{"tea"}}']


def due(session: cera.Session) -> None:
    """Lets the hour be over."""
    assert session._refreshed is not None
    session._refreshed.refresher.postpone("price", 0)


def tea(at: float) -> cera.Event:
    return event('order{item{"tea"}}', at)


def test_a_session_reads_again_and_what_is_decided_then_sees_the_new_rows() -> None:
    prices = [dict(PRICES[0])]
    session = REFRESHED.session(relations={"price": prices}, max_delay="5 sec")
    assert not session.push(tea(10), tea(20))[1:]
    prices[0]["euros"] = 4
    assert bills(session.push(tea(26))) == ['bill{euros{3}, item{"tea"}}']  # the hour is not over
    due(session)
    assert bills(session.push(tea(36), tea(34))) == ['bill{euros{4}, item{"tea"}}']
    assert len(bills(session.close())) == 2


def test_rows_of_a_function_are_those_that_it_returns_each_time_and_an_iterator_is_refused() -> None:
    calls: list[int] = []

    def read() -> list[dict[str, object]]:
        calls.append(1)
        return [{"item": "tea", "euros": len(calls)}]

    session = REFRESHED.session(relations={"price": read})
    session.push(tea(10))
    due(session)
    assert bills([*session.push(tea(20)), *session.close()]) == ['bill{euros{2}, item{"tea"}}'] * 2
    with pytest.raises(UsageError, match="read again every 1 hour, and an iterator can be read once"):
        REFRESHED.session(relations={"price": iter(PRICES)})


def test_rows_that_cannot_be_read_again_stay_as_they_were_with_a_warning(tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text("item,euros\ntea,3\n")
    session = REFRESHED.session(relations={"price": prices})
    session.push(tea(10))
    for content, reason in [
        (None, "there is no file"),
        ("item,euros\ntea,x\n", "prices.csv:2: "),
        ("item\na\n", "euros"),
    ]:
        prices.unlink() if content is None else prices.write_text(content)
        due(session)
        with pytest.warns(cera.CeraWarning, match=f"(?s){reason}.*; its rows stay as they were") as warned:
            session.push(tea(11))
        assert warned[0].filename == __file__
    assert session.unread == 3
    prices.write_text("item,euros\ntea,9\n")
    due(session)
    assert bills(session.close()) == ['bill{euros{3}, item{"tea"}}'], "nothing is read when the stream ends"


def test_a_restored_session_goes_on_with_the_rows_that_were_saved_until_they_are_due() -> None:
    prices = [dict(PRICES[0])]
    session = REFRESHED.session(relations={"price": prices})
    session.push(tea(10))
    saved = session.save()
    prices[0]["euros"] = 8
    other = REFRESHED.session(relations={"price": prices})
    other.restore(saved)
    assert bills(other.push(tea(20))) == ['bill{euros{3}, item{"tea"}}']
    due(other)
    assert bills(other.push(tea(30))) == ['bill{euros{8}, item{"tea"}}']
    with pytest.raises(UsageError, match="the state is that of another program"):
        cera.load(SHOP).session(relations={"price": prices}).restore(saved)


@pytest.mark.xdist_group("postgres")
def test_a_table_of_postgresql_is_read_again_and_its_url_shows_no_password(postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as database:
        database.execute("CREATE TABLE price (item text, euros int)")
        database.execute("INSERT INTO price VALUES ('tea', 3)")
        url = postgres.replace("postgres@", "postgres:secret@")
        session = REFRESHED.session(relations={"price": url})
        session.push(tea(10))
        database.execute("UPDATE price SET euros = 4")
        due(session)
        assert bills(session.push(tea(20))) == ['bill{euros{4}, item{"tea"}}']
        for change, reason in [("DROP COLUMN euros", "has no column `euros`"), ("RENAME TO prices", "has no table")]:
            database.execute(f"ALTER TABLE price {change}")
            due(session)
            with pytest.warns(cera.CeraWarning, match=reason) as warned:
                session.push(tea(21))
            assert "secret" not in str(warned[0].message)
        assert bills(session.close())[-1] == 'bill{euros{4}, item{"tea"}}'
