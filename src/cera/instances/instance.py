"""Event instances: what occurred, when, and the instances that are bound to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cera.datalog.tuples import EventTuple
from cera.model.interval import Time
from cera.model.occurrence import wrap
from cera.model.terms import Value

#: The instances that are bound to each component of an event, by its name, in the order of time.
Bound = tuple[tuple[str, tuple["Instance", ...]], ...]


class Instance:
    """An instance of a type. A primitive one has the `event` that it stands for, a complex one what is `bound` to it.

    `time` is when it occurs, by the number of the stage in its history; `begin` and `end` are the interval of what is
    bound to it. `fields` are its attributes; None where they are those of its leaves.
    """

    __slots__ = ("begin", "bound", "end", "event", "fields", "time", "type")

    def __init__(
        self,
        type_: str,
        time: int,
        begin: Time,
        end: Time,
        *,
        fields: Mapping[str, Value] | None = None,
        bound: Bound = (),
        event: Any = None,
    ) -> None:
        self.type = type_
        self.time = time
        self.begin = begin
        self.end = end
        self.fields = fields
        self.bound = bound
        self.event = event

    def leaves(self) -> Iterator[Instance]:
        """The primitive instances and ticks that it rests on."""
        if not self.bound:
            yield self
        for _, instances in self.bound:
            for instance in instances:
                yield from instance.leaves()

    def attribute(self, name: str) -> Value | None:
        """The value of an attribute, None if there is none."""
        if name == "evtime":
            return self.end
        if self.fields is not None:
            return self.fields.get(name)
        return agreed(leaf.attribute(name) for leaf in self.leaves())

    def __repr__(self) -> str:
        return f"Instance({self.type!r}, {self.time}, {self.begin}, {self.end})"


#: The time of what has not been given a stage yet.
UNPLACED = 0


def primitive(type_: str, tuple_: EventTuple) -> Instance:
    return Instance(type_, UNPLACED, tuple_.begin, tuple_.end, fields=tuple_.fields, event=tuple_.event)


def tick(type_: str, now: Time, since: Time) -> Instance:
    return Instance(type_, UNPLACED, now, now, fields={"since": since})


def agreed(values: Iterable[Value | None]) -> Value | None:
    """The value that all have that have one; None if they differ."""
    found: Value | None = None
    for value in values:
        if value is None:
            continue
        if found is None:
            found = value
        elif wrap(found) != wrap(value):
            return None
    return found
