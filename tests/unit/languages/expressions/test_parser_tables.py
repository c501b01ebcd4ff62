"""Parsers from kept tables are those that Lark makes of the grammar, or the tables are made again."""

from __future__ import annotations

from pathlib import Path

import pytest
from lark import Lark

from cera.languages.expressions import parser_tables
from cera.languages.expressions.parser_tables import parser_of

GRAMMAR = """
sum: list{NUMBER} "+" NUMBER
list{item}: item ("," item)*
NUMBER: /[0-9]+/
%ignore " "
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "cera"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The grammars of which tables were made."""
    found: list[str] = []

    class Watched(Lark):
        def __init__(self, grammar: str, **options: object) -> None:
            found.append(grammar)
            super().__init__(grammar, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(parser_tables, "Lark", Watched)
    return found


def test_tables_are_made_once(made: list[str]) -> None:
    first, second = (parser_of(GRAMMAR, ["sum"]).parse("1, 2 + 3") for _ in range(2))
    assert made == [GRAMMAR]
    assert second == first
    assert second.meta.end_pos == first.meta.end_pos == 8


def test_another_grammar_and_another_start_have_tables_of_their_own(made: list[str], folder: Path) -> None:
    parser_of(GRAMMAR, ["sum"])
    parser_of(GRAMMAR.replace('"+"', '"-"'), ["sum"]).parse("1 - 2")
    parser_of(GRAMMAR + "two: NUMBER NUMBER", ["two"]).parse("1 2")
    assert len(made) == len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("content", [b"", b"x" * 100, None])
def test_damaged_tables_are_made_again(made: list[str], folder: Path, content: bytes | None) -> None:
    parser_of(GRAMMAR, ["sum"])
    [file] = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1] if content is None else content)
    assert str(parser_of(GRAMMAR, ["sum"]).parse("1+2").data) == "sum"
    parser_of(GRAMMAR, ["sum"])
    assert made == [GRAMMAR] * 2


def test_without_a_folder_tables_are_made_each_time(made: list[str], folder: Path) -> None:
    folder.write_text("not a folder")
    for _ in range(2):
        parser_of(GRAMMAR, ["sum"]).parse("1+2")
    assert len(made) == 2
