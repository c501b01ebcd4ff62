"""Terms as JSON, both ways and without loss.

    {"temp": {"area": "a", "value": 40}}     temp{area{"a"}, value{40}}
    {"x": [1, {"y": 2}, [3], {}]}            x[1, y{2}, ""[3], ""{}]
    {"x": {"{}": [1, {"y": 2}, {"y": 2}]}}   x{1, y{2}, y{2}}

An object is unordered children, an array ordered children, a scalar one leaf. Inside an array an object with one key
is the term with that label; any other object, and an array, is an anonymous term. Unordered children that are no
object (a label twice, a leaf beside others, an anonymous child, a child labelled `{}`) stand in an array under the key
`{}`. An anonymous term that would look like a labelled one is written with its empty label: `{"": {"y": 2}}` is
`""{y{2}}`. null, NaN and the infinities are absent children.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cera.model.terms.term import MAX_DEPTH, Term, TermError, Value
from cera.model.terms.values import NumberTooLargeError, Scalar, read_fraction, read_integer, scalar_key

_UNORDERED = "{}"
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class JsonError(TermError):
    """A text is not JSON, or holds something that has no value here. Line and column where they are known."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def loads(text: str) -> Any:
    """Reads a JSON text; refuses a key given twice, numbers out of range and halves of surrogate pairs."""
    try:
        value = json.loads(
            text, parse_int=read_integer, parse_float=read_fraction, parse_constant=_absent, object_pairs_hook=_object
        )
        if _HALF_PAIR.search(text):
            _refuse_half_pairs(value)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise JsonError(f"not JSON at {place}: {error.msg}", error.lineno, error.colno) from None
    except NumberTooLargeError as error:
        raise JsonError(str(error)) from None
    except RecursionError:
        raise JsonError("not readable: the JSON is nested too deep") from None
    return value


def _absent(_: str) -> None:
    """Returns None for NaN and the infinities, which Python's json writes and which are not values."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise JsonError(f"the key {_cut(json.dumps(twice))} is given twice in one object")
    return record


def _refuse_half_pairs(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JsonError("a string contains half of a surrogate pair, which is not a character") from None


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


def term_from_json(value: object) -> Term:
    """Returns the term of an object with one key, its label."""
    if not isinstance(value, Mapping) or len(value) != 1:
        raise TermError(f"a term is an object with exactly one key, its label; found {describe(value)}")
    [(label, body)] = value.items()
    if _is_absent(body):
        raise TermError(f"the term {_cut(json.dumps(label))} has no content: null is an absent term")
    return _term(label, body, 1)


def _term(label: object, body: object, depth: int) -> Term:
    if not isinstance(label, str):
        raise TermError(f"a label is a string; found {describe(label)}")
    if depth > MAX_DEPTH:
        raise TermError(f"a term is nested deeper than {MAX_DEPTH} levels")
    if isinstance(body, Mapping):
        listed = body.get(_UNORDERED) if len(body) == 1 else None
        if isinstance(listed, list | tuple):
            return Term(label, _items(listed, depth + 1))
        return Term(label, [_term(key, child, depth + 1) for key, child in body.items() if not _is_absent(child)])
    if isinstance(body, list | tuple):
        return Term(label, _items(body, depth + 1), ordered=True)
    return Term(label, [_scalar(body)])


def _items(items: Sequence[object], depth: int) -> list[Value]:
    return [_item(item, depth) for item in items if not _is_absent_item(item)]


def _item(item: object, depth: int) -> Value:
    if isinstance(item, Mapping) and len(item) == 1:
        [(label, body)] = item.items()
        return _term(label, body, depth)
    return _term("", item, depth) if isinstance(item, Mapping | list | tuple) else _scalar(item)


def _scalar(value: object) -> Scalar:
    if isinstance(value, str | int | float):
        return value
    raise TermError(f"a leaf is a string, a number or a truth value; found {describe(value)}")


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _is_absent_item(item: object) -> bool:
    return _is_absent(item) or (isinstance(item, Mapping) and len(item) == 1 and _is_absent(*item.values()))


def describe(value: object) -> str:
    """Returns what was found, for a message about what was expected."""
    match value:
        case None:
            return "null"
        case Mapping():
            keys = _cut(", ".join(json.dumps(key) for key in value if isinstance(key, str)))
            return f"an object with the keys {keys}" if value else "an empty object"
        case list() | tuple():
            return "an array"
        case bool() | int() | float() | str():
            return _cut(json.dumps(value))
        case _:
            return f"a Python {type(value).__name__}"


def term_to_json(term: Term) -> dict[str, Any]:
    """Returns the object with one key that `term_from_json` reads as this term."""
    return {term.label: _body(term)}


def term_text(term: Term) -> str:
    """Returns the JSON of a term as cera writes it: children in their order, a blank after each colon and comma."""
    return json.dumps(term_to_json(term), ensure_ascii=False)


def sort_key(text: str) -> tuple[Any, ...]:
    """Returns the sort key of the term in a text that `term_text` wrote; flat texts are not made into terms."""
    document = json.loads(text, parse_float=read_fraction)
    [(label, body)] = document.items()
    if isinstance(body, dict) and not body.keys() & {"", _UNORDERED}:
        values = body.values()
        if all(isinstance(value, str | int | float) for value in values):
            children = [(3, name, False, (scalar_key(value),)) for name, value in sorted(body.items())]
            return (3, label, False, tuple(children))
    return term_from_json(document).key


def _body(term: Term) -> Any:
    if term.ordered:
        return [_as_item(child) for child in term.children]
    if len(term.children) == 1 and not isinstance(term.children[0], Term):
        return term.children[0]
    record = _as_object(term)
    return {_UNORDERED: [_as_item(child) for child in term.children]} if record is None else record


def _as_object(term: Term) -> dict[str, Any] | None:
    """Returns the children as an object if they are labelled terms with each label once, else None."""
    children = [child for child in term.children if isinstance(child, Term) and child.label not in ("", _UNORDERED)]
    if len({child.label for child in children}) < len(term.children):
        return None
    return {child.label: _body(child) for child in children}


def _as_item(value: Value) -> Any:
    if not isinstance(value, Term):
        return value
    body = _body(value)
    if value.label == "" and (value.ordered or (isinstance(body, dict) and len(body) != 1)):
        return body
    return {value.label: body}
