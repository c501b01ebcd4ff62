"""A plan for Python users: a text in the notation of the papers, and a table in notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from cera.algebra.plan import Plan, Point
from cera.algebra.plan_text import display_name, print_plan, print_point
from cera.explain.plan import NOTATION
from cera.html_table import html_table


@dataclass(frozen=True, repr=False)
class PlanTable:
    """The optimized plan of a program's rules; `plan` has it as data."""

    plan: Plan

    def __str__(self) -> str:
        return print_plan(self.plan, NOTATION)

    def __repr__(self) -> str:
        return f"<PlanTable: {', '.join(display_name(point.name) for point in self.plan.points)}>"

    def _repr_html_(self) -> str:
        rows = [
            (display_name(point.name), self._held(point), definition)
            for point in self.plan.points
            for definition in [print_point(point, NOTATION).partition(" := ")[2]]
        ]
        return html_table("materialization points", ("point", "holds", "definition"), rows)

    def _held(self, point: Point) -> str:
        held = "derived events" if point.result else "kept for others"
        return f"{held}, recursive" if self.plan.cycle(point.name) else held
