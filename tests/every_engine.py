"""All engines as parameters of tests; those of Spark run in the one worker that has the Spark session."""

from __future__ import annotations

import pytest

from cera.running.engine import ENGINES

EVERY_ENGINE = [
    pytest.param(engine, marks=pytest.mark.xdist_group("spark") if engine == "spark" else ()) for engine in ENGINES
]
