"""The rules of a program as Python functions: one for stage 0, one for every later stage, one for what has no stage."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from cera.datalog.expression_source import ExpressionSource, RuleWriter, attribute_source
from cera.datalog.frames import Expiry, Frame
from cera.datalog.normal import Constant, NormalAtom, NormalRule
from cera.datalog.rule_source import KeyParts, Relation, RuleSource, key_source
from cera.datalog.scheduling import Finish, Loop, Run, Schedule
from cera.model.expressions.expression import Expression, variables
from cera.modules.tuples import Row


@dataclass
class Layout:
    """Layout of the facts between stages: where those of each predicate are kept, and by what they are looked up.

    `live` are the predicates kept in place, `constant` those without a stage; `before` are those of which a rule needs
    the facts of the stage before. `indexes` grows while functions are written.
    """

    live: dict[str, int]
    constant: dict[str, int]
    before: dict[str, int]
    indexes: dict[str, list[KeyParts]] = field(default_factory=dict)

    def index(self, predicate: str, parts: KeyParts) -> int:
        known = self.indexes.setdefault(predicate, [])
        if parts not in known:
            known.append(parts)
        return known.index(parts)


@dataclass(frozen=True)
class _KeptFacts:
    """Facts in a `LiveFacts`, under a local variable."""

    predicate: str
    local: str
    layout: Layout
    cost: int = 3
    indexed: bool = True

    @property
    def rows(self) -> str:
        return f"{self.local}.facts"

    def index(self, parts: KeyParts) -> str:
        return f"{self.local}.indexes[{self.layout.index(self.predicate, parts)}]"


@dataclass(frozen=True)
class _StageFacts:
    """Facts of one stage in a set or list under a local variable; indexed when somebody asks for it."""

    local: str
    cost: int
    function: FunctionSource
    changing: bool = False
    indexed: bool = False

    @property
    def rows(self) -> str:
        return self.local

    def index(self, parts: KeyParts) -> str | None:
        return None if self.changing else self.function.lazy_index(self.local, parts)


class FunctionSource:
    """One function: `kept` are the facts of the stage before, `live` and `constant` those that stay."""

    def __init__(self, layout: Layout, writer: RuleWriter, schedule: Schedule, events: Collection[str]) -> None:
        self.layout = layout
        self.writer = writer
        self.schedule = schedule
        self.events = events
        self.numbers: dict[str, int] = {}
        self.lazy: dict[tuple[str, KeyParts], str] = {}
        self.changing: frozenset[str] = frozenset()
        self.used: set[str] = set()

    # Where facts are.

    def relation(self, atom: NormalAtom) -> Relation:
        name = atom.predicate
        if atom.moment == "always" and name in self.layout.constant:
            return _KeptFacts(name, self.use(f"c{self.layout.constant[name]}"), self.layout)
        if atom.moment != "always" and name in self.layout.live:
            return _KeptFacts(name, self.use(f"l{self.layout.live[name]}"), self.layout)
        if atom.moment == "old":
            return _StageFacts(self.use(f"o{self.layout.before[name]}"), 2, self)
        cost = 0 if name in self.events else 1
        return _StageFacts(self.new(name), cost, self, changing=name in self.changing)

    def new(self, predicate: str) -> str:
        """Returns the local variable with the facts of this stage, or with those to be added to facts kept in place."""
        return self.use(f"n{self.numbers.setdefault(predicate, len(self.numbers))}")

    def use(self, local: str) -> str:
        self.used.add(local)
        return local

    def lazy_index(self, local: str, parts: KeyParts) -> str:
        index = self.lazy.get((local, parts))
        if index is None:
            index = self.lazy[local, parts] = f"x{len(self.lazy)}"
        make = self.writer.name(_index_maker(key_function(self.writer, parts)))
        return f"({index} if {index} is not None else ({index} := {make}({local})))"

    # The lines of the steps.

    def body(self, rules: Collection[NormalRule]) -> list[str]:
        """Returns the lines of the steps, for those of the rules that run in this function."""
        lines: list[str] = []
        numbers = {rule.number for rule in rules}
        for step in self.schedule.steps:
            match step:
                case Run():
                    lines += self.run(step.rule) if step.rule.number in numbers else []
                case Loop():
                    lines += self.loop(step, [rule for rule in step.rules if rule.number in numbers])
                case Finish():
                    frame = self.schedule.frames.get(step.predicate)
                    lines += [] if frame is None else self.finish(frame)
        return lines

    def run(self, rule: NormalRule) -> list[str]:
        return RuleSource(rule, self.relation, self.writer, self.new(rule.predicate)).lines()

    def loop(self, loop: Loop, rules: Sequence[NormalRule]) -> list[str]:
        """Returns lines that run all rules again and again, each into a set of its own, until nothing is new."""
        if not rules:
            return []
        self.changing = frozenset(loop.predicates)
        lines: list[str] = []
        for rule in rules:
            target, found = self.new(rule.predicate), self.writer.fresh("f")
            lines += [f"{found} = EMPTY", *RuleSource(rule, self.relation, self.writer, found).lines()]
            lines += [f"if not {found} <= {target}: {target} = {target} | {found}; grows = True"]
        self.changing = frozenset()
        return ["grows = True", "while grows:", "    grows = False", *(f"    {line}" for line in lines)]

    def finish(self, frame: Frame) -> list[str]:
        """Returns lines that update facts kept in place: those that do not stay are removed, new ones are added."""
        live = self.use(f"l{self.layout.live[frame.predicate]}")
        removing = [line for atom in frame.removals for line in self._removal(frame, atom, live)]
        if frame.expiry is not None:
            holds = self.writer.name(expiry_function(self.writer, frame, frame.expiry))
            removing.append(f"if {live}.waiting: {live}.expire(time, {holds})")
        guards = " and ".join(dict.fromkeys(self.relation(atom).rows for atom in frame.guards))
        lines = [f"if {live}.facts:"]
        if guards:
            lines += [f"    if {guards}:", *(f"        {line}" for line in removing or ["pass"])]
            lines += [f"    else: {live}.clear()"]
        else:
            lines += [f"    {line}" for line in removing or ["pass"]]
        return [*lines, *self.add(frame.predicate)]

    def add(self, predicate: str) -> list[str]:
        live, new = self.use(f"l{self.layout.live[predicate]}"), self.new(predicate)
        return [f"if {new}: {live}.add_all({new})", f"elif {live}.added: {live}.added = ()"]

    def _removal(self, frame: Frame, atom: NormalAtom, live: str) -> list[str]:
        """Returns lines for the facts that a negated atom of a frame rule removes."""
        relation = self.relation(atom)
        rule = RuleSource(NormalRule(-1, "", (), (), (atom,), (), "later"), self.relation, self.writer, "")
        if not atom.names:
            return [f"if {rule.exists(atom, {})}: {live}.clear()"]
        source = f"{relation.local}.added" if isinstance(relation, _KeptFacts) else relation.rows
        lines = [f"for {', '.join(self._unpacked(atom))}, in {source}:", *self._discard(frame, atom, live)]
        if isinstance(relation, _KeptFacts):  # facts that came when what removes them was there already
            row = self.writer.fresh("r")
            locals_ = {name: f"{row}[{position}]" for position, name in enumerate(frame.names)}
            lines.append(f"for {row} in {live}.added:")
            lines.append(f"    if {rule.exists(atom, locals_)}: {live}.discard({row})")
        return lines

    def _unpacked(self, atom: NormalAtom) -> list[str]:
        return ["_" if term is None else f"d{position}" for position, term in enumerate(atom.terms)]

    def _discard(self, frame: Frame, atom: NormalAtom, live: str) -> list[str]:
        positions: dict[str, int] = {}
        tests = []
        for position, term in enumerate(atom.terms):
            if isinstance(term, Constant):
                tests.append(f"d{position} == {self.writer.name(term.cell)}")
            elif isinstance(term, str) and positions.setdefault(term, position) != position:
                tests.append(f"d{position} == d{positions[term]}")
        if len(positions) == len(frame.names):
            row = ", ".join(f"d{positions[name]}" for name in frame.names)
            action = f"{live}.discard(({row},))"
        else:
            mine = [(frame.names.index(name), None) for name in positions]
            index = self.layout.index(frame.predicate, tuple(mine))
            cells = [f"d{position}" for position in positions.values()]
            key = cells[0] if len(cells) == 1 else f"({', '.join(cells)})"
            action = f"{live}.discard_all({index}, {key})"
        return [f"    if {' and '.join(tests)}: {action}"] if tests else [f"    {action}"]


def key_function(writer: RuleWriter, parts: KeyParts) -> Callable[[Row], Any]:
    function: Callable[[Row], Any] = writer.function(writer.fresh("key"), "row", key_source(parts))
    return function


def _index_maker(key: Callable[[Row], Any]) -> Callable[[Collection[Row]], dict[Any, list[Row]]]:
    def index(rows: Collection[Row]) -> dict[Any, list[Row]]:
        found: dict[Any, list[Row]] = {}
        for row in rows:
            value = key(row)
            if value is not None:
                found.setdefault(value, []).append(row)
        return found

    return index


def _unpacking(frame: Frame, expressions: Sequence[Expression]) -> tuple[list[str], dict[str, str]]:
    """Returns lines that name the arguments of `row` and the attributes that expressions need, and these names."""
    locals_ = {name: f"v{position}" for position, name in enumerate(frame.names)}
    lines = [f"{', '.join(locals_.values())}, = row"] if locals_ else []
    for name in sorted({name for expression in expressions for name in variables(expression) if "." in name}):
        owner, _, attribute = name.partition(".")
        local = f"a{len(locals_)}"
        lines.append(f"{local} = {attribute_source(locals_[owner], attribute)}")
        locals_[name] = local
    return lines, locals_


def expiry_function(writer: RuleWriter, frame: Frame, expiry: Expiry) -> Callable[[Row, int], bool]:
    """Returns a function that says whether a fact holds at a time."""

    def made() -> Any:
        lines, locals_ = _unpacking(frame, expiry.conditions)
        source = ExpressionSource(writer, {**locals_, expiry.clock: "time"})
        tests = " and ".join(source.operand(condition) for condition in expiry.conditions)
        return writer.function(writer.fresh("holds"), "row, time", [*lines, f"return {tests}"])

    function: Callable[[Row, int], bool] = writer.once(made, "holds", frame.names, expiry)
    return function


def deadline_function(writer: RuleWriter, frame: Frame) -> Callable[[Row], Any] | None:
    """Returns a function for the earliest end of a fact; None if unknown, so that it is tested at every stage."""
    if frame.expiry is None:
        return None
    deadlines = frame.expiry.deadlines

    def made() -> Any:
        lines, locals_ = _unpacking(frame, deadlines)
        source = ExpressionSource(writer, locals_)
        cells = ", ".join(source.cell(deadline) for deadline in deadlines)
        lines += [f"found = [{cells}]", "return min(found) if all([f.__class__ is int for f in found]) else None"]
        return writer.function(writer.fresh("deadline"), "row", lines)

    function: Callable[[Row], Any] = writer.once(made, "deadline", frame.names, deadlines)
    return function
