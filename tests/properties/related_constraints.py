"""Random constraints that have something to do with each other: some follow, some contradict, some say nothing.

One half is written in a small vocabulary, so that conditions meet; the other half are random constraints of every
construct, and changes of them (`constraint_cases`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from cera.constraints.clause import Clause
from cera.constraints.stream import Happening, Stream, extent_of
from cera.diagnostics import Source
from cera.languages.escl.checks import check
from cera.languages.escl.parser import parse
from cera.languages.escl.steps import normal_forms
from cera.languages.protocol.results import CompileOptions
from conformance.constraints import SECOND, event, state
from properties.constraint_cases import PLACES, ROWS, Writer

_BODIES = (
    *(
        "event i: a(k(K), v(V))",
        "event i: a(k(K), v(V)) and event j: b(k(K), v(W))",
        "event i: e(k(K)) and event j: a(k(K))",
    ),
    *("state s: s(k(K)) and event i: a(k(K), v(V))", "event i: a(k(K), v(V)) and event t: from-end[i, 5 sec]"),
    *("event i: e(k(K)) and while i: event j: a(k(K), v(V))", "state s: s(k(K)) and while s: event i: b(k(K), v(V))"),
    *("event i: a(k(K), v(V)) and exists >= 1 event: b(k(K))", "state s: s(k(K)) and state t: from-start[s, 4 sec]"),
    *("event i: a(k(K)) and event t: shorten[i, 2 sec]", "event i: e(k(K)) and event t: extend[i, 3 sec]"),
    *(
        "event i: a(k(K)) and not event: b(k(K))",
        "exists >= 2 event: a(k(K))",
        "exists = N event: a(k(K)) group-by {K}",
    ),
)
_MODULES = (
    "Range 10 sec",
    "state: s(k(K))",
    "event m: e(k(K))",
    "[now - 5 sec, now]",
    "from-end[event: a(k(K)), 5 sec]",
)
#: Times that lie in one another, one of which each constraint of a set has.
_FAMILIES = (
    ("Range 5 sec", "Range 10 sec", "Range 20 sec", "Range 10 sec Slide 5 sec", "Range 15 sec"),
    ("[now - 5 sec, now]", "[now - 9 sec, now]", "now", "[now - 5 sec, now + 2 sec]", "[now - 9 sec, now - 1 sec]"),
    tuple(
        f"{timer}[event: {label}(k(K)), {length} sec]"
        for label in "ae"
        for timer in ("from-end", "from-start", "extend", "from-end-backward", "extend-begin", "shift-forward")
        for length in (2, 4, 7)
    ),
    ("from-start[state: s(k(K)), 2 sec]", "from-start[state: s(k(K)), 5 sec]", "state: s(k(K))"),
)
_TIMERS = (
    *("from-end", "from-start", "extend", "from-end-backward", "from-start-backward", "extend-begin", "shift-forward"),
    *("shorten", "shorten-begin", "shift-backward"),
)
_ALLEN = ("before", "after", "during", "contains", "meets", "starts")


class RelatedWriter:
    """The writer of constraints in a small vocabulary."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose

    def condition(self, body: str) -> str:
        choose = self.choose
        names = re.findall(r"(?:event|state) (\w+):", body)
        values = re.findall(r"\((V|W|N)\)| = (N) ", body)
        variables = sorted({one or other for one, other in values})
        kinds = ["value"] * 2 * bool(variables) + ["pair"] * 3 * (len(names) > 1) + ["edge"] * bool(names)
        match choose.choice(kinds or ["constant"]):
            case "value":
                right = choose.choice(["0", "1", "2", "3", *variables, f"{choose.choice(variables)} + 1"])
                return f"{choose.choice(variables)} {choose.choice(['<', '<=', '>', '>=', '=', '!='])} {right}"
            case "pair":
                one, other = choose.sample(names, 2)
                bound, first, second = choose.choice(["min", "max", "exact"]), choose.choice("be"), choose.choice("be")
                allen, sign = choose.choice(_ALLEN), choose.choice(["<", "<=", ">", "="])
                return choose.choice(
                    [
                        f"{one} {allen} {other}",
                        f"{{{one}, {other}}} within {bound} {choose.randint(0, 6)} sec",
                        f"{{{one}, {other}}} apart-by {bound} {choose.randint(0, 6)} sec",
                        f"{first}({one}) {sign} {second}({other}){choose.choice(['', '', ' + 2 sec', ' - 3 sec'])}",
                        f"{{{one}, {other}}} within min 1 sec and max {choose.randint(0, 4)} sec",
                        f"{{{one}, {other}}} apart-by max {choose.randint(1, 9)} m",
                        f"{{{one}, {other}}} apart-by {self.between()}",
                        f"{{{one}, {other}}} apart-by {self.between()}",
                    ]
                )
            case "edge":
                name = choose.choice(names)
                if choose.random() < 0.1:
                    return f"{{{name}}} apart-by {choose.choice([self.between(), 'min 2 sec', 'max 3 m'])}"
                return f"b({name}) {choose.choice(['<', '<=', '>', '='])} e({name}){choose.choice(['', ' + 1 sec'])}"
            case _:
                return "1 < 2"

    def between(self) -> str:
        choose = self.choose
        numbers = ["no", "min 1", "max 1", "min 2", "2", "(no or min 2)", "(min 1 and max 2)", "min 1 and max 0"]
        atoms = ["b(k(K))", "b()", "a(k(K))", "b(k(K), v(1))", "b(k(K), v(U))"]
        one = f"{choose.choice(numbers)} event: {choose.choice(atoms)}"
        if choose.random() < 0.2:
            joined = choose.choice(["and", "or"])
            return f"({one} {joined} {choose.choice(numbers[:3])} event: {choose.choice(atoms)})"
        return one

    def count(self, body: str) -> str:
        choose = self.choose
        names = re.findall(r"(?:event|state) (\w+):", body)
        time = f"while {choose.choice(names)}: " if names and choose.random() < 0.5 else ""
        if len(names) > 1 and choose.random() < 0.15:
            time = f"while {choose.choice(['intersection', 'cover-all', 'union'])}{{{', '.join(names[:2])}}}: "
        number = choose.choice(
            ["= 0", ">= 1", "<= 1", ">= 2", "<= 2", ">= 3", "= 2", "(= 0 or >= 2)", "!= 1", "(>= 3 and <= 2)", ">= 0"]
        )
        atom = choose.choice(["b(k(K))", "b(k(K), v(U))", "b(k(K), v(1))", "b()", "a(k(K))", "b(k(L))"])
        group = choose.choice(["", "", " group-by {}"])
        if choose.random() < 0.15:
            return f"{time}event: {atom}"
        if choose.random() < 0.15:
            return f"{time}event u: b(k(K), v(U)) and U {choose.choice(['>', '<', '>='])} {choose.randint(0, 3)}"
        return f"{time}exists {number} event: {atom}{group}"

    def constraint(self, body: str) -> str:
        choose = self.choose
        if choose.random() < 0.35:
            body = f"{body} and {self.condition(body)}"
        if choose.random() < 0.1:
            body = f"{body} and {self.condition(body)}"

        def piece() -> str:
            return self.count(body) if choose.random() < 0.4 else self.condition(body)

        head = piece()
        if choose.random() < 0.3:
            head = f"{head} {choose.choice(['and', 'or'])} {piece()}"
        return f"IF {body} THEN {head} END"

    def constraints(self) -> list[str]:
        choose = self.choose
        if choose.random() < 0.2:
            module = choose.choice(_MODULES)
            facts = [f"IN ANY CASE {self.count('')} END" for _ in range(choose.choice([1, 2, 2, 3]))]
            return [f"WHILE {module} LET {each} END" for each in facts]
        if choose.random() < 0.2:
            family = choose.choice(_FAMILIES)
            facts = [f"IN ANY CASE {self.count('')} END" for _ in range(choose.choice([2, 2, 3]))]
            return [self.inside(family, each) for each in facts]
        if choose.random() < 0.15:
            label = choose.choice("ae")
            return [self.timed(f"event i: {label}(k(K))") for _ in range(choose.choice([2, 2, 3]))]
        body = choose.choice(_BODIES)
        return [self.constraint(body) for _ in range(choose.choice([1, 2, 2, 3, 3]))]

    def inside(self, family: Sequence[str], said: str) -> str:
        """Returns a module, which may lie in another one."""
        module = f"WHILE {self.choose.choice(family)} LET {said} END"
        return f"WHILE {self.choose.choice(_MODULES)} LET {module} END" if self.choose.random() < 0.15 else module

    def timed(self, body: str) -> str:
        """Returns a constraint on what happens in a timer."""
        choose = self.choose
        timer = f"{choose.choice(_TIMERS)}[i, {choose.choice([1, 3, 6])} sec]"
        number = choose.choice(
            ["exists >= 1 ", "exists <= 1 ", "", "exists = 0 ", "exists >= 2 ", "exists (= 0 or >= 2) "]
        )
        more = f" or {self.condition(body)}" if choose.random() < 0.15 else ""
        return f"IF {body} and event t: {timer} THEN while t: {number}event: b(k(K)){more} END"


