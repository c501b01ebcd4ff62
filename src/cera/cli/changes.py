"""What a run says about changes of tables: those that tell too little, and tables that modules wait for in vain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from cera.cli.report import count, listed, printable
from cera.diagnostics import did_you_mean
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.term import Value, format_value
from cera.modules.arrivals import operation_and_table
from cera.modules.monitoring import CHANGE, OPERATIONS, MonitoredEvents
from cera.pipeline import Program

#: How many changes of the input had an operation and a table; None stands for what is not told.
Changes = Mapping[tuple[Value | None, Value | None], int]


def monitored_changes(program: Program) -> list[MonitoredEvents]:
    """The changes of tables that the modules of a program monitor."""
    found = (each for module in program.modules.found for each in module.module.monitored)
    return [each for each in found if each.operation is not None]


def changes_of(events: Iterable[Event]) -> Changes:
    return Counter(operation_and_table(occurrence(event)) for event in events if event.label == CHANGE)


def not_counted(changes: Changes) -> str | None:
    """How many changes no module can monitor, and why."""
    strange = [
        (operation, table, number)
        for (operation, table), number in changes.items()
        if operation not in OPERATIONS or not isinstance(table, str)
    ]
    if not strange:
        return None
    reasons: Counter[str] = Counter()
    for operation, _, number in strange:
        reasons["no table" if operation in OPERATIONS else _unknown(operation)] += number
    total = count(sum(number for *_, number in strange), "change")
    detail = listed([f"{printable(reason)} {number:,}" for reason, number in sorted(reasons.items())])
    return f"{total} without a table or an operation (insert, update or delete) counted for no module: {detail}"


def _unknown(operation: Value | None) -> str:
    return "no operation" if operation is None else f"operation {format_value(operation)}"


def missing_tables(program: Program, changes: Changes) -> Iterator[str]:
    """The monitored tables of which the input has no change at all, though it has others."""
    tables = {table for (_, table) in changes if isinstance(table, str)}
    told = set()
    for each in monitored_changes(program):
        found = each.name in tables or (each.attributes and each.name.lower() in {name.lower() for name in tables})
        if tables and not found and each.name not in told:
            told.add(each.name)
            hint = did_you_mean(each.name, tables) or f"there are changes of {listed(sorted(tables))}"
            monitored = f"the program monitors {each}, and no change is of the table {each.name}"
            yield printable(f"{monitored}; {hint}")
