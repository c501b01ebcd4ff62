"""What is asked of each system: the sensor rules and those over loans, each and all, and rules that grow.

Nothing but Python is imported, because the scripts of all systems import this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
MINUTE, SILENCE, HOT = 60_000, 12_000, 40
SECOND, HOUR, DAY = 1_000, 3_600_000, 86_400_000
#: The temperatures above which a hundred rules fire, and the areas to which a hundred others belong.
THRESHOLDS = tuple(40 + number / 2 for number in range(100))
AREAS = tuple(f"a{number}" for number in range(100))

#: The events that each rule derives.
SENSOR_RULES = {"join": "fire", "absence": "burnt_down", "average": "avg_temp"}
LOAN_RULES = {"approved": "approved", "unanswered": "unanswered", "amounts": "amounts"}


@dataclass(frozen=True)
class Task:
    """Rules that are answered together, with windows so many times as long; a hundred of the join by a way of telling
    them apart: by `thresholds`, so that all share what they join, or by `areas`, so that they share nothing."""

    name: str
    rules: tuple[str, ...]
    window: int = 1
    hundred: str = ""

    @property
    def loans(self) -> bool:
        return self.rules[0] in LOAN_RULES

    @property
    def grown(self) -> bool:
        return self.window > 1 or bool(self.hundred)

    @property
    def program(self) -> str:
        """The program of cera."""
        rules = re.split(r"(?<=\nEND\n)", (HERE / ("loans.xceq" if self.loans else "rules.xceq")).read_text())
        derived = [(LOAN_RULES | SENSOR_RULES)[rule] for rule in self.rules]
        text = "".join(rule for rule in rules if any(f"DETECT {name}{{" in rule for name in derived))
        if self.hundred == "thresholds":
            text = "\n".join(
                text.replace("DETECT fire{", f"DETECT fire_{number}{{").replace("var T > 40", f"var T > {threshold}")
                for number, threshold in enumerate(THRESHOLDS)
            )
        if self.hundred == "areas":
            text = "\n".join(
                text.replace("DETECT fire{", f"DETECT fire_{area}{{").replace("var A", f'"{area}"') for area in AREAS
            )
        for length, unit in ((1, "min"), (12, "sec")) if self.window > 1 else ():
            text = text.replace(f"{length} {unit}", f"{length * self.window} {unit}")
        return text


TASKS = {
    task.name: task
    for task in (
        *(Task(rule, (rule,)) for rule in SENSOR_RULES),
        Task("all", tuple(SENSOR_RULES)),
        *(Task(rule, (rule,)) for rule in LOAN_RULES),
        Task("loans", tuple(LOAN_RULES)),
        *(Task(f"{rule}-10-windows", (rule,), window=10) for rule in SENSOR_RULES),
        *(Task(f"join-100-{how}", ("join",), hundred=how) for how in ("thresholds", "areas")),
    )
}