#: What a change of a constraint puts in the place of something else.
_CHANGES: Sequence[tuple[str, Sequence[str]]] = (
    (r"exists (\([^)]*\)|[<>!]?=? ?\d)", ("exists >= 1", "exists <= 1", "exists >= 2", "exists <= 3", "exists = 0")),
    (r" (min|max|exact) ", (" min ", " max ", " exact ")),
    (r" \d sec", (" 1 sec", " 3 sec", " 6 sec", " 9 sec")),
    (r" (<|>=|=|!=) (?=\d|K|V|W)", (" < ", " <= ", " >= ", " = ", " != ")),
    (r" (before|after|during|contains|equals|overlaps|meets) ", (" before ", " after ", " during ", " meets ")),
    (r"k\(1\)", ("k(K)",)),
    (r"k\(_\)", ("k(K)", "k(1)")),
    (r"IF ", ("IF event: a(k(K)) and ", "IF event: b(k(K)) and ")),
)


def changed(text: str, choose: random.Random) -> str:
    """Returns a text with something else in one place."""
    pattern, others = choose.choice(_CHANGES)
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    place = choose.choice(found)
    return text[: place.start()] + choose.choice(others) + text[place.end() :]


def random_set(choose: random.Random) -> list[str]:
    """Returns one to three constraints that are related to one another."""
    if choose.random() < 0.7:
        return RelatedWriter(choose).constraints()
    text = Writer(choose).set()
    return [text, *(changed(text, choose) for _ in range(choose.choice([0, 1, 1, 2])))]


