"""`cera --install-completion` says what it writes, and writes it once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "a home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "a home").mkdir()
    return tmp_path / "a home"


def install(*shell: str) -> Result:
    return CliRunner().invoke(main, ["--install-completion", *shell])


@pytest.mark.parametrize(("shell", "start"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_the_shell_reads_the_script_once(shell: str, start: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    (home / start).write_text("alias a=b")
    first = install()
    assert first.exit_code == 0, first.stderr
    assert first.stderr.splitlines()[1:] == [
        f"{home / start} reads it now",
        f"start another {shell} for it to take effect",
    ]
    lines = (home / start).read_text().splitlines()
    assert lines[0] == "alias a=b"
    assert len(lines) == 2
    again = install(shell)
    assert again.stderr.endswith("nothing had to be done\n")
    assert (home / start).read_text().splitlines() == lines


@pytest.mark.processes
def test_bash_completes_cera_after_it(home: Path) -> None:
    install("bash")
    done = subprocess.run(
        ["bash", "-c", f". '{home}/.bashrc'; complete -p cera"], capture_output=True, text=True, timeout=60
    )
    assert "_cera_completion cera" in done.stdout, done.stderr


def test_fish_finds_the_script_by_itself(home: Path) -> None:
    assert install("fish").exit_code == 0
    assert "complete" in (home / ".config/fish/completions/cera.fish").read_text()
    assert [path.name for path in home.iterdir()] == [".config"]


@pytest.mark.parametrize(
    ("shell", "found"), [("/bin/tcsh", "your shell is tcsh"), ("", "SHELL does not say which shell you have")]
)
def test_an_unknown_shell_is_an_error_and_nothing_is_written(
    shell: str, found: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", shell)
    result = install()
    assert result.exit_code == 2
    assert f"{found}; give one of bash, zsh, fish" in result.stderr
    assert not list(home.iterdir())
