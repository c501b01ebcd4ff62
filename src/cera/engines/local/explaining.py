"""A physical plan for people: the stores, what becomes of the rows of each point, and what is done at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict, assert_never

from cera.algebra.operators import AntiSemiJoin
from cera.algebra.physical import (
    BoundedWindow,
    ClockWindows,
    Collect,
    Derive,
    Filter,
    Forgetting,
    Lookup,
    Match,
    Pairs,
    Part,
    PhysicalPlan,
    Pick,
    Probe,
    Rule,
    Shared,
    Side,
    Store,
    Ticks,
    Timer,
    Wait,
    inputs,
)
from cera.algebra.plan import Plan
from cera.algebra.plan_text import display_name
from cera.algebra.recursion_depth import make_room
from cera.algebra.relevance import Relevance
from cera.engines.local.lowering import lower
from cera.model.events.states import is_ending, is_opening, state_label
from cera.model.time.durations import Duration, format_duration


class ExplainedStore(TypedDict):
    """A store: the events of its rows, the variables of its key, how long it keeps a row past its end (null: as long as
    it may matter, or for good), how many windows look into it, and the number of columns that are summed up.
    """

    number: int
    of: list[str]
    by: list[str]
    kept: str | None
    windows: int
    summed: int


class ExplainedPoint(TypedDict):
    """What becomes of the rows of a point, from the answers down to the events, indented by what they come from."""

    point: str
    lines: list[str]


class ExplainedNetwork(TypedDict):
    """A physical plan. `at_once` has, by label, the slots that are finished with an event that is alone in its step."""

    stores: list[ExplainedStore]
    points: list[ExplainedPoint]
    at_once: dict[str, list[int]]


def explained(plan: Plan, max_duration: int | None = None) -> ExplainedNetwork:
    """Returns what runs for each event, if none lasts longer than given."""
    make_room(plan)
    return explained_network(lower(plan, Relevance(plan, max_duration)))


def explained_network(plan: PhysicalPlan) -> ExplainedNetwork:
    """Returns a physical plan as data."""
    return {
        "stores": [_store(store) for store in plan.stores],
        "points": [{"point": name, "lines": list(_lines(point, 0))} for name, point in plan.points],
        "at_once": {feed.label: sorted(feed.alone) for feed in plan.feeds if feed.label is not None and feed.alone},
    }


def explained_lines(network: ExplainedNetwork) -> Iterator[str]:
    """Yields the lines of the explanation as text."""
    yield "event by event:"
    for store in network["stores"]:
        by = f" by {', '.join(store['by'])}" if store["by"] else ""
        kept = f", for {store['kept']}" if store["kept"] else ""
        windows = f", for {store['windows']} windows" if store["windows"] > 1 else ""
        yield f"  store {store['number']}: {', '.join(store['of'])}{by}{kept}{windows}"
    for point in network["points"]:
        yield f"  {display_name(point['point'])}:"
        yield from (f"    {line}" for line in point["lines"])
    for label, slots in network["at_once"].items():
        yield f"  at once with {label}, if nothing else ends then: {_slots(slots)}"


def _slots(slots: list[int]) -> str:
    return f"slot{'s' if len(slots) > 1 else ''} {', '.join(map(str, slots))}"


def _store(store: Store) -> ExplainedStore:
    kept = None if store.horizon is None else format_duration(Duration(0, store.horizon))
    return {
        "number": store.number,
        "of": list(store.of),
        "by": list(store.key),
        "kept": kept,
        "windows": store.windows,
        "summed": len(store.summed),
    }


def _lines(part: Part, depth: int, place: str = "") -> Iterator[str]:
    """Yields a line for a part, with the place that its rows go to, and those of what it gets its rows from."""
    text = _text(part)
    if text is not None:
        yield "  " * depth + place + text
        depth, place = depth + 1, ""
    window = part.window if isinstance(part, Probe | Collect) else None
    for below in inputs(part):
        is_stored = window is not None and below is window.input
        yield from _lines(below, depth, f"to store {window.store}: " if window and is_stored else place)


def _text(part: Part) -> str | None:
    """Returns what a part does; None for what only moves columns."""
    match part:
        case Rule() | Pick():
            return None
        case Match():
            return f"{_events(part.label)} as {part.identifier}"
        case Ticks():
            return f"timer {part.identifier}"
        case Shared():
            return f"rows of {display_name(part.point)}"
        case Filter():
            return f"select by {_count(len(part.conditions), 'condition')}"
        case Timer():
            return f"add {'the open state' if part.of_state else 'timer'} {part.identifier}"
        case ClockWindows():
            return f"add {'its window' if part.is_tumbling else 'each window'} {part.identifier}"
        case BoundedWindow():
            return f"add window {part.identifier}"
        case Wait():
            return _waiting(part)
        case Lookup():
            return f"look up {part.relation.name}"
        case Pairs():
            return f"join: {_side(part.left, part.right)}; {_side(part.right, part.left)}"
        case Probe():
            word = "nothing lies" if isinstance(part.window.operator, AntiSemiJoin) else "each that lies"
            return f"{word} in {part.window.operator.window}: store {part.window.store}"
        case Derive():
            way = "each row by itself" if part.head.written else "rows grouped"
            return f"answers, {way}"
        case Collect():
            return f"answers of what lies in {part.window.operator.window}: store {part.window.store}"
        case Forgetting():
            return f"forget groups: {', '.join(f'store {number}' for number, _ in part.stores)}"
        case _:
            assert_never(part)


def _events(label: str | None) -> str:
    if label is None:
        return "events of any label"
    if is_opening(label) or is_ending(label):
        return f"{'begins' if is_opening(label) else 'ends'} of states {state_label(label)}"
    return f"events {label}"


def _waiting(wait: Wait) -> str:
    until = [wait.layout.columns[at].name for at in wait.timers]
    ended = f"until {', '.join(until)} {'have' if len(until) > 1 else 'has'} ended"
    end = ended if until else "until the step is complete"
    early = ", or settled before" if wait.settlements else ""
    return f"wait in slot {wait.slot} {end}{early}"


def _side(side: Side, other: Side) -> str:
    """Returns what a new row of one side does."""
    events = ", ".join(side.layout.identifiers)
    into = [] if side.store is None else [f"goes to store {side.store}"]
    into += [] if other.store is None else [f"meets store {other.store}"]
    first = ", if it is the first" if side.first is not None else ""
    return f"{events} {' and '.join(into) or 'meets nothing'}{first}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number > 1 else ''}"
