"""Constraints as text in the canonical layout, in ASCII: parse(print(p)) = p."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from cera.constraints.clause import Clause
from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    Definition,
    LocalDefinitions,
    Module,
    ModuleTime,
)
from cera.constraints.queries import (
    AllQuantities,
    AnyQuantity,
    Apart,
    Combination,
    Conjunction,
    Directed,
    Disjunction,
    Gap,
    GapContent,
    HullLiteral,
    Kind,
    Literal,
    Membership,
    Quantities,
    Quantity,
    Query,
    SentFrom,
    Spread,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.constraints.specification import AllLimits, Amount, AnyLimit, Length, Limit, Specification
from cera.diagnostics import Source
from cera.languages.atoms.printer import AtomPrinter, declared_name, label_text, without_separators
from cera.languages.escl.parser import parse
from cera.languages.escl.syntax import Program
from cera.languages.text.formatting import formatted
from cera.languages.text.items import scanned
from cera.languages.text.layout import HARD, SPACE, Document, Group, Indent, concat, join, render
from cera.languages.text.literals import string_text
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import Comparison, EventReference, Temporal, Variable
from cera.model.expressions.printer import NOT
from cera.model.time.durations import Duration, format_duration

_SEPARATORS = frozenset({"and", "or", "∧", "∨", ".", ":"})
_BOUNDS = {">=": "min ", "<=": "max ", "=": "exact "}
_UNITS = (("km", 1_000_000), ("m", 1_000), ("cm", 10), ("mm", 1))


def print_program(program: Program) -> str:
    return render(Printer().program(program))


def print_set(tree: ConstraintSet) -> str:
    return render(concat(Printer().tree(tree), HARD))


def print_query(query: Query) -> str:
    """Prints the query on one line."""
    return render(Printer().query(query), width=None)


def print_clause(clause: Clause) -> str:
    """Prints a clause: its head, an arrow, and its body, a part a line."""
    return render(concat(Printer().clause(clause), HARD))


class Printer(AtomPrinter):
    def program(self, program: Program) -> Document:
        parts: list[Document] = []
        for declaration in program.declarations:
            parts.append(concat(HARD if parts else "", self.decorate(declaration, self.declaration(declaration))))
        for tree in program.sets:
            parts.append(concat(HARD, HARD) if parts else "")
            parts.append(self.decorate(tree, self.tree(tree)))
        return concat(*parts, HARD) if parts else ""

    # Sets of constraints

    def tree(self, tree: ConstraintSet) -> Document:
        match tree:
            case Constraint():
                return self._constraint(tree)
            case Module():
                header = self.decorate(tree.time, concat("WHILE ", self._time(tree.time)))
                return concat(header, HARD, "LET", self._inside(tree.constraints), HARD, "END")
            case LocalDefinitions():
                found = [self.decorate(each, self._definition(each)) for each in tree.definitions]
                inner = Indent(concat(HARD, join(HARD, found)))
                return concat("LET", inner, HARD, "IN", self._inside(tree.constraints), HARD, "END")
            case AllConstraints() | AnyConstraint():
                return self._sets(tree)
            case _:
                assert_never(tree)

    def _inside(self, tree: ConstraintSet) -> Document:
        if isinstance(tree, AllConstraints | AnyConstraint):
            return Indent(concat(HARD, self._sets(tree)))
        return Indent(concat(HARD, self.decorate(tree, self.tree(tree))))

    def _sets(self, tree: AllConstraints | AnyConstraint) -> Document:
        word = " and" if isinstance(tree, AllConstraints) else " or"
        *others, last = tree.parts
        lines = [self.decorate(each, concat(self._operand_set(each), word)) for each in others]
        return join(HARD, [*lines, self.decorate(last, self._operand_set(last))])

    def _operand_set(self, tree: ConstraintSet) -> Document:
        if not isinstance(tree, AllConstraints | AnyConstraint):
            return self.tree(tree)
        return concat("(", Indent(concat(HARD, self._sets(tree))), HARD, ")")

    def _constraint(self, constraint: Constraint) -> Document:
        name = "" if constraint.name is None else f"CONSTRAINT {label_text(constraint.name)}: "
        context = [self.query(each) for each in constraint.context]
        if constraint.body is None and not context:
            return Group(concat(name, "IN ANY CASE", Indent(concat(SPACE, self._chain(constraint.head))), SPACE, "END"))
        queries = [*constraint.context, *([] if constraint.body is None else _conjuncts(constraint.body))]
        body: Query = constraint.body if constraint.body and not context else _conjunction(queries)
        return Group(
            concat(
                concat(name, "IF", Indent(concat(SPACE, self._chain(body)))),
                SPACE,
                concat("THEN", Indent(concat(SPACE, self._chain(constraint.head)))),
                SPACE,
                "END",
            )
        )

    def _definition(self, definition: Definition) -> Document:
        head = self.decorate(definition.head, self.query(definition.head))
        queries = [*definition.context, *_conjuncts(definition.body)]
        body = definition.body if not definition.context else _conjunction(queries)
        inner = Indent(concat(SPACE, self._chain(body)))
        return Group(concat("DETECT", Indent(concat(SPACE, head)), SPACE, "ON", inner, SPACE, "END"))

    def _time(self, time: ModuleTime) -> Document:
        return self.query(time)

    def clause(self, clause: Clause) -> Document:
        several = len(clause.head) > 1
        heads: list[Document] = []
        for alternative in clause.head:
            text = _lines(" and", [self.query(each) for each in alternative])
            heads.append(concat("(", text, ")") if several and len(alternative) > 1 else text)
        head = _lines(" or", heads) if heads else "false"
        if not clause.body:
            return concat(head, " <-")
        *others, last = [self.query(each) for each in clause.body]
        return concat(head, " <-", Indent(concat(HARD, *(concat(each, " and", HARD) for each in others), last)))

    # Queries

    def query(self, query: Query) -> Document:
        match query:
            case Conjunction() | Disjunction():
                return Group(self._chain(query))
            case Literal():
                return self._literal(query)
            case Membership():
                return concat(self._before(query.time, query.count, negated=query.negated), query.identifier.identifier)
            case TimerLiteral():
                anchor = query.anchor
                inner = anchor.identifier if isinstance(anchor, EventReference) else self._literal(anchor)
                timer = concat(f"{query.timer}[", inner, f", {format_duration(query.duration)}]")
                return concat(_declared(query.kind, query.identifier), timer)
            case WindowLiteral():
                return concat(_declared(None, query.identifier), self.window(query.window))
            case HullLiteral():
                return concat(_declared("event", query.identifier), self._validity(query.combination))
            case Comparison() | Temporal():
                return self.expression(query, NOT)
            case Spread():
                return concat(_braces(query.identifiers), " within ", self._measures(query.duration))
            case Gap():
                return concat(_braces(query.identifiers), " apart-by ", self._measures(query.duration))
            case Apart():
                return concat(_braces(query.identifiers), " apart-by ", self._measures(query.distance))
            case GapContent():
                return concat(_braces(query.identifiers), " apart-by ", self._quantities(query.quantities))
            case Directed():
                return f"{query.left.identifier} {query.direction} of {query.right.identifier}"
            case SentFrom():
                return concat(_braces(query.identifiers), " sent from ", _place(query))
            case _:
                assert_never(query)

    def _chain(self, query: Query) -> Document:  # type: ignore[override]
        """Prints the parts of a query on lines of their own; connectives stand before the comments at their ends."""
        if not isinstance(query, Conjunction | Disjunction):
            return self.decorate(query, self.query(query))
        word = " and" if isinstance(query, Conjunction) else " or"
        *others, last = query.queries
        lines = [self.decorate(each, concat(self._operand(each), word)) for each in others]
        return join(SPACE, [*lines, self.decorate(last, self._operand(last))])

    def _operand(self, query: Query) -> Document:
        if not isinstance(query, Conjunction | Disjunction):
            return self.query(query)
        return Group(concat("(", Indent(self._chain(query)), ")"))

    def _literal(self, literal: Literal) -> Document:
        """Prints the literal; an atom that is one word would be read as an identifier."""
        kind = None if literal.kind == "relation" else literal.kind
        named = kind is not None or literal.identifier is not None
        atom = self.atom(literal.atom, 0, head=False, called=not named)
        group = "" if literal.group_by is None else f" group-by {{{', '.join(literal.group_by)}}}"
        before = self._before(literal.time, literal.count, negated=literal.negated)
        return concat(before, _declared(kind, literal.identifier), atom, group)

    def _before(self, time: ValidityTime | None, count: Specification | None, *, negated: bool) -> Document:
        parts: list[Document] = [] if time is None else [concat("while ", self._validity(time), ": ")]
        if count is not None:
            parts.append(concat("exists ", self._cardinality(count), " "))
        return concat(*parts, "not " if negated else "")

    def _validity(self, time: ValidityTime) -> Document:
        if isinstance(time, Combination):
            return f"{time.operator}{_braces(time.identifiers)}"
        return time.identifier

    # Specifications

    def _cardinality(self, count: Specification) -> str:
        return _specification(count, lambda limit: f"{limit.operator} {_amount(limit.amount)}")

    def _measures(self, measures: Specification) -> str:
        return _specification(measures, _measure)

    def _quantities(self, quantities: Quantities) -> Document:
        match quantities:
            case Quantity():
                count = _specification(quantities.count, _quantity)
                return concat(count, " ", self._literal(quantities.literal))
            case AllQuantities() | AnyQuantity():
                word = " and " if isinstance(quantities, AllQuantities) else " or "
                inner = join(word, [self._quantities(each) for each in quantities.parts])
                return concat("(", inner, ")")
            case _:
                assert_never(quantities)


def _lines(connective: str, parts: Sequence[Document]) -> Document:
    *others, last = parts
    return Group(concat(*(concat(each, connective, SPACE) for each in others), last))


def _conjuncts(query: Query) -> Sequence[Query]:
    return query.queries if isinstance(query, Conjunction) else (query,)


def _conjunction(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Conjunction(tuple(queries))


def _declared(kind: Kind | None, identifier: EventReference | None) -> str:
    known = None if kind == "relation" else kind
    return declared_name(known, None if identifier is None else Identifier(identifier.identifier))


def _braces(identifiers: Sequence[EventReference]) -> str:
    return f"{{{', '.join(each.identifier for each in identifiers)}}}"


def _place(condition: SentFrom) -> str:
    if condition.relation == "named":
        return string_text(condition.place)
    return f"the same {condition.place}" if condition.relation == "same" else f"neighbour {condition.place}s"


def _specification(specification: Specification, text: Callable[[Limit], str]) -> str:
    match specification:
        case Limit():
            return text(specification)
        case AllLimits() | AnyLimit():
            word = " and " if isinstance(specification, AllLimits) else " or "
            inner = word.join(_specification(each, text) for each in specification.parts)
            return f"({inner})"
        case _:
            assert_never(specification)


def _measure(limit: Limit) -> str:
    return ("" if limit.bare else _BOUNDS[limit.operator]) + _amount(limit.amount)


def _quantity(limit: Limit) -> str:
    return "no" if limit.operator == "=" and limit.amount == 0 and not limit.bare else _measure(limit)


def _amount(amount: Amount) -> str:
    match amount:
        case Variable():
            return amount.name
        case Duration():
            return format_duration(amount)
        case Length():
            return length_text(amount)
        case int():
            return str(amount)
        case _:
            assert_never(amount)


def length_text(length: Length) -> str:
    """Returns a length as people write it: `1 km 500 m`."""
    rest, parts = length.millimetres, []
    for unit, size in _UNITS:
        number, rest = divmod(rest, size)
        parts += [f"{number} {unit}"] if number else []
    return " ".join(parts) or "0 m"


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    program = parsed.program
    filled = program.declarations or program.sets
    printed = (lambda decorate: Printer(decorate).program(program)) if filled else None
    plain = without_separators(source, scanned(source)[0], _SEPARATORS)
    return formatted(plain, parsed.diagnostics, parsed.comments, printed)
