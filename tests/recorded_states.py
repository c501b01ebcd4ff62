"""Programs with states that cera wrote: sessions, and the parts of streams.

The folders beside `unit/engines/local/test_recorded_states.py` hold what there was after the events `before`: a
session in NAME.session, what Spark's state store held in NAME.stream. `recorded_states` itself has those of 2026-11-16,
from before states had tags, of the programs in FIRST; `recorded_states/tagged` those of 2026-11-17, of all programs.

They are never written again: what a later version makes of them is what its users' checkpoints depend on. The states of
programs that are new here are written by `cd tests && python -m recorded_states`, which leaves those that are there. If
the program of an example is changed, its two states are deleted and written anew, and no others.
"""

from __future__ import annotations

import base64
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cera
from cera.connectors.files import Layout
from cera.connectors.source import source_of
from cera.engines.local.session import Session
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.testing import event

FOLDER = Path(__file__).parent / "unit" / "engines" / "local" / "recorded_states"
TAGGED = FOLDER / "tagged"
_EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Recorded:
    texts: tuple[str | Path, ...]
    before: tuple[Event, ...]
    after: tuple[Event, ...]
    max_delay: str = "0 sec"
    #: How long events may last on a stream, in microseconds.
    longest: int | None = 1_000_000
    #: How many seconds after the last event a stream is at its end.
    rest: float = 1_000

    @property
    def end(self) -> float:
        """The second at which everything is decided."""
        return self.after[-1].end / 1_000_000 + self.rest


def _temp(sensor: str, value: float, time: float) -> Event:
    return event(f'temp{{area{{"a"}}, sensor{{"{sensor}"}}, value{{{value}}}}}', time)


_HOT = "DETECT hot{sensor{var S}} ON event t: temp{{ sensor{{var S}}, value{{var V}} }} where { var V > 40 } END"
_TWICE = "begin Twice monitor hot; partition by sensor; R: (hot(X), hot(Y)) as twice(X.sensor). end."
_ALARM = """DETECT alarm{sensor{var S}}
ON and { event t: twice{{ sensor{{var S}} }}, event h: temp{{ sensor{{var S}} }} }
where { {t, h} within 1 min } END"""

_TEMPS = (_temp("s", 41, 0), _temp("r", 20, 1), event('smoke{area{"a"}}', 2, id="smoke-1"), _temp("s", 39, 5))
_LATER = (_temp("s", 50, 8), _temp("r", 70.5, 9), event('smoke{area{"a"}}', 11), _temp("t", 60, 30), _temp("s", 1, 90))

FIRST = {
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
        "2 sec",
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
        "2 sec",
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
    "layers": Recorded((_HOT, _TWICE, _ALARM, "Pair := ;(alarm, temp);\n"), _TEMPS, _LATER, "2 sec"),
}


def _history(text: str, start: int = 0) -> tuple[Event, ...]:
    """An event a second: `E1 E2` have the attribute `k` "a"; `E1|E2` happen at the same time."""
    return tuple(
        event(f'{label}{{k{{"a"}}, v{{{second}}}, t{{x{{{number}}}}}}}', second)
        for second, together in enumerate(text.split(), start)
        for number, label in enumerate(together.split("|"))
    )


_HISTORY = "E1 E2 E1 E1|E2 E3 E1 E2 E4 E1 E1 E2"
_CONTEXTS = ("unrestricted", "recent", "chronicle", "continuous", "cumulative")
_LATER_HISTORY = _history("E3 E2 E1 E3 E4 E2 E3 E1|E2|E3 E2 E3 E4", 20)

