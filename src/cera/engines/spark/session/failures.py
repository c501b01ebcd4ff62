"""Failures inside Spark as errors of cera: the cause, without the stack of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from cera.errors import CeraError, EngineError, RecursionLimitError
from cera.wording import Setting

_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception)): (.*)$", re.MULTILINE)
_JAVA_ERROR = re.compile(r"^(?:: |Caused by: )[\w.$]+: (.*)$", re.MULTILINE)
_JAVA_STACK = "JVM stacktrace:"
_SQL_STATE = re.compile(r"\.? *SQLSTATE: \w+\.?$")
_LENGTH = 500

#: Errors whose names say nothing to a user: what happened, and what can be done about it.
_KNOWN = {
    r"OutOfMemoryError|Java heap space|GC overhead limit|TaskResultLost|Unable to acquire \d+ bytes of memory": (
        f"Spark ran out of memory; give it more, for example {Setting.CONF.of('spark.driver.memory=8g')} (on a cluster "
        f"spark.executor.memory too), or let fewer tasks run at once, {Setting.MASTER.of('local[2]')}"
    ),
    r"spark\.driver\.maxResultSize": (
        "the answers that Spark has to hand over at once are larger than spark.driver.maxResultSize; write them to a "
        f"file with {Setting.OUT}, or raise that setting with {Setting.CONF}"
    ),
    r"Python worker exited unexpectedly|Python worker process terminated": (
        "a Python worker of Spark was killed, each time that it was tried; mostly the machine has no memory left for "
        f"it: let fewer run at once, {Setting.MASTER.of('local[2]')}, or leave them more room, "
        f"{Setting.CONF.of('spark.driver.memory=2g')}"
    ),
    r"ExecutorLostFailure|exit code 137": (
        "an executor of Spark was lost; mostly it had too little memory: give it more with "
        f"{Setting.CONF.of('spark.executor.memory=8g')} and, for Python, "
        f"{Setting.CONF.of('spark.executor.memoryOverhead=2g')}"
    ),
    r"No space left on device": (
        "there is no space left on the disk: where the output is written, or where Spark puts what does not fit into "
        f"memory, which is {Setting.CONF.of('spark.local.dir=FOLDER')}"
    ),
}

_GONE = (
    "Spark's Java process has ended: it was killed, or the machine had no memory left for it. Start again; if it "
    f"happens once more, a smaller heap may help, for example {Setting.CONF.of('spark.driver.memory=2g')}"
)

#: The errors that Python sees when the Java process has ended.
_LOST = (ConnectionError, Py4JNetworkError, EOFError)

#: The errors that calls of Spark raise.
FAILURES = (PySparkException, Py4JError, *_LOST)


@contextmanager
def engine_failure() -> Iterator[None]:
    """Runs Spark; a failure becomes an EngineError that says why in a few lines."""
    try:
        yield
    except CeraError:
        raise
    except FAILURES as error:
        why = reason(error)
        if f"{RecursionLimitError.__name__}: {why}" in str(error):
            raise RecursionLimitError(why) from error
        raise EngineError(f"Spark could not finish: {why}") from error


def reason(error: BaseException) -> str:
    """Returns the deepest cause: the error of our own Python code if there is one, else Spark's or Java's.

    Where Spark has a condition for what went wrong, `[FAILED_READ_FILE] …`, it names the file, and is included. What is
    known to be a lack of memory or of space, or a process that was killed, is said with its remedy.
    """
    if isinstance(error, _LOST):
        return _GONE
    text = str(error)
    for names, remedy in _KNOWN.items():
        if re.search(names, text):
            return remedy
    found = _PYTHON_ERROR.findall(text.partition(_JAVA_STACK)[0])
    if found:
        name, message = found[-1]
        return f"{message[:_LENGTH]}" if name.endswith("LimitError") else f"{name}: {message[:_LENGTH]}"
    java = [_SQL_STATE.sub("", message.strip()) for message in _JAVA_ERROR.findall(text)]
    if not java:
        return _SQL_STATE.sub("", text.strip().split("\n", 1)[0])[:_LENGTH]
    named = [message for message in java[:-1] if message.startswith("[")]
    return ": ".join([*named[-1:], java[-1]])[:_LENGTH]
