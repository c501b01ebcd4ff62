"""The program and the stream of Fig. 1 of seed 000, and readers for what the command line writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from click.testing import Result

FIRE = """\
DETECT fire { area { var A } }
ON and {
  event s: smoke {{ area {{ var A }} }},
  event t: temp {{ area {{ var A }}, value {{ var T }} }}
} where { s before t, {s, t} within 1 min, var T > 40 }
END

DETECT burnt_down { sensor { var S } }
ON and {
  event n: temp {{ sensor {{ var S }}, value {{ var T }} }},
  event i: timer:from-end [ event n, 12 sec ],
  while i: not temp {{ sensor {{ var S }} }}
} where { var T > 40 }
END

DETECT avg_temp { sensor { var S }, value { avg(all var T) } }
ON and {
  event m: temp {{ sensor {{ var S }} }},
  event i: timer:from-start-backward [ event m, 1 min ],
  while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }}
}
END
"""

STREAM = (
    '{"begin": 60, "end": 63, "term": {"temp": {"area": "a", "sensor": "s", "value": 40}}}',
    '{"begin": 65, "end": 68, "term": {"smoke": {"area": "a"}}}',
    '{"begin": 70, "end": 80, "term": {"temp": {"area": "a", "sensor": "s", "value": 41}}}',
)

Cera = Callable[..., Result]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def terms(text: str) -> list[dict[str, Any]]:
    return [record["term"] for record in records(text)]
