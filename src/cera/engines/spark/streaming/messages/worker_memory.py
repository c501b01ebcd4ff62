"""The memory of Python workers, which serve one task after the other.

After each task the worker looks through all objects for circles to collect: with the modules that are loaded here, that
takes longer than a small task. Loaded modules stay until the worker ends, so they are excluded from this search.
"""

from __future__ import annotations

import gc
import sys

_settled = 0


def settle() -> None:
    """Excludes all present objects from garbage collection, if modules were loaded since the last call."""
    global _settled
    if len(sys.modules) != _settled:
        _settled = len(sys.modules)
        gc.collect()
        gc.freeze()
