"""Periodic windows, gathered identifiers and moments, put into rules: no text of XChangeEQ says them.

A branch gets a window or two around some of its events and timers, which accumulations may then have as theirs, a
condition that some of its events lie in one window, and some identifiers that are gathered, as far as these have ended
when the answer does. The events of some rules happen at the end of their bodies.
"""

from __future__ import annotations

import random
from dataclasses import replace

from cera.model.expressions.expression import EventReference, InOneWindow
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.timers import Edge
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.rule import BoundedWindow, Branch, PeriodicWindow, RuleProgram, Window, auxiliary_windows
from cera.testing import SECOND

_LENGTHS = (5 * SECOND, 10 * SECOND, 20 * SECOND, 40 * SECOND, 3 * SECOND, SECOND, 1, 7_654_321)
_RATIOS = (1, 1, 2, 3, 0.7, 0.25)
_NAMES = ("pw", "pw2")


def with_windows(program: RuleProgram, chance: random.Random) -> RuleProgram:
    """Returns the program with windows in most of its branches, and some rules whose events are momentary."""
    rules = [replace(r, branches=tuple(_with_windows(b, chance) for b in r.branches)) for r in program.rules]
    return replace(program, rules=tuple(replace(r, momentary=chance.random() < 0.2) for r in rules))


def _with_windows(branch: Branch, chance: random.Random) -> Branch:
    known = [literal.identifier for literal in branch.positive]
    if chance.random() < 0.2:
        return branch
    if chance.random() < 0.25:
        some = tuple(EventReference(name) for name in _some(known, chance))
        condition = InOneWindow(some, *_period(chance))
        branch = replace(branch, conditions=(*branch.conditions, condition))
    if chance.random() < 0.85:
        names = _NAMES[: 1 + (chance.random() < 0.15)]
        everything = chance.random() < 0.7
        windows: list[Window] = [
            PeriodicWindow(name, *_period(chance), tuple(known if everything else _some(known, chance)))
            for name in names
        ]
        if chance.random() < 0.3:
            windows[-1] = BoundedWindow(names[-1], _bounds([*known, *names[:-1]], chance))
        elif chance.random() < 0.4 and not branch.accumulations:
            windows[-1] = replace(windows[-1], auxiliary=True)
        branch = replace(branch, windows=tuple(windows))
        branch = replace(
            branch,
            collections=tuple(_moved(part, names, chance) for part in branch.collections),
            absences=tuple(_moved(part, names, chance) for part in branch.absences),
        )
    return _gathering(branch, _some(known, chance)) if chance.random() < 0.75 else branch


def _moved(part, names, chance):  # type: ignore[no-untyped-def]
    """Returns the accumulation, now and then over a periodic window."""
    return replace(part, window=chance.choice(names)) if chance.random() < 0.5 else part


def _period(chance: random.Random) -> tuple[int, int, int]:
    length = chance.choice(_LENGTHS)
    slide = max(1, int(length / chance.choice(_RATIOS)))
    return length, slide, chance.choice((0, 0, 1, -3 * SECOND, 12_345_678))


def _bounds(names: list[str], chance: random.Random) -> Bounds:
    """Returns two times relative to events, or absolute ones; most such windows happen."""
    if chance.random() < 0.2:
        begin = chance.randrange(0, 30) * SECOND
        return Bounds((_edge(None, "begin", begin),), (_edge(None, "end", begin + chance.randrange(0, 40) * SECOND),))
    some = _some(names, chance)[: chance.choice((1, 1, 1, 2))]
    length = chance.choice(_LENGTHS)
    if chance.random() < 0.4:
        ends = tuple(_edge(name, "end", 0) for name in some)
        return Bounds(tuple(replace(edge, by=Duration(0, -length)) for edge in ends), ends)
    begin_edge, end_edge = chance.choice((("begin", "begin"), ("begin", "end"), ("end", "end")))
    moved = chance.choice((0, 0, -SECOND, 2 * SECOND))
    last = chance.choice((Duration(0, length), Duration(1), Duration(0, length)))
    return Bounds((_edge(some[0], begin_edge, moved),), tuple(MovedEdge(name, end_edge, last) for name in some))


def _edge(name: str | None, edge: Edge, moved: int) -> MovedEdge:
    return MovedEdge(name, edge, Duration(0, moved))


def _some(names: list[str], chance: random.Random) -> list[str]:
    found = [name for name in names if chance.random() < 0.7]
    return found or [chance.choice(names)]


def _gathering(branch: Branch, wanted: list[str]) -> Branch:
    """Returns the branch with these identifiers gathered, but for those for which it is not allowed."""
    gathered = set(wanted)
    while gathered:
        kept = {timer.anchor for timer in branch.relative_timers if timer.identifier not in gathered} & gathered
        kept |= {name for each in branch.windows if isinstance(each, BoundedWindow) for name in each.over} & gathered
        if not kept and branch.identifiers - auxiliary_windows(branch) > gathered:
            found = replace(branch, gathered=tuple(sorted(gathered)))
            kept = set(late_gathered(found))
            if not kept:
                return found
        gathered -= kept or {max(gathered)}
    return branch
