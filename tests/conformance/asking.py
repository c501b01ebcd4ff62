"""The program of the sensors of seed 000, its stream, and its answers."""

from __future__ import annotations

from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.program import load
from cera.testing import event

FIRE_RULES = """
DETECT fire { area { var A } }
ON and { event s: smoke {{ area {{ var A }} }},
         event t: temp {{ area {{ var A }}, value {{ var T }} }}
} where { s before t, {s,t} within 1 min, var T > 40 }
END
DETECT burnt_down { sensor { var S } }
ON and { event n: temp {{ sensor {{ var S }}, value {{ var T }} }},
         event i: timer:from-end [ event n, 12 sec ],
         while i: not temp {{ sensor {{ var S }} }}
} where { var T > 40 }
END
DETECT avg_temp { sensor { var S }, value { avg(all var T) } }
ON and { event m: temp {{ sensor {{ var S }} }},
         event i: timer:from-start-backward [ event m, 1 min ],
         while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }} }
END
"""  # Fig. 1 of seed 000, as printed
RULES = dict(zip(("fire", "burnt_down", "avg_temp"), [f"{rule}END" for rule in FIRE_RULES.split("END")], strict=False))

#: What each of the rules derives of the stream of section 4.2.
FIRE = event('fire{area{"a"}}', 65, 80)
BURNT_DOWN = event('burnt_down{sensor{"s"}}', 70, 92)
AVERAGE = event('avg_temp{sensor{"s"}, value{40}}', 10, 80)


def temp(value: float, begin: float, end: float | None = None, *, area: str = "a", sensor: str = "s") -> Event:
    return event(Term("temp", [Term("area", [area]), Term("sensor", [sensor]), Term("value", [value])]), begin, end)


def fire_stream() -> list[Event]:
    """E of seed 000 section 4.2, in seconds (ERR-04)."""
    return [temp(40, 60, 63), event('smoke{area{"a"}}', 65, 68), temp(41, 70, 80)]


def codes(program: str) -> list[str]:
    """The codes of the errors and warnings of a program."""
    return [diagnostic.code for diagnostic in load(program).check()]
