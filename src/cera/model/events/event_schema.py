"""The schema of the events of an input: labels, attributes, types of values, times, and how often. In bounded memory.

Most events of a label have the same attributes with values of the same types, so signatures are counted, and taken
apart when there are many different ones or all events have been read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cera.model.events.attributes import Path
from cera.model.events.event import STATE_ID
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import announced_end, is_opening
from cera.model.terms.term import Term
from cera.model.time.interval import Time

ValueType = Literal["string", "integer", "decimal", "boolean", "object", "list"]

#: At most this many labels, attributes of a label and signatures are counted separately.
MOST_LABELS = 1_000
MOST_ATTRIBUTES = 1_000
_MOST_SIGNATURES = 1_000
_DEEPEST = 8
#: At most this many open states are remembered.
_MOST_STATES = 100_000

_TYPES: Mapping[type, ValueType] = {str: "string", int: "integer", float: "decimal", bool: "boolean"}

#: The attributes of an event with the types of their values, or for a flat event names and Python's types.
_Signature = tuple[Any, ...]


@dataclass
class AttributeSchema:
    """An attribute: the number of events that have it, the count of each type, and its own attributes."""

    types: Counter[ValueType] = field(default_factory=Counter)
    attributes: dict[str, AttributeSchema] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.types.total()


@dataclass
class LabelSchema:
    """The events of one label. `values` counts those that are a value and have no attributes, `temp{40}`."""

    events: int = 0
    first: Time = 0
    last: Time = 0
    #: Of states, the number of records that say when one ends.
    ends: int = 0
    attributes: dict[str, AttributeSchema] = field(default_factory=dict)
    values: Counter[ValueType] = field(default_factory=Counter)
    #: Whether there are more attributes than are kept.
    more: bool = False
    _signatures: Counter[_Signature] = field(default_factory=Counter)
    _paths: int = 0

    def take(self, event: Occurrence, end: Time | None = None) -> None:
        """Takes an event into account, or the record of a state that has an end."""
        last = event.end if end is None else end
        if not self.events:
            self.first, self.last = event.begin, last
        self.events += 1
        self.ends += end is not None
        self.first = min(self.first, event.begin)
        self.last = max(self.last, last)
        content = event.content
        if content is not None:
            signature: _Signature = (True, tuple(content), tuple(map(type, content.values())))
        else:
            signature = (False, tuple(_parts(event.term)))
        self._signatures[signature] += 1
        if len(self._signatures) > _MOST_SIGNATURES:
            self.settle()

    def settle(self) -> None:
        """Takes the signatures apart."""
        for signature, number in self._signatures.items():
            if signature[0]:
                for name, kind in zip(signature[1], signature[2], strict=True):
                    self._add((name,), _TYPES[kind], number)
            else:
                for path, kind in signature[1]:
                    self._add(path, kind, number)
        self._signatures.clear()

    def _add(self, path: Path, kind: ValueType, number: int) -> None:
        if not path:
            self.values[kind] += number
            return
        inside = self.attributes
        for name in path[:-1]:
            if name not in inside:
                return  # its parent is not kept
            inside = inside[name].attributes
        if path[-1] not in inside:
            if self._paths == MOST_ATTRIBUTES:
                self.more = True
                return
            self._paths += 1
            inside[path[-1]] = AttributeSchema()
        inside[path[-1]].types[kind] += number


class EventSchema:
    """The labels, attributes and times of the events that have been read."""

    def __init__(self) -> None:
        self.labels: dict[str, LabelSchema] = {}
        self.events = 0
        #: The number of events whose labels are not counted separately.
        self.others = 0
        #: The number of events that end before one that was read earlier, and by how much at most.
        self.disordered = 0
        self.greatest_delay = 0
        self.longest = 0
        self._latest: Time | None = None
        #: The ids of states that have begun.
        self._begun: set[object] = set()

    def take(self, event: Occurrence) -> None:
        """Takes an event into account, in the order of the input."""
        self.events += 1
        ended = announced_end(event.qualifier) if is_opening(event.label) else None
        end = event.end if not is_opening(event.label) or self._begins(event) or ended is None else ended
        if self._latest is None or end >= self._latest:
            self._latest = end
        else:
            self.disordered += 1
            self.greatest_delay = max(self.greatest_delay, self._latest - end)
        self.longest = max(self.longest, event.end - event.begin)
        label = self.labels.get(event.label)
        if label is None:
            if len(self.labels) == MOST_LABELS:
                self.others += 1
                return
            label = self.labels[event.label] = LabelSchema()
        label.take(event, ended)

    def _begins(self, opened: Occurrence) -> bool:
        """Returns whether the record of a state is the first one, at its begin; a later one comes at its end."""
        state = opened.content[STATE_ID] if opened.content is not None else opened.term.children[-1]
        if state in self._begun:
            self._begun.remove(state)
            return False
        if len(self._begun) < _MOST_STATES:
            self._begun.add(state)
        return True

    def finish(self) -> EventSchema:
        """Completes the counts of attributes; the id of a state, which its record does not have, is left out."""
        for name, label in self.labels.items():
            label.settle()
            if is_opening(name):
                label.attributes.pop(STATE_ID, None)
        return self


def _parts(term: Term, parent: Path = ()) -> Iterator[tuple[Path, ValueType]]:
    """Yields the attributes of a term with their types, each once; a value has the type of its parent's path."""
    seen: set[tuple[Path, ValueType]] = set()
    for child in term.children:
        if not isinstance(child, Term):
            part = (parent, _TYPES[type(child)])
            if not parent and part not in seen:
                seen.add(part)
                yield part
            continue
        path = (*parent, child.label)
        part = (path, _type(child))
        if part not in seen:
            seen.add(part)
            yield part
        if part[1] == "object" and len(path) < _DEEPEST:
            for inner in _parts(child, path):
                if inner not in seen:
                    seen.add(inner)
                    yield inner


def _type(term: Term) -> ValueType:
    match term.children:
        case (only,) if not isinstance(only, Term):
            return _TYPES[type(only)]
        case children:
            is_list = term.ordered and any(not isinstance(child, Term) or not child.label for child in children)
            return "list" if is_list else "object"
