"""Stage by stage: the facts of stage s(J) from those of stage J and the events of s(J), and nothing older kept.

    machine = compile(program)
    state = machine.start()
    facts = machine.step(state, {"upd_ACC": [(tuple,)]}, time)

Each step costs what it derives and removes, not what is remembered: facts that frame rules keep stay in place (see
`frames`), and rules look them up by the values they join on (see `rule_source`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any

from cera.datalog.checks import checked
from cera.datalog.expression_source import RuleWriter
from cera.datalog.forgetting import is_over, lastings
from cera.datalog.idle_stages import idle_stages
from cera.datalog.live_facts import LiveFacts
from cera.datalog.normal import NormalRule, normal_rules, without_copies
from cera.datalog.printer import print_program
from cera.datalog.scheduling import Schedule, schedule
from cera.datalog.stage_numbers import stage_numbers
from cera.datalog.stage_source import FunctionSource, Layout, deadline_function, expiry_function, key_function
from cera.datalog.syntax import Program, atoms
from cera.errors import DataError
from cera.model.evaluation.evaluator import Evaluator
from cera.modules.tuples import Fact, Row, wrapped

#: Truth values in the facts of an answer are wrapped, those of events need not be.
Facts = Mapping[str, AbstractSet[Row]]
Events = Mapping[str, Collection[Fact]]

_UNIT = ((),)


class State:
    """State between two stages. `Machine.dump` makes plain data of it.

    `kept` are the facts of the last stage that rules look back to, `live` those that stay until something removes them,
    `constant` those without a stage. `skipped` is the time of the last stage, if that was skipped.
    """

    __slots__ = ("constant", "kept", "live", "skipped", "stage")

    def __init__(self, kept: list[Any], live: list[LiveFacts], constant: list[LiveFacts]) -> None:
        self.stage = 0
        self.skipped: int | None = None
        self.kept = kept
        self.live = live
        self.constant = constant

    @property
    def size(self) -> int:
        """The number of facts that are remembered."""
        return sum(map(len, self.kept)) + sum(len(live.facts) for live in self.live)


def compile(  # what it does, and nobody imports it by itself
    program: Program, outputs: Iterable[str] | None = None, evaluator: Evaluator | None = None
) -> Machine:
    """Returns a machine that answers with the facts of some predicates, those of all that have rules by default.

    Raises ProgramError if something is wrong with the program.
    """
    return Machine(checked(program), None if outputs is None else tuple(outputs), evaluator or Evaluator())


class Machine:
    """A compiled program. It has no state of its own besides the evaluator's count of what was undefined."""

    def __init__(self, program: Program, outputs: tuple[str, ...] | None, evaluator: Evaluator) -> None:
        self.program = program
        self.evaluator = evaluator
        everything = list(normal_rules(program))
        self.outputs = tuple(dict.fromkeys(r.predicate for r in everything)) if outputs is None else outputs
        originals, self._copies = without_copies(everything)
        asked = {self._copies.get(name, name) for name in self.outputs}
        rules = _needed(originals, asked)
        self._writer = RuleWriter(evaluator)
        self._writer.values |= {"UNIT": _UNIT, "take": _take}
        self._arities = {a.predicate: len(a.arguments) for r in program.rules for a in (r.head, *atoms(r))}
        temporal = _temporal(program)
        derived = {rule.predicate for rule in rules}
        self._events = tuple(sorted((asked | {a.predicate for r in rules for a in r.atoms}) & temporal - derived))
        staged = schedule([rule for rule in rules if rule.when != "always"])
        before = dict.fromkeys(a.predicate for r in rules for a in r.atoms if a.moment == "old")
        constant = sorted({a.predicate for r in rules for a in r.atoms if a.moment == "always"} | (derived - temporal))
        self._layout = Layout(
            {name: i for i, name in enumerate(staged.frames)},
            {name: i for i, name in enumerate(constant)},
            {name: i for i, name in enumerate(n for n in before if n not in staged.frames)},
        )
        self._write(rules, staged)
        self._live_keys = [self._keys(name) for name in self._layout.live]
        self._deadlines = [deadline_function(self._writer, frame) for frame in staged.frames.values()]
        self._lastings = lastings(rules, self._writer)
        self._numbers = stage_numbers(rules, asked)
        #: What idle stages are; None if something may happen at every stage.
        self.idle = idle_stages(rules, staged, self._events, asked, self._numbers)
        self._empty_when_idle = [] if self.idle is None else [self._layout.before[name] for name in self.idle.empty]
        self._expiring = [
            (self._layout.live[name], expiry_function(self._writer, frame, frame.expiry))
            for name, frame in staged.frames.items()
            if frame.expiry is not None
        ]
        self._constant_keys = [self._keys(name) for name in self._layout.constant]
        self._fingerprint = hashlib.sha256(print_program(program).encode()).hexdigest()[:16]

    # Taking steps.

    def start(self, relations: Mapping[str, Iterable[Fact]] | None = None) -> State:
        """Returns the state after stage 0; `relations` are the facts of predicates without a stage."""
        if relations or self._new is None:
            return self.begin(relations)[0]
        new = self._new
        return State(new.kept.copy(), [live.copy() for live in new.live], new.constant)

    @cached_property
    def _new(self) -> State | None:
        """The state after stage 0 without relations; None if something is undefined there, which each start counts."""
        before = self.evaluator.undefined
        state, _ = self.begin()
        undefined = self.evaluator.undefined - before
        self.evaluator.undefined = before
        return None if undefined else state

    def begin(self, relations: Mapping[str, Iterable[Fact]] | None = None) -> tuple[State, Facts]:
        """Returns the state after stage 0, and the facts of stage 0."""
        state = self._empty()
        given = {name: {wrapped(fact) for fact in facts} for name, facts in (relations or {}).items()}
        for name, rows in self._always(given).items():
            state.constant[self._layout.constant[name]].add_all(rows)
        facts: Facts = self._first(state, {}, None)
        return state, facts

    def step(self, state: State, events: Events, time: int | None = None) -> Facts:
        """Takes the events of the next stage; the facts of that stage, predicates without any left out.

        `any` holds if there is an event, whether or not a rule asks for it; give it under its name to say otherwise.
        The answer may share sets with the state: it is to be read before the next step, and not to be changed.
        """
        if state.skipped is not None:
            self.settle(state)
        state.stage += 1
        facts: Facts = self._later(state, events, time)
        return facts

    def rests(self, state: State) -> bool:
        """Returns whether a stage can be skipped, if no event of it is of interest (see `idle`)."""
        kept = state.kept
        for place in self._empty_when_idle:  # noqa: SIM110  # it is asked for each event, and a generator costs more
            if kept[place]:
                return False
        return True

    def skip(self, state: State, time: int) -> None:
        """Takes such a stage without running the rules."""
        state.stage += 1
        state.skipped = time

    def settle(self, state: State) -> None:
        """Removes what has expired at stages that were skipped."""
        if state.skipped is not None:
            for place, holds in self._expiring:
                state.live[place].expire(state.skipped, holds)
            for live in state.live:
                live.added = ()
            state.skipped = None

    @cached_property
    def rests_at_first(self) -> bool:
        """Whether stages can be skipped before the first one that is of interest, and leave a new state as it is."""
        new = self.start()
        return self.rests(new) and not any(new.live[place].facts for place, _ in self._expiring)

    @cached_property
    def absent_at_first(self) -> frozenset[str]:
        """The predicates that rules look back to and that have no facts at stage 0."""
        rows = self._rows(self.start())
        return frozenset(name for name in (*self._layout.before, *self._layout.live) if not rows(name))

    def forget(self, state: State, now: int) -> None:
        """Removes the facts that are of no use at a time and later, whatever happens."""
        self.settle(state)
        for predicate, limits in self._lastings.items():
            if (place := self._layout.live.get(predicate)) is not None:
                live = state.live[place]
                for row in [row for row in live.facts if is_over(row, limits, now)]:
                    live.discard(row)
                live.added = [row for row in live.added if row in live.facts]
            elif (place := self._layout.before.get(predicate)) is not None and state.kept[place]:
                state.kept[place] = {row for row in state.kept[place] if not is_over(row, limits, now)}

    def goes_on_like(self, state: State, other: State) -> bool:
        """Returns whether both states surely lead to the same facts after the same events.

        Where the count of the stages stands makes no difference, unless a fact has such a number.
        """
        self.settle(state)
        self.settle(other)
        if state.size != other.size:
            return False
        numbers = {name for name, having in self._numbers.items() if not any(map(self._rows(state), having))}
        rows, others = self._rows(state), self._rows(other)
        return all(
            len(rows(name)) == len(others(name)) if name in numbers else set(rows(name)) == set(others(name))
            for name in (*self._layout.before, *self._layout.live)
        ) and all(set(one.added) == set(two.added) for one, two in zip(state.live, other.live, strict=True))

    def _rows(self, state: State) -> Callable[[str], Collection[Row]]:
        """Returns a function for the facts of a predicate that a state remembers."""

        def rows(name: str) -> Collection[Row]:
            if (place := self._layout.live.get(name)) is not None:
                return state.live[place].facts
            place = self._layout.before.get(name)
            return () if place is None else state.kept[place]

        return rows

    # Writing states out.

    def dump(self, state: State) -> dict[str, Any]:
        """Returns the state as dictionaries, lists and tuples of scalars, terms and event tuples: it can be pickled."""
        self.settle(state)
        return {
            "program": self._fingerprint,
            "stage": state.stage,
            "kept": {name: list(state.kept[i]) for name, i in self._layout.before.items()},
            "live": {name: state.live[i].dump() for name, i in self._layout.live.items()},
            "constant": {name: list(state.constant[i].facts) for name, i in self._layout.constant.items()},
        }

    def restore(self, data: Mapping[str, Any]) -> State:
        """Returns the state that `dump` wrote, in any process. Raises DataError if it is another program's."""
        if data["program"] != self._fingerprint:
            raise DataError("this state belongs to another Datalog program")
        state, counted = self._empty(), self.evaluator.undefined
        state.stage = data["stage"]
        for name, i in self._layout.before.items():
            state.kept[i] = set(data["kept"][name])
        for name, i in self._layout.live.items():
            state.live[i].restore(*data["live"][name])
        for name, i in self._layout.constant.items():
            state.constant[i].add_all(data["constant"][name])
        self.evaluator.undefined = counted  # what of these facts is undefined was counted when they came
        return state

    # Making the functions.

    def _keys(self, predicate: str) -> tuple[Any, ...]:
        return tuple(key_function(self._writer, parts) for parts in self._layout.indexes.get(predicate, ()))

    def _empty(self) -> State:
        live = [LiveFacts(keys, deadline) for keys, deadline in zip(self._live_keys, self._deadlines, strict=True)]
        kept: list[Any] = [frozenset() for _ in self._layout.before]
        return State(kept, live, [LiveFacts(keys) for keys in self._constant_keys])

    def _write(self, rules: list[NormalRule], staged: Schedule) -> None:
        always = [rule for rule in rules if rule.when == "always"]
        self._always = self._always_function(always)
        self._first = self._stage_function("first", staged, [r for r in rules if r.when in ("every", 0)])
        later = [r for r in rules if r.when in ("every", "later") or (isinstance(r.when, int) and r.when > 0)]
        self._later = self._stage_function("later", staged, later)

    def _always_function(self, rules: list[NormalRule]) -> Any:
        """Returns a function for facts without a stage: those given, and those derived from them."""
        layout = Layout({}, {}, {})
        source = FunctionSource(layout, self._writer, schedule(rules), self._events)
        lines = source.body(rules)
        names = {name: source.new(name) for name in self._layout.constant}
        derived = {rule.predicate for rule in rules}
        start = [f"{local} = {'EMPTY' if n in derived else f'given.get({n!r}, EMPTY)'}" for n, local in names.items()]
        end = "return {" + ", ".join(f"{name!r}: {local}" for name, local in names.items()) + "}"
        return self._writer.function("always", "given", [*_none(source), *start, *lines, end])

    def _stage_function(self, name: str, staged: Schedule, rules: list[NormalRule]) -> Any:
        source = FunctionSource(self._layout, self._writer, staged, self._events)
        lines = source.body(rules)
        end = self._end(source)
        used = source.used
        start = [f"l{i} = live[{i}]" for i in self._layout.live.values() if f"l{i}" in used]
        start += [f"c{i} = state.constant[{i}]" for i in self._layout.constant.values() if f"c{i}" in used]
        start += [f"o{i} = kept[{i}]" for i in self._layout.before.values() if f"o{i}" in used]
        start += [line for event in self._events if event in source.numbers for line in self._incoming(source, event)]
        empty = [source.new(n) for n in source.numbers if n not in self._events]
        start += [f"{' = '.join(empty)} = EMPTY"] if empty else []
        head = ["kept, live = state.kept, state.live"]
        head += ["number = state.stage"] if any(isinstance(r.when, int) for r in rules) else []
        body = [*head, *_none(source), *start, *lines, *end]
        return self._writer.function(name, "state, events, time", body)

    def _incoming(self, source: FunctionSource, event: str) -> list[str]:
        local = source.new(event)
        if event == "time":
            return [f"{local} = ((time,),) if time is not None else ()"]
        given = f"take(events[{event!r}], {self._arities[event]}) if events.get({event!r}) else ()"
        if event == "any":
            return [f"{local} = UNIT if (events['any'] if 'any' in events else any(events.values())) else ()"]
        return [f"{local} = {given}"]

    def _end(self, source: FunctionSource) -> list[str]:
        lines = [f"kept[{i}] = {source.new(name)}" for name, i in self._layout.before.items()]
        lines.append("facts = {}")
        for name in self.outputs:
            original = self._copies.get(name, name)
            if original in self._layout.live:
                local = source.use(f"l{self._layout.live[original]}")
                lines.append(f"if {local}.facts: facts[{name!r}] = set({local}.facts)")
            elif original in self._layout.constant:
                local = source.use(f"c{self._layout.constant[original]}")
                lines.append(f"if {local}.facts: facts[{name!r}] = set({local}.facts)")
            elif original in self._arities:
                local = source.new(original)
                lines.append(f"if {local}: facts[{name!r}] = {f'set({local})' if original in self._events else local}")
        return [*lines, "return facts"]


def _needed(rules: Collection[NormalRule], outputs: Collection[str]) -> list[NormalRule]:
    """Returns the rules that some output depends on."""
    asked: dict[str, set[str]] = {}
    for rule in rules:
        asked.setdefault(rule.predicate, set()).update(atom.predicate for atom in rule.atoms)
    needed, waiting = set(outputs), list(outputs)
    while waiting:
        found = asked.get(waiting.pop(), set())
        waiting += found - needed
        needed |= found
    return [rule for rule in rules if rule.predicate in needed]


def _temporal(program: Program) -> set[str]:
    return {a.predicate for r in program.rules for a in (r.head, *atoms(r)) if a.stage is not None}


def _none(source: FunctionSource) -> list[str]:
    return [f"{' = '.join(source.lazy.values())} = None"] if source.lazy else []


def _take(facts: Collection[Fact], arity: int) -> list[Row]:
    """Returns the facts of an event predicate, their truth values wrapped."""
    rows: list[Row] = []
    for fact in facts:
        if len(fact) != arity:
            raise DataError(f"an event predicate has {arity} arguments besides its stage, found {fact}")
        for datum in fact:
            if datum.__class__ is bool:
                rows.append(wrapped(fact))
                break
        else:
            rows.append(fact)
    return rows
