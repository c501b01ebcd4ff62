"""What a run says about changes of tables: those that tell too little, and tables that modules wait for in vain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cera.cli.report import count, listed, printable
from cera.diagnostics import did_you_mean
from cera.model.terms.term import Value, format_value
from cera.modules.monitoring import OPERATIONS
from cera.program import Program
from cera.running.outcome import Changes


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
    for each in program.expectations.changes:
        found = each.name in tables or (each.attributes and each.name.lower() in {name.lower() for name in tables})
        if tables and not found and each.name not in told:
            told.add(each.name)
            hint = did_you_mean(each.name, tables) or f"there are changes of {listed(sorted(tables))}"
            monitored = f"the program monitors {each}, and no change is of the table {each.name}"
            yield printable(f"{monitored}; {hint}")
