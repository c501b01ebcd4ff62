"""Failures inside Spark as errors of cera: the heart of the matter, without the stack of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from cera.errors import CeraError, EngineError

_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception)): (.*)$", re.MULTILINE)
_JAVA_ERROR = re.compile(r"^(?:: |Caused by: )[\w.$]+: (.*)$", re.MULTILINE)
_JAVA_STACK = "JVM stacktrace:"
_SQL_STATE = re.compile(r"\.? *SQLSTATE: \w+\.?$")
_LENGTH = 500


@contextmanager
def engine_failure() -> Iterator[None]:
    """Runs Spark; what fails there becomes an EngineError that says why in a few lines."""
    try:
        yield
    except CeraError:
        raise
    except (PySparkException, Py4JError) as error:
        raise EngineError(f"Spark could not finish: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """The cause that is deepest: the error of our own Python code if there is one, else Spark's or Java's.

    Where Spark has a condition for what went wrong, `[FAILED_READ_FILE] …`, it names the file, and is told too.
    """
    text = str(error)
    found = _PYTHON_ERROR.findall(text.partition(_JAVA_STACK)[0])
    if found:
        name, message = found[-1]
        return f"{message[:_LENGTH]}" if name.endswith("LimitError") else f"{name}: {message[:_LENGTH]}"
    java = [_SQL_STATE.sub("", message.strip()) for message in _JAVA_ERROR.findall(text)]
    if not java:
        return _SQL_STATE.sub("", text.strip().split("\n", 1)[0])[:_LENGTH]
    named = [message for message in java[:-1] if message.startswith("[")]
    return ": ".join([*named[-1:], java[-1]])[:_LENGTH]
