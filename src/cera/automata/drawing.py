"""Automata as pictures: atomic states are circles, non-atomic ones rectangles, end states have a double border.

    dot       for Graphviz, with the labels at the transitions
    mermaid   a state diagram
    svg       laid out by `picture`, the labels numbered below

A picture has what the text has, and no more: it is made of the automaton, whatever file that came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from textwrap import wrap

from cera.automata.automaton import Path, State
from cera.automata.structure import Step, Structure

#: Where a long name is broken: before a capital letter, and after an underscore or a hyphen.
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_-])")
#: The longest line of a label at a transition, and of a name in a circle.
_LABEL_WIDTH, _NAME_WIDTH = 26, 11


def dot(structure: Structure) -> str:
    """Returns the text for Graphviz."""
    lines = ["digraph {", "  compound=true;", "  nodesep=0.4;", "  ranksep=0.35;"]
    lines += ['  graph [fontname="sans-serif", fontsize=12, labeljust=l];']
    lines += ['  node [fontname="sans-serif", fontsize=11, margin=0.04, width=0.55];']
    lines += ['  edge [fontname="sans-serif", fontsize=10, arrowsize=0.7];', *_dot_state(structure, structure.root, 1)]
    lines += [f"  enter{number} [shape=point, width=0.08];" for number in range(len(structure.enters))]
    for step in structure.steps:
        target = _dot_name(step.transition.target)
        label = "".join(f" {_dot_text([line])}\\l" for line in _wrapped(label_text(step)))  # \\l: from the left
        source = step.transition.source
        tail = ""
        if source is None:
            begin = f"enter{structure.enters.index(step)}"
        elif structure.states[source].is_atomic:
            begin = _dot_name(source)
        elif step.transition.target[: len(source)] == source:  # another instance of it begins
            begin = _dot_name((*source, "*"))
        else:
            begin, tail = _dot_name(_inside(structure, source)), f', ltail="cluster_{_dot_plain(source)}"'
        lines.append(f'  {begin} -> {target} [label="{label}"{tail}];')
    return "\n".join([*lines, "}"]) + "\n"


def _wrapped(label: str) -> list[str]:
    """Returns a label in short lines: each constraint on a line of its own, and attributes on several."""
    first, *others = label.split(" and ")
    parts = [first, *(f"and {other}" for other in others)]
    kept = (re.sub(r"(?<!,) ", "\u00a0", part) for part in parts)  # lines are broken after commas only
    return [line.replace("\u00a0", " ") for part in kept for line in wrap(part, _LABEL_WIDTH, break_long_words=False)]


def name_lines(name: str) -> list[str]:
    """Returns the name of a state in lines that fit into a circle: it is broken between its words."""
    lines = [""]
    for word in _JOINT.split(name):
        if lines[-1] and len(lines[-1]) + len(word) > _NAME_WIDTH:
            lines.append(word)
        else:
            lines[-1] += word
    return lines


def _dot_text(lines: list[str]) -> str:
    r"""Returns lines as Graphviz writes them: `\n` is a new line, quotes and backslashes are escaped."""
    return "\\n".join(escape(line, quote=False).replace("\\", "\\\\").replace('"', '\\"') for line in lines)


def _dot_state(structure: Structure, path: Path, depth: int) -> Iterator[str]:
    state, indent = structure.states[path], "  " * depth
    if state.is_atomic:
        shape = "doublecircle" if state.is_end else "circle"
        yield f'{indent}{_dot_name(path)} [label="{_dot_text(name_lines(state.name))}", shape={shape}];'
        return
    if state.is_end:  # a cluster has one border, so another one is around it
        yield f'{indent}subgraph "cluster_end_{_dot_plain(path)}" {{'
        yield f'{indent}margin=4; label="";'
    yield f'{indent}subgraph "cluster_{_dot_plain(path)}" {{'
    yield f"{indent}  margin=10;"
    yield f'{indent}  label="{_dot_text([title(state)])}";'
    for child in state.children:
        yield from _dot_state(structure, (*path, child.name), depth + 1)
    if any(each.transition.source == path == each.transition.target[: len(path)] for each in structure.steps):
        yield f"{indent}  {_dot_name((*path, '*'))} [shape=point, width=0.08];"
    yield f"{indent}}}"
    if state.is_end:
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


def svg(structure: Structure) -> str:
    """Returns a picture that needs nothing but a browser."""
    from cera.automata.picture import picture

    return picture(structure)


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
