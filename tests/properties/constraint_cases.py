"""Random constraints of every construct over random streams, and what is compared of their violations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cera.constraints.locations import NO_LOCATIONS, Locations, locations_of
from cera.constraints.module import ConstraintModule
from cera.constraints.stream import Happening
from cera.diagnostics import Source
from cera.languages.escl.language import ESCL
from cera.languages.protocol.results import CompileOptions
from cera.model.events.event import Event
from cera.model.events.relation_rows import ReadRows, RelationRow
from cera.model.events.states import ending, opening, state_label
from cera.model.time.interval import Interval
from conformance.constraints import event, state, term

#: The places of events: those of 3 are not known, those of 2 lack a room.
PLACES = locations_of(
    {
        "attribute": "k",
        "places": {"1": {"room": "r", "area": "n", "x": 0, "y": 0}, "2": {"area": "n", "x": 3, "y": -4}},
        "neighbours": {"rooms": []},
    }
)
ROWS = {"vip": ReadRows(tuple(RelationRow(term("vip", {"k": k, "v": v})) for k, v in ((1, 1), (1, 2), (2, 0))))}
_RELATION = "relation vip(k, v)\n"

_COUNTS = (
    *("= 0", ">= 1", "<= 1", "= 2", "(= 0 or >= 2)", "!= 1", "< 2", "> 1", "(>= 1 and <= 2)", "<= V"),
    *("(= 1 or >= 3)", ">= 2"),
)
_MODULES = (
    *("state: s(k(K))", "state: r(k(K))", "event m: e(k(K))", "Range 10 sec", "Range 10 sec Slide 5 sec", "now"),
    *("[now - 5 sec, now]", "[now, now + 4 sec]", "from-end[event: a(k(K)), 5 sec]", "unbounded", "event m: a(k(K))"),
    *("from-start[state: s(k(K)), 4 sec]", '["1970-01-01T00:00:05Z", "1970-01-01T00:00:15Z"]'),
    *(
        "shift-forward[event: a(k(K)), 3 sec]",
        "from-end-backward[event: e(k(K)), 6 sec]",
        "extend[state: s(k(K)), 3 sec]",
    ),
    *("shorten-begin[state: s(k(K)), 2 sec]", "from-end[state: s(k(K)), 5 sec]"),
)
_TIMERS = (
    *("extend", "shorten", "extend-begin", "shorten-begin", "shift-forward", "shift-backward", "from-end"),
    *("from-end-backward", "from-start", "from-start-backward"),
)
_STATE_TIMERS = ("extend", "shorten-begin", "shift-forward", "from-end", "from-start")
_ALLEN = (
    *("before", "after", "during", "contains", "equals", "overlaps", "overlapped-by", "meets", "met-by", "starts"),
    *("started-by", "finishes", "finished-by"),
)
_COMBINATIONS = ("each", "any", "intersection", "union", "cover-each", "cover-all")
_DIRECTIONS = ("south", "north", "east", "north-west")


@dataclass
class Writer:
    """The writer of one constraint: what it has named so far."""

    choose: random.Random
    #: Names of events and timers on them, of states and timers on them.
    events: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=lambda: ["a", "b", "e"])
    variables: list[str] = field(default_factory=list)
    number: int = 0

    def chance(self, of: float) -> bool:
        return self.choose.random() < of

    def fresh(self) -> str:
        self.number += 1
        return f"i{self.number}"

    @property
    def names(self) -> list[str]:
        return [*self.events, *self.states]

    def atom(self, *, state: bool) -> str:
        label = self.choose.choice(["s", "s", "r"] if state else self.labels)
        key = self.choose.choice(["k(K)"] * 6 + ["k(1)", "k(L)", "k(_)", ""])
        if key == "k(L)":
            self.variables.append("L")
        parts = [key] if key else []
        if not state and self.chance(0.4):
            name = self.choose.choice(["V", "W"])
            self.variables.append(name)
            parts.append(f"v({name})")
        return f"{label}({', '.join(parts)})"

    def time(self) -> str:
        if not self.names or self.chance(0.55):
            return ""
        if self.chance(0.3) and len(self.names) > 1:
            names = self.choose.sample(self.names, 2)
            return f"while {self.choose.choice(_COMBINATIONS)}{{{', '.join(names)}}}: "
        return f"while {self.choose.choice(self.names)}: "

    def literal(self, *, named: bool = True) -> str:
        is_state = self.chance(0.25)
        time = self.time()
        atom = self.atom(state=is_state)
        name = ""
        if named and self.chance(0.5):
            name = self.fresh()
            (self.states if is_state else self.events).append(name)
        kind = "state" if is_state else "event"
        return f"{time}{kind}{f' {name}' if name else ''}: {atom}"

    def counted(self) -> str:
        time = self.time()
        is_state = self.chance(0.2)
        kind = "state" if is_state else "event"
        atom = self.atom(state=is_state)
        if self.chance(0.2):
            return f"{time}not {kind}: {atom}"
        name = f" {self.fresh()}" if self.chance(0.15) else ""
        group = self.choose.choice(["", "", " group-by {}", " group-by {K}"])
        found = f"{time}exists {self.choose.choice(_COUNTS)} {kind}{name}: {atom}{group}"
        if name:
            (self.states if is_state else self.events).append(name.strip())
        return found

    def timer(self) -> str | None:
        if not self.names:
            return None
        anchor = self.choose.choice(self.names)
        is_state = anchor in self.states
        name = self.fresh()
        duration = self.choose.choice(["2 sec", "5 sec"])
        timer = self.choose.choice(_STATE_TIMERS if is_state else _TIMERS)
        (self.states if is_state else self.events).append(name)
        return f"{'state' if is_state else 'event'} {name}: {timer}[{anchor}, {duration}]"

    def condition(self) -> str | None:
        choose = self.choose
        kinds = ["value"] if self.variables else []
        if len(self.names) > 1:
            kinds += ["allen", "edges", "within", "apart", "content", "member", "place"]
        if not kinds:
            return None
        kind = choose.choice(kinds)
        pair = choose.sample(self.names, 2) if len(self.names) > 1 else []
        braces = f"{{{', '.join(pair)}}}"
        bound = choose.choice(["min", "max", "exact"])
        match kind:
            case "value":
                name = choose.choice(self.variables)
                return f"{name} {choose.choice(['<', '>=', '=', '!='])} {choose.choice(['1', '2', 'K', f'{name} + 1'])}"
            case "allen":
                return f"{pair[0]} {choose.choice(_ALLEN)} {pair[1]}"
            case "edges":
                edges = [choose.choice("be") for _ in range(2)]
                return f"{edges[0]}({pair[0]}) + 1 sec <= {edges[1]}({pair[1]})"
            case "within":
                return f"{braces} within {bound} 6 sec"
            case "apart":
                return f"{braces} apart-by {bound} 3 sec"
            case "content":
                quantity = choose.choice(["no", "min 1", "max 1", "1"])
                is_state = self.chance(0.2)
                return f"{braces} apart-by {quantity} {'state' if is_state else 'event'}: {self.atom(state=is_state)}"
            case "member":
                count = choose.choice(["", "not ", "exists = 1 "])
                return f"while {pair[0]}: {count}{pair[1]}"
            case _:
                spatial = [f"{pair[0]} {choose.choice(_DIRECTIONS)} of {pair[1]}", f"{braces} apart-by max 4 m"]
                spatial += [f"{braces} sent from the same {choose.choice(['room', 'area'])}", f'{braces} sent from "n"']
                return choose.choice(spatial)

    def relation(self) -> str:
        self.variables.append("V")
        prefix = self.choose.choice(["", "", "not ", "exists <= 1 "])
        return f"{prefix}vip(k(K), v(V))"

    def query(self, literals: int, *, counted: float) -> str:
        found: list[str] = []
        for _ in range(literals):
            found.append(self.counted() if self.chance(counted) else self.literal())
            if self.chance(0.25) and (timer := self.timer()) is not None:
                found.append(timer)
        if self.chance(0.12):
            found.append(self.relation())
        for _ in range(2):
            if self.chance(0.35) and (condition := self.condition()) is not None:
                found.append(condition)
        return " and ".join(found)

    def constraint(self) -> str:
        if self.chance(0.3):
            head = self.head()
            return f"IN ANY CASE {head} END"
        body = self.query(self.choose.choice([1, 1, 2, 2, 3]), counted=0.2)
        return f"IF {body} THEN {self.head()} END"

    def head(self) -> str:
        literals = self.choose.choice([0, 1, 1, 1, 2]) if self.names or self.variables else 1
        head = self.query(literals, counted=0.6)
        if not head:
            head = self.condition() or self.counted()
        if self.chance(0.2):
            head = f"{head} or {self.counted()}"
        return head

    def set(self) -> str:
        definition = ""
        if self.chance(0.2):
            kind = self.choose.choice(["event", "event", "state"])
            inner = Writer(self.choose, number=100)
            body = inner.query(self.choose.choice([1, 2]), counted=0.2)
            label = "d" if kind == "event" else "s"
            definition = f"LET DETECT {kind}: {label}(k(K)) ON {body} END IN "
            if kind == "event":
                self.labels += ["d", "d", "d"]
        found = f"{definition}{self.constraint()}{' END' if definition else ''}"
        for _ in range(self.choose.choice([0, 0, 1, 1, 1, 2])):
            found = f"WHILE {self.choose.choice(_MODULES)} LET {found} END"
        return f"{_RELATION}{found}" if "vip" in found else found


def random_module(choose: random.Random) -> tuple[str, ConstraintModule]:
    """Returns a constraint that the checks let pass; most do."""
    while True:
        text = Writer(choose).set()
        module = compiled(text, PLACES)
        if module is not None:
            return text, module


def compiled(text: str, locations: Locations = NO_LOCATIONS) -> ConstraintModule | None:
    """Returns the module of a text; None if it has errors."""
    parsed = ESCL.parse(Source("program.escl", text))
    found = ESCL.compile([parsed], CompileOptions())
    if any(each.severity == "error" for each in (*parsed.diagnostics, *found.diagnostics)):
        return None
    [module] = found.modules
    assert isinstance(module.module, ConstraintModule)
    return replace(module.module, locations=locations)


def random_stream(choose: random.Random) -> list[Happening]:
    found: list[Happening] = []
    if choose.random() < 0.7:
        found += [event("zero", 0), event("zero", choose.choice([24, 60]))]
    for _ in range(choose.randint(3, 10)):
        at, label, key = choose.randint(0, 20), choose.choice("aabbesr"), choose.choice([1, 1, 2, 3])
        if label in "sr":
            end = choose.choice([None, *(at + choose.randint(0, 8) for _ in range(3))])
            found.append(state(label, at, end, k=key))
        else:
            found.append(event(label, at, at + choose.choice([0, 0, 3]), k=key, v=choose.randint(0, 3)))
    return found


def events_of(happenings: Sequence[Happening], choose: random.Random | None = None) -> list[Event]:
    """Returns the events of a stream: of a state its opening and its ending, or an opening that announces the end."""
    found: list[Event] = []
    for each in happenings:
        if each.kind != "state":
            found.append(Event(each.term, Interval(each.begin, each.end)))
        elif each.is_open:
            found.append(opening(each.term, each.begin))
        elif choose is not None and choose.random() < 0.5:
            found.append(opening(each.term, each.begin, each.end))
        else:
            opened = opening(each.term, each.begin)
            found += [opened, ending(opened, each.end)]
    return found


def longest(events: Sequence[Event]) -> int:
    """Returns how long the longest event lasts; states may last longer."""
    return max((each.end - each.begin for each in events if state_label(each.label) is None), default=0)
