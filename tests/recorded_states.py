"""Programs whose states were written before states had tags: sessions, and the parts of streams.

The files beside `unit/engines/test_recorded_states.py` hold what cera wrote on 2026-11-16 after the events `before`: a
session in NAME.session, what Spark's state store held in NAME.stream. They are never written again: what a later
version makes of them is what its users' checkpoints depend on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cera.model.events import Event
from cera.testing import event

FOLDER = Path(__file__).parent / "unit" / "engines" / "recorded_states"


@dataclass(frozen=True)
class Recorded:
    texts: tuple[str, ...]
    before: tuple[Event, ...]
    after: tuple[Event, ...]


def _temp(sensor: str, value: float, time: float) -> Event:
    return event(f'temp{{area{{"a"}}, sensor{{"{sensor}"}}, value{{{value}}}}}', time)


_HOT = "DETECT hot{sensor{var S}} ON event t: temp{{ sensor{{var S}}, value{{var V}} }} where { var V > 40 } END"
_TWICE = "begin Twice monitor hot; partition by sensor; R: (hot(X), hot(Y)) as twice(X.sensor). end."
_ALARM = """DETECT alarm{sensor{var S}}
ON and { event t: twice{{ sensor{{var S}} }}, event h: temp{{ sensor{{var S}} }} }
where { {t, h} within 1 min } END"""

_TEMPS = (_temp("s", 41, 0), _temp("r", 20, 1), event('smoke{area{"a"}}', 2, id="smoke-1"), _temp("s", 39, 5))
_LATER = (_temp("s", 50, 8), _temp("r", 70.5, 9), event('smoke{area{"a"}}', 11), _temp("t", 60, 30), _temp("s", 1, 90))

RECORDED = {
    "join": Recorded(
        (
            "DETECT h{var X} ON and { event a: a{{var X}}, event b: b{{var X}} } where { {a, b} within 1 min } END",
            """DETECT p{l{var X}} ON and { event a: a{{ l{{var X}} }}, event b: b{{ l{{var X}} }} }
where { a before b } END""",
        ),
        (
            event('a{x{"v"}, on{true}}', 0),
            event("a[y[1, 2.5, false]]", 1, 2),
            event("a{l{true}}", 3, id="own"),
            event("c{}", 3.5),
        ),
        (event('b{x{"v"}}', 4), event("b{on{true}, y[1, 2.5, false]}", 5), event("b{l{1}}", 6), event("b{l{true}}", 7)),
    ),
    "absence": Recorded(
        (
            """DETECT burnt_down { sensor { var S } }
ON and { event n: temp {{ sensor {{ var S }}, value {{ var T }} }}, event i: timer:from-end [ event n, 12 sec ],
         while i: not temp {{ sensor {{ var S }} }} } where { var T > 40 } END""",
        ),
        _TEMPS,
        _LATER,
    ),
    "average": Recorded(
        (
            """DETECT avg_temp { sensor { var S }, value { avg(all var T) } }
ON and { event m: temp {{ sensor {{ var S }} }}, event i: timer:from-start-backward [ event m, 1 min ],
         while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }} } END""",
        ),
        _TEMPS,
        _LATER,
    ),
    "clock": Recorded(
        (
            """DETECT busy{at{var S}} ON and { event t: timer:datetime{{second{{var S}}}}, event w: temp{{}} }
where { w meets t } END""",
        ),
        _TEMPS,
        _LATER[:3],
    ),
    "chain": Recorded(
        (
            _HOT,
            """DETECT again{sensor{var S}, first{var S}} ON and { event a: hot{{ sensor{{var S}} }},
event b: hot{{ sensor{{var S}} }} } where { a before b, {a, b} within 1 hour } END""",
        ),
        _TEMPS,
        _LATER,
    ),
    "epl": Recorded(
        (
            """begin M monitor temp, smoke; partition by area;
  Chron: [smoke(X), temp(Y, Y.value > 30)] within 30 sec in chronicle context as chron(area: X.area, v: Y.value).
  Seq: (temp(X), temp(Y, Y.sensor = X.sensor)) as pair(sensor: X.sensor). end.""",
        ),
        _TEMPS,
        _LATER,
    ),
    "types": Recorded(
        ("Fire := ;(smoke, last: temp);\nThree := ;(temp, temp, temp) within 1 min;\nBoth := and(Fire, alarm);\n",),
        _TEMPS,
        (*_LATER, event("alarm{on{true}}", 95)),
    ),
    "ticks": Recorded(
        ("Beep := recent P(smoke, [2 sec], temp)\nAny := chronicle smoke ; temp\n",),
        (*_TEMPS[:3], event("other{}", 3)),
        (_temp("s", 50, 8), *_LATER[2:3], _temp("t", 60, 13), event("other{}", 14)),
    ),
    "datalog": Recorded(
        (
            """module M.
monitor temp, smoke.
detect Close: close(X, Y, J) as found(sensor: X.sensor).
before(X, J) <- temp(X, J), X.value > 30.
before(X, s(J)) <- before(X, J).
close(X, Y, s(J)) <- before(X, J), smoke(Y, s(J)), Y.area = X.area.
""",
        ),
        (*_TEMPS, event("other{}", 6)),
        _LATER,
    ),
    "layers": Recorded((_HOT, _TWICE, _ALARM, "Pair := ;(alarm, temp);\n"), _TEMPS, _LATER),
}
