"""The strings of a run as numbers: equal strings have equal codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from xxhash import xxh64_intdigest

from cera.engines.columns.rows import Array
from cera.model.columns.arrow_buffers import array_of, binaries
from cera.model.columns.column_hashes import Hashes, hashed_children
from cera.model.terms.hashing import STRING, starts

#: Of so many strings the hashes are kept for each child that has one of them.
FEW = 1 << 16


class Strings:
    """A dictionary of strings, each with its hash and with its JSON, which are made when they are asked for."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []
        self._hashes: Hashes = np.empty((2, 0), np.uint64)
        self._children: dict[str, Hashes] = {}
        self._json: pa.Array = binaries([])
        self._lengths: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._ranks: npt.NDArray[np.int64] = np.empty(0, np.int64)
        for text in texts:
            self.code(text)

    def __len__(self) -> int:
        return len(self._texts)

    def code(self, text: str) -> int:
        found = self._codes.setdefault(text, len(self._texts))
        if found == len(self._texts):
            self._texts.append(text)
        return found

    def codes(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        codes = self._codes
        for text in dict.fromkeys(texts):
            if text not in codes:
                self.code(text)
        return np.fromiter(map(codes.__getitem__, texts), np.int64, len(texts))

    def text(self, code: int) -> str:
        return self._texts[code]

    def hashes(self, codes: Array) -> Hashes:
        """Returns the hashes of strings, as children of terms have them."""
        known = self._hashes.shape[1]
        if known < len(self._texts):
            new = [text.encode("utf-8", "surrogatepass") for text in self._texts[known:]]
            made = np.array([[xxh64_intdigest(text, seed) for text in new] for seed in starts(STRING)], np.uint64)
            self._hashes = np.concatenate([self._hashes, made], axis=1)
        return np.take(self._hashes, codes, axis=1)

    def children(self, name: str, codes: Array) -> Hashes:
        """Returns the hashes of the terms `name{string}`."""
        if len(self._texts) > FEW:
            return hashed_children(name, self.hashes(codes))
        known = self._children.get(name)
        if known is None or known.shape[1] < len(self._texts):
            known = self._children[name] = hashed_children(name, self.hashes(np.arange(len(self._texts))))
        return np.take(known, codes, axis=1)

    def json(self, codes: Array) -> pa.Array:
        """Returns strings as JSON, in UTF-8."""
        self._write_json()
        return self._json.take(array_of(codes))

    def longest(self, codes: Array) -> int:
        """Returns how many bytes the longest of some strings has as JSON."""
        self._write_json()
        return int(self._lengths[codes].max(initial=0))

    def _write_json(self) -> None:
        known = len(self._json)
        if known < len(self._texts):
            new = [encode_basestring(text).encode("utf-8", "backslashreplace") for text in self._texts[known:]]
            self._json = pa.concat_arrays([self._json, binaries(new)])
            self._lengths = np.concatenate([self._lengths, np.fromiter(map(len, new), np.int64, len(new))])

    def ranks(self, codes: Array) -> Array:
        """Returns numbers that are ordered as the strings are, by code point."""
        if len(self._ranks) < len(self._texts):
            order = sorted(range(len(self._texts)), key=self._texts.__getitem__)
            self._ranks = np.empty(len(order), np.int64)
            self._ranks[order] = np.arange(len(order))
        return self._ranks[codes]
