"""Texts appended to a file, each once, even if a run is killed while it writes."""

from __future__ import annotations

import os
from pathlib import Path

from cera.connectors.actions.action import ActionError, Key
from cera.connectors.actions.failure import passing
from cera.connectors.actions.ledger import Entry, Ledger


def append(path: Path, text: str, key: Key, ledger: Ledger) -> None:
    """Appends the text to a file; if the ledger says that this was begun, only the part that is missing.

    The position is noted before; the caller notes that the action is done. The content at that position shows how far
    an earlier run came: the whole text, or a part, which is overwritten. If others have written there, the text counts
    as not written.
    """
    data = text.encode("utf-8", "surrogateescape")
    begun = ledger.entry(key)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device, which cannot be read back
            with path.open("wb") as device:
                device.write(data)
            return
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            place = size
            if begun is not None and begun.place is not None and begun.place < size:
                file.seek(begun.place)
                there = file.read(len(data))
                if there == data:
                    return
                if begun.place + len(there) == size and data.startswith(there):
                    place = begun.place
            ledger.note(key, Entry("started", place))
            file.truncate(place)
            file.seek(place)
            file.write(data)
    except OSError as error:
        raise ActionError(f"{path} cannot be written: {error.strerror or error}", passing=passing(error)) from error
