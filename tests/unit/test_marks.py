"""The marks of tests, and what `make quick` does with them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guard import NO_JAVA
from marks import LEFT_OUT_BY_QUICK, LONG

TESTS = Path(__file__).parents[1]

#: A suite with the settings of this one.
SUITE = """
import os, subprocess, sys
import pytest
from hypothesis_profiles import examples

def test_number_of_examples():
    assert examples(500) == EXAMPLES
    assert examples(3) == FEW

def test_java():
    assert os.environ["JAVA_HOME"] == NO_JAVA

@pytest.mark.spark
def test_java_marked():
    assert os.environ.get("JAVA_HOME") != NO_JAVA

@pytest.mark.processes
def test_process_marked():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_process():
    try:
        subprocess.run([sys.executable, "-c", ""], check=True)
    except Exception:
        pass  # as code does that reports what cannot be started

def test_fork():
    if os.fork() == 0:
        os._exit(0)

def test_spark_session(spark): ...

@pytest.mark.parametrize("engine", ["local", "spark"])
def test_engine(engine, spark_if_needed): ...

def test_postgres(postgres): ...

@pytest.mark.xdist_group("spark")
def test_group(): ...

@pytest.mark.slow
def test_slow(): ...

@pytest.mark.long
def test_long(): ...
"""


def run(folder: Path, *options: str, **values: object) -> dict[str, str]:
    """Returns how each test of the suite ended; what is not run is not in it."""
    suite = folder / "test_suite.py"
    suite.write_text("\n".join(f"{name} = {value!r}" for name, value in values.items()) + SUITE)
    marks = "\n  ".join(LEFT_OUT_BY_QUICK)
    (folder / "pytest.ini").write_text(f"[pytest]\nmarkers =\n  {marks}\npythonpath = {TESTS}\n")
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-n", "0", "-rA", *options]
    done = subprocess.run([*command, suite], cwd=folder, env=environment, capture_output=True, text=True)
    found = re.findall(r"^(PASSED|FAILED) \S+::(\S+)(?: - (.*))?$", done.stdout, re.MULTILINE)
    return {test: why or status for status, test, why in found}


@pytest.mark.processes
def test_quick_leaves_out_what_is_marked_and_finds_processes_without_a_mark(tmp_path: Path) -> None:
    found = run(tmp_path, "--quick", EXAMPLES=50, FEW=1, NO_JAVA=NO_JAVA)
    run_and_passed = {"test_number_of_examples", "test_java", "test_engine[local]"}
    assert {test for test, ended in found.items() if ended == "PASSED"} == run_and_passed
    assert set(found) - run_and_passed == {"test_process", "test_fork"}
    assert all("`make quick` starts no processes" in found[test] for test in ("test_process", "test_fork"))


@pytest.mark.processes
def test_without_quick_processes_may_start_and_java_is_there_for_those_who_say_so(tmp_path: Path) -> None:
    found = run(tmp_path, "-m", "not long", "-k", "not session and not postgres and not engine",
                EXAMPLES=500, FEW=3, NO_JAVA=NO_JAVA)  # fmt: skip
    assert set(found.values()) == {"PASSED"}
    assert {"test_process", "test_fork", "test_process_marked", "test_java", "test_java_marked"} <= set(found)


@pytest.mark.processes
def test_a_share_of_the_examples_is_tried_where_a_run_says_so(tmp_path: Path) -> None:
    found = run(tmp_path, "--examples", "25", "-k", "number", EXAMPLES=125, FEW=1, NO_JAVA=NO_JAVA)
    assert found == {"test_number_of_examples": "PASSED"}


@pytest.mark.processes
def test_what_needs_java_follows_from_fixtures_and_groups(tmp_path: Path) -> None:
    found = run(tmp_path, "-m", "not (spark or processes or long)", EXAMPLES=500, FEW=3, NO_JAVA=NO_JAVA)
    left_out = {"test_spark_session", "test_engine[spark]", "test_postgres", "test_group", "test_java_marked"}
    assert not left_out & set(found)
    assert {"test_engine[local]", "test_slow"} <= set(found)


def test_every_number_of_examples_follows_the_profile() -> None:
    """A number written as it is would be tried in `make quick` too."""
    fixed = [
        f"{path.relative_to(TESTS)}: {line.strip()}"
        for path in TESTS.rglob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"max_examples=\d", line)
    ]
    assert not fixed, "write max_examples=examples(…), of hypothesis_profiles"


@pytest.mark.parametrize("name", sorted(LONG))
def test_a_test_that_only_the_long_run_has_exists(name: str) -> None:
    file, _, test = name.partition("::")
    assert f"def {test.partition('[')[0]}(" in (TESTS.parent / file).read_text()
