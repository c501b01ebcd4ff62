"""Schemas of CERA relations: attributes of three kinds (seed 000 section 3.2).

Data attributes carry the variables of queries. Time attributes come in pairs i.begin, i.end for an event identifier i;
the pair without an identifier is the one that merging makes. Event references i.ref say which event a tuple came from.

A match attribute i.match is ours: it distinguishes the collected events behind a tuple where i.ref must be dropped, so
that aggregates can count matches (ERR-07). It takes no part in joins and in grouping.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.tags import tagged

#: The identifier of the merged interval: its attributes are `begin` and `end`.
MERGED = ""


class SchemaError(ValueError):
    """An operator is applied to relations that it is not defined on."""


def begin(identifier: str) -> str:
    return f"{identifier}.begin" if identifier else "begin"


def end(identifier: str) -> str:
    return f"{identifier}.end" if identifier else "end"


def reference(identifier: str) -> str:
    return f"{identifier}.ref"


def matching(identifier: str) -> str:
    return f"{identifier}.match"


@tagged("Schema")
@dataclass(frozen=True)
class Schema:
    """sch(R) = schdata(R) ⊎ schtime(R) ⊎ schref(R), and the match attributes."""

    data: frozenset[str] = frozenset()
    intervals: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    matches: frozenset[str] = frozenset()

    @property
    def time_attributes(self) -> frozenset[str]:
        return frozenset(name for i in self.intervals for name in (begin(i), end(i)))

    @property
    def reference_attributes(self) -> frozenset[str]:
        return frozenset(reference(i) for i in self.references)

    @property
    def attributes(self) -> frozenset[str]:
        """sch(R), without the match attributes."""
        return self.data | self.time_attributes | self.reference_attributes

    def __or__(self, other: Schema) -> Schema:
        return Schema(
            self.data | other.data,
            self.intervals | other.intervals,
            self.references | other.references,
            self.matches | other.matches,
        )

    def __str__(self) -> str:
        times = [name for i in sorted(self.intervals) for name in (begin(i), end(i))]
        references = [reference(i) for i in sorted(self.references)]
        return "{" + ", ".join([*times, *references, *sorted(self.data)]) + "}"


#: The schema of event streams: what matching starts from and construction ends in.
STREAM = Schema(frozenset({"term"}), frozenset({MERGED}))
