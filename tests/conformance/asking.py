"""The one question of the conformance tests: what does this program answer on these events?"""

from __future__ import annotations

from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.pipeline import load
from cera.rules.rule import Semantics
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


def temp(value: float, begin: float, end: float | None = None, *, area: str = "a", sensor: str = "s") -> Event:
    return event(Term("temp", [Term("area", [area]), Term("sensor", [sensor]), Term("value", [value])]), begin, end)


def fire_stream() -> list[Event]:
    """E of seed 000 section 4.2, in seconds (ERR-04)."""
    return [temp(40, 60, 63), event('smoke{area{"a"}}', 65, 68), temp(41, 70, 80)]


def ask(program: str, *events: Event, semantics: Semantics | None = None, until: float | None = None) -> list[Event]:
    """The derived events, without what is raised."""
    return [
        derived.event for derived in derive(program, *events, semantics=semantics, until=until) if not derived.recipient
    ]


def derive(
    program: str, *events: Event, semantics: Semantics | None = None, until: float | None = None
) -> list[DerivedEvent]:
    limit = None if until is None else round(until * 1_000_000)
    return list(load(program, semantics=semantics).run(events, engine="reference", until=limit).derived)


def codes(program: str) -> list[str]:
    """The codes of the errors and warnings of a program."""
    return [diagnostic.code for diagnostic in load(program).check()]
