"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms import parts as raw
from cera.languages.atoms.parts import (
    Braces,
    KindPrefix,
    MisplacedError,
    Negated,
    Part,
    Prefixed,
    Word,
)
from cera.languages.atoms.syntax import Kind
from cera.languages.atoms.transformer import OPERATORS, AtomTransformer
from cera.languages.streamlog.mistakes import CODES
from cera.languages.streamlog.prefixes import Prefix, literal_of, prefix_of, sort
from cera.languages.streamlog.syntax import (
    Cardinality,
    Condition,
    Conjunction,
    Disjunction,
    Head,
    Item,
    Literal,
    Query,
    Residue,
    Rule,
    TimedRule,
    Timer,
    leaves,
)
from cera.languages.text.items import Place
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom
from cera.model.time.timers import SYNONYMS

T = TypeVar("T")


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


class ItemTransformer(AtomTransformer):
    """Methods give `Part`s, of which `rule` makes literals, conditions and values."""

    def rule(self, span: Span, head: Any, body: Part) -> TimedRule:
        (prefixes, part, conditions, until), place = head
        kept = tuple(each for each in map(self._head_condition, conditions) if each is not None)
        found = self._sorted(prefixes, time_first=not kept)
        kind = cast("Kind | None", found.kind or ("event" if found.identifier is not None else None))
        if kept and found.identifier is None:
            hint = "conditions stand in the body; those after a head are on its own time: `event a: h(X) and b(a) = …`"
            self._misplaced(MisplacedError("a rule derives one atom, found 'and'", kept[0].span, hint))
        atom = self._tried(raw.head_atom, part, Atom(""))
        first = next((each for each in prefixes[-1:] if found.kind or found.identifier), part)
        where = Span(place.source, (first.span or place).start, place.end)
        query = self._query(body)
        for stray in _outside_of_residues(query):
            hint = "what a constraint says of a query stands in braces: { exists = 1 j: p(X) }"
            self._misplaced(MisplacedError("`exists` is part of a residue", stray.span, hint))
        derived = Head(atom, kind, found.identifier, kept, until, where)
        end = span.end if query.span is None else query.span.end  # a comment before the full stop is not in the rule
        return TimedRule(found.time, Rule(derived, query, Span(span.source, where.start, end)))

    def head(self, span: Span, *parts: Any) -> Any:
        *others, until = parts
        prefixes = [each for each in others if isinstance(each, _Prefix)]
        part, *conditions = (each for each in others if not isinstance(each, _Prefix))
        return ([each.prefix for each in prefixes], part, conditions, until), span

    def head_condition(self, _: Span, condition: Part) -> Part:
        return condition

    def until(self, span: Span, *parts: Any) -> Literal:
        *prefixes, part = parts
        found = self._sorted([each.prefix for each in prefixes], time_first=False)
        if found.time is not None:
            self._misplaced(MisplacedError("what ends a state has no evaluation time", span, "write `until p(X)`"))
        atom = self._tried(raw.query_atom, part, Atom(""))
        return Literal(
            atom, found.kind, found.identifier, span=Span(span.source, (prefixes or [part])[0].span.start, span.end)
        )

    # Bodies

    def or_(self, span: Span, *parts: Part) -> Disjunction:  # type: ignore[override]
        return Disjunction(tuple(map(self._query, parts)), span)

    def and_(self, span: Span, *parts: Part) -> Conjunction:  # type: ignore[override]
        return Conjunction(tuple(map(self._query, parts)), span)

    def not_(self, span: Span, part: Part) -> Negated:  # type: ignore[override]
        return Negated(part, span)

    def prefix(self, span: Span, part: Part) -> _Prefix:
        nothing: Prefix = Word("", span)
        return _Prefix(self._tried(prefix_of, part, nothing), span)

    def kind(self, span: Span, kind: Token, identifier: Token | None) -> _Prefix:
        name = None if identifier is None else self._identifier(identifier)
        return _Prefix(KindPrefix(cast(Kind, str(kind)), name, span), span)

    def prefixed(self, span: Span, prefix: _Prefix, part: Part) -> Prefixed:
        return Prefixed(prefix.prefix, part, False, span)

    def while_(self, span: Span, prefix: _Prefix, part: Part) -> Prefixed:
        return Prefixed(prefix.prefix, part, True, span)

    def residue(self, span: Span, braces: Braces) -> Residue:
        if len(braces.parts) > 1:
            hint = "several parts are joined by `and`; of identifiers write {i, j} within 1h"
            self._misplaced(MisplacedError("a residue has no ','", braces.parts[1].span, hint))
        return Residue(self._query(braces.parts[0]), span)

    def exists(
        self, span: Span, operator: Token, number: Token, part: Part, group_by: tuple[str, ...] | None
    ) -> Cardinality:
        subject: Query | Identifier
        subject = Identifier(part.name, part.span) if isinstance(part, Word) else self._query(part)
        if not isinstance(subject, Identifier | Literal):
            hint = "after `exists` and a number stands an identifier or an atom"
            self._misplaced(MisplacedError("expected an atom", subject.span, hint))
            subject = Identifier("")
        count = self._number(number)
        if not isinstance(count, int):
            self._misplaced(MisplacedError("expected a whole number", self._span_of(number)))
            count = 0
        compared = OPERATORS.get(operator, str(operator))
        return Cardinality(cast(expressions.ComparisonOperator, compared), count, subject, group_by, span)

    def timer(self, span: Span, kind: Token, *parts: Any) -> Timer:
        *prefixes, anchor, duration = parts
        name = SYNONYMS[kind.removeprefix("timer:")]
        return Timer(name, self._anchor([each.prefix for each in prefixes], anchor), self._duration(duration), span)

    def _anchor(self, prefixes: Sequence[Prefix], part: Part) -> Identifier | Literal:
        if isinstance(part, Word) and not prefixes:
            return Identifier(part.name, part.span)
        found = self._sorted(prefixes, time_first=False)
        if found.time is not None:
            message = "what a timer is relative to has no evaluation time"
            self._misplaced(MisplacedError(message, part.span, "write `from-end[i, 1h]` or `from-end[p(X), 1h]`"))
        return Literal(self._tried(raw.query_atom, part, Atom("")), found.kind, found.identifier, span=part.span)

    # Parts that are what is expected, or a mistake

    def _query(self, part: Part) -> Query:
        if isinstance(part, Conjunction | Disjunction | Residue | Cardinality):
            return part
        nothing: Query = Literal(Atom(""))
        return self._tried(literal_of, part, nothing)

    def _head_condition(self, part: Part) -> Condition | None:
        found = self._query(part)
        if isinstance(found, Condition):
            return found
        hint = "a rule derives one atom; after it only conditions on its own time may stand"
        self._misplaced(MisplacedError("expected a condition in the head", found.span, hint))
        return None

    def _sorted(self, prefixes: Sequence[Prefix], *, time_first: bool) -> Any:
        return self._tried(lambda each: sort(each, time_first=time_first), prefixes, sort((), time_first=False))


class _Prefix:
    """A prefix with its place, so that it is told from the part that it stands before."""

    def __init__(self, prefix: Prefix, span: Span) -> None:
        self.prefix = prefix
        self.span = span


def _outside_of_residues(query: Query) -> Iterator[Cardinality]:
    return (leaf for leaf in leaves(query) if isinstance(leaf, Cardinality))
