"""What local definitions derive: events whose time is the hull of those of the body, and states."""

from __future__ import annotations

from collections.abc import Iterable

from cera.constraints.binding import Binding
from cera.constraints.queries import Literal
from cera.constraints.stream import Happening
from cera.model.events.states import OPEN
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Literal as Constant
from cera.model.expressions.expression import Variable
from cera.model.terms.term import Term, Value


def derived_happening(head: Literal, binding: Binding) -> Happening | None:
    """Returns the event or the state that a body gives. A state of no length does not happen (DESIGN, "StreamLog").

    A state begins when the last event of the body has happened and all its states hold, and ends with the first of
    these. An event of states alone is the point at which the last of them begins.
    """
    term = _term(head.atom, binding)
    if term is None:
        return None
    events = [each for each in binding.happenings if each.kind == "event"]
    states = [each for each in binding.happenings if each.kind == "state"]
    if head.kind == "state":
        begin = max([*(each.end for each in events), *(each.begin for each in states)], default=None)
        end = min((each.end for each in states), default=OPEN)
        if begin is None or begin >= end:
            return None
        return Happening(term, begin, end, "state", sources=binding.happenings, since=binding.at)
    if events:
        begin, end = min(each.begin for each in events), max(each.end for each in events)
        return Happening(term, begin, end, "event", sources=binding.happenings, since=binding.at)
    if states:
        last = max(each.begin for each in states)
        return Happening(term, last, last, "event", sources=binding.happenings, since=binding.at)
    return None


def merged(found: Iterable[Happening]) -> list[Happening]:
    """Returns what is derived in the order in which that is certain, each once: an event in the first way in which it
    is, a state that begins at one time as long as it holds in some way."""
    known: dict[object, Happening] = {}
    for each in found:
        key = (each.term, each.begin) if each.kind == "state" else (each.term, each.begin, each.end)
        first = known.setdefault(key, each)
        first.end = max(first.end, each.end)
    return list(known.values())


def _term(atom: Atom, binding: Binding) -> Term | None:
    children: list[Value] = []
    for argument in atom.arguments:
        match argument:
            case Atom():
                child = _term(argument, binding)
                if child is None:
                    return None
                children.append(child)
            case Variable() if argument.name in binding.values:
                children.append(binding.values[argument.name])
            case Constant():
                children.append(argument.value)
            case _:
                return None
    several = len(children) > 1 and not any(isinstance(each, Atom) for each in atom.arguments)
    return Term(atom.label, children, ordered=several)
