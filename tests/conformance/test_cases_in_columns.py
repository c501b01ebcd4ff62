"""The cases that columns cover, from the command line: their expected answers, whatever the size of a batch."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.running import columns_flow
from conformance.case_folders import LAYOUT_FIELDS, Case, list_cases

#: What cases say that `cera run` takes as options.
OPTIONS = ("semantics", "until", "timezone", "time_unit", *LAYOUT_FIELDS)


@cache
def covered() -> list[Case]:
    return [case for case in list_cases() if columns_flow.why_not_in_columns(case.program.layers) is None]


def answers(case: Case, folder: Path) -> list[dict[str, object]]:
    out = folder / "answers.jsonl"
    options = [f"--{name.replace('_', '-')}={case.options[name]}" for name in OPTIONS if name in case.options]
    command = ["run", *map(str, case.programs), "--events", str(case.events), *options, "--engine", "local"]
    result = CliRunner().invoke(main, [*command, "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("size", [1, 1_000])
def test_cases_in_columns_give_their_expected_answers(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(columns_flow.SWITCH, "1")
    monkeypatch.setattr(columns_flow, "BATCH", size)
    for case in covered():
        found = answers(case, tmp_path)
        assert len(found) == len(case.expected), case.id
        names = set().union(*case.expected)
        lines = [json.dumps({name: line[name] for name in sorted(names)}, sort_keys=True) for line in found]
        assert sorted(lines) == sorted(json.dumps(line, sort_keys=True) for line in case.expected), case.id
    assert len(covered()) >= 7