def clauses_of(text: str) -> list[Clause] | None:
    """Returns the clauses of a text; None if it has mistakes."""
    parsed = parse(Source("program.escl", text))
    if parsed.diagnostics:
        return None
    options = CompileOptions(locations=PLACES)
    if any(each.severity == "error" for each in check(parsed.program, options)):
        return None
    return [clause for steps in normal_forms(parsed.program) for clause in steps.clauses]


def random_recording(choose: random.Random, *, decided: bool) -> Stream:
    """Returns a short recording. In one that is *decided* states have ended, places are known, and it is long enough
    for all times to lie inside."""
    found: list[Happening] = []
    for _ in range(choose.randint(1, 7)):
        at = choose.randint(0, 14)
        label = choose.choice("aaabbbes")
        key = choose.choice([1, 1, 2] if decided else [1, 1, 2, 3])
        if label == "s":
            end = at + choose.randint(0, 8)
            found.append(state(label, at, end if decided or choose.random() < 0.7 else None, k=key))
        else:
            value = choose.choice([0, 1, 1, 2, 3, 4, 1.5, "x", True]) if choose.random() < 0.9 else None
            values = {"k": key} if value is None else {"k": key, "v": value}
            found.append(event(label, at, at + choose.choice([0, 0, 0, 2, 4]), **values))
    until = None
    if decided or choose.random() < 0.4:
        found += [event("zero", -100), event("zero", 200)]
    elif choose.random() < 0.5:
        until = choose.randint(4, 20) * SECOND
        found = [each for each in found if (each.begin if each.kind == "state" else each.end) <= until]
        for each in found:
            if each.end > until:
                each.end = state("s", 0, None).end
    known = [(each.begin if each.kind == "state" else each.end, each.begin) for each in found]
    known += [(each.end, each.begin) for each in found if each.kind == "state" and not each.is_open]
    extent = extent_of(known or [(0, 0)], until)
    assert extent is not None
    ordered = tuple(sorted(found, key=lambda each: each.order))
    return Stream(ordered, extent, until, ROWS, PLACES)


def text_of(stream: Stream) -> str:
    return "\n".join(f"{each.kind} {each.term} {each.begin / SECOND} {each.end / SECOND}" for each in stream.happenings)
