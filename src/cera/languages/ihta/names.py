"""Names of states: which state a name stands for, in the braces of another."""

from __future__ import annotations

from collections.abc import Iterable

from cera.automata.automaton import Path


def resolve(states: Iterable[Path], scope: Path, name: Path) -> list[Path]:
    """Returns the states that a name can stand for in the braces of `scope`: those inside of it that are the least
    deep, else those inside of the state around it, and so on. If there are several, the name does not tell which."""
    known = list(states)
    for length in range(len(scope), 0, -1):
        around = scope[:length]
        found = [
            path for path in known if len(path) > length and path[:length] == around and path[-len(name) :] == name
        ]
        if found:
            nearest = min(map(len, found))
            return [path for path in found if len(path) == nearest]
    return []
