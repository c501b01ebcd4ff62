"""The records of a recording, as programs by hand take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

SECOND = 1_000_000


class Row(NamedTuple):
    """A record: its time, its label and its values; of a state, whether it begins or ends."""

    at: int
    label: str
    given: Mapping[str, Any]
    change: str = ""


Rows = Iterable[Row]
