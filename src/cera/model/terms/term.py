"""Data terms: Xcerpt's labelled trees, with scalars as leaves.

`label{…}` has unordered, `label[…]` ordered children. Unordered children are kept in one canonical order, so that
terms that mean the same are equal, hash alike and print alike. An anonymous term has the empty label: it is the
object or the array inside a JSON array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, Scalar, number, scalar_key

#: Terms are nested at most this deep; the limit keeps hostile input and runaway recursion from exhausting the stack.
MAX_DEPTH = 100

#: Terms have at most this many nodes, sixteen characters of text counting as one: more comes only from a recursion.
MAX_SIZE = 1_000_000

_NAME = re.compile(r"@?[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")


class TermError(ValueError):
    """A term cannot be built: nested too deep, too large, or a number has no representation."""


class Term:
    """A labelled, immutable tree. Terms are equal if they mean the same: {} ignores order, 1 equals 1.0."""

    __slots__ = ("_hash", "children", "depth", "key", "label", "ordered", "size")

    label: str
    children: tuple[Value, ...]
    ordered: bool
    depth: int
    size: int
    key: tuple[Any, ...]

    def __init__(self, label: str, children: Iterable[Value] = (), *, ordered: bool = False) -> None:
        canonical: list[Value] = []
        keys: list[tuple[Any, ...]] = []
        deepest, size = 0, 1
        for child in children:  # inlined for the common kinds of children, because terms are many
            kind = child.__class__
            if kind is str:
                size += len(child) // 16 + 1  # type: ignore[arg-type]
                keys.append((2, child))
            elif isinstance(child, Term):
                size += child.size
                keys.append(child.key)
                if child.depth > deepest:
                    deepest = child.depth
            elif kind is int and MIN_INTEGER <= child <= MAX_INTEGER:  # type: ignore[operator]
                size += 1
                keys.append((1, child))
            else:
                child = _canonical(child)
                size += value_size(child)
                keys.append(value_key(child))
            canonical.append(child)
        if not ordered and len(keys) > 1:
            order = sorted(range(len(keys)), key=keys.__getitem__)
            canonical = [canonical[i] for i in order]
            keys = [keys[i] for i in order]
        depth = 1 + deepest
        if depth > MAX_DEPTH:
            raise TermError(f"a term is nested deeper than {MAX_DEPTH} levels")
        if size > MAX_SIZE:
            raise TermError(f"a term has more than {MAX_SIZE:,} nodes, 16 characters counting as one")
        self.size = size
        self.label = label
        self.children = tuple(canonical)
        self.ordered = ordered
        self.depth = depth
        self.key = (3, label, ordered, tuple(keys))
        self._hash = hash(self.key)

    if not TYPE_CHECKING:  # it has no other attributes than those above

        def __getattr__(self, name: str) -> Any:
            """Makes the key and the hash of a term that was made without them."""
            if name == "key":
                self.key = (3, self.label, self.ordered, tuple(map(value_key, self.children)))
                return self.key
            if name == "_hash":
                self._hash = hash(self.key)
                return self._hash
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self._hash == other._hash and self.key == other.key

    def __lt__(self, other: Term) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the content only: hashes of strings differ from process to process."""
        return _restored, (self.label, self.children, self.ordered)

    def __repr__(self) -> str:
        return f"Term({self!s})"

    def __str__(self) -> str:
        return format_value(self)


Value = Scalar | Term


def _restored(label: str, children: tuple[Value, ...], ordered: bool) -> Term:
    return Term(label, children, ordered=ordered)


def record_term(label: str, fields: Mapping[str, Value]) -> Term:
    """Returns the term `label{name{value}, …}` of fields; a structured value keeps its own children.

    It is what the constructor makes of the same children. Where the values are plain it takes a third of the time, and
    the key is made when somebody asks for it.
    """
    new = Term.__new__
    children: list[Value] = []
    size = 1
    for name in sorted(fields):  # the order of their keys, as names differ
        value = fields[name]
        kind = value.__class__
        child = new(Term)
        if kind is int and MIN_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            child.size = 2
        elif kind is str:
            child.size = len(value) // 16 + 2  # type: ignore[arg-type]
        else:
            return Term(label, [record_child(*item) for item in fields.items()])
        child.label, child.children, child.ordered, child.depth = name, (value,), False, 1
        children.append(child)
        size += child.size
    if not children or size > MAX_SIZE:
        return Term(label, [record_child(*item) for item in fields.items()])
    made = new(Term)
    made.label, made.children, made.ordered, made.depth, made.size = label, tuple(children), False, 2, size
    return made


def record_child(name: str, value: Value) -> Term:
    """Returns the child for a field; a structured value keeps its own children."""
    return Term(name, value.children, ordered=value.ordered) if isinstance(value, Term) else Term(name, [value])


def _canonical(child: Value) -> Value:
    if isinstance(child, int | float) and not isinstance(child, bool):
        value = number(child)
        if value is None:
            raise TermError(f"the number {child} has no representation: integers have 64 bits")
        return value
    return child


def value_size(child: Value) -> int:
    """Returns how much a value adds to the size of the term that it stands in."""
    return child.size if isinstance(child, Term) else len(child) // 16 + 1 if isinstance(child, str) else 1


def value_key(value: Value) -> tuple[Any, ...]:
    """Returns a key that orders all values, equal exactly for equal ones: truth values, numbers, strings, terms."""
    return value.key if isinstance(value, Term) else scalar_key(value)


def same(one: Value, other: Value) -> bool:
    return value_key(one) == value_key(other)


def label(name: str) -> str:
    """Returns a label as the text form writes it: bare if it is a name, else quoted."""
    if _NAME.fullmatch(name) and name not in ("true", "false"):
        return name
    return json.dumps(name, ensure_ascii=False)


def format_scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return ("true" if value else "false") if isinstance(value, bool) else repr(value)


def format_value(value: Value) -> str:
    """Returns the readable text form: `temp{area{"a"}, value{40}}`; `cera.model.terms.term_text` reads it back."""
    if not isinstance(value, Term):
        return format_scalar(value)
    opening, closing = "[]" if value.ordered else "{}"
    return f"{label(value.label)}{opening}{', '.join(format_value(child) for child in value.children)}{closing}"
