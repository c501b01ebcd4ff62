"""From the syntax tree to automata: names are resolved, constraints become bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cera.automata.automaton import (
    Automaton,
    EventQuery,
    Label,
    Path,
    State,
    TerminationConstraint,
    Transition,
)
from cera.automata.times import TimeConstraint
from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.ihta.constraints import BoundError, is_count, is_temporal, termination, time_constraint
from cera.languages.ihta.names import resolve
from cera.languages.ihta.syntax import (
    Arrow,
    AutomatonText,
    Block,
    Header,
    Invariant,
    LabelText,
    Names,
    Nested,
    Schema,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import Expression

#: Finds the automaton that a state without a block stands for.
Finder = Callable[[str], AutomatonText | None]


@dataclass
class _Lowering:
    find: Finder
    problems: list[Diagnostic] = field(default_factory=list)
    arrows: list[tuple[Path, Arrow]] = field(default_factory=list)
    invariants: dict[Path, list[Invariant]] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)

    def error(self, code: str, message: str, span: Span | None, hint: str | None = None) -> None:
        self.problems.append(Diagnostic(code, "error", message, span, hint))

    def state(self, header: Header, block: Block, path: Path, roles: Sequence[str] = (), **more: str | None) -> State:
        own = (*path, header.name)
        children: list[State] = []
        schema: list[EventQuery] = []
        for member in block.members:
            match member:
                case Names():
                    for name in member.names:
                        self._add(children, self._atomic(name, member), name.span)
                case Nested():
                    nested = self._nested(member, own)
                    if nested is not None:
                        self._add(children, nested, member.header.span)
                case Arrow():
                    self.arrows.append((own, member))
                case Invariant():
                    self.invariants.setdefault(own, []).append(member)
                case Schema():
                    schema += member.queries
        if block.is_opaque:
            inside = State("inside", is_start=True, is_end=True, span=header.span)
            children = [inside]
        return State(
            header.name,
            header.attributes,
            more.get("identifier"),
            "start" in roles,
            "end" in roles,
            tuple(children),
            tuple(schema),
            is_opaque=block.is_opaque,
            span=header.span,
        )

    def _atomic(self, name: Identifier, member: Names) -> State:
        return State(name.name, is_start="start" in member.roles, is_end="end" in member.roles, span=name.span)

    def _add(self, children: list[State], state: State, span: Span | None) -> None:
        if any(child.name == state.name for child in children):
            self.error("IH103", f"there are two states `{state.name}` here", span, "each state has a name of its own")
        else:
            children.append(state)

    def _nested(self, member: Nested, path: Path) -> State | None:
        block, name = member.block, member.header.name
        if block is None:
            found = self.find(name)
            if found is None:
                hint = (
                    'write its states in braces, or `use "file.ihta";` for the file that has an automaton of this name'
                )
                self.error("IH104", f"the state `{name}` has no states of its own", member.header.span, hint)
                return None
            if name in self.inside:
                self.error("IH104", f"the automaton `{name}` contains itself", member.header.span)
                return None
            block = replace(found.block, members=tuple(m for m in found.block.members if not _enters(m)))
        elif not block.members and not block.is_opaque:
            hint = "a state in which anything may happen is `state X { … }`; an atomic one needs no braces: `X;`"
            self.error("IH104", f"the state `{name}` has no states of its own", member.header.span, hint)
            return None
        self.inside.append(name)
        identifier = None if member.identifier is None else member.identifier.name
        made = self.state(member.header, block, path, member.roles, identifier=identifier)
        self.inside.pop()
        return made


def _enters(member: object) -> bool:
    return isinstance(member, Arrow) and member.source is None


def lower(text: AutomatonText, find: Finder) -> tuple[Automaton | None, list[Diagnostic]]:
    """Returns the automaton of a text, None if there are errors, and these."""
    lowering = _Lowering(find, inside=[text.header.name])
    root = lowering.state(text.header, text.block, ())
    states = dict(root.walk())
    transitions = [_transition(lowering, states, scope, arrow) for scope, arrow in lowering.arrows]
    root = _with_invariants(lowering, root, (), states)
    if lowering.problems:
        return None, lowering.problems
    made = tuple(each for each in transitions if each is not None)
    return Automaton(root, made, text.is_strict, text.header.span), []


def _transition(lowering: _Lowering, states: Mapping[Path, State], scope: Path, arrow: Arrow) -> Transition | None:
    source = None if arrow.source is None else _resolved(lowering, states, scope, arrow.source)
    target = _resolved(lowering, states, scope, arrow.target)
    label = _label(lowering, arrow.label)
    if target is None or (arrow.source is not None and source is None):
        return None
    if arrow.source is None and len(scope) > 1:
        hint = "instances of a state inside of another are created by its transitions"
        lowering.error("IH203", "only the automaton itself is entered", arrow.span, hint)
        return None
    outside = source is not None and source[: len(scope) + 1] == target[: len(scope) + 1] and source[:-1] != scope
    return Transition(source, target, label, scope if outside else None, _written(arrow), arrow.span)


def _written(arrow: Arrow) -> str:
    """Returns a transition as it is written, on one line; if it is JSON, as it would be."""
    text = "" if arrow.span is None else arrow.span.text
    if text.startswith("{"):
        from cera.languages.ihta.printer import print_arrow  # programs are mostly text

        text = print_arrow(arrow)
    return " ".join(text.rstrip(";").split())


def _resolved(lowering: _Lowering, states: Mapping[Path, State], scope: Path, name: Identifier) -> Path | None:
    """Returns the state with a name: a child of the state around it, else a descendant, or the nearest outside."""
    nearest = resolve(states, scope, tuple(name.name.split(".")))
    if len(nearest) == 1:
        return nearest[0]
    if nearest:
        hint = f"write {' or '.join('.'.join(path[-2:]) for path in nearest)}"
        lowering.error("IH102", f"there are several states `{name.name}` here", name.span, hint)
        return None
    names = [path[-1] for path in states]
    hint = did_you_mean(name.name, names) or "each state is named once in the braces of its automaton: `I0;`"
    lowering.error("IH101", f"there is no state `{name.name}`", name.span, hint)
    return None


def _label(lowering: _Lowering, text: LabelText) -> Label:
    times: list[TimeConstraint] = []
    conditions: list[Expression] = []
    terminations: list[TerminationConstraint] = []
    for condition in text.conditions:
        try:
            if is_count(condition):
                terminations.append(termination(condition))
            elif is_temporal(condition):
                times.append(time_constraint(condition))
            else:
                conditions.append(condition)
        except BoundError as error:
            lowering.error("IH213", str(error), condition.span, error.hint)
    identifier = None if text.identifier is None else text.identifier.name
    return Label(text.query, text.negated, identifier, tuple(times), tuple(conditions), tuple(terminations))


def _with_invariants(lowering: _Lowering, state: State, path: Path, states: Mapping[Path, State]) -> State:
    own = (*path, state.name)
    children = {child.name: _with_invariants(lowering, child, own, states) for child in state.children}
    for invariant in lowering.invariants.get(own, ()):
        child = children.get(invariant.state.name)
        if child is None:
            hint = did_you_mean(invariant.state.name, children) or "an invariant stands beside the state it is about"
            lowering.error("IH101", f"there is no state `{invariant.state.name}` here", invariant.state.span, hint)
            continue
        bounds = tuple(_bounds(lowering, invariant.conditions))
        children[child.name] = replace(child, invariant=(*child.invariant, *bounds))
    return replace(state, children=tuple(children.values()))


def _bounds(lowering: _Lowering, conditions: Sequence[Expression]) -> Iterator[TimeConstraint]:
    for condition in conditions:
        try:
            if not is_temporal(condition) or is_count(condition):
                raise BoundError("an invariant is a bound on time", "write `I1 while now - e(last) <= 1h`")
            yield time_constraint(condition)
        except BoundError as error:
            lowering.error("IH213", str(error), condition.span, error.hint)
