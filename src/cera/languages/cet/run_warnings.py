"""Warnings about how a module will run (CE501 to CE504): instances that are never dropped, and costly modes.

The engine drops instances that no later event can need (`cera.instances.pruning`): those that are too old, those that
come last, those that a younger one replaces, those before something forbidden. CE501 says of each component whether
that is enough, per value of the attribute that conditions equate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cera.diagnostics import Diagnostic
from cera.instances.conditions import key_of, remaining
from cera.instances.inherited import with_inherited_limits
from cera.instances.types import STRENGTH, ComplexType, Component, Delimiter, InstanceModule, TimerType
from cera.model.expressions.expression import variables
from cera.model.time.durations import Duration, format_duration

#: So many instances make a number of sets that one can wait for.
_FEW_INSTANCES = 10


def running(module: InstanceModule) -> Iterator[Diagnostic]:
    """Yields the warnings and notes about a module without errors (CE501 to CE504)."""
    yield from unbounded(module)
    yield from _partitioning(module)
    for type_ in module.types:
        if isinstance(type_, ComplexType):
            yield from _combinations(type_)
            yield from _continuous(type_, module)


def _partitioning(module: InstanceModule) -> Iterator[Diagnostic]:
    """Notes that the module has one history, so that one machine has to see it all (CE502)."""
    if module.partition is None and module.types:
        message = f"the module `{module.name}` runs unpartitioned: all its events make one history"
        attribute = _common_key(module)
        hint = "where types relate events of the same sensor only: `partition by sensor;`"
        if attribute is not None:
            hint = f"its types relate events with the same `{attribute}` only: `partition by {attribute};`"
        yield Diagnostic("CE502", "note", message, module.span or module.types[0].span, hint)


def _common_key(module: InstanceModule) -> str | None:
    """Returns the attribute that all types equate, None if there is none."""
    attributes: set[str] = set()
    for type_ in module.types:
        found = key_of(type_) if isinstance(type_, ComplexType) else None
        if found is None:
            return None
        attributes |= set(found[0].values())
    return attributes.pop() if len(attributes) == 1 else None


def _combinations(type_: ComplexType) -> Iterator[Diagnostic]:
    for place in type_.bound:
        component = type_.components[place]
        most = component.delimiter.most
        if component.selection == "combinations" and (most is None or most > _FEW_INSTANCES):
            message = f"`combinations` makes an event for every set of `{component.name}`: 65,535 of 16 instances"
            hint = "`combinations minimum` makes one for each instance"
            yield Diagnostic("CE503", "warning", message, component.span, hint)


def _continuous(type_: ComplexType, module: InstanceModule) -> Iterator[Diagnostic]:
    if type_.continuous:
        labels = ", ".join(f"`{each.predicate}`" for each in module.monitored)
        message = f"continuous: between its events no other of the events that the module names may occur: {labels}"
        hint = "an event that no type is made of is named by `event Name;`"
        yield Diagnostic("CE504", "note", message, type_.span, hint)


_LASTING = ("shared", "exclusive")
#: Up to so many components it is said what else would help.
_FEW_COMPONENTS = 20


def unbounded(module: InstanceModule) -> Iterator[Diagnostic]:
    module = with_inherited_limits(module)
    belated = module.belated
    for type_ in module.types:
        if isinstance(type_, TimerType):
            yield from _timer(type_)
            continue
        timely = belated.isdisjoint(each.type for each in type_.components)
        for place in kept(type_, timely=timely):
            yield _warning(type_, place, timely=timely)


def remembered(module: InstanceModule) -> Iterator[str]:
    """Yields a line for each type about what it remembers: `Paid`: every `order` until it is consumed."""
    module = with_inherited_limits(module)
    belated = module.belated
    for type_ in module.types:
        if isinstance(type_, TimerType):
            continue
        timely = belated.isdisjoint(each.type for each in type_.components)
        places = kept(type_, timely=timely)
        key = "" if key_of(type_) is None else ", for each value that is equated"
        if type_.within is not None:
            length = format_duration(Duration(microseconds=type_.within))
            yield f"{_title(type_)}: what began {length} ago or later"
        elif not places:
            yield f"{_title(type_)}: no more than the newest of each component{key}"
        for place in places:
            yield f"{_title(type_)}: every `{type_.components[place].name}` {_how_long(type_, place)}"


def kept(type_: ComplexType, *, timely: bool) -> list[int]:
    """Returns the places of the components whose instances may never be dropped."""
    gathers = any(each.selection == "cumulative" for each in type_.components)
    if type_.within is not None or (type_.operator == "==" and timely and not gathers):
        return []
    places = range(len(type_.components))
    counts = any(each.delimiter.most is not None for each in type_.components)
    if not timely or counts or type_.continuous:
        return list(places)
    dropped = {place for place in type_.bound if _passes(type_, place) or _is_consumed_at_once(type_, place)}
    if _is_cut_off(type_):
        dropped |= set(type_.forbidden)
    for place in reversed(type_.bound):
        if _is_overtaken(type_, place) and _following(type_, place) <= dropped:
            dropped.add(place)
    return [place for place in places if place not in dropped]


def _passes(type_: ComplexType, place: int) -> bool:
    """Returns whether an instance is of use only when it occurs."""
    component = type_.components[place]
    ends = type_.operator == "or" or (type_.operator in (";", "not") and place == type_.bound[-1])
    single = component.is_fixed and component.delimiter.least == 1 and component.selection != "combinations"
    return ends and single and _occurs_once(type_, place)


def _is_consumed_at_once(type_: ComplexType, place: int) -> bool:
    """Returns whether an instance, or as many as are asked for, is an event by itself and consumed by it."""
    component = type_.components[place]
    alone = type_.operator == "or" or len(type_.bound) == 1
    return alone and component.outside != "shared" and component.name not in _asked(type_)


def _is_overtaken(type_: ComplexType, place: int) -> bool:
    """Returns whether only the youngest instance is of use."""
    component = type_.components[place]
    ordered = type_.operator in (";", "not") and place != type_.bound[-1]
    return (
        type_.overlapping
        and not type_.right_to_left
        and (ordered or type_.operator == "and")
        and component.selection == "last"
        and component.delimiter.least == 1
        and {component.inside, component.outside} <= set(_LASTING)
        and component.name not in _asked(type_)
        and _occurs_once(type_, place)
    )


def _following(type_: ComplexType, place: int) -> set[int]:
    """Returns the place of the next component that is required: it can tie up older instances of the one before."""
    if type_.operator == "and":
        return set()
    following = [each for each in type_.bound if each > place and type_.components[each].delimiter.least > 0]
    return set(following[:1])


def _is_cut_off(type_: ComplexType) -> bool:
    """Returns whether one forbidden instance rules out all instances before it, so that it need not be kept itself."""
    inner = [type_.components[place] for place in type_.forbidden]
    first, last = type_.components[0], type_.components[-1]
    return (
        all(each.delimiter == Delimiter() and each.name not in _asked(type_) for each in inner)
        and not {each.type for each in inner} & {first.type, last.type}
        and first.type != last.type
        and first.selection != "cumulative"
    )


def _occurs_once(type_: ComplexType, place: int) -> bool:
    name = type_.components[place].type
    return sum(each.type == name for each in type_.components) == 1


def _asked(type_: ComplexType) -> set[str]:
    """Returns the components mentioned in conditions other than the equalities of the key."""
    found = key_of(type_)
    conditions = type_.where if found is None else remaining(type_, found[1])
    return {name.partition(".")[0] for condition in conditions for name in variables(condition)}


def _warning(type_: ComplexType, place: int, *, timely: bool) -> Diagnostic:
    component = type_.components[place]
    message = f"{_title(type_)} keeps every `{component.name}` {_how_long(type_, place)}"
    hint = "`within 1 hour` behind its brackets would forget it after an hour"
    newest = replace(component, selection="last", inside="shared", outside="shared", delimiter=Delimiter())
    components = (*type_.components[:place], newest, *type_.components[place + 1 :])
    small = len(type_.components) <= _FEW_COMPONENTS
    if (
        small
        and place not in type_.forbidden
        and place not in kept(replace(type_, components=components), timely=timely)
    ):
        hint += "; with `last: shared` only the newest is kept"
    return Diagnostic("CE501", "warning", message, component.span or type_.span, hint)


def _how_long(type_: ComplexType, place: int) -> str:
    component = type_.components[place]
    if place in type_.forbidden:
        counted = component.delimiter != Delimiter()
        why = "how many there are is counted" if counted else "whether it counts is asked for each interval"
        return f"for ever: {why}"
    mode = max((each.outside for each in _of_type(type_, component)), key=STRENGTH.index)
    if mode == "shared":
        return "for ever: it is shared, so nothing consumes it"
    others = [each.name for each in (type_.components[p] for p in type_.bound) if each is not component]
    with_others = f" with `{others[-1]}`" if others and type_.operator != "or" else ""
    return f"until an event{with_others} consumes it"


def _of_type(type_: ComplexType, component: Component) -> list[Component]:
    return [each for each in (type_.components[place] for place in type_.bound) if each.type == component.type]


def _timer(timer: TimerType) -> Iterator[Diagnostic]:
    if not timer.repeats or timer.latest:
        return
    until = "for ever" if timer.stop is None else f"until the next `{timer.stop}`"
    message = f"the timer `{timer.name}` ticks after every `{timer.start}` {until}"
    hint = f"`after last {timer.start}` ticks after the newest only"
    yield Diagnostic("CE501", "warning", message, timer.span, hint)


def _title(type_: ComplexType) -> str:
    return f"a type inside of `{type_.name.partition('/')[0]}`" if type_.hidden else f"`{type_.name}`"
