"""What a test needs besides Python, as marks: nobody has to remember the ones that follow from what a test uses.

`spark`: Java. Set for tests with the fixture `spark`, with `spark_if_needed` where the engine is Spark, and in the
group of this name, whose worker has the session. A test that starts Spark in another process says so itself.
`long`: those of `long_on_spark.txt`, besides the tests that say so themselves.
`processes`: other processes. Set for tests with a server of PostgreSQL; `guard.py` finds those that forget to say so.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

#: The tests on Spark that only the long run has.
LONG = frozenset(
    line for line in Path(__file__).with_name("long_on_spark.txt").read_text().splitlines() if line.startswith("tests/")
)

#: The marks of tests that `--quick` leaves out.
LEFT_OUT_BY_QUICK = ("long", "processes", "slow", "spark")


def add_marks(item: pytest.Item) -> None:
    """Marks a test with what it needs, and pins it to the worker that has the Spark session if it needs that."""
    if item.nodeid in LONG:
        item.add_marker(pytest.mark.long)
    if uses_spark_session(item):
        item.add_marker(pytest.mark.xdist_group("spark"))
    if "spark" in xdist_groups(item):
        item.add_marker(pytest.mark.spark)
    if "postgres" in xdist_groups(item) or "postgres_server" in _fixtures(item):
        item.add_marker(pytest.mark.processes)


def uses_spark_session(item: pytest.Item) -> bool:
    """Returns whether the session of the tests is among the fixtures of a test."""
    fixtures = _fixtures(item)
    return "spark" in fixtures or ("spark_if_needed" in fixtures and _parameter(item, "engine") == "spark")


def xdist_groups(item: pytest.Item) -> set[str]:
    return {mark.args[0] for mark in item.iter_markers("xdist_group")}


def is_left_out_by_quick(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in LEFT_OUT_BY_QUICK)


def _fixtures(item: pytest.Item) -> Iterable[str]:
    return getattr(item, "fixturenames", ())


def _parameter(item: pytest.Item, name: str) -> object:
    parameters = getattr(item, "callspec", None)
    return parameters.params.get(name) if parameters else None
