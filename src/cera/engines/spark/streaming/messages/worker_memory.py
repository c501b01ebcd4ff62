"""The memory of Python workers, which serve one task after the other.

After each task the worker looks through all objects for circles to collect: with the modules that are loaded here, that
takes longer than a small task. What a worker has loaded stays for good, so it is taken out of this search.
"""

from __future__ import annotations

import gc
import sys

_settled = 0


def settle() -> None:
    """Takes what there is out of the search for garbage, if modules were loaded since the last time."""
    global _settled
    if len(sys.modules) != _settled:
        _settled = len(sys.modules)
        gc.collect()
        gc.freeze()
