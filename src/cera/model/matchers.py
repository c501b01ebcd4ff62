"""Patterns made ready for matching. A matcher gives the distinct substitutions of its pattern on one value.

Every matcher knows its variables: `names` are all that an answer may bind, `bound` those that every answer binds, and
`context` those that stand only in `without` or `optional` here but are bound elsewhere: their bindings are `given`.
Answers are shared between searches' intermediate results and never changed.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from cera.model.combination import Search
from cera.model.patterns import Pattern
from cera.model.substitutions import NOTHING_BOUND, Substitution, bindings_key, identity, join, restrict
from cera.model.terms import Term, Value
from cera.model.values import Scalar

_MATCHED: Sequence[Substitution] = (NOTHING_BOUND,)
_FAILED: Sequence[Substitution] = ()
