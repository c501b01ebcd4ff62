"""An automaton as SVG, laid out here: states in columns, by how far they are from where instances begin.

Each transition is a curve. Of several curves the one is taken that runs over the fewest states, titles and other
curves. The labels have numbers, and stand below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import ceil, hypot, inf

from cera.automata.automaton import Path, State
from cera.automata.drawing import label_text, name_lines, title
from cera.automata.structure import Step, Structure

Point = tuple[float, float]

_RADIUS, _GAP, _PADDING, _TITLE, _LINE = 24.0, 58.0, 24.0, 26.0, 18.0
_LETTER = 7.0
_SMALL = 6.2
_BENDS = (0.0, 18.0, 34.0, 56.0, 84.0, 120.0, 160.0, 210.0, 270.0, 340.0)
#: From this bend on there are curves that are flat in the middle.
_FLAT = 56.0
_MARKER = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"'


@dataclass
class Box:
    """A state with its place: the left upper corner, and the size."""

    path: Path
    state: State
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0
    children: list[Box] = field(default_factory=list)

    def walk(self) -> Iterator[Box]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def middle(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def radius(self) -> float:
        return self.width / 2

    def move(self, x: float, y: float) -> None:
        for box in self.walk():
            box.x += x
            box.y += y

    def border(self, towards: Point) -> Point:
        """Returns the point of the border in a direction."""
        x, y = self.middle
        dx, dy = towards[0] - x, towards[1] - y
        length = hypot(dx, dy) or 1
        if self.state.is_atomic:
            return x + dx / length * self.radius, y + dy / length * self.radius
        scale = min(self.width / 2 / abs(dx) if dx else 1e9, self.height / 2 / abs(dy) if dy else 1e9)
        return x + dx * scale, y + dy * scale

    def contains(self, point: Point, more: float = 0) -> bool:
        x, y = point
        if self.state.is_atomic:
            return hypot(x - self.middle[0], y - self.middle[1]) < self.radius + more
        left, top = self.x - more, self.y - more
        return left < x < self.x + self.width + more and top < y < self.y + self.height + more

    def is_in_title(self, point: Point) -> bool:
        width = len(title(self.state)) * _LETTER + _PADDING / 2
        return self.x < point[0] < self.x + width and self.y < point[1] < self.y + _TITLE


def picture(structure: Structure) -> str:
    """Returns the SVG of an automaton."""
    root = _laid_out(structure, structure.root)
    root.move(_GAP, _GAP / 2)
    curves = _Router(root, structure).curves()
    legend = [f"{number}  {_connected(step)}:  {label_text(step)}" for number, step in enumerate(structure.steps, 1)]
    right = max([root.x + root.width, *(x for curve in curves for x, _ in curve.points)])
    width = max(right + _GAP / 2, _GAP + max(map(len, legend), default=0) * _LETTER)
    top = max([root.y + root.height, *(y for curve in curves for _, y in curve.points)]) + _GAP
    height = top + len(legend) * _LINE
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
        f'<defs><marker id="arrow" {_MARKER}><path d="M0 0L10 5L0 10z" fill="#444"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
        *(line for box in root.walk() for line in _drawn(box)),
        *(line for curve in curves for line in curve.drawn()),
        *(line for number, curve in enumerate(curves, 1) for line in _number(curve.number_at, number)),
    ]
    lines += [
        f'<text x="{_GAP / 2:.0f}" y="{top + place * _LINE:.0f}" xml:space="preserve">{escape(text)}</text>'
        for place, text in enumerate(legend)
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _connected(step: Step) -> str:
    return step.transition.name.replace("->", "→")


# Places of states


def _laid_out(structure: Structure, path: Path) -> Box:
    """Returns a box with its children in columns, in the middle of each."""
    box = Box(path, structure.states[path])
    if box.state.is_atomic:
        lines = name_lines(box.state.name)
        half = max(max(map(len, lines)) * _SMALL / 2 + 6, hypot(len(lines) * 7, max(map(len, lines)) * _SMALL / 2) + 4)
        box.width = box.height = 2 * max(_RADIUS, half)
        return box
    box.children = [_laid_out(structure, (*path, child.name)) for child in box.state.children]
    ranks = _ranks(structure, path)
    columns = [[child for child in box.children if ranks[child.path] == rank] for rank in sorted(set(ranks.values()))]
    heights = [sum(child.height for child in column) + (len(column) - 1) * _GAP for column in columns]
    arcs = _arcs(structure, path, ranks)
    room = min(22.0 * ceil(arcs / 2), 90)
    if arcs and any(child.children for child in box.children):
        room += 40  # something has to go round a large state
    left = _PADDING + _GAP / 3
    for column, height in zip(columns, heights, strict=True):
        top = _TITLE + _PADDING + room + (max(heights) - height) / 2
        widest = max(child.width for child in column)
        for child in column:
            child.move(left + (widest - child.width) / 2, top)
            top += child.height + _GAP
        left += widest + _GAP
    box.height = _TITLE + 2 * _PADDING + 2 * room + max(heights)
    box.width = max(left - _GAP + _PADDING + _GAP / 3, len(title(box.state)) * _LETTER + 2 * _PADDING)
    return box


def _between(structure: Structure, path: Path) -> list[tuple[Path, Path]]:
    """Returns the transitions between different children of a state, or what is in them."""
    depth = len(path) + 1
    found = []
    for step in structure.steps:
        source, target = step.transition.source, step.transition.target
        if source is not None and source[: depth - 1] == path == target[: depth - 1]:
            one, other = source[:depth], target[:depth]
            if one != other and len(one) == depth == len(other):
                found.append((one, other))
    return found


def _ranks(structure: Structure, path: Path) -> dict[Path, int]:
    """Returns how far each child is from where instances begin: by the longest way that visits no state twice."""
    children = [(*path, child.name) for child in structure.states[path].children]
    after: dict[Path, list[Path]] = {child: [] for child in children}
    for one, other in _between(structure, path):
        after[one].append(other)
    begin = sorted(children, key=lambda child: not structure.states[child].is_start)
    order: list[Path] = []
    forward: dict[Path, list[Path]] = {child: [] for child in children}
    state: dict[Path, str] = {}

    def visit(at: Path) -> None:
        state[at] = "open"
        for following in after[at]:
            if state.get(following) != "open":
                forward[at].append(following)
            if following not in state:
                visit(following)
        state[at] = "done"
        order.append(at)

    for child in begin:
        if child not in state:
            visit(child)
    ranks = dict.fromkeys(children, 0)
    for at in reversed(order):
        for following in forward[at]:
            ranks[following] = max(ranks[following], ranks[at] + 1)
    return ranks


def _arcs(structure: Structure, path: Path, ranks: dict[Path, int]) -> int:
    """Returns how many transitions do not simply lead to the next column."""
    return sum(ranks[other] - ranks[one] != 1 for one, other in set(_between(structure, path)))


# Curves of transitions


@dataclass(frozen=True)
class Curve:
    """A quadratic curve, or a loop if it has two control points; with the place of its number."""

    begin: Point
    controls: tuple[Point, ...]
    end: Point
    number_at: Point = (0, 0)

    def at(self, t: float) -> Point:
        """Returns a point of the curve, by de Casteljau's construction."""
        points = [self.begin, *self.controls, self.end]
        while len(points) > 1:
            points = [(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in pairwise(points)]
        return points[0]

    @property
    def points(self) -> list[Point]:
        return [self.at(t / 16) for t in range(17)]

    def drawn(self) -> Iterator[str]:
        (x, y), letter = self.begin, "Q" if len(self.controls) == 1 else "C"
        rest = " ".join(f"{px:.1f} {py:.1f}" for px, py in (*self.controls, self.end))
        yield f'<path d="M{x:.1f} {y:.1f}{letter}{rest}" fill="none" stroke="#444" marker-end="url(#arrow)"/>'


class _Router:
    """Finds a curve for each transition."""

    def __init__(self, root: Box, structure: Structure) -> None:
        self._boxes = {box.path: box for box in root.walk()}
        self._root = root
        self._structure = structure
        #: The points of curves that are placed; fewer of them, to see what crosses.
        self._placed: list[list[Point]] = []
        self._coarse: list[list[Point]] = []
        self._numbers: list[Point] = []

    def curves(self) -> list[Curve]:
        """Returns the curves of all transitions in their order; short ones are placed first."""
        found: dict[int, Curve] = {}
        for step in sorted(self._structure.steps, key=self._length):
            best = self._best(step)
            found[step.number] = self._numbered(best)
            self._placed.append(best.points)
            self._coarse.append([best.at(t / 8) for t in range(9)])
        return [found[step.number] for step in self._structure.steps]

    def _best(self, step: Step) -> Curve:
        """Returns the curve that costs the least, the first of several."""
        first, *others = self._candidates(step)
        best, least = first, self._cost(first, step, inf)
        for each in others:
            cost = self._cost(each, step, least)
            if cost < least:
                best, least = each, cost
        return best

    def _length(self, step: Step) -> float:
        if step.transition.source is None:
            return 0
        (x, y), (to_x, to_y) = self._boxes[step.transition.source].middle, self._boxes[step.transition.target].middle
        return hypot(to_x - x, to_y - y)

    def _candidates(self, step: Step) -> Iterator[Curve]:
        target = self._boxes[step.transition.target]
        source = step.transition.source
        x, y = target.middle
        if source is None:
            for shift in (0.0, -30.0, 30.0, -60.0, 60.0):
                begin = (self._root.x - _GAP / 2, y + shift)
                end = target.border(begin)
                yield Curve(begin, (_middle(begin, end),), end)
        elif source == target.path:
            yield from _loops(target)
        elif target.path[: len(source)] == source:
            box = self._boxes[source]
            for begin in ((box.x, y), (x, box.y + box.height), (x, box.y), (box.x + box.width, y), (box.x, y + 40)):
                end = target.border(begin)
                yield Curve(begin, (_middle(begin, end),), end)
        else:
            yield from self._bent(self._boxes[source], target)

    def _bent(self, source: Box, target: Box) -> Iterator[Curve]:
        """Yields curves with one control point, and flatter ones with two, on both sides."""
        to_x, to_y = target.middle
        for begin in _anchors(source, target):
            x, y = source.middle if begin is None else begin
            length = hypot(to_x - x, to_y - y) or 1
            normal = (-(to_y - y) / length, (to_x - x) / length)
            for bend in sorted({sign * bend for bend in _BENDS for sign in (1, -1)}, key=abs):
                middle = _middle((x, y), (to_x, to_y))
                control = _shifted(middle, normal, 2 * bend)
                yield Curve(begin or source.border(control), (control,), target.border(control))
                if abs(bend) >= _FLAT:
                    dx, dy = to_x - x, to_y - y
                    first = _shifted((x + 0.12 * dx, y + 0.12 * dy), normal, bend * 4 / 3)
                    second = _shifted((to_x - 0.12 * dx, to_y - 0.12 * dy), normal, bend * 4 / 3)
                    yield Curve(begin or source.border(first), (first, second), target.border(second))

    def _cost(self, curve: Curve, step: Step, least: float) -> float:
        """Returns how bad a curve is: what it runs over, and how much it is bent. It is not looked at further when it
        is worse than another one."""
        ends = (step.transition.source or (), step.transition.target)
        around = {path for path in self._boxes if any(end[: len(path)] == path for end in ends)}
        level = self._boxes[step.level or self._structure.root]
        points = curve.points
        own = [curve.at(t / 8) for t in range(9)]
        straight = hypot(curve.end[0] - curve.begin[0], curve.end[1] - curve.begin[1])
        cost = 0.35 * (_length(own) - straight)
        if cost > least:
            return cost
        for box in self._boxes.values():
            hits = sum(box.contains(point, 8) for point in points) if box.path not in around else 0
            cost += 60 * hits
            if not box.state.is_atomic:
                cost += 40 * sum(box.is_in_title(point) for point in points)
        for end in ends:
            own_box = self._boxes.get(end)
            if own_box is not None and own_box is not level:
                inner = -2 if own_box.state.is_atomic else -1
                is_inside = end != ends[1] and ends[1][: len(end)] == end
                cost += 0 if is_inside else 30 * sum(own_box.contains(point, inner) for point in points[1:-1])
        if step.level is not None:
            cost += 60 * sum(not level.contains(point, -4) for point in points)
        if cost > least:
            return cost
        cost += 14 * sum(_crosses(own, other) for other in self._coarse)
        cost += 7 * sum(_distance(point, other) < 8 for other in self._placed for point in own[2:-2])
        middle = curve.at(0.5)
        cost += 50 * sum(hypot(middle[0] - x, middle[1] - y) < 19 for x, y in self._numbers)
        return cost

    def _numbered(self, curve: Curve) -> Curve:
        def cost(t: float) -> float:
            x, y = curve.at(t)
            near = sum(hypot(x - other_x, y - other_y) < 21 for other_x, other_y in self._numbers)
            over = sum(box.contains((x, y), 7) for box in self._boxes.values() if box.state.is_atomic)
            lines = sum(hypot(x - px, y - py) < 10 for other in self._placed for px, py in other)
            titles = sum(box.is_in_title((x, y)) for box in self._boxes.values() if not box.state.is_atomic)
            return 10 * near + 10 * over + 5 * titles + lines + 2 * abs(t - 0.5)

        best = min((0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74), key=cost)
        self._numbers.append(curve.at(best))
        return Curve(curve.begin, curve.controls, curve.end, curve.at(best))


def _loops(box: Box) -> Iterator[Curve]:
    """Yields loops above a state, and below it."""
    x, y = box.middle
    for side in (-1, 1):
        near, far = y + side * (box.radius - 3), y + side * (box.radius + 40)
        yield Curve((x - 9, near), ((x - 30, far), (x + 30, far)), (x + 9, near))


def _anchors(source: Box, target: Box) -> list[Point | None]:
    """Returns where curves out of a state begin: anywhere on a circle, in the middle or opposite on a rectangle."""
    if source.state.is_atomic:
        return [None]
    x, y = target.middle
    right, bottom = source.x + source.width, source.y + source.height
    across = min(max(x, source.x + _PADDING), right - _PADDING)
    along = min(max(y, source.y + _TITLE), bottom - _PADDING)
    found: list[Point | None] = []
    for step in (0.0, 22.0, -22.0, 44.0):
        if x > right:
            found.append((right, min(max(along + step, source.y + 10), bottom - 10)))
        if x < source.x:
            found.append((source.x, min(max(along + step, source.y + 10), bottom - 10)))
        if y > bottom:
            found.append((min(max(across + step, source.x + 10), right - 10), bottom))
        if y < source.y:
            found.append((min(max(across + step, source.x + 10), right - 10), source.y))
    return found or [None]


def _shifted(point: Point, direction: Point, by: float) -> Point:
    return point[0] + by * direction[0], point[1] + by * direction[1]


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _distance(point: Point, line: Sequence[Point]) -> float:
    return min(hypot(point[0] - x, point[1] - y) for x, y in line)


def _length(points: Sequence[Point]) -> float:
    return sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points))


