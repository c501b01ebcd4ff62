"""The variables whose values an answer shows: two answers with different values of one of them are different.

h(k(K), n(count(V)))        K
h(k(K * 0), d(L + 1))       none: many values of K give one answer, and of arithmetic nothing is assumed
h{id{var K}, id{var L}}     none: in no order, 1 and 2 are the same as 2 and 1
"""

from __future__ import annotations

from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
from cera.rules.analysis.unification import choices_of


def shown_variables(head: Construct) -> frozenset[str]:
    """Returns the variables that are the only content of an element whose place in an answer is known by its label."""
    match head:
        case ConstructTerm(children=(ConstructValue(expression=Variable(name)),)):
            return frozenset({name})
        case ConstructTerm():
            labels = [_labels(child) for child in head.children]
            found = frozenset[str]()
            for place, child in enumerate(head.children):
                others = frozenset[str | None]().union(*labels[:place], *labels[place + 1 :])
                if None not in others and labels[place].isdisjoint(others):
                    found |= shown_variables(child)
            return found
        case _:
            return frozenset()


def _labels(construct: Construct) -> frozenset[str | None]:
    """Returns the labels of what can stand in the place of a construct; None for a value, which may be any term."""
    return frozenset(each.label if isinstance(each, ConstructTerm) else None for each in choices_of(construct))
