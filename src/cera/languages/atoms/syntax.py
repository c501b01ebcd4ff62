"""The nodes that languages of atoms have in common besides atoms and windows: kinds and declarations.

Every node keeps its span, which is left out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from cera.diagnostics import Span
from cera.model.time.durations import Duration
from cera.rules.declarations import Attribute

Kind = OneOf["event", "state"]

#: What `now` is called in the bounds of a window.
NOW = "now"


@dataclass(frozen=True)
class Origin:
    """`ORIGIN "2011-01-01T06:00Z"`: where windows are counted from."""

    text: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Relation:
    """`relation ventilation(area, speed: number) from "ventilation.csv" refresh 1h valid from since by area`.

    Without attributes they are those of the table; without a source that is given when the program runs.
    """

    name: str
    attributes: tuple[Attribute, ...] | None = None
    source: str | None = None
    refresh: Duration | None = None
    valid_from: str | None = None
    versions_of: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Declaration = Origin | Relation
