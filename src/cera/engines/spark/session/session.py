"""The Spark session that cera makes where the user has none."""

from __future__ import annotations

import os
import shutil
import socketserver
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.accumulators import AccumulatorTCPServer
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from cera.engines.spark.session.driver_memory import DRIVER_MEMORY, local_cores, local_memory
from cera.engines.spark.session.failures import FAILURES, reason
from cera.engines.spark.session.java_classes import remember_classes
from cera.errors import EngineError, UsageError
from cera.wording import Setting

#: Spark's own log: errors only, on standard error.
_LOGGING = Path(__file__).with_name("log4j2.properties")

_STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",  # times are counted from 1970 UTC
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # it asks the JVM several times for every column made
    "spark.sql.caseSensitive": "true",  # labels and variables that differ in case are different
    "spark.sql.codegen.hugeMethodLimit": "8000",  # the JVM does not compile methods that are larger
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),  # else the bytes are counted for every row
    "spark.sql.ui.explainMode": "simple",  # else every query is written out in full, for a page that is off
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    _STATE_STORE: _ROCKS_DB,
}


#: For work that is done before Java and Spark have compiled the code that they would do it with.
_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",  # it plans the whole query again whenever a part of it is done
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.leafNodeDefaultParallelism": "1",  # each task reads the whole plan of its stage before it begins
}
#: Java's best compiler is for what runs ten times as often as it thinks: the loops over rows, and not the planning of
#: queries, on which it spends half of the time of a run over a million events.
COMPILED_LATE = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
#: Java's best compiler takes longer than it saves where there is little to do, or where Python does it.
_COMPILED_ONCE = "-XX:TieredStopAtLevel=1"
#: Spark's classes fill more than Java begins with, and it would look for garbage whenever they do.
_ROOM_FOR_CLASSES = "-XX:MetaspaceSize=256m"
_SMALL_JAVA = f"{_COMPILED_ONCE} -XX:+UseSerialGC {_ROOM_FOR_CLASSES}"

#: How often a task is tried, as on a cluster: a Python worker that was killed is not the end of a run.
_TRIES = 4


def session(
    master: str = "local[*]",
    settings: Mapping[str, str] | None = None,
    name: str = "cera",
    *,
    small: bool = False,
    in_python: bool = False,
) -> SparkSession:
    """Returns a session with the settings that cera needs; the user's own have precedence.

    On a local master the memory is that of `driver_memory`, and a task that fails is tried again, as on a cluster.
    `small`: there is little to do; `in_python`: most of it is done there.
    """
    java = f"-Dlog4j2.configurationFile={_LOGGING}"
    ours = {**_SETTINGS, "spark.driver.extraJavaOptions": java}
    if small and master.startswith("local"):
        ours |= {**_SMALL, "spark.driver.extraJavaOptions": f"{java} {_SMALL_JAVA}"}
    elif in_python and master.startswith("local"):
        ours |= {"spark.driver.extraJavaOptions": f"{java} {_COMPILED_ONCE}"}
    elif master.startswith("local"):
        ours |= {"spark.driver.extraJavaOptions": f"{java} {COMPILED_LATE}"}
    memory = None if small else local_memory(master, os.environ)
    if memory is not None:
        ours |= {DRIVER_MEMORY: memory}
    configuration = SparkConf().setMaster(_with_tries(master)).setAppName(name)
    configuration.setAll(list({**ours, **(settings or {})}.items()))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers import cera
    if SparkContext._gateway is None:
        _start(configuration)
    _let_java_end_quietly()
    try:
        made = SparkSession.builder.config(conf=configuration).getOrCreate()
        remember_classes(made.sparkContext)
        made.sparkContext.setLogLevel("ERROR")
        made.conf.get("spark.sql.session.timeZone")  # a wrong setting is detected when the first one is read
    except (PySparkException, Py4JError) as error:
        raise EngineError(
            f"Spark does not start on {master}: {_refusal(error)}; look at {Setting.MASTER} and {Setting.CONF}"
        ) from error
    return made


def _let_java_end_quietly() -> None:
    """Keeps a thread of pyspark's from printing a traceback when the Java process has ended; the thread that waits for
    Spark reports it."""
    plain = socketserver.BaseServer.handle_error

    def handle_error(server: socketserver.BaseServer, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError | ConnectionError):
            plain(server, request, client_address)

    AccumulatorTCPServer.handle_error = handle_error  # type: ignore[assignment, method-assign]


def end(spark: SparkSession) -> None:
    """Stops a session; does nothing if its Java process has ended."""
    with suppress(*FAILURES):
        spark.stop()


def _with_tries(master: str) -> str:
    """Returns `local[2,4]` for `local[2]`: on a local master `spark.task.maxFailures` has no effect."""
    if local_cores(master) is None or "," in master:
        return master
    return f"local[1,{_TRIES}]" if master == "local" else f"{master[:-1]},{_TRIES}]"


def check_state_store(spark: SparkSession) -> None:
    """Raises an error for a session in which Spark would not start a stream of cera."""
    found = spark.conf.get(_STATE_STORE) or "none"
    if found.rpartition(".")[2] != _ROCKS_DB.rpartition(".")[2]:  # vendors of Spark have theirs in other packages
        raise UsageError(
            f"a stream keeps its state in RocksDB, and this session of Spark in {found.rpartition('.')[2]}; before "
            f'`detect`, say spark.conf.set("{_STATE_STORE}", "{_ROCKS_DB}"), or make the session with '
            "`cera.spark.session`"
        )


def _refusal(error: BaseException) -> str:
    why = reason(error)
    return "nothing answers there, or it ended at once" if "stopped SparkContext" in why else why


def _start(configuration: SparkConf) -> None:
    """Starts the JVM without the messages that precede its logging; CERA_DEBUG shows them."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise UsageError(
            f"Spark needs Java 17, and there is no java on the path; install it, or use {Setting.ENGINE.of('local')}"
        )
    stream = None if os.environ.get("CERA_DEBUG") else subprocess.DEVNULL
    try:
        # pyspark does not type it
        gateway = launch_gateway(conf=configuration, popen_kwargs={"stderr": stream})  # type: ignore[no-untyped-call]
    except PySparkException as error:
        raise EngineError(
            f"Spark does not start on {configuration.get('spark.master')} with {DRIVER_MEMORY} "
            f"{configuration.get(DRIVER_MEMORY, '1g')}: its Java process ended at once; look at {Setting.MASTER} and "
            f"{Setting.CONF} (CERA_DEBUG=1 shows what Java says)"
        ) from error
    SparkContext._ensure_initialized(gateway=gateway, conf=configuration)