def _crosses(one: Sequence[Point], other: Sequence[Point]) -> int:
    """Returns how often two lines of points cross each other."""
    return sum(_meet(a, b, c, d) for a, b in pairwise(one) for c, d in pairwise(other))


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, point: Point) -> float:
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


# Lines of SVG


def _drawn(box: Box) -> Iterator[str]:
    x, y = box.middle
    double = (0, 4) if box.state.is_end else (0,)
    if box.state.is_atomic:
        for inner in double:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{box.radius - inner:.1f}" fill="white" stroke="#222"/>'
        lines = name_lines(box.state.name)
        for place, text in enumerate(lines):
            at = y + 4 + (place - (len(lines) - 1) / 2) * 13
            yield f'<text x="{x:.1f}" y="{at:.1f}" text-anchor="middle" font-size="12">{escape(text)}</text>'
        return
    for inner in double:
        size = f'width="{box.width - 2 * inner:.1f}" height="{box.height - 2 * inner:.1f}"'
        yield f'<rect x="{box.x + inner:.1f}" y="{box.y + inner:.1f}" {size} rx="6" fill="#fafafa" stroke="#222"/>'
    yield f'<text x="{box.x + _PADDING / 2:.1f}" y="{box.y + _LINE:.1f}">{escape(title(box.state))}</text>'


def _number(at: Point, number: int) -> Iterator[str]:
    yield f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="9" fill="#fff3c4" stroke="#b58900"/>'
    yield f'<text x="{at[0]:.1f}" y="{at[1] + 4:.1f}" text-anchor="middle" font-size="11">{number}</text>'
