"""The rows of a pattern: what it matches in an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cera.algebra.layouts import Row
from cera.model.events.occurrence import Occurrence, wrap
from cera.model.matching import patterns
from cera.model.matching.matching import match
from cera.model.matching.patterns import Pattern

Matcher = Callable[[Occurrence], Sequence[Row]]


def compile_pattern(pattern: Pattern) -> Matcher:
    """Returns {σ | σ(q) ≼ e} as a function to rows, each with the occurrence at its end."""
    names = sorted(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))

    def general(event: Occurrence) -> Sequence[Row]:
        answers = match(pattern, event.term)
        return [(*(wrap(a[name]) if name in a else None for name in names), event) for a in answers]

    return general
