"""The answer of every engine over a recorded stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cera.html_table import SHOWN, html_table
from cera.model.events.event import DerivedEvent
from cera.model.events.states import early_answer_of, shown_label, state_of
from cera.model.time.time_text import TimeFormat

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Answer:
    """The derived events in the order of output, and how often an expression had no value.

    `left_out` are the events that lacked the attribute by which a module is partitioned. `open_states` is how many
    states, by label, are still open while some rule waits for the ends of such states: what waits for them is not
    answered. An answer can be iterated over, has a length, and shows itself as a table in a notebook.
    """

    derived: tuple[DerivedEvent, ...]
    undefined: int = 0
    left_out: int = 0
    open_states: Mapping[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[DerivedEvent]:
        return iter(self.derived)

    def __len__(self) -> int:
        return len(self.derived)

    def __bool__(self) -> bool:
        """Returns True: an answer without events is an answer."""
        return True

    def to_pandas(self, label: str | None = None) -> pd.DataFrame:
        """Returns the events as a DataFrame of pandas with the columns of `to_arrow`."""
        from cera.modules.answers.answer_tables import to_pandas

        return to_pandas(self.derived, label)

    def to_arrow(self, label: str | None = None) -> pa.Table:
        """Returns the events as an Arrow table: id, begin, end, label, term (JSON), rule, causes, and the recipient.

        If there are states, a column `state` says which they are; one that has not ended has no end.

        With a `label` it has only events with this one, and after id, begin and end a column for each child.
        """
        from cera.modules.answers.answer_tables import to_arrow

        return to_arrow(self.derived, label)

    def _by_label(self) -> str:
        counts = Counter(shown_label(item.event.label) for item in self.derived)
        named = ", ".join(f"{label} {number:,}" for label, number in sorted(counts.items())[:SHOWN])
        events = "1 event" if len(self) == 1 else f"{len(self):,} events"
        return f"{events}: {named}" if named else "no events"

    def __repr__(self) -> str:
        return f"<Answer: {self._by_label()}>"

    def _repr_html_(self) -> str:
        times = TimeFormat()
        rows = [_row(item, times) for item in self.derived[:SHOWN]]
        return html_table(self._by_label(), ("begin", "end", "event", "rule"), rows, len(self) - len(rows))


def _row(item: DerivedEvent, times: TimeFormat) -> tuple[Any, ...]:
    rules = ", ".join(dict.fromkeys(derivation.rule for derivation in item.derivations))
    event = item.event
    if (state := state_of(event) or early_answer_of(event)) is not None:
        return times.format(state.begin), "" if state.end is None else times.format(state.end), str(state), rules
    return times.format(event.begin), times.format(event.end), event.term, rules
