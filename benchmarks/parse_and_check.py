"""How long a large program takes from text to checked rules.

The program has rules of five kinds, as large programs do: joins of base events, absences, averages, alternatives, and
rules over what the others derive. Two more programs have rules that all query and derive the same label. Every stage
is measured on its own, three times, and the fastest counts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.table import Table

from benchmarks.checkouts import Case
from cera.diagnostics import Source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import format_source
from cera.rules.analysis.strata import stratify
from cera.rules.checks.check import check

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


#: Rules that all query and derive one label: told apart by a constant, and not told apart at all.
_SAME_LABEL = """\
DETECT reading{{sensor{{"s{n}"}}, value{{var T}}}}
ON and {{
  event m: reading{{{{sensor{{"s{before}"}}, value{{var T}}}}}},
  event n: reading{{{{sensor{{"raw{n}"}}, value{{var U}}}}}}
}} where {{ m before n, {{m, n}} within 1 min, var T > var U }}
END
"""
_SAME_SHAPE = """\
DETECT reading{{sensor{{var S}}, value{{var T + {n}}}}}
ON event m: reading{{{{sensor{{var S}}, value{{var T}}}}}} where {{ var T > {n} }}
END
"""


def program_text(rules: int = RULES) -> str:
    """A program with so many rules of all kinds."""
    return "\n".join(_KINDS[i % len(_KINDS)].format(n=i // len(_KINDS)) for i in range(rules))


def one_label_text(rule: str, rules: int = RULES) -> str:
    """A program with so many rules like this one."""
    return "\n".join(rule.format(n=i, before=i - 1) for i in range(rules))


#: How the text of a program with so many rules is made.
PROGRAMS: Mapping[str, Callable[[int], str]] = {
    "rules of five kinds": program_text,
    "one label, told apart by a constant": partial(one_label_text, _SAME_LABEL),
    "one label, each on all": partial(one_label_text, _SAME_SHAPE),
}


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields what is compared between checkouts: a process for each program."""
    rules = 200 if quick else RULES
    for name in PROGRAMS:
        yield Case("parse_and_check", f"{name}, {rules:,}", ("-m", "benchmarks.parse_and_check", name, str(rules)))


def main(name: str, rules: str) -> None:
    """Prints what a process of a comparison does: the CPU seconds of each stage."""
    stages = dict(_stages(PROGRAMS[name](int(rules))))
    print(json.dumps({"parts": {stage: stages[stage] for stage in ("parse", "lower", "check", "fmt")}}))


def measure() -> Table:
    programs = [(name, text(RULES)) for name, text in PROGRAMS.items()]
    columns = [list(_stages(text)) for _, text in programs]
    table = Table(title=f"CPU seconds for a program of {RULES:,} rules")
    table.add_column("stage")
    for (name, text), _ in zip(programs, columns, strict=True):
        table.add_column(f"{name} ({len(text) // 1024:,} KiB)", justify="right")
    for row in zip(*columns, strict=True):
        stage = row[0][0]
        table.add_row(stage, *(f"{seconds:.2f}" for _, seconds in row), end_section=stage == "together")
    return table


def _stages(text: str) -> Iterator[tuple[str, float]]:
    """Each stage and how long it takes."""
    source = Source("generated.xceq", text)
    parsed = parse(source)
    program, problems = lower([parsed.program], calendars=(), timezone="UTC", semantics=None)
    errors = [d for d in (*parsed.diagnostics, *problems, *check(program)) if d.severity == "error"]
    if errors:
        raise SystemExit("\n".join(map(str, errors[:3])))
    total = 0.0
    for stage, seconds in (
        ("parse", fastest(lambda: parse(source))),
        ("lower", fastest(lambda: lower([parsed.program], calendars=(), timezone="UTC", semantics=None))),
        ("check", fastest(lambda: check(program))),
    ):
        yield stage, seconds
        total += seconds
    yield "together", total
    yield "strata alone", fastest(lambda: stratify(program.rules))
    yield "fmt", fastest(lambda: format_source(source))


def fastest(work: Callable[[], Result]) -> float:
    durations = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        work()
        durations.append(time.process_time() - start)
    return min(durations)


if __name__ == "__main__":
    main(*sys.argv[1:])
