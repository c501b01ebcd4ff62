"""Fingerprints of plain data: the same in every process, for equal data, and in every version of cera that can read
what an earlier one has saved.

Sessions, checkpoints and ledgers know by them what they belong to. So a fingerprint depends on the tags of classes and
not on their names, on the values of fields in their order and not on the names of fields. A field that is new changes
the fingerprints of all instances of its class, which is right where states differ with it; where they do not,
`added_later` leaves it out as long as it has its default. Fields are never taken away, and never change places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from types import MappingProxyType, NoneType

from cera.model.tags import later_tag, tag_of, tag_of_member

#: Changed when states of an earlier version of cera cannot be read.
STATE_VERSION = 1

#: The types of values that are not instances of our classes, and the name of each kind.
_SCALARS: Mapping[type, str] = MappingProxyType(
    {str: "str", int: "int", float: "float", bool: "bool", NoneType: "NoneType", date: "date"}
)


def fingerprint(data: object) -> str:
    """Returns 16 hexadecimal digits. Fields that dataclasses leave out of equality are left out.

    Raises TypeError if a part of the data has no tag.
    """
    digest = hashlib.sha256(str(STATE_VERSION).encode())
    for part in _parts(data):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _parts(data: object) -> Iterator[str]:
    if is_dataclass(data):
        yield tag_of(type(data))
        for field in fields(data):
            if field.compare:
                value = getattr(data, field.name)
                if (tag := later_tag(field)) is not None:
                    if value == field.default:
                        continue
                    yield f"{tag}="
                yield from _parts(value)
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
        yield tag_of_member(data)
    elif (kind := _SCALARS.get(type(data))) is not None:
        yield f"{kind} {data!r}"
    else:
        raise TypeError(f"{type(data).__qualname__} is a part of what is saved, and cannot be: {data!r}")