#: Of each language what FIRST leaves out.
_SECOND = {
    "windows": Recorded(
        (
            """DETECT seen{ sensor{ var S }, count(all var V), min(all var V), max(all var V), first(all var V),
  last(all var V), all entry{ var A, sum(all var V) } group-by var A order-by var A desc }
ON and { event m: smoke{{ sensor{{ var S }} }}, event w: extend-begin[event m, 1 min],
  while w: collect temp{{ sensor{{ var S }}, area{{ var A }}, value{{ var V }} }} } END""",
            """DETECT texts{ all var X order-by var X, count(all distinct var X) }
ON and { event m: smoke{{}}, event w: timer:from-start-backward[event m, 30 sec],
  while w: collect note{{ var X }} } END""",
        ),
        (
            event('temp{area{"a"}, sensor{"s"}, value{1}}', 0),
            event('temp{area{"b"}, sensor{"s"}, value{2.5}}', 0, 1),
            event('temp{area{"a"}, sensor{"s"}, value{3}}', 2),
            event('note{"one", two{2}}', 3),
            event("note[true, 4.5]", 4),
        ),
        (event('note{"one"}', 5), event('temp{area{"b"}, sensor{"s"}, value{4}}', 6), event('smoke{sensor{"s"}}', 7)),
    ),
    "branches": Recorded(
        (
            """DETECT either{k{var K}, optional v{var V}}
ON or {
  and { event a: E1{{ k{{var K}}, optional v{{var V}} }}, event b: E2{{ k{{var K}}, without w{{}} }} }
    where { a before b, {a, b} within 1 hour },
  and { event c: E3{{ k{{var K}} }}, event d: E4{{ k{{var K}} }} } where { c before d }
} END""",
            """RAISE to(recipient="mailto:x") { alone{ k{var K} } }
ON and { event a: E3{{ k{var K} }}, event w: extend[event a, 2 sec], while w: not E2{{ k{var K} }} } END""",
            """DETECT moved{ var X } ON and { event a: E1{{ t{{ var X }} }}, event m: extend[event a, 30 sec],
  event b: E3{{ t{{ var X }} }} } where { b during m } END""",
        ),
        _history(_HISTORY),
        _LATER_HISTORY,
        longest=None,
    ),
    "operators": Recorded(
        (
            """partition by k;
event E4;
Sequence := ;(first: shared: E1, first: E2, shared: E3);
Together := ==(E1, E2);
Both := and(restricted cumulative: E1, E3);
Either := or(E2, E4);
Without := not(last: shared: E1, (2-): E4, E3);
Some := 2 of (E1, E2, E3);
Sets := ;(combinations minimum: E1, inside shared: outside exclusive: E3);
Several := right-to-left: ;((2-3): E1, E2, exclusive: E3) within 20 sec;
Tight := continuous: ;(E1, E2);
Early := begin: ;(shared: E1, E2);
Apart := non-overlapping: ;(Early, E3);
Tick := every 3 sec after last E1 until E3;
Waiting := ;(last: shared: E1, Tick) as waiting(E1.v, since: Tick.since);
Inner := ;(and(E1, E2) where E1.k = E2.k as pair, E3) where pair.k = E3.k as inner(pair.k);
""",
        ),
        _history(_HISTORY),
        _LATER_HISTORY,
    ),
    "contexts": Recorded(
        (
            "\n".join(
                f"{operator}{number} := {context} {text}"
                for number, context in enumerate(_CONTEXTS)
                for operator, text in {
                    "Sequence": "E1 ; E3",
                    "Both": "E1 and E3",
                    "Without": "NOT(E4)[E1, E3]",
                    "Some": "ANY(2, E1, E2, E3)",
                    "Each": "A(E1, E2, E3)",
                    "All": "A*(E1, E2, E3)",
                }.items()
            )
            + "\nPeriods := chronicle P*(E1, tick: [2 sec], E3) as done(ticks: count(tick))"
            + "\nSamos := samos TIMES([>0], E1) ; E3\nOde := ode E1 ; E3\nAdl := adl E1 ; E3\n",
        ),
        _history(_HISTORY),
        _LATER_HISTORY,
    ),
    "relaxed": Recorded(
        (
            """begin Relaxed monitor E1, E2, E3; granularity time;
  All: [E1(X), E2(Y), E3(Z)] in unrestricted context as all_of(X.v, y: Y.v, z: Z.v).
  Recent: [E1(X), E3(Z)] in recent context as recent(X.v, z: Z.v).
  Chronicle: [E1(X), E3(Z, Z.k = X.k)] in chronicle context as chronicle(X.v, z: Z.v).
  Without: (E1(X), *:! E2(Y, Y.k = X.k), E3(Z)) as without(X.v, z: Z.v).
  Some: (E1(X), {E2(Y), E3(Z)}, E4(W)) as some(X.v).
  First: first([E1(X), E3(Z)]) as first_one(X.v).
end.""".replace("E2, E3; granularity", "E2, E3, E4; granularity"),
        ),
        _history(_HISTORY),
        _LATER_HISTORY,
    ),
}


