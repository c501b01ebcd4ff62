"""How long a large program takes from text to checked rules.

The program has rules of five kinds, as large programs do: joins of base events, absences, averages, alternatives, and
rules over what the others derive. Every stage is measured on its own, three times, and the fastest counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from rich.table import Table

from cera.diagnostics import Source
from cera.languages.xchangeeq.formatter import format_source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.rules.checks import check
from cera.rules.strata import dependencies, stratify

RULES = 1_000
REPETITIONS = 3

Result = TypeVar("Result")

_KINDS = (
    """\
DETECT fire{n}{{area{{var A}}}}
ON and {{
  event s: smoke{n}{{{{area{{{{var A}}}}}}}},
  event t: temp{n}{{{{area{{{{var A}}}}, value{{{{var T}}}}}}}}
}} where {{ s before t, {{s, t}} within 1 min, var T > 40 }}
END
""",
    """\
DETECT silent{n}{{sensor{{var S}}}}
ON and {{
  event n: temp{n}{{{{sensor{{{{var S}}}}, value{{{{var T}}}}}}}},
  event i: from-end[n, 12 sec],
  while i: not temp{n}{{{{sensor{{{{var S}}}}}}}}
}} where {{ var T > 40 }}
END
""",
    """\
DETECT average{n}{{sensor{{var S}}, value{{avg(all var T)}}, all reading{{var T}} order-by {{var T desc}}}}
ON and {{
  event m: temp{n}{{{{sensor{{{{var S}}}}}}}},
  event i: from-start-backward[m, 1 min],
  while i: collect temp{n}{{{{sensor{{{{var S}}}}, value{{{{var T}}}}}}}}
}}
END
""",
    """\
DETECT alarm{n}{{area{{var A}}}}
ON or {{
  event x: fire{n}{{{{area{{{{var A}}}}}}}},
  event x: button{n}{{{{area{{{{var A}}}}, without test{{{{}}}}}}}}
}}
END
""",
    """\
DETECT summary{n}{{area{{var A}}, alarms{{count(all var A)}}}}
ON and {{
  event a: alarm{n}{{{{area{{{{var A}}}}}}}},
  event w: extend[a, 1 hour],
  while w: collect alarm{n}{{{{area{{{{var A}}}}}}}},
  while w: not average{n}{{{{value{{{{var V}}}}}}}} where {{ var V < 20 }}
}}
END
""",
)


def program_text(rules: int = RULES) -> str:
    """A program with so many rules."""
    return "\n".join(_KINDS[i % len(_KINDS)].format(n=i // len(_KINDS)) for i in range(rules))


def measure() -> Table:
    source = Source("generated.xceq", program_text())
    parsed = parse(source)
    program, problems = lower([parsed.program], calendars=(), timezone="UTC", semantics=None)
    errors = [d for d in (*parsed.diagnostics, *problems, *check(program)) if d.severity == "error"]
    if errors:
        raise SystemExit("\n".join(map(str, errors[:3])))
    size = f"{len(program.rules):,} rules, {source.text.count(chr(10)):,} lines, {len(source.text) // 1024:,} KiB"
    table = Table(title=f"a program of {size}")
    table.add_column("stage")
    table.add_column("seconds", justify="right")
    total = 0.0
    for stage, seconds in (
        ("parse", fastest(lambda: parse(source))),
        ("lower", fastest(lambda: lower([parsed.program], calendars=(), timezone="UTC", semantics=None))),
        ("check", fastest(lambda: check(program))),
    ):
        table.add_row(stage, f"{seconds:.2f}")
        total += seconds
    table.add_row("together", f"{total:.2f}", end_section=True)
    table.add_row("dependencies alone", f"{fastest(lambda: dependencies(program.rules)):.2f}")
    table.add_row("strata alone", f"{fastest(lambda: stratify(program.rules)):.2f}")
    table.add_row("fmt", f"{fastest(lambda: format_source(source)):.2f}")
    return table


def fastest(work: Callable[[], Result]) -> float:
    durations = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        work()
        durations.append(time.perf_counter() - start)
    return min(durations)
