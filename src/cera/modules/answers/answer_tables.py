"""Derived events as tables of pandas and Arrow, with the columns that Spark writes to Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import OpenAnswer, State, early_answer_of, name_of, state_of
from cera.model.message_text import did_you_mean
from cera.model.terms.json_terms import term_to_json
from cera.model.terms.term import Term, Value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_TIMES = ("begin", "end")
#: The columns of events of several labels; all but times and causes are texts.
_COLUMNS = ("id", *_TIMES, "label", "term", "rule", "causes", "recipient", "transport")


#: One more column where there are states.
_STATE = "state"


def to_pandas(derived: Sequence[DerivedEvent], label: str | None) -> pd.DataFrame:
    """Returns the events as a DataFrame: times are timestamps in UTC, causes dicts, absent children None."""
    pandas = _needed("pandas")
    columns = _columns(derived, label)
    made = {name: _pandas_column(pandas, name, values) for name, values in columns.items()}
    return pandas.DataFrame(made, columns=list(columns))


def to_arrow(derived: Sequence[DerivedEvent], label: str | None) -> pa.Table:
    """Returns the events as an Arrow table: times are timestamps in UTC, causes maps, absent children null."""
    arrow = _needed("pyarrow")
    columns = _columns(derived, label)
    known = _arrow_types(arrow) if label is None else {}
    known |= dict.fromkeys(_TIMES, arrow.timestamp("us", "UTC"))
    return arrow.table({name: _arrow_column(arrow, values, known.get(name)) for name, values in columns.items()})


def _needed(package: str) -> Any:
    try:
        return __import__(package)
    except ImportError as error:
        method = "to_pandas" if package == "pandas" else "to_arrow"
        raise UsageError(f"{method}() needs {package}: pip install {package}") from error


def _columns(derived: Sequence[DerivedEvent], label: str | None) -> dict[str, list[Any]]:
    if not isinstance(label, str | None):
        raise UsageError(f"`label` is the label of the events that are wanted, a text; found {label!r}")
    if label is None:
        rows = [_whole(item) for item in derived]
        columns = (*_COLUMNS, _STATE) if any(row[_STATE] for row in rows) else _COLUMNS
        return {name: [row[name] for row in rows] for name in columns}
    chosen = [item for item in derived if name_of(item.event.label) == label]
    if derived and not chosen:
        known = sorted({name_of(item.event.label) for item in derived})
        raise UsageError(
            f"no event of the answer has the label `{label}`{did_you_mean(label, known)}; there are {', '.join(known)}"
        )
    shown = [_shown(item.event) for item in chosen]
    when = {"id": [one.id for one in shown], **{n: [getattr(one, n) for one in shown] for n in _TIMES}}
    if any(isinstance(one, State) for one in shown):
        when[_STATE] = [isinstance(one, State) for one in shown]
    return {**when, **_children([one.term for one in shown], taken=when)}


def _shown(event: Event) -> Event | State | OpenAnswer:
    """Returns the state that an event opens or ends, the answer over one that is open, or the event."""
    return state_of(event) or early_answer_of(event) or event


def _whole(item: DerivedEvent) -> dict[str, Any]:
    event, first, recipient = _shown(item.event), item.derivations[0], item.recipient
    return {
        "id": event.id,
        "begin": event.begin,
        "end": event.end,
        "label": event.term.label,
        "term": json.dumps(term_to_json(event.term), ensure_ascii=False, separators=(",", ":")),
        "rule": first.rule,
        "causes": {name: cause.id for name, cause in first.causes.items()},
        "recipient": None if recipient is None else recipient.address,
        "transport": None if recipient is None else recipient.transport,
        _STATE: isinstance(event, State),
    }


def _children(terms: Sequence[Term], taken: Mapping[str, object]) -> dict[str, list[Any]]:
    """Returns a column for each label of a child; one with the name of another column gets an underscore in front."""
    names = dict.fromkeys(
        child.label if isinstance(child, Term) else "value" for term in terms for child in term.children
    )
    found = {name: [_value_of(term, name) for term in terms] for name in names}
    return {f"_{name}" if name in taken else name: values for name, values in found.items()}


def _value_of(term: Term, name: str) -> Any:
    """Returns the value of a child: of several children a list, of one that is not a plain value its JSON."""
    children = [child for child in term.children if (child.label if isinstance(child, Term) else "value") == name]
    values = [_plain(child) for child in children]
    return None if not values else values[0] if len(values) == 1 else values


def _plain(child: Value) -> Any:
    return term_to_json(child)[child.label] if isinstance(child, Term) else child


def _pandas_column(pandas: Any, name: str, values: list[Any]) -> Any:
    if name in _TIMES:
        kind = "int64" if None not in values else "Int64"  # a state that has not ended has none
        return pandas.Series(values, dtype=kind).astype("datetime64[us]").dt.tz_localize("UTC")
    return pandas.Series(values, dtype=None if values else "object")


def _arrow_types(arrow: Any) -> dict[str, Any]:
    texts = dict.fromkeys(_COLUMNS, arrow.string())
    return {**texts, "causes": arrow.map_(arrow.string(), arrow.string()), _STATE: arrow.bool_()}


def _arrow_column(arrow: Any, values: list[Any], known: Any) -> Any:
    if known is not None:
        return arrow.array([list(v.items()) if isinstance(v, dict) else v for v in values], known)
    try:
        return arrow.array(values)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError):  # values of several kinds
        texts = [None if each is None else json.dumps(each, ensure_ascii=False) for each in values]
        return arrow.array(texts, arrow.string())
