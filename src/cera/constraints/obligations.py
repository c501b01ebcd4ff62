"""Obligations: seeds whose rest or head is not decided for good, and when each has to be looked at again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cera.constraints.binding import Binding
from cera.constraints.goals import Goal, Watch
from cera.constraints.names import declared_identifier, time_identifiers, used_identifiers
from cera.constraints.queries import Combination, HullLiteral, Literal, Part, TimerLiteral
from cera.constraints.seeding import Chosen
from cera.constraints.stream import Happening, Values
from cera.constraints.times import over
from cera.model.events.states import OPEN
from cera.model.terms.term import value_key
from cera.model.time.durations import shift
from cera.model.time.interval import Time

#: Identifies a substitution: the values, the times of identifiers, and what happened.
Key = tuple[Any, ...]


class Obligation:
    """A seed, and what was reported of it."""

    __slots__ = (
        "binding",
        "chosen",
        "decided",
        "goal",
        "key",
        "looked",
        "number",
        "reported",
        "touched",
        "values",
        "wakeup",
    )

    def __init__(self, number: int, goal: Goal, chosen: Chosen, values: Values, key: Key) -> None:
        self.number = number
        self.goal = goal
        self.chosen = chosen
        self.values = values
        self.key = key
        #: None if it has to be made again, because a state has ended.
        self.binding: Binding | None = None
        self.reported: set[Key] = set()
        #: The groups of which nothing that comes changes anything.
        self.decided: set[Key] = set()
        #: The values of what has come in this step, where nothing else has happened to it; None to look at all groups.
        self.touched: list[Values] | None = None
        #: Whether all its groups have been looked at.
        self.looked = False
        self.wakeup: Time | None = None

    @property
    def states(self) -> Iterator[Happening]:
        """The states of the seed that have not ended."""
        for each in self.chosen.values():
            if isinstance(each, Happening) and each.kind == "state" and each.is_open:
                yield each

    @property
    def order(self) -> tuple[Any, ...]:
        """The order in which the definition looks at seeds."""
        places = sorted(self.chosen.items())
        return (self.goal.number, *(each.number if isinstance(each, Happening) else each for _, each in places))


def key_of(binding: Binding, values: Values) -> Key:
    """Returns what distinguishes a substitution from others of the same clause."""
    trace = tuple((name, item.begin, item.end, _number(item.happening)) for name, item in binding.items.items())
    happenings = tuple(_number(each) for each in binding.happenings)
    return tuple(sorted((name, value_key(value)) for name, value in values.items())), trace, happenings


def report_key(binding: Binding, values: Values) -> Key:
    """Returns what distinguishes a violation from others of the same seed, also when a state of it has ended since."""
    trace = tuple((name, item.begin, _number(item.happening)) for name, item in binding.items.items())
    happenings = tuple(_number(each) for each in binding.happenings)
    return tuple(sorted((name, value_key(value)) for name, value in values.items())), trace, happenings


def _number(happening: Happening | None) -> Any:
    if happening is None:
        return None
    return happening.number if happening.number >= 0 else happening.term.key


def watch_key(watch: Watch, values: Values) -> Key:
    return tuple([value_key(values[name]) for name in watch.variables])


def horizon(goal: Goal, binding: Binding) -> Time:
    """Returns the last time at which something can change what a seed comes to; OPEN if there is none."""
    ends = {name: item.end if item.kind != "always" else OPEN for name, item in binding.items.items()}
    last = max((_last(part, ends, binding) for part in goal.rest.parts), default=binding.at)
    for head in goal.heads:
        own = dict(ends)
        last = max([last, *(_last(part, own, binding) for part in head.parts)])
    return min(last, OPEN)


def _last(part: Part, ends: dict[str, Time], binding: Binding) -> Time:
    """Returns the last time at which a part can change. Notes the last end of its identifier."""
    used: Iterable[str] = [each.identifier for each in used_identifiers(part)]
    known = _common_end(part, binding)
    if known is None:
        known = max((ends.get(name, OPEN) for name in used), default=None)
    if isinstance(part, Literal):
        if part.kind == "relation":
            return -OPEN
        last = OPEN if not time_identifiers(part.time) or known is None else known
        end = OPEN if part.kind == "state" else last
    else:
        last = -OPEN if known is None else known
        end = last
        if isinstance(part, TimerLiteral) and last < OPEN:
            moved = shift(last, part.duration)
            end = last = OPEN if moved is None else moved
        elif not isinstance(part, HullLiteral) and declared_identifier(part) is not None:
            end = last = OPEN
    identifier = declared_identifier(part)
    if identifier is not None:
        ends[identifier.identifier] = end
    return last


def _common_end(part: Part, binding: Binding) -> Time | None:
    """Returns when what a part finds in all of several times is certain; None if it is no such part."""
    match part:
        case Literal(time=Combination("intersection", several)):
            items = [binding.items[each.identifier] for each in several if each.identifier in binding.items]
            if len(items) == len(several) and all(item.kind != "always" for item in items):
                return over(items)
        case _:
            pass
    return None
