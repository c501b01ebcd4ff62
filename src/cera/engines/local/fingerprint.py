"""A fingerprint of plain data: the same in every process, for equal data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

#: Changed when states of an earlier version of cera cannot be read.
STATE_VERSION = 1


def fingerprint(data: object) -> str:
    """16 hexadecimal digits. What dataclasses leave out of equality is left out."""
    digest = hashlib.sha256(str(STATE_VERSION).encode())
    for part in _parts(data):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _parts(data: object) -> Iterator[str]:
    if is_dataclass(data):
        yield type(data).__qualname__
        for field in fields(data):
            if field.compare:
                yield from _parts(getattr(data, field.name))
        yield ")"
    elif isinstance(data, frozenset | set):
        yield "{"
        yield from sorted("\0".join(_parts(item)) for item in data)
        yield "}"
    elif isinstance(data, Mapping):
        yield "{"
        yield from sorted("\0".join((*_parts(key), *_parts(value))) for key, value in data.items())
        yield "}"
    elif isinstance(data, tuple | list):
        yield "("
        for item in data:
            yield from _parts(item)
        yield ")"
    elif isinstance(data, Enum):
        yield str(data)
    else:
        yield f"{type(data).__name__} {data!r}"
