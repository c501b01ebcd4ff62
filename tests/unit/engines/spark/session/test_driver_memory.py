"""How much memory a local session of Spark gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.engines.spark.session.driver_memory import heap, local_cores, local_memory, machine_memory
from cera.engines.spark.session.session import _with_tries

GIGABYTE = 1 << 30


@pytest.mark.parametrize(
    ("machine", "cores", "megabytes"),
    [(8, 4, 4096 - 1200), (16, 16, 8192 - 4800), (24, 2, 12288 - 600), (2, 2, 1024), (512, 64, 31 * 1024)],
)
def test_the_heap_is_half_of_the_machine_less_a_share_for_each_python_worker(
    machine: int, cores: int, megabytes: int
) -> None:
    assert heap(machine * GIGABYTE, cores) == megabytes


def test_only_local_masters_get_memory_and_only_where_nobody_said_how_much(tmp_path: Path) -> None:
    assert local_memory("local[2]", {}) == f"{heap(machine_memory(), 2)}m"
    assert local_memory("spark://host:7077", {}) is None
    assert local_memory("local-cluster[2,1,1024]", {}) is None
    assert local_memory("local[2]", {"SPARK_DRIVER_MEMORY": "3g"}) is None
    (tmp_path / "spark-defaults.conf").write_text("spark.driver.memory   3g\n")
    assert local_memory("local[2]", {"SPARK_CONF_DIR": str(tmp_path)}) is None


def test_masters_and_their_cores() -> None:
    assert (local_cores("local"), local_cores("local[3]"), local_cores("local[3,2]")) == (1, 3, 3)
    assert (local_cores("local[*]") or 0) >= 1
    assert local_cores("yarn") is None


@pytest.mark.parametrize(
    ("master", "tried"),
    [
        ("local", "local[1,4]"),
        ("local[2]", "local[2,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2,1]", "local[2,1]"),
        ("spark://h:7077", "spark://h:7077"),
    ],
)
def test_tasks_on_a_local_master_are_tried_four_times_unless_it_says_how_often(master: str, tried: str) -> None:
    assert _with_tries(master) == tried
