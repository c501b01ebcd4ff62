"""Event instances: what occurred, when, and the instances that are bound to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NoReturn

from cera.model.events.occurrence import wrap
from cera.model.terms.term import Value
from cera.model.time.interval import Time
from cera.modules.tuples import EventTuple

#: The instances that are bound to each component of an event, by its name, in the order of time.
Bound = tuple[tuple[str, tuple["Instance", ...]], ...]


class NoValue(Enum):
    """The reason why an attribute has no value: instances have different ones, or none that could have it is bound."""

    DIFFERENT = "different"
    MISSING = "missing"

    def __setstate__(self, state: object) -> NoReturn:
        raise TypeError("a reason cannot be changed")


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
        fields: Mapping[str, Any] | None = None,
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
        """Yields the primitive instances and ticks that it rests on."""
        if not self.bound:
            yield self
        for _, instances in self.bound:
            for instance in instances:
                yield from instance.leaves()

    def attribute(self, name: str) -> Value | None:
        """Returns the value of an attribute, None if there is none."""
        found = self.value_or_reason(name)
        return None if isinstance(found, NoValue) else found

    def value_or_reason(self, name: str) -> Value | NoValue | None:
        """Returns the value of an attribute, or why there is none."""
        if name == "evtime":
            return self.end
        if self.fields is not None:
            return self.fields.get(name)
        return agreed(leaf.value_or_reason(name) for leaf in self.leaves())

    def __getstate__(self) -> tuple[Any, ...]:
        return (self.type, self.time, self.begin, self.end, self.fields, self.bound, self.event)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[0] is None:  # the names and values of the slots, as states once had them
            state = tuple(state[1][name] for name in ("type", "time", "begin", "end", "fields", "bound", "event"))
        self.type, self.time, self.begin, self.end, self.fields, self.bound, self.event = state

    def __repr__(self) -> str:
        return f"Instance({self.type!r}, {self.time}, {self.begin}, {self.end})"


#: The time of what has not been given a stage yet.
UNPLACED = 0


def primitive(type_: str, tuple_: EventTuple) -> Instance:
    return Instance(type_, UNPLACED, tuple_.begin, tuple_.end, fields=tuple_.fields, event=tuple_.event)


def tick(type_: str, now: Time, since: Time) -> Instance:
    return Instance(type_, UNPLACED, now, now, fields={"since": since})


def agreed(values: Iterable[Value | NoValue | None]) -> Value | NoValue | None:
    """Returns the value that all have that have one."""
    found: Value | NoValue | None = None
    for value in values:
        if value is None or value is NoValue.MISSING:
            found = value if found is None else found
        elif value is NoValue.DIFFERENT:
            return value
        elif found is None or found is NoValue.MISSING:
            found = value
        elif isinstance(found, NoValue) or wrap(found) != wrap(value):
            return NoValue.DIFFERENT
    return found
