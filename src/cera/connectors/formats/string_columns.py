"""Strings and short numbers of a block by their places, each once: they are compared as words of eight bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.connectors.formats.byte_columns import BlockBytes, Places, Words
from cera.model.columns.arrow_buffers import numbers_in

#: Longer strings are left to another reader, in words.
_MOST_WORDS = 8
#: So many strings are looked up by binary search, several at once.
_FEW = 1 << 14
#: Numbers repeat where each stands at least so often in a block.
_REPEATED = 8


@dataclass(frozen=True)
class StringColumn:
    """Strings by their places in `texts`."""

    texts: Sequence[str]
    places: Places


def encoded_words(words: Words) -> pa.DictionaryArray:
    """Returns texts of one or more words, each once and by their places."""
    width = words.shape[1]
    type_ = pa.uint64() if width == 1 else pa.binary(8 * width)
    return pa.Array.from_buffers(type_, len(words), [None, pa.py_buffer(words)]).dictionary_encode()


class StringReader:
    """A reader of strings, which knows those of the blocks before. `unusual` is what none of them may have."""

    def __init__(self, unusual: re.Pattern[str] | None = None) -> None:
        self._unusual = unusual
        #: The texts of words that were seen, and their places among all texts.
        self._known: dict[Any, int] = {}
        self._texts: list[str] = []
        #: Those of one word in their order, and their places, as long as there are few.
        self._sorted: Words = np.empty(0, np.uint64)
        self._places: Places = np.empty(0, np.int64)

    def read(self, block: BlockBytes, starts: Places, ends: Places) -> StringColumn | None:
        """Returns the strings between some places; None if one is long or unusual."""
        width = max(-(-int((ends - starts).max(initial=0)) // 8), 1)
        if width > _MOST_WORDS:
            return None
        encoded = encoded_words(block.padded(starts, ends, width))
        places = self._found(numbers_in(encoded.dictionary)) if width == 1 else None
        if places is None:
            places = self._learnt(encoded.dictionary.to_pylist())
            if width == 1 and places is not None:
                self._sort(numbers_in(encoded.dictionary), places)
        return None if places is None else StringColumn(self._texts, places[numbers_in(encoded.indices)])

    def _found(self, keys: Words) -> Places | None:
        """Returns the places of texts of one word; None if one is new."""
        if not len(self._sorted):
            return None
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return self._places[at] if bool((self._sorted[at] == keys).all()) else None

    def _learnt(self, keys: Sequence[Any]) -> Places | None:
        """Returns the places of texts, some of which may be new; None if one is unusual."""
        known = list(map(self._known.get, keys))
        if None in known:
            for place, key in enumerate(keys):
                if known[place] is None:
                    known[place] = self._learn(key)
                    if known[place] is None:
                        return None
        return np.array(known, np.int64)

    def _sort(self, keys: Words, places: Places) -> None:
        """Keeps the places of texts of one word for the next block."""
        if len(self._known) > _FEW:
            return
        every = np.concatenate([self._sorted, keys])
        self._sorted, firsts = np.unique(every, return_index=True)
        self._places = np.concatenate([self._places, places])[firsts]

    def _learn(self, key: int | bytes) -> int | None:
        """Returns the place of a new text; None if it is not a string as it stands."""
        data = (key.to_bytes(8, "little") if isinstance(key, int) else key).rstrip(b"\0")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        if self._unusual is not None and self._unusual.search(text):
            return None
        self._known[key] = len(self._texts)
        self._texts.append(text)
        return self._known[key]


class NumberReader:
    """A reader of the numbers of a field. Where short ones come again and again, each text is read once in a block."""

    def __init__(self) -> None:
        self._repeats = True

    def read(self, block: BlockBytes, starts: Places, ends: Places) -> npt.NDArray[np.float64] | None:
        """Returns the numbers between some places; None if another reader must read them."""
        if self._repeats and 0 < int((ends - starts).max(initial=0)) <= 8:
            encoded = encoded_words(block.padded(starts, ends, 1))
            self._repeats = len(encoded.dictionary) * _REPEATED <= len(starts)
            if self._repeats:
                indices = numbers_in(encoded.indices)
                example = np.empty(len(encoded.dictionary), np.int64)
                example[indices] = np.arange(len(indices))
                different = block.doubles(starts[example], ends[example])
                return None if different is None else different[indices]
        return block.doubles(starts, ends)
