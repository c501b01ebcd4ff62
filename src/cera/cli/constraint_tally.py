"""What `--verify` says about constraints that were violated: the laws that would have relied on them."""

from __future__ import annotations

from cera.cli import report
from cera.cli.constraint_options import relying_on
from cera.cli.constraint_report import Tally
from cera.constraints.module import ConstraintModule
from cera.program import Program


def show_violated(program: Program, tally: Tally, shown: set[str] | None = None) -> None:
    """Shows how often each constraint was violated, and which answers --trust would have cost.

    Constraints in `shown` are left out, and what is shown is added to it.
    """
    already = set[str]() if shown is None else shown
    for module in program.constraint_modules:
        for name, number in tally.violated(module):
            place = f"{module.name}.{name}"
            if place in already:
                continue
            already.add(place)
            laws = ", ".join(relying_on(program, module, name))
            used = f"--trust would have relied on it: {laws}" if laws else "no law relies on it"
            several = sum(name in _names(each) for each in program.constraint_modules) > 1
            report.warn(f"constraint {place if several else name} was violated {_times(number)}; {used}")


def _names(module: ConstraintModule) -> set[str]:
    return {clause.constraint for clause in module.clauses}


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
