"""A change of a table as an event, recorded by our own triggers or by Debezium.

The event of an update is `change{operation{"update"}, table{"ACC"}, transaction{"771"}, position{42}, old{…}, new{…}}`,
a point of time. An insertion has no `old`, a deletion no `new`; a column that is null is an absent child. The position
orders changes of one time, and keeps equal changes apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from cera.connectors.records.layout import RecordError
from cera.model.events.event import Event
from cera.model.terms.json_terms import describe, term_from_json
from cera.model.terms.term import Term
from cera.model.time.interval import Time, point

Operation = Literal["insert", "update", "delete"]

#: The label of the events.
CHANGE = "change"

#: Why a truncated table gives no event.
TRUNCATED = "the table {table} was truncated: which rows were deleted is not told; delete rows with DELETE instead"


@dataclass(frozen=True)
class Change:
    """A change of one row. `position` and `transaction` are None where the source does not give them."""

    operation: str
    table: str
    time: Time
    old: object = None
    new: object = None
    position: int | None = None
    transaction: str | None = None

    def event(self) -> Event:
        """Returns the event of the change; raises RecordError, or another error of the record, if it is not one."""
        if self.operation == "truncate":
            raise RecordError(TRUNCATED.format(table=self.table))
        if self.operation not in get_args(Operation):
            raise RecordError(f"the operation is insert, update or delete, found {describe(self.operation)}")
        rows = {
            "old": None if self.operation == "insert" else self.old,
            "new": None if self.operation == "delete" else self.new,
        }
        for name, row in rows.items():
            if row is not None and not isinstance(row, Mapping):
                raise RecordError(f"the {name} row is an object with a field for each column, found {describe(row)}")
        children = [_named("operation", self.operation), _named("table", self.table)]
        if self.transaction is not None:
            children.append(_named("transaction", self.transaction))
        if self.position is not None:
            children.append(Term("position", [self.position]))
        children += [term_from_json({name: row}) for name, row in rows.items() if row is not None]
        return Event(Term(CHANGE, children), point(self.time))


@lru_cache(maxsize=1000)  # tables are few, and the changes of a transaction come together
def _named(label: str, name: str) -> Term:
    return Term(label, [name])
