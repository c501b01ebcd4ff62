"""`cera fmt`: files rewritten, and only where they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.languages.xchangeeq.parser import parse
from unit.cli.command_line import FIRE, Cera

UGLY = "# keep me\nDETECT a{ var   X } ON event b:b{{ var X }} END"
BROKEN = "DETECT a{ ON END"


@pytest.fixture
def canonical(cera: Cera) -> str:
    return cera("fmt", "-", input=UGLY).stdout


def test_a_file_is_rewritten_in_place_and_means_the_same(cera: Cera, folder: Path) -> None:
    result = cera("fmt", "fire.xceq")
    text = (folder / "fire.xceq").read_text()
    assert (result.exit_code, result.stdout) == (0, "")
    assert text != FIRE
    assert parse(Source("x", text)).program == parse(Source("x", FIRE)).program


def test_standard_input_goes_to_standard_output(canonical: str) -> None:
    assert canonical.startswith("# keep me\nDETECT a{var X}\n")
    assert canonical.endswith("END\n")


def test_a_file_in_canonical_layout_is_not_touched(cera: Cera, folder: Path, canonical: str) -> None:
    path = folder / "a.xceq"
    path.write_text(canonical)
    before = path.stat().st_ino, path.stat().st_mtime_ns
    result = cera("fmt", "a.xceq")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_check_names_what_would_change_and_changes_nothing(cera: Cera, folder: Path, canonical: str) -> None:
    (folder / "good.xceq").write_text(canonical)
    (folder / "ugly.xceq").write_text(UGLY)
    result = cera("fmt", "--check", "good.xceq", "ugly.xceq")
    assert result.exit_code == 1
    assert "ugly.xceq would change" in result.stderr
    assert "good.xceq" not in result.stderr
    assert (folder / "ugly.xceq").read_text() == UGLY
    assert cera("fmt", "--check", "good.xceq").exit_code == 0


def test_diff_shows_what_would_change(cera: Cera, folder: Path) -> None:
    (folder / "ugly.xceq").write_text(UGLY)
    result = cera("fmt", "--diff", "ugly.xceq")
    assert result.exit_code == 0
    assert "-DETECT a{ var   X } ON event b:b{{ var X }} END" in result.stdout
    assert "+DETECT a{var X}\n" in result.stdout
    assert (folder / "ugly.xceq").read_text() == UGLY


def test_a_file_that_does_not_parse_is_left_and_the_others_are_done(cera: Cera, folder: Path, canonical: str) -> None:
    (folder / "broken.xceq").write_text(BROKEN)
    (folder / "ugly.xceq").write_text(UGLY)
    result = cera("fmt", "broken.xceq", "ugly.xceq")
    assert result.exit_code == 1
    assert "error[XC0" in result.stderr
    assert (folder / "broken.xceq").read_text() == BROKEN
    assert (folder / "ugly.xceq").read_text() == canonical


def test_line_endings_are_kept(cera: Cera, folder: Path, canonical: str) -> None:
    path = folder / "windows.xceq"
    path.write_bytes(UGLY.replace("\n", "\r\n").encode())
    cera("fmt", "windows.xceq")
    assert path.read_bytes() == canonical.replace("\n", "\r\n").encode()
    assert cera("fmt", "--check", "windows.xceq").exit_code == 0


def test_text_that_is_not_utf_8_is_refused(cera: Cera) -> None:
    result = cera("fmt", "-", input=b"\xff")
    assert result.exit_code == 2
    assert "not UTF-8" in result.stderr


def test_a_file_that_is_not_there_is_a_wrong_command_line(cera: Cera) -> None:
    assert cera("fmt", "none.xceq").exit_code == 2
