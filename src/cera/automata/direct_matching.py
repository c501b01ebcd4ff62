"""Which instance of a compact run an event concerns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from cera.automata.compact import CompactInstance, CompactRun, Values, inside
from cera.automata.direct_tables import FlatQuery, Way
from cera.model.events.occurrence import PLAIN


def concerned(run: CompactRun, way: Way, content: Mapping[str, Any]) -> CompactInstance | Literal[False] | None:
    """Returns the instance that an event concerns, None if there is none; False if there may be several."""
    instance: CompactInstance | None = None
    if way.key:
        value = content.get(way.key)
        if value.__class__ not in PLAIN:
            return None if value is None else False
        if run.index is None:
            state, place = way.state, way.place
            for child in run.children:
                if child.state == state and child.values[place] == value:
                    if instance is not None:
                        return False
                    instance = child
        else:
            beside = run.index.get((way.state, value))
            if beside.__class__ is list:
                return False
            instance = beside  # type: ignore[assignment]
    elif way.keys:
        values = [content.get(name) for name in way.keys]
        if None in values:
            return None
        if any(value.__class__ not in PLAIN for value in values):
            return False
        found = inside(run, way.state, values, way.places)
        if len(found) > 1:
            return False
        instance = found[0] if found else None
    else:
        instance = run
    if instance is None or not way.asks:
        return instance
    accepted = accepts(way.query, content, instance.values)
    if accepted is False:
        for other in way.others:
            accepted = accepts(other, content, instance.values)
            if accepted is not False:
                break
    return instance if accepted else None if accepted is False else False


def accepts(query: FlatQuery, content: Mapping[str, Any], values: Values) -> bool | None:
    """Returns whether an event is what a query asks for; None if that has to be looked at more closely."""
    constants, references, declared = query
    for name, value in constants:
        given = content.get(name)
        if given.__class__ not in PLAIN:
            return False if given is None else None
        if given != value:
            return False
    for name, place in references:
        given, known = content.get(name), values[place]
        if given.__class__ not in PLAIN or known is None:
            return False if given is None else None
        if given != known:
            return False
    for name, _ in declared:
        given = content.get(name)
        if given.__class__ not in PLAIN:
            return False if given is None else None
    return True
