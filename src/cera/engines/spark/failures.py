"""Failures inside Spark as errors of cera: the heart of the matter, without the stack of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from cera.errors import CeraError, EngineError

_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception)): (.*)$", re.MULTILINE)
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
    """The cause that is deepest: the error of our own Python code if there is one, else the first line of Spark's."""
    text = str(error)
    found = _PYTHON_ERROR.findall(text)
    if found:
        name, message = found[-1]
        return f"{message[:_LENGTH]}" if name.endswith("LimitError") else f"{name}: {message[:_LENGTH]}"
    return text.strip().split("\n", 1)[0][:_LENGTH]
