"""Finds the tests of an entry by its id: `pytest -k X-21` selects `test_X_21_…` as well."""

from __future__ import annotations

import re

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        named = re.findall(r"([A-Z]+)_(\d+)", item.name)
        item.extra_keyword_matches.update(f"{kind}-{number}" for kind, number in named)
