"""In the chronicle context: which nodes use up what other nodes have left waiting, and whether in turn."""

from __future__ import annotations

from dataclasses import dataclass

from cera.languages.epl.scope import Attributes
from cera.languages.epl.tree import BasicNode, BinaryNode, Node, postorder
from cera.model.expressions.expression import variables


@dataclass(frozen=True)
class Use:
    """Which waiting node is used, its attributes, and the variables imported from outside of the sequence."""

    number: str
    first: Attributes
    outer: tuple[str, ...]
    in_turn: bool = False


def uses_of_waiting(tree: Node, found: dict[str, Attributes]) -> dict[str, Use]:
    """In the chronicle context: the nodes that use up what waits, by number.

    In [F, G, H], which is relaxed(F, relaxed(G, H)), G uses F, and H uses what waits as (F, G).
    """
    uses: dict[str, Use] = {}
    outermost: dict[str, tuple[str, ...]] = {}
    for node in reversed(list(postorder(tree))):
        if not isinstance(node, BinaryNode) or node.operator != "relaxed":
            continue
        outer = outermost.get(node.number, found[node.number].imported)
        first, second = found[node.first.number], node.second
        if first.remembered is None or first.remembered.memory != "wait":
            continue
        if isinstance(second, BinaryNode) and second.operator == "relaxed":
            outermost[second.number] = outer
            second = second.first
        in_turn = not outer and _takes_any(second, found[second.number])
        uses[second.number] = Use(node.first.number, first, outer, in_turn)
    return uses


def _takes_any(node: Node, own: Attributes) -> bool:
    """Whether a basic event can follow every occurrence that waits for it: its conditions are about itself only."""
    if not isinstance(node, BasicNode) or own.bounds:
        return False
    names = {name.partition(".")[0] for condition in node.conditions for name in variables(condition)}
    return names <= {node.variable}


def priors_in_turn(tree: Node, found: dict[str, Attributes]) -> set[str]:
    """The first parts of `prior` that are used in turn: its second part knows nothing of them anyway."""
    numbers = set()
    for node in postorder(tree):
        if isinstance(node, BinaryNode) and node.operator == "prior":
            first, own = found[node.first.number], found[node.number]
            if first.age is not None and not own.imported and first.starts is None:
                numbers.add(node.first.number)
    return numbers
