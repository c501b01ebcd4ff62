"""A physical plan for people: what becomes of the rows of each point, what was decided for it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict, assert_never

from cera.algebra.plan_text import display_name
from cera.engines.spark.plan.joins import JoinWay
from cera.engines.spark.plan.patterns import TableMatch
from cera.engines.spark.plan.physical import (
    Absence,
    AbsenceOfFew,
    BoundedWindowed,
    ClockWindowed,
    Derive,
    Filter,
    Gather,
    Inside,
    Lookup,
    Match,
    Node,
    Pairs,
    PhysicalPoint,
    Project,
    Rename,
    Root,
    Shared,
    Slide,
    Ticks,
    Timed,
    Unite,
    inputs,
)
from cera.engines.spark.plan.sides import Side
from cera.model.events.states import is_ending, is_opening, state_label
from cera.model.time.durations import Duration, format_duration
from cera.rules.analysis.unification import query_label


class ExplainedPoint(TypedDict):
    """What becomes of the rows of a point, from the answers down to the events, indented by what they come from."""

    point: str
    lines: list[str]


def explained_point(point: PhysicalPoint) -> ExplainedPoint:
    return {"point": point.name, "lines": [line for root in point.roots for line in _lines(root, 0)]}


def _lines(node: Root | Node, depth: int) -> Iterator[str]:
    """Yields a line for a node, and those of what it gets its rows from."""
    selections = 0
    while isinstance(node, Filter):
        selections += 1
        node = node.input
    if selections:
        yield "  " * depth + f"select by {_count(selections, 'condition')}"
        depth += 1
    text = _text(node)
    if text is not None:
        yield "  " * depth + text
        depth += 1
    for below in inputs(node):
        yield from _lines(below, depth)
    match node:
        case AbsenceOfFew():
            yield "  " * depth + _side(node.right)
        case Slide():
            yield "  " * depth + _side(node.window.anchors)
            yield "  " * depth + _side(node.window.elements)
        case _:
            return


def _text(node: Root | Node) -> str | None:
    """Returns what a node does, and why so; None for what only moves columns."""
    match node:
        case Project() | Rename() | Gather():
            return None
        case Filter():
            raise AssertionError("selections are explained together")
        case Match():
            return f"{_events(node)} as {node.identifier}{_where(node.tables)}"
        case Ticks():
            return f"timer {node.operator.identifier}"
        case Shared():
            return f"rows of {display_name(node.point)}"
        case Timed():
            return f"add timer {node.operator.identifier}"
        case ClockWindowed(operator=windows):
            is_tumbling = windows.period.length == windows.period.slide
            return f"add {'its window' if is_tumbling else 'each window'} {windows.identifier}"
        case BoundedWindowed():
            return f"add window {node.operator.identifier}"
        case Unite():
            return "all of"
        case Lookup():
            by = _by(node.way)
            return f"look up {node.relation.name}{by or ': it is broadcast, because no value is shared'}"
        case Pairs():
            return f"join: {_met(node.way)}"
        case Inside():
            return f"each that lies in {node.operator.window}: {_met(node.way)}"
        case Absence():
            return f"nothing lies in {node.operator.window}: {_met(node.way)}"
        case AbsenceOfFew():
            few = "these are broadcast, because they are few, and events stay where they are"
            return f"nothing lies in {node.operator.window}: {few}"
        case Derive():
            rows = "rows grouped" if node.grouped else "each row by itself"
            way = "in columns" if node.in_python is None else f"in Python, because {node.in_python}"
            joined = "" if node.joined is None else f"; the window does not slide, because {node.joined}"
            return f"answers, {rows}, {way}{joined}"
        case Slide(window=window):
            by = ", ".join(f"var {name}" for name in sorted(window.shared))
            ties = "; two at the same time fail, because `unique` excludes them" if window.untied else ""
            folded = ", folded in NumPy" if node.moved else ""
            around = "because all are points of time in one table"
            return (
                f"answers of what lies in {window.window}: sliding over events sorted by {by}{folded}, {around}{ties}"
            )
        case _:
            assert_never(node)


def _by(way: JoinWay) -> str:
    names = ", ".join(f"var {name}" for name in sorted(way.shared))
    return f" by {names}" if names else ""


def _met(way: JoinWay) -> str:
    """Returns how both sides meet."""
    values = _by(way)
    match way.strategy:
        case "bucket":
            assert way.buckets is not None
            width = format_duration(Duration(0, way.buckets.width))
            return f"in buckets of {width}{values}, because time between both is bounded"
        case "plain":
            return f"plain{values}, because nothing bounds the time between both"
        case _:
            return "the right side is broadcast, because no value is shared and nothing bounds the time between both"


def _events(match: Match) -> str:
    labels = {query_label(each.pattern) for each in match.tables}
    return "nothing" if not labels else _labelled(labels.pop())


def _labelled(label: str | None) -> str:
    if label is None:
        return "events of any label"
    if is_opening(label) or is_ending(label):
        return f"{'begins' if is_opening(label) else 'ends'} of states {state_label(label)}"
    return f"events {label}"


def _where(tables: tuple[TableMatch, ...]) -> str:
    """Returns in how many tables a pattern is matched, and what of it in Python."""
    several = f", in {len(tables)} tables" if len(tables) > 1 else ""
    reasons = dict.fromkeys(each.in_python for each in tables if each.in_python is not None)
    if not reasons:
        return several if tables else ", which no table has"
    part = (
        "partly in Python" if any(each.in_python is None or each.ways is not None for each in tables) else "in Python"
    )
    return f"{several}, {part}: {'; '.join(reasons)}"


def _side(side: Side) -> str:
    selected = ", selected" if side.selected else ""
    return f"{_labelled(side.label)} as {side.identifier}{selected}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number > 1 else ''}"
