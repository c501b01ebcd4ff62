"""`cera explain CODE` shows the page that `check --json` names, wherever cera is installed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera import diagnostic_pages
from cera.cli.main import main

ROOT = Path(__file__).parents[3]


def cera(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=text)


def test_the_page_of_a_code_is_shown_as_it_is() -> None:
    page = (ROOT / "docs" / "diagnostics" / "XC201.md").read_text()
    assert cera("explain", "XC201").stdout == cera("explain", "xc201").stdout == page
    both = cera("explain", "XC201", "EP101").stdout
    assert both.startswith(page)
    assert "# EP101: " in both


def test_on_a_terminal_the_page_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.cli.explain.on_terminal", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    shown = cera("explain", "XC201").stdout
    assert "XC201: a head variable is not bound" in shown
    assert "```" not in shown


@pytest.mark.parametrize(("code", "meant"), [("XC999", "XC"), ("XC2O1", "XC201"), ("EP10", "EP10")])
def test_a_code_that_does_not_exist_is_a_wrong_command_line(code: str, meant: str) -> None:
    result = cera("explain", code)
    assert result.exit_code == 2
    assert f"there is no error or warning with the code {code}; did you mean '{meant}" in result.stderr


def test_a_code_goes_with_no_option() -> None:
    result = cera("explain", "XC201", "--json")
    assert result.exit_code == 2
    assert "leave out --json" in result.stderr


def test_check_names_a_command_that_shows_the_page() -> None:
    [finding] = json.loads(cera("check", "-", "--json", text="DETECT a{var X} ON b{{}} END").stdout)
    assert finding["page"] == "cera explain XC201"
    assert cera(*finding["page"].split()[1:]).exit_code == 0


def test_the_wheel_has_the_pages_where_they_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert settings["force-include"] == {"docs/diagnostics": f"cera/{diagnostic_pages._IN_PACKAGE}"}
    installed = tmp_path / diagnostic_pages._IN_PACKAGE
    installed.mkdir()
    (installed / "XC201.md").write_text("installed")
    monkeypatch.setattr(diagnostic_pages.resources, "files", lambda package: tmp_path)
    diagnostic_pages.pages.cache_clear()
    try:
        assert diagnostic_pages.page("XC201") == "installed"
        monkeypatch.setattr(diagnostic_pages, "_IN_PACKAGE", "none")
        monkeypatch.setattr(diagnostic_pages, "_IN_REPOSITORY", tmp_path / "none")
        diagnostic_pages.pages.cache_clear()
        assert diagnostic_pages.pages() == {}
    finally:
        diagnostic_pages.pages.cache_clear()


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("DETECT a ON b{{}} END", 0),
        ("begin M monitor update(ACC); R: update(ACC(X)). end.", 0),
        ("event A; event B; X := recent A ; B", 0),
        ("DETECT a ON", 1),
    ],
)
def test_check_reads_standard_input_in_the_language_of_its_text(text: str, status: int) -> None:
    result = cera("check", "-", text=text)
    assert result.exit_code == status, result.stderr
    assert "1 file, " in result.stderr
    assert ("error[" in result.stderr) == bool(status)
    assert "--> <stdin>:1:" in result.stderr


def test_program_and_events_do_not_share_standard_input() -> None:
    result = cera("run", "-", "--events", "-", text="DETECT a ON b{{}} END")
    assert result.exit_code == 2
    assert "cannot both come from standard input" in result.stderr
