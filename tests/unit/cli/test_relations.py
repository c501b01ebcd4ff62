"""`--relation`, FROM relative to the program, and what is said where rows cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.cli.command_line import Cera, records, write_lines

SHOP = """\
RELATION price{ item, euros: number } FROM "price.csv"
RELATION unused FROM "nowhere.csv"

DETECT bill{ item{var I}, euros{var E} }
ON and { event o: order{{ item{var I} }}, relation price{{ item{var I}, euros{var E} }} }
END
"""


def test_the_command_line_reads_relations_too(cera: Cera) -> None:
    folder = Path("shop")
    folder.mkdir()
    (folder / "shop.xceq").write_text(SHOP)
    (folder / "price.csv").write_text("item,euros\ntea,2\n")
    write_lines(Path("orders.jsonl"), ['{"at": 10, "term": {"order": {"item": "tea"}}}'])
    run = ("run", "shop/shop.xceq", "--events", "orders.jsonl")
    assert [record["term"] for record in records(cera(*run).stdout)] == [{"bill": {"euros": 2, "item": "tea"}}]
    Path("other.jsonl").write_text('{"item": "tea", "euros": 7}\n')
    given = cera(*run, "--relation", "price=other.jsonl")
    assert [record["term"]["bill"]["euros"] for record in records(given.stdout)] == [7]
    why = cera("why", *run[1:], "--relation", "price=other.jsonl", "--event", records(given.stdout)[0]["id"])
    assert "by rule bill" in why.stdout
    assert "= 7" in why.stdout  # only the row says it
    (folder / "cera.toml").write_text('[relation]\nprice = "../other.jsonl"\n')
    assert [record["term"]["bill"]["euros"] for record in records(cera(*run).stdout)] == [7]


@pytest.mark.parametrize(
    ("given", "status", "message"),
    [
        ("price=none.csv", 2, "the relation price: there is no file none.csv"),
        ("price", 2, "--relation takes NAME=SOURCE"),
        ("prise=p.csv", 2, "--relation: the program declares no relation prise"),
        ("price=bad.csv", 3, "bad.csv:2: "),
    ],
)
def test_what_is_wrong_is_an_error_with_a_place(cera: Cera, given: str, status: int, message: str) -> None:
    Path("shop.xceq").write_text(SHOP)
    Path("bad.csv").write_text("item,euros\ntea\n")
    write_lines(Path("orders.jsonl"), ['{"at": 10, "term": {"order": {"item": "tea"}}}'])
    for engine in ("local", "reference"):
        found = cera("run", "shop.xceq", "--events", "orders.jsonl", "--engine", engine, "--relation", given)
        assert found.exit_code == status, found.stderr
        assert message in found.stderr
        assert "Traceback" not in found.stderr
