"""The page on trust: every attack has a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs" / "trust.md").read_text(encoding="utf-8"))


def test_every_attack_has_a_test() -> None:
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    rows = text.partition("## Attacks")[2].count("\n| ") - 1
    assert rows == len(NAMED) > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_of_an_attack_is_there(file: str, name: str) -> None:
    assert re.search(rf"^ *def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
