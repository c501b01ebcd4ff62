"""Plans as the papers write them (Figs. 2, 4, 5, 6, 9 and 10 of seed 000).

Matchings are named by their label and identifier and defined below the expression, `where Smoke_s := Q[s: …](E)`. In a
renaming an identifier stands for its two times and its reference: `ρ[w ← n](R)` is
`ρ[w.begin ← n.begin, w.end ← n.end, w.ref ← n.ref](R)`. A window says which events it leaves out (ERR-05):
`▷_{i⊒v, v≠n}`. `W[w: 1 hour/30 min ⊒ t](E)` are the windows around an event, `Γ[v ← t](R)` makes it a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from cera.algebra.differencing import DifferenceReference
from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.plan_notation import Notation, period_text
from cera.model.events.states import state_label
from cera.model.time.containment import Containment
from cera.model.time.durations import format_duration
from cera.rules.analysis.unification import query_label

#: What is shown by a name, and defined below.
Defined = Matching | AbsoluteTimers | Relation

_WIDTH = 110
_INDENT = "  "
_TOGETHER = "answered together, until nothing new comes"

#: How a window is related to what it contains.
CONTAINMENTS: Mapping[Containment, str] = {
    "inside": "{0}⊒{1}",
    "in-state": "{1} in {0}",
    "holding": "{0} in {1}",
    "sharing": "{0} shares time with {1}",
    "common": "{0} shares time with {1}",
}


def print_plan(plan: Plan, notation: Notation) -> str:
    """Returns every materialization point with its definition, in the order of the plan, and what is recursive."""
    points = [print_point(point, notation) for point in plan.points]
    cycles = [f"recursion: {', '.join(map(display_name, rules))} ({_TOGETHER})" for rules in plan.recursion]
    return "\n\n".join([*points, *(["\n".join(cycles)] if cycles else [])])


def print_point(point: Point, notation: Notation) -> str:
    """Returns M := Q, and below it the matchings that occur in Q with their schemas."""
    if isinstance(point.expression, Matching | AbsoluteTimers):
        return f"{display_name(point.name)} := {_definition(point.expression, notation)}"
    writer = _Writer(notation, _matching_names(point.expression))
    first, *others = writer.definition(point.expression)
    lines = [f"{display_name(point.name)} := {first}", *(_INDENT + line for line in others)]
    definitions = [f"{name} := {_definition(matching, notation)}" for name, matching in writer.definitions()]
    for number, definition in enumerate(definitions):
        lines.append(("where " if number == 0 else "      ") + definition)
    return "\n".join(lines)


def display_name(name: str) -> str:
    """Returns the name of a point with a capital letter, as the papers name relations; `ΔFire` for its changes."""
    at = 1 if name[:1] in ("Δ", "∘") else 0
    return name[:at] + name[at : at + 1].upper() + name[at + 1 :]


def relation_name(matching: Defined) -> str:
    """Returns `Smoke_s` for Q[s: smoke{{…}}](E), `ΔSmoke_s` and `∘Smoke_s` for the same of ΔE and of ∘E."""
    if isinstance(matching, AbsoluteTimers):
        return f"Timer_{matching.identifier}"
    if isinstance(matching, Relation):
        return f"{display_name(matching.name)}_{matching.identifier}"
    part = next((source.part for source in walk(matching.source) if isinstance(source, DifferenceReference)), "")
    label = query_label(matching.pattern) or "event"
    return f"{part}{display_name(state_label(label) or label)}_{matching.identifier}"


def _matching_names(expression: Expression) -> dict[int, str]:
    """Returns the matchings of an expression by name; the branches of an `or` may use an identifier for two of them."""
    names: dict[int, str] = {}
    known: dict[str, str] = {}
    for part in walk(expression):
        if isinstance(part, Defined):
            name, number = relation_name(part), 2
            while known.setdefault(name, repr(part)) != repr(part):
                name, number = f"{relation_name(part)}#{number}", number + 1
            names[id(part)] = name
    return names


def _definition(matching: Defined, notation: Notation) -> str:
    if isinstance(matching, AbsoluteTimers):
        query, source = notation.timer(matching.timer), "Timers"
    elif isinstance(matching, Relation):
        valid = f" at {' ⊔ '.join(matching.at)}" if matching.at else ""
        refreshed = ", refreshed" if matching.refreshed else ""
        query, source = notation.pattern(matching.pattern), f"relation {matching.name}{valid}{refreshed}"
    else:
        query, source = notation.pattern(matching.pattern), _source(matching.source)
    return f"Q[{matching.identifier}: {query}]({source}), sch = {matching.schema}"


def _source(source: Expression) -> str:
    match source:
        case Stream() | Reference():
            return display_name(source.name)
        case Union():
            return " ∪ ".join(_source(part) for part in source.inputs)
        case _:
            raise AssertionError(f"{type(source).__name__} is no stream of events")


#: The operators that are written before their one input.
_Unary = Construction | Merging | Gathering | Selection | Projection | Renaming


@dataclass
class _Writer:
    notation: Notation
    names: dict[int, str]
    used: dict[str, Defined] = field(default_factory=dict)

    def definitions(self) -> Iterator[tuple[str, Defined]]:
        yield from self.used.items()

    def definition(self, expression: Expression) -> list[str]:
        """Returns the lines of a definition: an intermediate result is on one line if it fits, a rule is not."""
        if not isinstance(expression, Construction | Union):
            whole = self.inline(expression)
            if len(whole) <= _WIDTH:
                return [whole]
        return self.lines(expression)

    def lines(self, expression: Expression) -> list[str]:
        """Returns a line for each operator with one input; the rest is on one line if it fits."""
        match expression:
            case Construction() | Merging() | Gathering() | Selection() | Projection() | Renaming():
                if isinstance(expression, Renaming) and isinstance(expression.input, Reference):
                    return [self.inline(expression)]
                below = self.lines(expression.input)
                return [f"{self._operator(expression)}(", *below[:-1], f"{below[-1]})"]
            case Union():
                parts = [self.lines(part) for part in expression.inputs]
                return [line for number, part in enumerate(parts) for line in (["∪"] if number else []) + part]
            case Join() | TemporalJoin() | AntiSemiJoin():
                whole = self.inline(expression)
                if len(whole) <= _WIDTH:
                    return [whole]
                right = self.inline(expression.right, nested=True)
                return [*self.lines(expression.left), f"{self._operator(expression)} {right}"]
            case Stream() | Reference() | Matching() | RelativeTimers() | AbsoluteTimers() | Relation():
                return [self.inline(expression)]
            case PeriodicWindows() | BoundedWindows():
                return [self.inline(expression)]
            case _:
                assert_never(expression)

    def inline(self, expression: Expression, *, nested: bool = False) -> str:
        match expression:
            case Stream() | Reference():
                return display_name(expression.name)
            case Matching() | AbsoluteTimers() | Relation():
                name = self.names[id(expression)]
                self.used.setdefault(name, expression)
                return name
            case RelativeTimers():
                timer = f"{expression.kind}[{expression.anchor}, {format_duration(expression.duration)}]"
                return f"X[{expression.identifier}: {timer}]({_source(expression.source)})"
            case PeriodicWindows():
                windows = f"{period_text(expression.period)} ⊒ {', '.join(expression.over)}"
                return f"W[{expression.identifier}: {windows}]({_source(expression.source)})"
            case BoundedWindows():
                return f"W[{expression.identifier}: {expression.bounds}]({_source(expression.source)})"
            case Construction() | Merging() | Gathering() | Selection() | Projection() | Renaming():
                return f"{self._operator(expression)}({self.inline(expression.input)})"
            case Join() | TemporalJoin() | AntiSemiJoin():
                left, right = self.inline(expression.left, nested=True), self.inline(expression.right, nested=True)
                text = f"{left} {self._operator(expression)} {right}"
                return f"({text})" if nested else text
            case Union():
                text = " ∪ ".join(self.inline(part, nested=True) for part in expression.inputs)
                return f"({text})" if nested else text
            case _:
                assert_never(expression)

    def _operator(
        self,
        expression: _Unary | Join | TemporalJoin | AntiSemiJoin,
    ) -> str:
        match expression:
            case Construction():
                moment = " at end" if expression.momentary else ""
                settled = "".join(f", settled by {self.notation.settlement(each)}" for each in expression.settlements)
                return f"C[{self.notation.construct(expression.head)}{moment}{settled}]"
            case Merging():
                openings = [f"{name}.begin" for name in expression.openings]
                return f"μ[[begin, end] ← {' ⊔ '.join((*expression.identifiers, *openings))}]"
            case Gathering():
                return f"Γ[{', '.join(f'{new} ← {old}' for new, old in expression.pairs)}]"
            case Selection():
                return f"σ[{self.notation.condition(expression.condition)}]"
            case Projection():
                return f"π[{', '.join(sorted(expression.attributes))}]"
            case Renaming():
                pairs = [f"{new} ← {old}" for new, old in expression.identifiers]
                pairs += [f"var {new} ← var {old}" for new, old in expression.variables]
                return f"ρ[{', '.join(pairs)}]"
            case Join():
                return "⋈" if expression.earliest is None else f"⋈_{{first {expression.earliest.identifier}}}"
            case TemporalJoin():
                return f"⋈_{{{self._window(expression)}}}"
            case AntiSemiJoin():
                return f"▷_{{{self._window(expression)}}}"
            case _:
                assert_never(expression)

    def _window(self, operator: TemporalJoin | AntiSemiJoin) -> str:
        parts = [CONTAINMENTS[operator.containment].format(operator.window, operator.element)]
        parts += [f"{operator.element}≠{identifier}" for identifier in sorted(operator.excluded)]
        parts += [self.notation.condition(condition) for condition in operator.condition]
        return ", ".join(parts)
