"""Finite differencing: the changes of an expression from the changes of its inputs (Fig. 11 of seed 000, corrected).

At a step, ΔR are the tuples of R that become known now and ∘R those known before; R is their disjoint union. Both are
pushed inwards until they stand at basic streams, timers and materialization points:

    Δ op(Q)            = op(ΔQ)                                   ∘ op(Q)          = op(∘Q)   op = Q, C, σ, ρ, π, μ, Γ
    Δ(Q1 ⋈ Q2)         = ΔQ1 ⋈ ∘Q2 ∪ ΔQ1 ⋈ ΔQ2 ∪ ∘Q1 ⋈ ΔQ2        ∘(Q1 ⋈ Q2)       = ∘Q1 ⋈ ∘Q2
    Δ(Q1 ⋈ T)          = ΔQ1 ⋈ T                                  ∘(Q1 ⋈ T)        = ∘Q1 ⋈ T      T a relation of rows
    Δ(Q1 ⋈_{i⊒j} Q2)   = ΔQ1 ⋈_{i⊒j} ∘Q2 ∪ ΔQ1 ⋈_{i⊒j} ΔQ2        ∘(Q1 ⋈_{i⊒j} Q2) = ∘Q1 ⋈_{i⊒j} ∘Q2
    Δ(Q1 ▷_{i⊒j} Q2)   = ΔQ1 ▷_{i⊒j} (∘Q2 ∪ ΔQ2)                  ∘(Q1 ▷_{i⊒j} Q2) = ∘Q1 ▷_{i⊒j} ∘Q2
    Δ(Q1 ∪ Q2)         = ΔQ1 ∪ ΔQ2                                ∘(Q1 ∪ Q2)       = ∘Q1 ∪ ∘Q2

The paper prints Δ(Q1 ▷ Q2) = ΔQ1 ▷ ∘Q2 ∪ ΔQ1 ▷ ΔQ2, which keeps a tuple that only one of the two blocks (ERR-01), and
the last old-state equation twice for ⋈ instead of once for ▷ (ERR-02).

The engine does not evaluate these expressions; its network does the same one tuple at a time. They are what `explain`
shows, and what the tests evaluate to show that the equations hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    rebuild,
)
from cera.algebra.schema import STREAM, Schema

Part = Literal["Δ", "∘"]
Leaf = Stream | Reference | RelativeTimers | PeriodicWindows | BoundedWindows | AbsoluteTimers

INCOMING = Stream()


@dataclass(frozen=True)
class DifferenceReference(Reference):
    """A reference to ΔR or ∘R by that name, where R is a basic stream, a timer relation or a materialization point.

    A relative timer becomes known when it has ended and its anchor has (ERR-08), a periodic window when it has ended
    and what it is over has; everything else at its end.
    """

    name: str = ""
    relation: Schema = STREAM
    part: Part = "Δ"
    of: Leaf = INCOMING


def delta(expression: Expression) -> Expression:
    """Returns ΔQ over the leaves ΔR and ∘R."""
    match expression:
        case Stream() | Reference() | RelativeTimers() | PeriodicWindows() | BoundedWindows() | AbsoluteTimers():
            return _leaf("Δ", expression)
        case Join(right=Relation()):  # which never changes
            return Join(delta(expression.left), expression.right)
        case Join():
            new_left, new_right = delta(expression.left), delta(expression.right)
            old_left, old_right = old(expression.left), old(expression.right)
            pairs = ((new_left, old_right), (new_left, new_right), (old_left, new_right))
            return Union(tuple(Join(left, right) for left, right in pairs))
        case TemporalJoin():
            new = delta(expression.left)
            sides = (old(expression.right), delta(expression.right))
            return Union(tuple(replace(expression, left=new, right=side) for side in sides))
        case AntiSemiJoin():  # ERR-01
            everything = Union((old(expression.right), delta(expression.right)))
            return replace(expression, left=delta(expression.left), right=everything)
        case Matching() | Selection() | Projection() | Gathering() | Merging() | Renaming():
            return rebuild(expression, delta)
        case Construction() | Union():
            return rebuild(expression, delta)
        case Relation():
            raise AssertionError("a relation stands to the right of a join")
        case _:
            assert_never(expression)


def old(expression: Expression) -> Expression:
    """Returns ∘Q: every operator commutes with it (ERR-02)."""
    if isinstance(expression, Leaf):
        return _leaf("∘", expression)
    return rebuild(expression, old)


def _leaf(part: Part, of: Leaf) -> DifferenceReference:
    return DifferenceReference(f"{part}{_name(of)}", of.schema, part, of)


def _name(leaf: Leaf) -> str:
    match leaf:
        case Stream() | Reference():
            return leaf.name
        case RelativeTimers():
            return f"X[{leaf.identifier}: {leaf.kind}[{leaf.anchor}, {leaf.duration}]]"
        case PeriodicWindows():
            return f"W[{leaf.identifier}: {leaf.length}/{leaf.slide}@{leaf.origin} ⊒ {', '.join(leaf.over)}]"
        case BoundedWindows():
            return f"W[{leaf.identifier}: {leaf.bounds}]"
        case AbsoluteTimers():
            return f"Q[{leaf.identifier}: timer:{leaf.timer.name}]"
        case _:
            assert_never(leaf)
