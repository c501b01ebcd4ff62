"""States as bytes, and back. Reading them runs nothing: they consist of plain data and of the things of a closed table.

    data = dump(state)
    state = restore(data)

States are pickled, but no class has a name in them. Each thing of the table has a tag, a number at which the memo of
the pickler holds it from the start, and so does that of the reader. Any name is refused, but for those that classes had
in states before there were tags: these lead to tags, wherever a class is by now.

Before anything is read, the opcodes are checked: this refuses bytes that could make Python take all memory before an
error is found, by places of the memo that are far away or lengths that the bytes do not have.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NoReturn

from cera.model.terms.term import Term

#: The first bytes of states since there are tags; an older state is a pickle, and begins with another byte.
_MARK = b"tagged "

#: Where the thing of each tag is: a class, a member of an enumeration, or the function that makes terms. Things may
#: move; a tag is never given again. No instance of the classes can be called. No state can change a class or a member:
#: each has a `__setstate__` of its own, which pickle would call for a class with an argument too few.
THINGS: Mapping[int, str] = MappingProxyType(
    {
        0: "cera.engines.local.state:State",
        1: "cera.engines.local.storage:Bucket",
        2: "cera.model.events.occurrence:Occurrence",
        3: "cera.engines.local.occurrence:TimerOccurrence",
        4: "cera.model.events.occurrence:Identified",
        5: "cera.model.events.event:Event",
        6: "cera.model.time.interval:Interval",
        7: "cera.model.time.durations:Duration",
        8: "cera.modules.tuples:EventTuple",
        9: "cera.instances.instance:Instance",
        10: "cera.model.terms.term:_restored",
        11: "cera.model.events.occurrence:Truth",
        12: "cera.model.events.occurrence:Truth.FALSE",
        13: "cera.model.events.occurrence:Truth.TRUE",
        14: "cera.instances.instance:NoValue",
        15: "cera.instances.instance:NoValue.DIFFERENT",
        16: "cera.instances.instance:NoValue.MISSING",
        17: "cera.engines.local.occurrence:WindowOccurrence",
        18: "cera.model.events.occurrence:Opening",
    }
)

#: The number of possible tags: what a state numbers by itself comes after them.
_TAGS = 64

#: The tags of the names in states of before 2026-11-16. This is never changed.
_OLD_NAMES: Mapping[tuple[str, str], int] = MappingProxyType(
    {
        ("cera.engines.local.state", "State"): 0,
        ("cera.engines.local.storage", "Bucket"): 1,
        ("cera.model.occurrence", "Occurrence"): 2,
        ("cera.engines.local.occurrence", "TimerOccurrence"): 3,
        ("cera.engines.spark.streaming.identified", "Identified"): 4,
        ("cera.model.events", "Event"): 5,
        ("cera.model.interval", "Interval"): 6,
        ("cera.model.durations", "Duration"): 7,
        ("cera.datalog.tuples", "EventTuple"): 8,
        ("cera.instances.instance", "Instance"): 9,
        ("cera.model.terms", "_restored"): 10,
        ("cera.model.occurrence", "Truth"): 11,
        ("cera.instances.instance", "Untold"): 14,
    }
)
_MAKES_TERMS = 10


def dump(state: object) -> bytes:
    """Returns a state, or plain data around one, as bytes."""
    written = io.BytesIO()
    written.write(_MARK)
    pickler: Any = pickle.Pickler(written, protocol=5)
    pickler.memo = _first_memo()
    pickler.dump(state)
    return written.getvalue()


def restore(data: bytes) -> Any:
    """Returns what `dump` wrote, now or before there were tags; raises UnpicklingError if anything else is in it."""
    if not data.startswith(_MARK):
        return _Reader(io.BytesIO(data)).load()
    reader = _Reader(io.BytesIO(_PREAMBLE + data[len(_MARK) :]))
    reader.load()  # fills the memo with the things of the table
    return reader.load()


def check(data: bytes) -> None:
    """Raises UnpicklingError if the bytes could not have been written by `dump`, as far as opcodes and lengths say."""
    check_opcodes(data, len(_MARK) if data.startswith(_MARK) else 0)


def restore_plain(data: bytes | memoryview) -> Any:
    """Returns pickled data without instances of any class."""
    return _PlainReader(io.BytesIO(data)).load()


class TermMaker:
    """A callable that makes terms when a state is read: a state could change a function, but not this."""

    def __new__(cls, label: str, children: tuple[Any, ...], ordered: bool) -> Term:  # type: ignore[misc]
        return Term(label, children, ordered=ordered)

    def __setstate__(self, state: object) -> NoReturn:
        raise pickle.UnpicklingError("a term is made at once")


class _PlainReader(pickle.Unpickler):
    """A reader of numbers, texts, bytes, truth values, None, and tuples, lists, dictionaries and sets of them."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{f'{module}.{name}'[:200]!r} does not belong in a state")


