"""The Spark session that cera makes."""

from __future__ import annotations

import pytest
from pyspark.accumulators import AccumulatorTCPServer

from cera.engines.spark.session.session import _let_java_end_quietly


@pytest.mark.parametrize(("error", "said"), [(EOFError(), False), (ConnectionResetError(), False), (KeyError(), True)])
def test_the_end_of_java_prints_no_traceback_and_other_errors_do(
    error: Exception, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    _let_java_end_quietly()
    server = AccumulatorTCPServer.__new__(AccumulatorTCPServer)
    try:
        raise error
    except Exception:
        server.handle_error(None, None)  # type: ignore[arg-type]
    assert ("Traceback" in capsys.readouterr().err) is said
