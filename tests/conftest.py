"""Settings for all tests, and `--quick`, which leaves out the slow ones. One Spark session, and one server of
PostgreSQL, serve all tests that need one."""

from __future__ import annotations

import gc
import os
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import hypothesis_profiles
from cera.cli.main import SELDOM
from guard import Guard
from marks import add_marks, is_left_out_by_quick
from postgres_server import server
from run_counts import RunCounts, run_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ["CERA_ENGINE"] = "reference"  # what does not speak of an engine need not wait for Spark to start


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="without tests that need Java, processes or more than a second; a tenth of the random examples",
    )
    parser.addoption("--examples", type=int, metavar="PERCENT", help="try so many of the random examples")


def pytest_configure(config: pytest.Config) -> None:
    quick = config.getoption("quick")
    hypothesis_profiles.load(config.getoption("examples") or (hypothesis_profiles.QUICK if quick else 100))
    config.pluginmanager.register(Guard(quick=quick), "guard of marks")


@pytest.hookimpl(tryfirst=True)  # before `-m` and the groups of xdist, which look at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        add_marks(item)
    if config.getoption("quick"):
        left_out = [item for item in items if is_left_out_by_quick(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out_by_quick(item)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in RunCounts(run_folder(config)).lines():
        terminalreporter.write_line(line)


@pytest.fixture
def run_counts(request: pytest.FixtureRequest) -> RunCounts:
    """The counts of the tests of this run, whatever worker they are on."""
    return RunCounts(run_folder(request.config))


def pytest_collection_finish() -> None:
    """Leaves the tests themselves alone when Python looks for objects that keep each other alive, and lets it do so as
    seldom as a command of cera does."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from cera.engines.spark.session.session import session

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        # Java's best compiler takes a fifth of the CPU of these tests, and does not save as much; its plain compiler
        # saves some where it compiles what ran forty times, and not two hundred; there is no need to look for garbage
        # before there is some, or to remember queries for a page that is off
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:Tier3InvocationThreshold=40 "
        "-XX:Tier3MinInvocationThreshold=20 -XX:Tier3CompileThreshold=400 -XX:Tier3BackEdgeThreshold=12000 "
        "-XX:+UseSerialGC -XX:MetaspaceSize=256m -Xms1g -Xmn512m",
        "spark.sql.ui.retainedExecutions": "50",
        "spark.ui.retainedJobs": "100",
        "spark.ui.retainedStages": "100",
    }
    # to compile a query takes far longer than to interpret it over a few rows
    made = session("local[2]", settings, "cera tests", small=True)
    yield made
    made.stop()


@pytest.fixture
def spark_if_needed(request: pytest.FixtureRequest) -> None:
    """The Spark session, where the parameter `engine` says so."""
    if request.getfixturevalue("engine") == "spark":
        request.getfixturevalue("spark")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server of PostgreSQL; tests that use it are in the xdist group `postgres`."""
    with server() as running:
        yield running.url


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database."""
    import psycopg

    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY".encode())
        yield postgres_server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
