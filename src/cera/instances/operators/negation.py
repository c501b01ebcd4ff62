"""¬: the first and the last occur in this order, and nothing of the others in between.

What counts as an occurrence in between depends on the conditions of the type, so that `Search` asks for it.
"""

from __future__ import annotations

from cera.instances.operators.sequence import InSequence


class Negation(InSequence):
    exact = False
