"""Bytes that somebody could put in the place of a saved state, and a watch over what reading them does."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random

from cera.engines.local.state_bytes import dump, things

#: What Python reports to its audit when code is made, run or fetched, files are opened, or programs started.
_WATCHED = frozenset(
    {"compile", "exec", "import", "open", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "marshal.loads"}
)
_seen: list[str] | None = None


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _seen is not None and event in _WATCHED:
        _seen.append(f"{event} {arguments!r}"[:200])


sys.addaudithook(_hook)


def sentinel(*arguments: object) -> str:
    """What an attack would like to call; the watch hears of it, since it opens a file."""
    with open(__file__):
        return "ran"


def _members() -> dict[str, object]:
    """The attributes of all things of the table: no state may change them."""
    return {f"{tag} {name}": value for tag, thing in things().items() for name, value in vars(thing).items()}


@contextmanager
def watched() -> Iterator[None]:
    """Fails if something is run or changed inside."""
    global _seen
    before = _members()
    seen: list[str] = []
    _seen = seen
    try:
        yield
    finally:
        _seen = None
    assert seen == []
    assert _members() == before


#: Source that the stages of networks would write into their functions.
_STAGE_LINE = "__import__('state_forging').sentinel()"


def text(value: str) -> bytes:
    data = value.encode()
    return pickle.BINUNICODE + len(data).to_bytes(4, "little") + data


def named(module: str, name: str) -> bytes:
    return text(module) + text(name) + pickle.STACK_GLOBAL


def pickled(*parts: bytes) -> bytes:
    return b"\x80\x05" + b"".join(parts) + pickle.STOP


def attacks() -> Mapping[str, bytes]:
    """Pickles that would run, change or exhaust something, by what they try."""
    call = text("id") + pickle.TUPLE1 + pickle.REDUCE
    us = named("state_forging", "sentinel")
    occurrence = named("cera.model.events.occurrence", "Occurrence")
    truth = named("cera.model.events.occurrence", "Truth") + pickle.NEWTRUE + pickle.TUPLE1 + pickle.REDUCE
    slot = text("x") + text("y")
    slots = pickle.NONE + pickle.EMPTY_DICT + slot + pickle.SETITEM + pickle.TUPLE2
    return {
        "a function called": pickled(us, call),
        "a function called by GLOBAL": pickled(pickle.GLOBAL + b"state_forging\nsentinel\n", call),
        "a function called by INST": pickled(pickle.MARK, text("id"), pickle.INST + b"state_forging\nsentinel\n"),
        "a function called by OBJ": pickled(pickle.MARK, us, text("id"), pickle.OBJ),
        "os.system": pickled(named("os", "system"), call),
        "posix.system": pickled(named("posix", "system"), call),
        "builtins.eval": pickled(named("builtins", "eval"), text("1"), pickle.TUPLE1, pickle.REDUCE),
        "builtins.getattr": pickled(named("builtins", "getattr"), call),
        "a dotted name of a module of cera": pickled(named("cera.engines.local.state_bytes", "pickle.loads"), call),
        "a dotted name of a class of states": pickled(
            named("cera.model.events.occurrence", "Occurrence.__init__.__globals__"), call
        ),
        "a module of cera that imports another": pickled(named("cera.connectors.databases.sqlite", "sqlite3"), call),
        "the stage that writes Python": pickled(
            *(named("cera.engines.local.row_stages", "SlotStage"), pickle.EMPTY_LIST, text(_STAGE_LINE), pickle.APPEND),
            *(pickle.EMPTY_TUPLE, pickle.TUPLE2, pickle.REDUCE),
            *(named("cera.engines.local.state", "State"), pickle.EMPTY_LIST, pickle.TUPLE1, pickle.REDUCE),
            *(pickle.EMPTY_TUPLE, pickle.TUPLE2, pickle.REDUCE),
        ),
        "a class of cera that is not in the table": pickled(
            named("cera.engines.local.network", "Network"), pickle.EMPTY_TUPLE, pickle.REDUCE
        ),
        "an extension code": pickled(pickle.EXT1 + b"\x01", call),
        "an extension code of four bytes": pickled(pickle.EXT4 + b"\x01\0\0\0", call),
        "a persistent id": pickled(text("os"), pickle.BINPERSID),
        "a persistent id as text": pickled(pickle.PERSID + b"os\n"),
        "a buffer from elsewhere": pickled(pickle.NEXT_BUFFER),
        "__setstate__ of an instance with another state": pickled(
            occurrence, pickle.EMPTY_TUPLE, pickle.NEWOBJ, text("id"), pickle.BUILD
        ),
        "__setstate__ of a class": pickled(occurrence, slots, pickle.BUILD),
        "__setstate__ of a truth value": pickled(truth, pickle.EMPTY_DICT, slot, pickle.SETITEM, pickle.BUILD),
        "__setstate__ of what makes terms": pickled(named("cera.model.terms.term", "_restored"), slots, pickle.BUILD),
        "an instance called": pickled(occurrence, pickle.EMPTY_TUPLE, pickle.NEWOBJ, pickle.EMPTY_TUPLE, pickle.REDUCE),
        "a text called": pickled(text("print"), call),
        "a class appended to": pickled(occurrence, text("x"), pickle.APPEND),
        "a class with items": pickled(occurrence, slot, pickle.SETITEM),
        "a place of the memo far away": pickled(pickle.NONE, pickle.LONG_BINPUT + b"\xff\xff\xff\x7f"),
        "a place of the memo far away as text": pickled(pickle.NONE, pickle.PUT + b"99999999999\n"),
        "a place of the memo that is empty": pickled(pickle.LONG_BINGET + b"\xff\xff\xff\x7f"),
        "bytes without end": pickled(pickle.BINBYTES8 + (2**62).to_bytes(8, "little")),
        "a text without end": pickled(pickle.BINUNICODE8 + (2**40).to_bytes(8, "little")),
        "a frame without end": pickled(pickle.FRAME + (2**62).to_bytes(8, "little")),
        "a number without end": pickled(pickle.LONG4 + b"\xff\xff\xff\x7f"),
        "more stores than fit into memory": pickled(
            named("cera.engines.local.state", "State"),
            pickle.BININT + b"\xff\xff\xff\x7f",
            pickle.TUPLE1,
            pickle.REDUCE,
        ),
        "a list of lists of lists": pickled(
            pickle.EMPTY_LIST, pickle.MEMOIZE, *(_doubled(place) for place in range(60))
        ),
        "nothing at all": b"",
        "no end": b"\x80\x05N",
        "something after the end": pickled(pickle.NONE) + pickled(us, call),
        "a newer protocol": b"\x80\x7fN.",
    }


def _doubled(place: int) -> bytes:
    """A list that has the one before it twice."""
    get = pickle.BINGET + bytes([place])
    return pickle.EMPTY_LIST + pickle.MEMOIZE + get + pickle.APPEND + get + pickle.APPEND


def saved(prefix: bytes, body: bytes) -> bytes:
    """Bytes as a session saves them, with a digest that is right."""
    return prefix + hashlib.sha256(body).hexdigest()[:32].encode() + body


def around(snapshot: bytes) -> bytes:
    """A snapshot as a session has it inside."""
    return dump((snapshot, 0, 0))


def mutated(data: bytes, random: Random) -> bytes:
    """The bytes with one to four changes: bits, bytes, opcodes, pieces removed, repeated or moved."""
    changed = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(changed) or 1)
        match random.randrange(6):
            case 0:
                changed[at : at + 1] = bytes([changed[at] ^ (1 << random.randrange(8))]) if changed else b"\0"
            case 1:
                changed[at : at + 1] = bytes([random.randrange(256)])
            case 2:
                changed[at:at] = random.choice(
                    [b"R", b"b", b"\x81", b"\x93", b"o", b"i", b"c", b"\x82\x01", b"r\xff\xff\xff\x7f"]
                )
            case 3:
                del changed[at : at + random.randrange(1, 9)]
            case 4:
                changed[at:at] = changed[at : at + random.randrange(1, 30)]
            case _:
                changed[at:at] = random.choice([named("os", "system"), named("state_forging", "sentinel"), text("id")])
    return bytes(changed)
