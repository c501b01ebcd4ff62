"""A run over recorded events or a stream: a program, what is asked of it, and who follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property

from cera.connectors.records.layout import Rejected
from cera.connectors.sink import Sink
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.modules.expectations import Expectations
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.running.listener import Listener, Output
from cera.running.occasions import Occasions
from cera.running.relations import read_relations
from cera.running.request import Request
from cera.running.streams.listener import StreamListener
from cera.running.streams.request import StreamRequest


@dataclass(frozen=True)
class Run:
    """A program, what is asked of it, where its answers go, and who follows it."""

    layers: Layers
    expectations: Expectations
    timezone: str
    request: Request
    sink: Sink
    #: Opens the output for answers that this process writes.
    output: Callable[[], AbstractContextManager[Output]]
    listener: Listener
    #: Takes every input event, of an engine in this process.
    each: Callable[[Event], object] | None = None
    #: Take every malformed record and every late event, in the place of files.
    reject: Callable[[Rejected], object] | None = None
    late: Callable[[Event], object] | None = None
    #: Takes what was there to be judged of constraints that nothing violates, where that is asked for.
    occasions: Occasions | None = None

    def settings(self, max_duration: int | None, relations: Mapping[str, RelationRows] | None = None) -> Settings:
        """Returns what modules need; no event lasts longer than `max_duration`."""
        request = self.request
        limits = request.tick_limit, request.until, request.recursion_limit
        return Settings(self.timezone, max_duration, *limits, self.relations if relations is None else relations)

    @cached_property
    def relations(self) -> Mapping[str, RelationRows]:
        """The rows that rules look up. They are read once."""
        return read_relations(self.layers, self.request.relations, self.timezone)

    @cached_property
    def located_relations(self) -> Mapping[str, RelationRows]:
        """The same for an engine that reads large files and tables itself."""
        return read_relations(self.layers, self.request.relations, self.timezone, in_place=True)


@dataclass(frozen=True)
class StreamRun:
    """A program over a stream, what is asked of it, and who follows it."""

    layers: Layers
    timezone: str
    request: StreamRequest
    listener: StreamListener
    #: The rules that want something done, for which the events behind a detection are reported too.
    acting: frozenset[str] = frozenset()
