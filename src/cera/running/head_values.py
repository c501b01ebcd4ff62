"""What a derived event shows of the variables of its rule: those that rows of relations bound, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
from cera.model.matching.matching import Substitution
from cera.model.terms.term import Term, Value

Part = TypeVar("Part", Construct, Value)


def values_shown(head: Construct, value: Value) -> Substitution:
    """Returns the values of the variables that stand alone in a head, as the term has them that it was built as."""
    match head, value:
        case ConstructValue(expression=Variable(name=name)), _:
            return {name: value}
        case ConstructTerm(), Term() if len(head.children) == len(value.children):
            parts = zip(_by_label(head.children), _by_label(value.children), strict=False)
            inner = [values_shown(construct, child) for (one, construct), (other, child) in parts if one == other]
            return {name: each for values in inner for name, each in values.items()}
        case _:
            return {}


def _by_label(children: Sequence[Part]) -> list[tuple[str, Part]]:
    """Returns the children with their labels, in an order that a head and its terms share if labels differ."""
    labelled = {child.label if isinstance(child, ConstructTerm | Term) else "": child for child in children}
    return sorted(labelled.items(), key=lambda pair: pair[0]) if len(labelled) == len(children) else []