def _example(name: str) -> Recorded:
    """The program of an example over the first half of its events, and over the second."""
    folder = _EXAMPLES / name
    case: dict[str, Any] = {"events": "events.jsonl", **tomllib.loads((folder / "case.toml").read_text())}
    times = TimeFormat(case.get("time_unit"))
    layout = Layout(label_field=case.get("label_field"), time_field=case.get("time_field"), times=times)
    read = [found for found in source_of(str(folder / case["events"])).events(layout) if isinstance(found, Event)]
    events = sorted(read, key=lambda one: one.end)
    half = len(events) // 2
    programs = tuple(folder / program for program in case["programs"])
    return Recorded(programs, tuple(events[:half]), tuple(events[half:]), longest=None, rest=100 * 24 * 3600)


EXAMPLES = tuple(sorted(path.parent.name for path in _EXAMPLES.glob("*/case.toml")))
RECORDED = {**FIRST, **_SECOND, **{name: _example(name) for name in EXAMPLES}}


def program_of(name: str) -> cera.Program:
    return cera.load(list(RECORDED[name].texts))


def session_of(name: str) -> Session:
    return program_of(name).session(max_delay=RECORDED[name].max_delay)


def stream_of(name: str) -> Any:
    """Micro-batches of the program, without Spark."""
    from cera.engines.spark.division.operators import operators
    from cera.running.relations import read_relations
    from properties.streaming_runs import MicroBatches

    longest, program = RECORDED[name].longest, program_of(name)
    rows = read_relations(program.layers, {}, program.timezone)
    return MicroBatches(operators(program.layers, max_duration=longest, buckets=2, relations=rows), 3_000_000)


def begin_stream(stream: Any, name: str) -> None:
    """Takes the events up to the state that is recorded."""
    one = RECORDED[name]
    for batch in (one.before[:2], one.before[2:], (), one.after[:1]):
        stream.batch(batch)


def _stored(stream: Any) -> dict[str, Any]:
    """What Spark's state store holds, as JSON says it."""
    layers = [
        (
            layer,
            {
                "values": [(*key, base64.b64encode(data).decode()) for key, (data,) in sorted(store.values.items())],
                "timers": [(time, *key) for time, key in sorted(store.timers)],
            },
        )
        for layer, store in stream.stores.items()
    ]
    return {"watermark": stream.watermark, "latest": stream.latest, "layers": layers}


def resume_stream(stream: Any, file: Path) -> None:
    """Puts a recorded state into the store of a stream."""
    known: Any = json.loads(file.read_text())
    stream.watermark, stream.latest = known["watermark"], known["latest"]
    for (_, layer), store in zip(known["layers"], stream.stores.values(), strict=True):
        store.values = {(key, bucket): (base64.b64decode(data),) for key, bucket, data in layer["values"]}
        store.timers = {(time, (key, bucket)) for time, key, bucket in layer["timers"]}


def _record(name: str) -> None:
    session_file, stream_file = (TAGGED / f"{name}.{kind}" for kind in ("session", "stream"))
    if not session_file.exists():
        session = session_of(name)
        session.push(*RECORDED[name].before)
        session_file.write_bytes(session.save())
    if not stream_file.exists():
        stream = stream_of(name)
        begin_stream(stream, name)
        stream_file.write_text(json.dumps(_stored(stream), indent=1) + "\n")


if __name__ == "__main__":
    TAGGED.mkdir(exist_ok=True)
    for each in RECORDED:
        _record(each)
