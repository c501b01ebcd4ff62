"""Texts that are longer than what is written at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.connectors import line_writer
from cera.connectors.line_writer import LineWriter


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 20, 21, 22])
def test_a_long_text_is_written_in_pieces_as_it_is(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_writer, "_PIECE", 7)
    text = bytes(range(size))
    with LineWriter(tmp_path / "lines") as writer:
        writer.write_bytes(text)
        writer.write_bytes(memoryview(text))
    assert (tmp_path / "lines").read_bytes() == text + text
