"""What is told of a failure inside Spark: the cause, in one line, without the stack of the JVM."""

from __future__ import annotations

import pytest

from cera.engines.spark.session.failures import engine_failure, reason
from cera.errors import EngineError
from cera.wording import on_command_line

MISSING = "[PATH_NOT_FOUND] Path does not exist: file:/x. SQLSTATE: 42K03"
BAD_FILE = """\
An error occurred while calling o47.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Error while reading file:///e.parquet.  SQLSTATE: KD001
\tat org.apache.spark.X.y(X.scala:59)
Caused by: java.io.IOException: bad page
\tat org.apache.parquet.X.y(X.java:1)
"""
NO_FOLDER = """\
An error occurred while calling o56.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times
\tat org.apache.spark.X.y(X.scala:59)
Caused by: java.io.IOException: Mkdirs failed to create file:/proc/x (exists=false)
"""
NO_MASTER = """\
An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: org.apache.spark.SparkException: Could not parse Master URL: 'x'
\tat org.apache.spark.X.y(X.scala:59)
"""
BAD_SETTING = """\
Error while instantiating 'X':

JVM stacktrace:
java.lang.IllegalArgumentException: Error while instantiating 'X':
\tat org.apache.spark.X.y(X.scala:59)
Caused by: org.apache.spark.IllegalArgumentException: [INVALID_CONF_VALUE] The value 'x' is invalid. SQLSTATE: 22022
"""
OWN = "thrown from the Python worker:\nTraceback:\n  File ...\nValueError: boom: here"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (MISSING, "[PATH_NOT_FOUND] Path does not exist: file:/x"),
        (BAD_FILE, "[FAILED_READ_FILE.NO_HINT] Error while reading file:///e.parquet: bad page"),
        (NO_FOLDER, "Mkdirs failed to create file:/proc/x (exists=false)"),
        (NO_MASTER, "Could not parse Master URL: 'x'"),
        (BAD_SETTING, "[INVALID_CONF_VALUE] The value 'x' is invalid"),
        (OWN, "ValueError: boom: here"),
    ],
)
def test_the_deepest_cause_is_told_and_the_file_if_spark_names_it(text: str, told: str) -> None:
    assert reason(RuntimeError(text)) == told


LOST = "TaskResultLost (result lost from block manager)"
CRASHED = "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed): java.io.EOFException"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (f"Job aborted due to stage failure: Task 0 in stage 72.0 failed 1 times: {LOST}", "spark.driver.memory=8g"),
        ("Caused by: java.lang.OutOfMemoryError: Java heap space", "spark.driver.memory=8g"),
        ("results (1.1 GiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)", "--out"),
        (f"Job aborted due to stage failure: Task 0 in stage 7.0 failed 4 times: {CRASHED}", "--master 'local[2]'"),
        ("ExecutorLostFailure (executor 1 exited)", "spark.executor.memory=8g"),
        ("OSError: [Errno 28] No space left on device", "spark.local.dir"),
    ],
)
def test_a_lack_of_memory_or_space_is_told_with_its_remedy(text: str, remedy: str) -> None:
    assert remedy in on_command_line(reason(RuntimeError(text)))


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused"), EOFError(), BrokenPipeError()])
def test_a_java_process_that_was_killed_is_no_bug(error: Exception) -> None:
    with pytest.raises(EngineError, match="Spark's Java process has ended: it was killed"), engine_failure():
        raise error
