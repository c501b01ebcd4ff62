"""What `--verify` says about constraints that were violated: the laws that would have relied on them."""

from __future__ import annotations

from cera.cli import report
from cera.cli.constraint_options import relying_on
from cera.cli.constraint_report import Tally
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
            laws = ", ".join(relying_on(program, name))
            used = f"--trust would have relied on it: {laws}" if laws else "no law relies on it"
            report.warn(f"constraint {name} was violated {_times(number)}; {used}")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
