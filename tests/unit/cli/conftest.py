"""A folder with a program and its events, and the command line called inside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main
from unit.cli.command_line import FIRE, STREAM, Cera, write_lines


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fire.xceq").write_text(FIRE)
    write_lines(tmp_path / "events.jsonl", STREAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["reference", "local"])
def on_either_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """For what must be the same whether a recording is held in memory or flows through."""
    monkeypatch.setenv("CERA_ENGINE", request.param)
    engine: str = request.param
    return engine


@pytest.fixture
def cera(folder: Path) -> Cera:
    def call(*arguments: str, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, list(arguments), input=input)

    return call
