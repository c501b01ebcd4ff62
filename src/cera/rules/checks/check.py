"""All static checks of a rule program, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cera.diagnostics import Diagnostic, in_source_order
from cera.rules.analysis.strata import check_strata
from cera.rules.checks.declared_attributes import check_declared_attributes
from cera.rules.checks.exact_patterns import check_exact_patterns
from cera.rules.checks.joins import check_joins
from cera.rules.checks.kinds import check_kinds, check_placement
from cera.rules.checks.names import check_labels, check_timer_circles, check_timer_names, check_variables
from cera.rules.checks.ranges import check_ranges
from cera.rules.checks.relations import check_relation_kinds, check_relations
from cera.rules.checks.satisfiability import check_satisfiability
from cera.rules.checks.sizes import check_depth, check_sizes
from cera.rules.rule import RuleProgram

Check = Callable[[RuleProgram], Iterable[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    check_variables,  # XC103
    check_labels,  # XC104
    check_timer_circles,  # XC105
    check_timer_names,  # XC109
    check_declared_attributes,  # XC110, XC111
    check_sizes,  # XC113
    check_relations,  # XC114, XC115, XC117
    check_relation_kinds,  # XC118
    check_ranges,  # XC201 to XC206
    check_joins,  # XC207, XC208
    check_strata,  # XC301 to XC303
    check_satisfiability,  # XC401 to XC403
    check_kinds,  # XC404 to XC406
    check_depth,  # XC405
    check_placement,  # XC407
    check_exact_patterns,  # XC408, XC409
)


def check(program: RuleProgram) -> tuple[Diagnostic, ...]:
    """Returns the diagnostics of all static checks, in source order. Each check runs whatever the others find."""
    return tuple(in_source_order([diagnostic for one in CHECKS for diagnostic in one(program)]))
