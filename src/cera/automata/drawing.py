"""Automata as pictures: atomic states are circles, non-atomic ones rectangles, end states have a double border.

    dot       for Graphviz, with the labels at the transitions
    mermaid   a state diagram
    svg       laid out here: states in the order in which they are reached, the labels numbered below

A picture has what the text has, and no more: it is made of the automaton, whatever file that came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from math import hypot

from cera.automata.automaton import Path, State
from cera.automata.structure import Step, Structure

_RADIUS, _GAP, _PADDING, _TITLE, _LINE = 26.0, 64.0, 26.0, 48.0, 18.0
_LETTER = 7.2
_MARKER = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"'


def dot(structure: Structure) -> str:
    """Returns the text for Graphviz."""
    lines = ["digraph {", "  compound=true;", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += ['  edge [fontname="sans-serif", fontsize=10];', *_dot_state(structure, structure.root, 1)]
    lines += [f"  enter{number} [shape=point];" for number in range(len(structure.enters))]
    for step in structure.steps:
        target, label = _dot_name(step.transition.target), escape(label_text(step))
        if step.transition.source is None:
            lines.append(f'  enter{structure.enters.index(step)} -> {target} [label="{label}"];')
            continue
        source = step.transition.source
        tail = "" if structure.states[source].is_atomic else f', ltail="cluster_{_dot_plain(source)}"'
        lines.append(f'  {_dot_name(_inside(structure, source))} -> {target} [label="{label}"{tail}];')
    return "\n".join([*lines, "}"]) + "\n"


def _dot_state(structure: Structure, path: Path, depth: int) -> Iterator[str]:
    state, indent = structure.states[path], "  " * depth
    if state.is_atomic:
        shape = "doublecircle" if state.is_end else "circle"
        yield f'{indent}{_dot_name(path)} [label="{escape(state.name)}", shape={shape}];'
        return
    yield f'{indent}subgraph "cluster_{_dot_plain(path)}" {{'
    yield f'{indent}  label="{escape(title(state))}";'
    if state.is_end:
        yield f"{indent}  peripheries=2;"
    for child in state.children:
        yield from _dot_state(structure, (*path, child.name), depth + 1)
    yield f"{indent}}}"


def _inside(structure: Structure, path: Path) -> Path:
    """Returns an atomic state in a state: Graphviz draws edges between these only."""
    while not structure.states[path].is_atomic:
        path = (*path, structure.states[path].children[0].name)
    return path


def _dot_name(path: Path) -> str:
    return f'"{_dot_plain(path)}"'


def _dot_plain(path: Path) -> str:
    return ".".join(path)


def mermaid(structure: Structure) -> str:
    """Returns a state diagram for Mermaid."""
    lines = ["stateDiagram-v2", *_mermaid_state(structure, structure.root, 1)]
    return "\n".join(lines) + "\n"


def _mermaid_state(structure: Structure, path: Path, depth: int) -> Iterator[str]:
    state, indent = structure.states[path], "  " * depth
    name = "_".join(path)
    if state.is_atomic:
        yield f'{indent}state "{state.name}" as {name}'
        if state.is_end:
            yield f"{indent}{name} --> [*]"
        return
    yield f'{indent}state "{title(state)}" as {name} {{'
    for child in state.children:
        yield from _mermaid_state(structure, (*path, child.name), depth + 1)
    for step in structure.steps:
        source = step.transition.source
        if (step.level or structure.root) == path:
            begin = "[*]" if source is None else "_".join(source)
            text = label_text(step).replace(":", "&#58;").replace(";", "&#59;")
            yield f"{indent}  {begin} --> {'_'.join(step.transition.target)} : {text}"
    yield f"{indent}}}"


def title(state: State) -> str:
    """Returns the name of a state with its attributes."""
    inside = ", ".join(f"{name}({getattr(value, 'variable', None) or value.value})" for name, value in state.attributes)  # type: ignore[union-attr]
    prefix = "" if state.identifier is None else f"{state.identifier}: "
    return f"{prefix}{state.name}({inside})" if inside else f"{prefix}{state.name}"


def label_text(step: Step) -> str:
    """Returns the label of a transition as it is written."""
    return step.transition.text.partition(":")[2].strip() or step.transition.name


@dataclass
class _Box:
    """A state with its place: the left upper corner, and the size."""

    path: Path
    state: State
    x: float = 0
    y: float = 0
    width: float = 2 * _RADIUS
    height: float = 2 * _RADIUS
    children: list[_Box] = field(default_factory=list)

    def walk(self) -> Iterator[_Box]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def move(self, x: float, y: float) -> None:
        for box in self.walk():
            box.x += x
            box.y += y

    def border(self, towards: tuple[float, float]) -> tuple[float, float]:
        """Returns the point of the border in a direction."""
        x, y = self.middle
        dx, dy = towards[0] - x, towards[1] - y
        length = hypot(dx, dy) or 1
        if self.state.is_atomic:
            return x + dx / length * _RADIUS, y + dy / length * _RADIUS
        scale = min(self.width / 2 / abs(dx) if dx else 1e9, self.height / 2 / abs(dy) if dy else 1e9)
        return x + dx * scale, y + dy * scale


def svg(structure: Structure) -> str:
    """Returns a picture that needs nothing but a browser."""
    root = _laid_out(structure, structure.root)
    root.move(_GAP, _GAP / 2)
    boxes = {box.path: box for box in root.walk()}
    legend = [f"{number}  {label_text(step)}" for number, step in enumerate(structure.steps, 1)]
    width = max(root.x + root.width + _GAP / 2, 2 * _GAP + max(map(len, legend), default=0) * _LETTER)
    top = root.y + root.height + _GAP
    height = top + len(legend) * _LINE
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
        f'<defs><marker id="arrow" {_MARKER}><path d="M0 0L10 5L0 10z" fill="#444"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
        *(line for box in root.walk() for line in _drawn(box)),
        *(line for number, step in enumerate(structure.steps, 1) for line in _edge(boxes, structure, step, number)),
    ]
    lines += [
        f'<text x="{_GAP / 2:.0f}" y="{top + place * _LINE:.0f}">{escape(text)}</text>'
        for place, text in enumerate(legend)
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _laid_out(structure: Structure, path: Path) -> _Box:
    """Returns a box with its children in columns, by how many transitions lead to them from a start state."""
    box = _Box(path, structure.states[path])
    if box.state.is_atomic:
        return box
    box.children = [_laid_out(structure, (*path, child.name)) for child in box.state.children]
    ranks = _ranks(structure, path)
    left = _PADDING
    for rank in sorted(set(ranks.values())):
        column = [child for child in box.children if ranks[child.path] == rank]
        top = _PADDING + _TITLE
        for child in column:
            child.move(left, top)
            top += child.height + _GAP
        left += max(child.width for child in column) + _GAP
        box.height = max(box.height, top - _GAP + _PADDING)
    box.width = max(left - _GAP + _PADDING, len(title(box.state)) * _LETTER + 2 * _PADDING)
    return box


def _ranks(structure: Structure, path: Path) -> dict[Path, int]:
    """Returns how far each child is from where instances begin."""
    children = [(*path, child.name) for child in structure.states[path].children]
    depth = len(path) + 1
    begin = {step.transition.target[:depth] for step in structure.enters} & set(children)
    begin |= {child for child in children if structure.states[child].is_start}
    ranks = dict.fromkeys(begin, 0)
    waiting = sorted(begin, key=children.index)
    while waiting:
        at = waiting.pop(0)
        for step in structure.steps:
            source = step.transition.source
            if source is None or source[:depth] != at:
                continue
            target = step.transition.target[:depth]
            if target in children and target not in ranks:
                ranks[target] = ranks[at] + 1
                waiting.append(target)
    last = max(ranks.values(), default=0)
    return {child: ranks.get(child, last + 1) for child in children}


def _drawn(box: _Box) -> Iterator[str]:
    x, y = box.middle
    double = (0, 4) if box.state.is_end else (0,)
    if box.state.is_atomic:
        for inner in double:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS - inner:.1f}" fill="white" stroke="#222"/>'
        yield f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{escape(box.state.name)}</text>'
        return
    for inner in double:
        size = f'width="{box.width - 2 * inner:.1f}" height="{box.height - 2 * inner:.1f}"'
        yield f'<rect x="{box.x + inner:.1f}" y="{box.y + inner:.1f}" {size} rx="6" fill="#fafafa" stroke="#222"/>'
    yield f'<text x="{box.x + _PADDING / 2:.1f}" y="{box.y + _LINE:.1f}">{escape(title(box.state))}</text>'


def _edge(boxes: dict[Path, _Box], structure: Structure, step: Step, number: int) -> Iterator[str]:
    """Yields an arrow with its number; arrows between the same states bend apart."""
    target = boxes[step.transition.target]
    source_path = step.transition.source
    if source_path is None:
        x, y = target.middle
        begin = (min(box.x for box in boxes.values()) - _GAP / 2, y)
        end = target.border(begin)
        yield from _arrow(begin, end, (begin[0] + 14, y), number)
        return
    source = boxes[source_path]
    if source is target:
        x, y = source.middle
        top, over = y - _RADIUS + 2, y - 60
        curve = f"M{x - 10:.1f} {top:.1f}C{x - 30:.1f} {over:.1f} {x + 30:.1f} {over:.1f} {x + 10:.1f} {top:.1f}"
        yield f'<path d="{curve}" fill="none" stroke="#444" marker-end="url(#arrow)"/>'
        yield from _number((x, y - 50), number)
        return
    same = [s for s in structure.steps if {s.transition.source, s.transition.target} == {source_path, target.path}]
    bend = 26.0 * (1 + same.index(step)) if len(same) > 1 else 14.0
    if not source.state.is_atomic and target.path[: len(source_path)] == source_path:
        begin = (min(target.middle[0] + _GAP, source.x + source.width), source.y)
        end = target.border((begin[0], begin[1]))
    else:
        begin, end = source.border(target.middle), target.border(source.middle)
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    length = hypot(dx, dy) or 1
    if length > 3 * _RADIUS + _GAP and abs(dy) < _RADIUS:  # round what is between
        bend = max(bend, length * 0.3)
    middle = ((begin[0] + end[0]) / 2 - dy / length * bend, (begin[1] + end[1]) / 2 + dx / length * bend)
    yield from _arrow(begin, end, middle, number)


def _arrow(
    begin: tuple[float, float], end: tuple[float, float], middle: tuple[float, float], number: int
) -> Iterator[str]:
    curve = f"M{begin[0]:.1f} {begin[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    yield f'<path d="{curve}" fill="none" stroke="#444" marker-end="url(#arrow)"/>'
    at = ((begin[0] + 2 * middle[0] + end[0]) / 4, (begin[1] + 2 * middle[1] + end[1]) / 4)
    yield from _number(at, number)


def _number(at: tuple[float, float], number: int) -> Iterator[str]:
    yield f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="9" fill="#fff3c4" stroke="#b58900"/>'
    yield f'<text x="{at[0]:.1f}" y="{at[1] + 4:.1f}" text-anchor="middle" font-size="11">{number}</text>'
