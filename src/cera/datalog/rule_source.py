"""Rules as Python source: loops over the facts of one atom inside those of another, looked up where values are known.

The facts of a stage are few, those kept in place may be many. So a rule begins with the events and what was derived at
its stage, and looks into what is kept with an index on the values it has by then: arguments, and attributes that a
condition sets equal to something known (`Y.Owner = X.Owner`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from cera.codegen.functions import indented
from cera.datalog.expression_source import ExpressionSource, RuleWriter, attribute_source
from cera.datalog.normal import ComputedTerm, Constant, NormalAtom, NormalRule
from cera.datalog.syntax import root
from cera.model.expressions.expression import Comparison, Expression, Variable, variables

#: A part of the key of an index: the position of an argument, and the attribute of the event tuple there, if any.
KeyPart = tuple[int, str | None]
KeyParts = tuple[KeyPart, ...]

#: Up to this many facts of a stage it is faster to look at each than to make an index.
FEW = 8


class Relation(Protocol):
    """Place of the facts of a predicate at some moment."""

    @property
    def rows(self) -> str:
        """The source of all facts: false if there is none, can be iterated over and asked for a row."""

    @property
    def cost(self) -> int:
        """0 for the events of a stage, then what is derived from them; more for what is kept."""

    def index(self, parts: KeyParts) -> str | None:
        """Returns the source of a dictionary from keys to facts; None if it is not worth one."""

    @property
    def indexed(self) -> bool:
        """True if there are always indexes."""


class Relations(Protocol):
    def __call__(self, atom: NormalAtom) -> Relation: ...


@dataclass
class _Scope:
    """Locals and open conditions at a place in the source."""

    locals: dict[str, str] = field(default_factory=dict)
    pending: list[Expression] = field(default_factory=list)
    #: True if the innermost loop can stop at the first head that it finds.
    done: bool = False


@dataclass(frozen=True)
class _Access:
    """Access path to the facts of an atom: the parts of the key, the source of the value of each, and the conditions
    that the key takes care of."""

    parts: KeyParts
    values: tuple[str, ...]
    conditions: tuple[Expression, ...]


class RuleSource:
    def __init__(self, rule: NormalRule, relations: Relations, writer: RuleWriter, target: str) -> None:
        self.rule = rule
        self.relations = relations
        self.writer = writer
        self.target = target
        used = [*rule.conditions, *rule.outputs]
        used += [term.expression for atom in rule.negative for term in atom.terms if isinstance(term, ComputedTerm)]
        self.attributes = sorted({name for e in used for name in variables(e) if "." in name})

    def lines(self) -> list[str]:
        """Adds the heads to the set `target`, which is made when there is one."""
        guards = list(dict.fromkeys(self.relations(atom).rows for atom in self.rule.positive))
        scope = _Scope(pending=list(self.rule.conditions))
        body = list(self._body(list(self.rule.positive), scope))
        start = [f"if {self.target} is EMPTY: {self.target} = set()"]
        if isinstance(self.rule.when, int) and self.rule.when > 0:
            guards.insert(0, f"number == {self.rule.when}")
        return [f"if {' and '.join(guards)}:", *indented(start + body)] if guards else start + body

    def _body(self, atoms: list[NormalAtom], scope: _Scope) -> Iterator[str]:
        """Yields the lines for the rest of a body."""
        ready = [c for c in scope.pending if all(root(name) in scope.locals for name in variables(c))]
        if ready:
            tests = " and ".join(self._expressions(scope).operand(condition) for condition in ready)
            inner = _Scope(scope.locals, [c for c in scope.pending if c not in ready], scope.done)
            yield f"if {tests}:"
            yield from indented(self._body(atoms, inner))
        elif atoms:
            atom = min(atoms, key=lambda a: self._cost(a, scope))
            rest = [other for other in atoms if other is not atom]
            yield from self._atom(atom, rest, scope)
        else:
            yield from self._negations(scope)

    def _expressions(self, scope: _Scope) -> ExpressionSource:
        return ExpressionSource(self.writer, scope.locals)

    def _cost(self, atom: NormalAtom, scope: _Scope) -> tuple[int, int]:
        relation = self.relations(atom)
        if all(term is None or isinstance(term, Constant) or term in scope.locals for term in atom.terms):
            return 0, relation.cost
        if relation.cost == 0:
            return 1, 0
        has_key = bool(self._access(atom, scope).parts)
        return (2 if has_key and not relation.indexed else 3 if has_key else 4), relation.cost

    def _access(self, atom: NormalAtom, scope: _Scope) -> _Access:
        parts: list[KeyPart] = []
        values: list[str] = []
        covered: list[Expression] = []
        positions: dict[str, int] = {}
        for position, term in enumerate(atom.terms):
            if isinstance(term, str) and term not in scope.locals:
                positions.setdefault(term, position)
            elif term is not None:
                parts.append((position, None))
                values.append(self._term(term, scope))
        for condition in scope.pending:
            for mine, other in _equalities(condition):
                position = positions.get(root(mine.name), -1)
                known = all(root(name) in scope.locals for name in variables(other))
                attribute = mine.name.partition(".")[2] or None
                if position >= 0 and known and (position, attribute) not in parts:
                    parts.append((position, attribute))
                    values.append(self._expressions(scope).cell(other))
                    covered.append(condition)
                    break
        return _Access(tuple(parts), tuple(values), tuple(covered))

    def _term(self, term: object, scope: _Scope) -> str:
        match term:
            case Constant():
                return self.writer.name(term.cell)
            case ComputedTerm():
                return self._expressions(scope).cell(term.expression)
            case _:
                return scope.locals[str(term)]

    def _atom(self, atom: NormalAtom, rest: list[NormalAtom], scope: _Scope) -> Iterator[str]:
        """Yields lines for all facts that match an atom: a loop, or a test where nothing in it is new."""
        relation = self.relations(atom)
        new = [term for term in atom.terms if isinstance(term, str) and term not in scope.locals]
        if not new:
            test = self.exists(atom, scope.locals) if any(term is not None for term in atom.terms) else None
            if test is None:  # the guard of the rule has said so already
                yield from self._body(rest, scope)
            else:
                yield f"if {test}:"
                yield from indented(self._body(rest, scope))
            return
        access = self._access(atom, scope)
        index = relation.index(access.parts) if access.parts else None
        candidates = relation.rows
        pending = list(scope.pending)
        exact: frozenset[int] = frozenset()
        if index is not None:
            key = access.values[0] if len(access.parts) == 1 else f"({', '.join(access.values)})"
            found = f"{index}.get({key}, ())"
            if relation.indexed:
                candidates = found
                pending = [c for c in pending if c not in access.conditions]
                exact = frozenset(position for position, attribute in access.parts if attribute is None)
            else:
                candidates = f"({relation.rows} if len({relation.rows}) <= {FEW} else {found})"
        yield from self._loop(atom, rest, _Scope(dict(scope.locals), pending), candidates, exact)

    def _loop(
        self, atom: NormalAtom, rest: list[NormalAtom], scope: _Scope, candidates: str, exact: frozenset[int]
    ) -> Iterator[str]:
        names, tests = [], []
        for position, term in enumerate(atom.terms):
            if term is None or (position in exact and not isinstance(term, str)):
                names.append("_")
            elif isinstance(term, str) and term not in scope.locals:
                scope.locals[term] = self.writer.fresh("v")
                names.append(scope.locals[term])
            elif position in exact:
                names.append("_")
            else:
                names.append(self.writer.fresh("u"))
                tests.append(f"{names[-1]} == {self._term(term, scope)}")
        scope.done = not rest and self._asks_only_whether(scope, set(names))
        yield f"for {', '.join(names)}, in {candidates}:"
        inner = list(self._attributes(scope))
        body = list(self._body(rest, scope))
        if tests:
            yield f"    if {' and '.join(tests)}:"
            yield from indented(indented(inner + body))
        else:
            yield from indented(inner + body)

    def _asks_only_whether(self, scope: _Scope, names: set[str]) -> bool:
        """Returns whether the facts of a loop with these names all give the same head. Where a condition may have no
        value, that is counted, so all of them are visited."""
        new = {name for name, local in scope.locals.items() if local in names}
        asked = {root(name) for output in self.rule.outputs for name in variables(output)}
        for other in self.rule.negative:
            asked |= {term for term in other.terms if isinstance(term, str)}
            asked |= {
                root(n) for term in other.terms if isinstance(term, ComputedTerm) for n in variables(term.expression)
            }
        return not new & asked and all(_is_plain(condition) for condition in scope.pending)

    def _attributes(self, scope: _Scope) -> Iterator[str]:
        """Yields lines that look up the attributes of event tuples that have just been found."""
        for name in self.attributes:
            owner, _, attribute = name.partition(".")
            if owner in scope.locals and name not in scope.locals:
                scope.locals[name] = self.writer.fresh("a")
                yield f"{scope.locals[name]} = {attribute_source(scope.locals[owner], attribute)}"

    def exists(self, atom: NormalAtom, locals_: dict[str, str]) -> str:
        """Returns the source of a test whether a fact matches an atom without new variables."""
        relation = self.relations(atom)
        known = [(p, term) for p, term in enumerate(atom.terms) if term is not None]
        if not known:
            return relation.rows
        values = [self._term(term, _Scope(locals_)) for _, term in known]
        if len(known) == len(atom.terms):
            return f"({', '.join(values)},) in {relation.rows}"
        index = relation.index(tuple((p, None) for p, _ in known))
        key = values[0] if len(values) == 1 else f"({', '.join(values)})"
        if index is not None:
            return f"{key} in {index}" if relation.indexed else f"({relation.rows} and {key} in {index})"
        row = self.writer.fresh("r")
        tests = " and ".join(f"{row}[{p}] == {value}" for (p, _), value in zip(known, values, strict=True))
        return f"any([{tests} for {row} in {relation.rows}])"

    def _negations(self, scope: _Scope) -> Iterator[str]:
        tests = [f"not {self.exists(atom, scope.locals)}" for atom in self.rule.negative]
        if tests:
            yield f"if {' and '.join(tests)}:"
            yield from indented(self._head(scope))
        else:
            yield from self._head(scope)

    def _head(self, scope: _Scope) -> Iterator[str]:
        expressions = self._expressions(scope)
        cells, missing = [], []
        for output in self.rule.outputs:
            source = expressions.cell(output)
            if expressions.may_be_missing(output):
                local = self.writer.fresh("h")
                yield f"{local} = {source}"
                missing.append(f"{local} is not None")
                source = local
            cells.append(source)
        head = f"{self.target}.add(({', '.join(cells)},))" if cells else f"{self.target}.add(())"
        yield f"if {' and '.join(missing)}: {head}" if missing else head
        if scope.done:
            yield "break"


def _is_plain(condition: Expression) -> bool:
    """Returns whether a condition compares arguments of facts with each other."""
    match condition:
        case Comparison(left=Variable(name=left), right=Variable(name=right)):
            return "." not in left + right
        case _:
            return False


def _equalities(condition: Expression) -> Iterator[tuple[Variable, Expression]]:
    """Yields a condition as a variable that equals something, both ways round."""
    match condition:
        case Comparison(operator="=", left=left, right=right):
            if isinstance(left, Variable):
                yield left, right
            if isinstance(right, Variable):
                yield right, left
        case _:
            pass


def key_source(parts: KeyParts) -> list[str]:
    """Returns lines of a function that returns the key of `row`, None where an attribute has no value."""
    lines, cells = [], []
    for number, (position, attribute) in enumerate(parts):
        if attribute is None:
            cells.append(f"row[{position}]")
        else:
            lines += [
                f"e{number} = row[{position}]",
                f"a{number} = {attribute_source(f'e{number}', attribute)}",
                f"if a{number} is None: return None",
                f"if a{number}.__class__ is bool: a{number} = Truth(a{number})",
            ]
            cells.append(f"a{number}")
    return [*lines, f"return {cells[0]}" if len(cells) == 1 else f"return ({', '.join(cells)})"]
