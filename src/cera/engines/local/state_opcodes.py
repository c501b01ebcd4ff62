"""The opcodes of pickle that states consist of; all others are refused.

`state_bytes` runs nothing anyway. In addition, this refuses bytes that could make Python take all memory before an
error is found: places of the memo that are far away, and lengths that the bytes do not have.
"""

from __future__ import annotations

import pickle

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