class _Reader(_PlainReader):
    """A reader of the things of the table as well."""

    def find_class(self, module: str, name: str) -> Any:
        found = _names().get((module, name))
        return super().find_class(module, name) if found is None else found


@cache
def things() -> Mapping[int, Any]:
    """Returns the thing of each tag, as it is written."""
    found = {}
    for tag, place in THINGS.items():
        module, _, name = place.partition(":")
        found[tag] = attrgetter(name)(import_module(module))
    return MappingProxyType(found)


@cache
def _names() -> Mapping[tuple[str, str], Any]:
    """Returns what the reader finds under a name: the names of the preamble, and the old ones."""
    read = {**things(), _MAKES_TERMS: TermMaker}
    return MappingProxyType(
        {
            **{("", str(tag)): thing for tag, thing in read.items()},
            **{name: read[tag] for name, tag in _OLD_NAMES.items()},
        }
    )


@cache
def _first_memo() -> dict[int, tuple[int, Any]]:
    """Returns the memo of a pickler that has written every tag: by identity the number, and the thing."""
    given = [things().get(tag, object()) for tag in range(_TAGS)]
    return {id(thing): (number, thing) for number, thing in enumerate(given)}


def _preamble() -> bytes:
    """Returns a pickle that puts the things of the table into the memo of a reader, at their tags."""
    parts = []
    for tag in range(_TAGS):
        if tag in THINGS:
            name = str(tag).encode()
            parts.append(pickle.SHORT_BINUNICODE + b"\0")
            parts.append(pickle.SHORT_BINUNICODE + bytes([len(name)]) + name + pickle.STACK_GLOBAL)
        else:
            parts.append(pickle.NONE)
        parts.append(pickle.MEMOIZE + pickle.POP)
    body = b"".join((*parts, pickle.NONE, pickle.STOP))
    return pickle.PROTO + b"\x05" + pickle.FRAME + struct.pack("<Q", len(body)) + body  # a frame is read at once


_PREAMBLE = _preamble()


_PLAIN = (
    *(pickle.STOP, pickle.MARK, pickle.MEMOIZE, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE),
    *(pickle.EMPTY_TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.TUPLE),
    *(pickle.EMPTY_LIST, pickle.APPEND, pickle.APPENDS, pickle.EMPTY_DICT, pickle.SETITEM, pickle.SETITEMS),
    *(pickle.EMPTY_SET, pickle.ADDITEMS, pickle.FROZENSET),
    *(pickle.STACK_GLOBAL, pickle.NEWOBJ, pickle.REDUCE, pickle.BUILD),
)
_WITH_BYTES = {
    **dict.fromkeys((pickle.PROTO, pickle.BININT1, pickle.BINGET), 1),
    pickle.BININT2: 2,
    **dict.fromkeys((pickle.BININT, pickle.LONG_BINGET), 4),
    **dict.fromkeys((pickle.BINFLOAT, pickle.FRAME), 8),
}
_WITH_LENGTH = {
    **dict.fromkeys((pickle.SHORT_BINUNICODE, pickle.SHORT_BINBYTES, pickle.LONG1), 1),
    **dict.fromkeys((pickle.BINUNICODE, pickle.BINBYTES), 4),
    **dict.fromkeys((pickle.BINUNICODE8, pickle.BINBYTES8), 8),
}

#: By the byte of an opcode: how many bytes follow it, and how many of them are the length of what follows those.
_SIZES: dict[int, tuple[int, int]] = {
    **{code[0]: (0, 0) for code in _PLAIN},
    **{code[0]: (size, 0) for code, size in _WITH_BYTES.items()},
    **{code[0]: (size, size) for code, size in _WITH_LENGTH.items()},
}


def check_opcodes(data: bytes, start: int) -> None:
    """Raises UnpicklingError unless the bytes from `start` on are one pickle as states are written."""
    at, end = start, len(data)
    sizes, stop = _SIZES, pickle.STOP[0]
    while at < end:
        code = data[at]
        found = sizes.get(code)
        if found is None:
            raise pickle.UnpicklingError(f"the byte {code} at {at} is not written into states")
        size, length = found
        at += 1
        if length:
            size += int.from_bytes(data[at : at + length], "little")
        at += size
        if code == stop:
            break
    if at != end or data[-1] != stop:
        raise pickle.UnpicklingError(f"it should end at byte {at} and has {end}")
