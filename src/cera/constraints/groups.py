"""Which variables a part binds, how counted literals are grouped, and which parts of a head belong together.

A literal with a count counts the events or states of a group, which has one value for each variable of its group-by. A
variable of the atom that is not among them is counted over, and means nothing elsewhere. Without a group-by, all
variables of the atom make the groups. `not p(X, Y)` counts none, in groups by those variables that have a value.

A group whose variables have values may be empty, and then zero is counted. Other groups are those that occur (ERR-55).
In a body they bind their variables. In a head, a group variable that nothing else in the alternative names is
universal: every group that occurs must have the count. One that something else names is existential, like all that only
a head has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.constraints.names import atom_variables, declared_identifier, used_identifiers, used_variables
from cera.constraints.queries import Literal, Membership, Part
from cera.constraints.specification import NONE, Limit, variables
from cera.model.expressions.expression import Variable


def binds(part: Part) -> frozenset[str]:
    """Returns the variables that a part of a conjunction gives a value: those of its atom, or of its groups."""
    if not isinstance(part, Literal) or part.negated:
        return frozenset()
    if part.count is None:
        return frozenset(atom_variables(part.atom))
    groups = frozenset(atom_variables(part.atom) if part.group_by is None else part.group_by)
    return groups | counting_variable(part)


def counting_variable(part: Literal | Membership) -> frozenset[str]:
    """Returns the variable that a count is bound to: K of `exists = K p(X)`."""
    count = part.count
    if isinstance(count, Limit) and count.operator == "=" and isinstance(count.amount, Variable):
        return frozenset({count.amount.name})
    return frozenset()


def counted(parts: Sequence[Part], others: Sequence[Part], bound: frozenset[str]) -> Iterator[Part]:
    """Yields parts whose groups are written out, and whose absences count none.

    `bound` are the variables that have a value already, because of `others`.
    """
    for part in parts:
        if isinstance(part, Membership) and part.negated:
            yield replace(part, negated=False, count=NONE)
        elif not isinstance(part, Literal) or (part.count is None and not part.negated):
            yield part
        elif part.negated:
            known = bound.union(*(binds(each) for each in (*parts, *others) if each is not part))
            groups = tuple(name for name in atom_variables(part.atom) if name in known)
            yield replace(part, negated=False, count=NONE, group_by=groups)
        elif part.group_by is None:
            yield replace(part, group_by=atom_variables(part.atom))
        else:
            yield part


def own_names(part: Part) -> frozenset[str]:
    """Returns the names of a part that others can share: its identifiers, and its variables but those counted over.

    Identifiers are told from variables by a sign before them.
    """
    identifiers = {f"#{each.identifier}" for each in used_identifiers(part)}
    declared = declared_identifier(part)
    if declared is not None:
        identifiers.add(f"#{declared.identifier}")
    if isinstance(part, Literal) and part.count is not None and part.group_by is not None:
        return frozenset(part.group_by) | variables(part.count) | identifiers
    return used_variables(part) | identifiers


def given_names(body: Sequence[Part]) -> frozenset[str]:
    """Returns the names that a body gives to a head: identifiers, and variables with a value. What lies between others
    is counted over the variables that nothing else gives a value, and these mean nothing elsewhere."""
    names = frozenset[str]().union(*map(own_names, body))
    bound = frozenset[str]().union(*map(binds, body))
    return frozenset(name for name in names if name.startswith("#")) | bound


def components(head: Sequence[Part], known: frozenset[str]) -> list[tuple[Part, ...]]:
    """Returns the parts of a conjunction in groups that share no name but known ones; each keeps its order.

    H1 and H2 <- B  is  H1 <- B  and  H2 <- B,  if they share no name which only the head has.
    """
    found: list[tuple[list[int], frozenset[str]]] = []
    for index, part in enumerate(head):
        names = own_names(part) - known
        touching = [each for each in found if each[1] & names]
        found = [each for each in found if not each[1] & names]
        indexes = sorted([index, *(i for each in touching for i in each[0])])
        found.append((indexes, names.union(*(each[1] for each in touching))))
    return [tuple(head[i] for i in indexes) for indexes, _ in sorted(found, key=lambda each: each[0])]
