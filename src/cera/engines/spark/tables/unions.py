"""Many DataFrames as one."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame


def united(frames: Sequence[DataFrame]) -> DataFrame:
    """Returns the rows of all frames, by the names of their columns; there is at least one.

    Spark looks through all that is below a union when it is made, so these are made in pairs, and pairs of pairs: one
    after the other would be as many looks at the first frame as there are frames.
    """
    level = list(frames)
    while len(level) > 1:
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [pair[0].unionByName(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]
