"""Random well-formed programs of XChangeEQ and streams that make them answer, for the tests of every engine.

@given(cases())                                  # hypothesis: draws and shrinks
def test_…(case: Case): …

seeded_case(17)                                  # from a seed: fast, for long comparisons
cases(FEATURES - {"recursion", "calendar"})      # without some constructs
cases(recursive=True)                            # with a recursion that ends
cases(windowed=True)                             # with periodic windows and gathered events, added to its rules
linked_case(17)                                  # with a recursion of several rounds over flat events, without a key
seeded_case(17, RELATIONAL)                      # with relations, whose rows are `case.relations`
constructs(case.program)                         # which constructs it uses
"""

from .counting import constructs
from .features import BASIC, FEATURES, RELATIONAL, STRATIFIED
from .programs import CALENDARS, DERIVED_LABELS, Case, cases, linked_case, seeded_case
from .streams import BASE_LABELS, LAST_SECOND
from .windows import with_windows

__all__ = [
    "BASE_LABELS",
    "BASIC",
    "CALENDARS",
    "DERIVED_LABELS",
    "FEATURES",
    "LAST_SECOND",
    "RELATIONAL",
    "STRATIFIED",
    "Case",
    "cases",
    "constructs",
    "linked_case",
    "seeded_case",
    "with_windows",
]
