"""Derived constraints as a text of ESCL, each below a comment that says what it follows from."""

from __future__ import annotations

from collections.abc import Sequence

from cera.constraints.derivation.derived import MEANINGS, SUPPOSITIONS, DerivedConstraint
from cera.languages.escl.printer import print_set

#: What all of them suppose.
OWN = (
    "# Events and states with the labels of what rules and automata derive come from these alone, not from outside.",
)


def derived_text(found: Sequence[DerivedConstraint]) -> str:
    """Returns a file of constraints, which begins with what has to be supposed of the stream."""
    used = [each for each in SUPPOSITIONS if any(each in constraint.supposing for constraint in found)]
    width = max((len(each) for each in used), default=0)
    head = [f"#   {each.ljust(width)}  {MEANINGS[each]}" for each in used]
    supposed = ["# These constraints hold if what they suppose does:", *head] if used else []
    parts = ["\n".join([*supposed, *OWN]) + "\n"]
    return "\n".join([*parts, *map(_constraint, found)]) if found else ""


def _constraint(each: DerivedConstraint) -> str:
    supposing = [name for name in SUPPOSITIONS if name in each.supposing]
    suffix = f" (supposing {', '.join(supposing)})" if supposing else ""
    return f"# {each.because}{suffix}\n{print_set(each.constraints)}"
