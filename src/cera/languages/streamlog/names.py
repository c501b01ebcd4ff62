"""Names: identifiers, each declared once; labels, of events or of states; declarations; relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.atoms.syntax import NOW, Origin, Relation
from cera.languages.streamlog.scopes import Scope, atom_values, declarations, places, rule_scope, time_scope
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Module,
    Program,
    Query,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
    leaves,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Between
from cera.model.expressions.expression import Comparison, EventReference, Expression, Not, Temporal, Within, walk


def check_identifiers(module: Module, rule: Rule) -> Iterator[Diagnostic]:
    """Reports identifiers that are not declared (SL101), declared twice (SL102), or read as strings (SL106)."""
    yield from _twice(module, rule)
    outer = time_scope(module.time)
    hidden = _hidden(rule.query)
    known = rule_scope(module, rule)
    if module.time is not None:
        note = Note("in this rule", rule.head.span)
        for each in _time_uses(module.time):
            yield from _undeclared(each, known, hidden, (note,))
    for leaf, scope in places(rule.query, outer):
        for each in {each.name: each for each in reversed(list(_uses(leaf)))}.values():
            yield from _undeclared(each, scope, hidden)
        yield from _strings(leaf, scope)
    head = rule.head
    if head.identifier is not None:
        known = known.with_(Scope({head.identifier.name: head.identifier}, frozenset()))
    values = [*atom_values(head.atom), *(inner for each in head.conditions for inner in walk(each))]
    for each in _references(values):
        yield from _undeclared(each, known, hidden)


def _undeclared(
    identifier: Identifier, scope: Scope, hidden: Mapping[str, tuple[str, Span | None]], notes: tuple[Note, ...] = ()
) -> Iterator[Diagnostic]:
    name = identifier.name
    if name in scope.times or name == NOW:
        return
    hint = did_you_mean(name, scope.times) or f"declare it at an atom: `{name}: p(X)`"
    if name in hidden:
        reason, place = hidden[name]
        notes = (*notes, Note(reason, place))
        hint = "declare it at an atom that has to match, whatever else does"
    yield Diagnostic("SL101", "error", f"the identifier `{name}` is not declared", identifier.span, hint, notes)


def _hidden(query: Query) -> dict[str, tuple[str, Span | None]]:
    """Returns the identifiers that are declared where others cannot use them, and why they cannot."""
    found: dict[str, tuple[str, Span | None]] = {}
    for leaf in leaves(query):
        negated = isinstance(leaf, Literal) and leaf.negated
        for each in _declared(leaf):
            reason = (
                "this atom must not match, so there is nothing to refer to"
                if negated
                else "it is declared in one alternative only"
            )
            found.setdefault(each.name, (reason, each.span))
    return found


def _twice(module: Module, rule: Rule) -> Iterator[Diagnostic]:
    seen = {each.name: each for each in declarations(module.time)}
    yield from _repeated(rule.query, seen)
    own = rule.head.identifier
    if own is not None and own.name in seen:
        yield _declared_again(own, seen[own.name])


def _repeated(query: Query, seen: dict[str, Identifier]) -> Iterator[Diagnostic]:
    """Reports repeated declarations, and adds to those seen. Alternatives may declare the same."""
    match query:
        case Conjunction():
            for part in query.queries:
                yield from _repeated(part, seen)
        case Disjunction():
            before = dict(seen)
            for part in query.queries:
                alternative = dict(before)
                yield from _repeated(part, alternative)
                seen.update({name: each for name, each in alternative.items() if name not in seen})
        case _:
            for each in _declared(query):
                if each.name in seen:
                    yield _declared_again(each, seen[each.name])
                seen.setdefault(each.name, each)


def _declared_again(identifier: Identifier, first: Identifier) -> Diagnostic:
    note = Note("here is the first", first.span)
    message = f"the identifier `{identifier.name}` is declared twice"
    hint = f"rename one of them; what happens while `{identifier.name}` lasts is written `while {identifier.name}: …`"
    return Diagnostic("SL102", "error", message, identifier.span, hint, (note,))


def _declared(leaf: Leaf) -> Iterator[Identifier]:
    match leaf:
        case Literal():
            yield from declarations(leaf.time)
            if leaf.identifier is not None:
                yield leaf.identifier
        case TimerLiteral() | WindowLiteral():
            yield from declarations(leaf)
        case _:
            pass


def _uses(leaf: Leaf) -> Iterator[Identifier]:
    match leaf:
        case Literal():
            if leaf.time is not None:
                yield from _time_uses(leaf.time)
        case TimerLiteral() | WindowLiteral():
            yield from _time_uses(leaf)
        case Comparison() | Temporal() | Within() | Not():
            yield from _references(walk(leaf))
        case _:
            pass


def _time_uses(time: EvaluationTime) -> Iterator[Identifier]:
    match time:
        case Identifier():
            yield time
        case TimerLiteral(timer=Timer(anchor=Identifier() as anchor)):
            yield anchor
        case WindowLiteral(window=Between() as window):
            yield from _references([*walk(window.begin), *walk(window.end)])
        case _:
            pass


def _references(values: Iterable[Expression]) -> Iterator[Identifier]:
    return (Identifier(each.identifier, each.span) for each in values if isinstance(each, EventReference))


def _strings(leaf: Leaf, scope: Scope) -> Iterator[Diagnostic]:
    """Reports identifiers beside an operator, where a word is a string."""
    if not isinstance(leaf, Comparison | Not):
        return
    for each in walk(leaf):
        if isinstance(each, expressions.Literal) and each.value in scope.times and each.span is not None:
            name = each.span.text
            if not name.startswith('"'):
                message = f'`{name}` is an identifier, but is read as the string "{name}" here'
                hint = f'the bounds of its time are b({name}) and e({name}); the string is written "{name}"'
                yield Diagnostic("SL106", "warning", message, each.span, hint)


def check_declarations(program: Program) -> Iterator[Diagnostic]:
    """Reports what is declared twice or as something else (SL104), and attributes that a relation lacks (SL107)."""
    origins = [each for each in program.declarations if isinstance(each, Origin)]
    for again in origins[1:]:
        note = Note("here is the first", origins[0].span)
        yield Diagnostic(
            "SL104", "error", "there are two origins of windows", again.span, "keep one of the two", (note,)
        )
    relations: dict[str, Relation] = {}
    for relation in program.relations:
        first = relations.setdefault(relation.name, relation)
        if first is not relation:
            note = Note("here is the first", first.span)
            message = f"the relation `{relation.name}` is declared twice"
            yield Diagnostic("SL104", "error", message, relation.span, "keep one of the two", (note,))
        for attribute in relation.attributes or ():
            if attribute.kind not in (None, "string", "number", "boolean"):
                hint = did_you_mean(attribute.kind, ("string", "number", "boolean"))
                message = f"there is no kind of values `{attribute.kind}`"
                hint = hint or "the kinds of values are string, number and boolean"
                yield Diagnostic("SL104", "error", message, attribute.span, hint)
    for module in program.modules:
        yield from _times_of_relations(module.time, relations)
        for rule in module.rules:
            yield from _relations_in(rule, relations)


def _relations_in(rule: Rule, relations: Mapping[str, Relation]) -> Iterator[Diagnostic]:
    derived = relations.get(rule.head.atom.label)
    if derived is not None:
        note = Note("it is declared here", derived.span)
        message = f"`{derived.name}` is a relation, which no rule can derive"
        yield Diagnostic("SL104", "error", message, rule.head.span, "rename one of them", (note,))
    for leaf in leaves(rule.query):
        if isinstance(leaf, TimerLiteral):
            yield from _times_of_relations(leaf, relations)
        if not isinstance(leaf, Literal):
            continue
        yield from _times_of_relations(leaf.time, relations)
        relation = relations.get(leaf.atom.label)
        if relation is None:
            continue
        if leaf.kind is not None or leaf.time is not None or leaf.identifier is not None:
            note = Note("it is declared here", relation.span)
            message = f"`{relation.name}` is a relation: it is neither an event nor a state, and has no time"
            hint = f"leave out what stands before it: `{relation.name}(…)`"
            yield Diagnostic("SL104", "error", message, leaf.span, hint, (note,))
        yield from _attributes(leaf, relation)


def _times_of_relations(time: EvaluationTime | None, relations: Mapping[str, Relation]) -> Iterator[Diagnostic]:
    anchor = time.timer.anchor if isinstance(time, TimerLiteral) else time
    if isinstance(anchor, Literal) and anchor.atom.label in relations:
        relation = relations[anchor.atom.label]
        note = Note("it is declared here", relation.span)
        message = f"`{relation.name}` is a relation, which has no time"
        hint = "an evaluation time is an event, a state, a timer or a window"
        yield Diagnostic("SL104", "error", message, anchor.span, hint, (note,))


def _attributes(literal: Literal, relation: Relation) -> Iterator[Diagnostic]:
    if relation.attributes is None:
        return
    names = [attribute.name for attribute in relation.attributes]
    for argument in literal.atom.arguments:
        label = getattr(argument, "label", None)
        if label is None:
            message = f"an attribute of `{relation.name}` is asked for by its name"
            hint = f"write for example `{relation.name}({names[0] if names else 'name'}(X))`"
        elif label in names:
            continue
        else:
            message = f"the relation `{relation.name}` has no attribute `{label}`"
            hint = did_you_mean(label, names) or f"its attributes are {', '.join(names)}"
        note = Note("it is declared here", relation.span)
        yield Diagnostic("SL107", "error", message, argument.span, hint, (note,))
