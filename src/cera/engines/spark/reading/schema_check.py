"""Checks a program against the columns of a DataFrame, before anything runs.

What every match needs and the table cannot have is an error: a column that is not there, a label that no event has, a
text where a number is compared. Under `optional`, `without`, `not` or in one branch of `or` it is a warning.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    NumericType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from cera.diagnostics import Span, closest
from cera.engines.spark.reading.column_roles import TableLayout
from cera.errors import UsageError
from cera.model.events.attributes import AskedAttribute, Path
from cera.model.events.event import STATE_ID
from cera.model.events.states import shown_label, state_label
from cera.modules.expectations import asked_by
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of
from cera.rules.analysis.attribute_kinds import expected_kinds
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.unification import query_label
from cera.rules.reasoning.value_kinds import BOOLEAN, NUMBER, STRING, Kinds

#: Metadata of the column of labels: the label of all events, and whether the check is wanted.
LABEL, CHECK = "cera.label", "cera.check"

_UNION = re.compile(r"^\W*Union\b", re.MULTILINE)
_KINDS = {NUMBER: "a number", STRING: "a text", BOOLEAN: "a truth value"}
_KAFKA = frozenset({"topic", "partition", "offset"})


class MissingAttributeWarning(UserWarning):
    """A program asks for something that the events of a DataFrame never have, and that only some matches need."""


@dataclass(frozen=True)
class _Finding:
    message: str
    needed: bool


def check_schema(program: Layers, frame: DataFrame, roles: TableLayout) -> None:
    """Raises UsageError for what every match needs and no event can have; warns of what some matches need."""
    about = {} if roles.label is None else frame.schema[roles.label].metadata
    children = StructType([frame.schema[name] for name in roles.children])
    types = [each.dataType for each in children.fields]
    if not about.get(CHECK, True) or roles.term is not None or types == [VariantType()]:
        return
    label = None if _is_union(frame) else about.get(LABEL)
    found = list(
        dict.fromkeys(
            (*_labels(program, label), *_columns(program, label, children), *_kinds(program, label, children))
        )
    )
    errors = [each.message for each in found if each.needed]
    if errors:
        packed = _packed(frame, roles)
        raise UsageError(*errors, *([packed] if packed else []), "`cera.spark.events(…, check=False)` turns this off")
    for each in found:
        warnings.warn(each.message, MissingAttributeWarning, stacklevel=4)


def _is_union(frame: DataFrame) -> bool:
    """Returns whether rows come from several tables, with the metadata of the first; True if that is unknown."""
    try:
        return _UNION.search(frame._jdf.queryExecution().analyzed().toString()) is not None
    except Exception:  # a client of a remote Spark has no plan
        return True


def _labels(program: Layers, label: str | None) -> Iterator[_Finding]:
    """Yields findings for labels, where all events have one and the same."""
    if label is None:
        return
    queried: dict[str | None, Span | None] = {}
    for rule in rules_of(program):
        for query in event_patterns(rule):
            queried.setdefault(_written(query_label(query.pattern)), query.span)
    for module in program.modules:
        queried.update({name: module.span for name in module.reads if name not in queried})
    if label in queried or None in queried or not queried:
        return
    derived = _own_labels(program)
    outside = {name: span for name, span in queried.items() if name is not None and name not in derived}
    for name, span in outside.items():
        yield _Finding(
            f"the program asks for `{name}`{_at(span)}, and all events have the label `{label}`", needed=True
        )


def _columns(program: Layers, label: str | None, children: StructType) -> Iterator[_Finding]:
    own = _own_labels(program)
    for asked in asked_by(program):
        if asked.path[0] == STATE_ID or asked.label in own or label not in (None, _written(asked.label)):
            continue
        missing = _missing(children, asked)
        if missing is not None and missing[0] == asked.path:  # else the child around it is missing, and is reported
            parent, names = missing
            meant = closest(parent[-1], names)
            hint = (
                f"did you mean `{meant}`?" if meant else f"there are {', '.join(names)}" if names else "there are none"
            )
            inside = f" in `{'.'.join(parent[:-1])}`" if len(parent) > 1 else ""
            of = shown_label(asked.label)
            said = f"the program asks for `{asked.name}` of `{of}`{_at(asked.span)}, and there is no column "
            yield _Finding(f"{said}`{parent[-1]}`{inside}; {hint}", asked.needed)


def _missing(children: StructType, asked: AskedAttribute) -> tuple[Path, Sequence[str]] | None:
    """Returns the path that is missing, and the columns that exist in its place; None where it is or may be there."""
    here: DataType = children
    for depth, name in enumerate(asked.path, 1):
        if not isinstance(here, StructType):
            return None  # arrays, maps and VARIANT hold anything; a plain value has no children, whatever the name
        names = here.fieldNames()
        found = next(
            (each for each in names if each == name or (asked.any_case and each.lower() == name.lower())), None
        )
        if found is None:
            return asked.path[:depth], names
        here = here[found].dataType
    return None


def _kinds(program: Layers, label: str | None, children: StructType) -> Iterator[_Finding]:
    own = _own_labels(program)
    for expected in expected_kinds(rules_of(program)):
        if expected.path[0] == STATE_ID or expected.label in own or label not in (None, _written(expected.label)):
            continue
        held = _kind_at(children, expected.path)
        if held is not None and not held & expected.kinds:
            name = ".".join(expected.path)
            wanted = " or ".join(text for kind, text in _KINDS.items() if kind <= expected.kinds) or "a term"
            said = f"the column `{name}` holds {_KINDS[held]}, and the program compares it with {wanted}"
            yield _Finding(f"{said}{_at(expected.span)}; cast one of them", expected.needed)


def _kind_at(children: StructType, path: Path) -> Kinds | None:
    """Returns the kind of the values of a column; None if its type is not a plain one."""
    here: DataType = children
    for name in path:
        if not isinstance(here, StructType) or name not in here.fieldNames():
            return None
        here = here[name].dataType
    match here:
        case StringType() | DateType() | TimestampType() | TimestampNTZType():
            return STRING
        case BooleanType():
            return BOOLEAN
        case NumericType():
            return NUMBER
        case _:
            return None


def _written(label: str | None) -> str | None:
    """Returns the label that the rows of a table have which a query for a label finds: of a state its own."""
    return None if label is None else state_label(label) or label


def _own_labels(program: Layers) -> frozenset[str]:
    """Returns the labels of events that the program derives itself: not all of them are rows of the table."""
    return frozenset(label for module in program.modules for label in module.derives if label is not None)


def _packed(frame: DataFrame, roles: TableLayout) -> str | None:
    """Returns a hint for records of Kafka that were not unpacked."""
    if "value" not in roles.children or not isinstance(frame.schema["value"].dataType, StringType | BinaryType):
        return None
    if len(roles.children) > 1 and not _KAFKA & set(frame.columns):
        return None
    return (
        "the column `value` seems to hold whole records, as Kafka gives them; unpack it before: "
        "table.select(from_json(col('value').cast('string'), schema).alias('record')).select('record.*')"
    )


def _at(span: Span | None) -> str:
    return "" if span is None else f" ({span})"
