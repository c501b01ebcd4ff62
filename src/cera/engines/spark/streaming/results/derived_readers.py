"""Functions that read derived events, generated for the head that made them.

They run for every derived event, and append a tuple for it: begin, end, the leaves of its head, the halves of the ids
of the events that caused it, the begins and ends of its timers. Events that were derived in several ways, or are not
drafts, go to `others`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cera.engines.local.derived import Derived, WindowHead
from cera.model.events.occurrence import Identified, halves

Reader = Callable[[Sequence[Derived], list[tuple[Any, ...]], list[Derived]], None]


def collected_reader(window: WindowHead, events: Sequence[int], timers: Sequence[int]) -> Reader:
    """Returns a reader of what a window collected. `events` and `timers` are columns of the event trace's row."""
    cells = window.cells
    unpacking = [_unpacked(window.source.values, "one.values"), _unpacked(window.parts, "one.parts")]
    edges = [edge for timer in timers for edge in (cells.begin(timer), cells.end(timer))]
    causes = [cells[event] for event in events]
    return _reader("one.more is not None", unpacking, window.source.leaves, causes, edges, window.writing.values)


def constructed_reader(children: int, events: Sequence[int], timers: Sequence[int]) -> Reader:
    """Returns a reader of what was made of rows, with a head of so many children of one leaf each."""
    leaves = [f"leaf_{number}" for number in range(children)]
    draft = ", ".join(f"(_, _, ({leaf},))" for leaf in leaves)
    unpacking = [f"({draft},) = one.content[2]", "row = one.leading"]
    edges = [f"row[{timer}].{edge}" for timer in timers for edge in ("begin", "end")]
    causes = [f"row[{event}]" for event in events]
    return _reader("one.more is not None or one.content.__class__ is not tuple", unpacking, leaves, causes, edges, {})


def _unpacked(names: Sequence[str], source: str) -> str:
    return f"{', '.join(names)}, = {source}" if names else "pass"


def _reader(
    unusual: str,
    unpacking: Sequence[str],
    leaves: Sequence[str],
    causes: Sequence[str],
    edges: Sequence[str],
    names: Mapping[str, Any],
) -> Reader:
    ids = [f"half_{number}_{half}" for number in range(len(causes)) for half in (1, 2)]
    known = [
        f"half_{number}_1, half_{number}_2 = "
        f"(cause.h1, cause.h2) if (cause := {source}).__class__ is Identified else halves(cause.event.id)"
        for number, source in enumerate(causes)
    ]
    lines = [
        "def read(derived, rows, others):",
        "    for one in derived:",
        f"        if {unusual}:",
        "            others.append(one)",
        "            continue",
        *(f"        {line}" for line in (*unpacking, *known)),
        f"        rows.append((one.begin, one.end, {', '.join([*leaves, *ids, *edges])},))",
    ]
    scope: dict[str, Any] = {**names, "Identified": Identified, "halves": halves}
    exec("\n".join(lines), scope)  # the source is made here from a checked program
    reader: Reader = scope["read"]
    return reader
