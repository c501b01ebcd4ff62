"""The memory of a relaxed sequence, by the parameter context of the rule (seed 003, sections 3.4, 4.1 and 4.2).

    unrestricted   has_sat_F: every occurrence of F, for ever
    recent         last_sat_F: those of the last stage at which F occurred
    chronicle      wait_sat_F: those that no later event has used yet; the oldest is used first

In the chronicle context an occurrence has an age, the number of its stage. An occurrence of G uses, of the waiting F
that it could follow, those of the oldest stage. Events of one stage are equally old, so they are used together: the
paper leaves simultaneous events open there. In [F, G, H] F is used when G occurs and (F, G) when H occurs.

If any waiting F will do for every G, the occurrences of F are numbered and used in turn, as the Petri net of section
4.2 does it: turn_sat_F is the number of the next one. Otherwise the oldest is looked for among the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.datalog.syntax import NEXT, Anonymous, Atom, BodyPart, J, Not, Rule
from cera.languages.epl.attribute_grammar import Attributes
from cera.languages.epl.predicates import ANY, STAGE, TIME, Names, in_time, terms
from cera.languages.epl.tree import BasicNode, BinaryNode, Node, postorder
from cera.model.expressions.expression import Arithmetic, Comparison, Literal, Variable, variables


@dataclass(frozen=True)
class Use:
    """Use of a waiting node: its number and attributes, and the variables imported from outside of the sequence."""

    number: str
    first: Attributes
    outer: tuple[str, ...]
    in_turn: bool = False


def uses_of_waiting(tree: Node, found: dict[str, Attributes]) -> dict[str, Use]:
    """Returns the nodes that use up waiting occurrences in the chronicle context, by number.

    In [F, G, H], which is relaxed(F, relaxed(G, H)), G uses F, and H uses what waits as (F, G).
    """
    uses: dict[str, Use] = {}
    outermost: dict[str, tuple[str, ...]] = {}
    for node in reversed(list(postorder(tree))):
        if not isinstance(node, BinaryNode) or node.operator != "relaxed":
            continue
        outer = outermost.get(node.number, found[node.number].imported)
        first, second = found[node.first.number], node.second
        if first.remembered is None or first.remembered.memory != "wait":
            continue
        if isinstance(second, BinaryNode) and second.operator == "relaxed":
            outermost[second.number] = outer
            second = second.first
        in_turn = not outer and _takes_any(second, found[second.number])
        uses[second.number] = Use(node.first.number, first, outer, in_turn)
    return uses


def _takes_any(node: Node, own: Attributes) -> bool:
    """Returns whether a basic event can follow every occurrence that waits for it: no condition relates them."""
    if not isinstance(node, BasicNode) or own.bounds:
        return False
    names = {name.partition(".")[0] for condition in node.conditions for name in variables(condition)}
    return names <= {node.variable}


def priors_in_turn(tree: Node, found: dict[str, Attributes]) -> set[str]:
    """Returns the first parts of `prior` that are used in turn: its second part knows nothing of them anyway."""
    numbers = set()
    for node in postorder(tree):
        if isinstance(node, BinaryNode) and node.operator == "prior":
            first, own = found[node.first.number], found[node.number]
            if first.age is not None and not own.imported and first.starts is None:
                numbers.add(node.first.number)
    return numbers


STAGE_RULES = (
    Rule(Atom(STAGE, (Literal(0),), 0)),
    Rule(
        Atom(STAGE, (Arithmetic("+", Variable("N"), Literal(1)),), NEXT),
        (Atom(ANY, (), NEXT), Atom(STAGE, (Variable("N"),), J)),
    ),
)


def memory_rules(names: Names, number: str, first: Attributes, *, in_turn: bool = False) -> list[Rule]:
    """Returns the rules for the memory of a node: when it begins, and how long it lasts."""
    remembered = first.remembered
    assert remembered is not None
    predicate, arguments = names.of(remembered), terms(remembered.variables)
    begins: list[BodyPart] = [Atom(names.sat(number), terms(first.variables), J)]
    if first.starts is not None:
        begins.append(Atom(TIME, (Variable(first.starts.since),), J))
    if first.age is not None:
        begins.append(Atom(names.count(number) if in_turn else STAGE, (Variable(first.age),), J))
    rules = [Rule(Atom(predicate, arguments, J), tuple(begins))]
    if remembered.memory == "at":
        return rules
    bounds = first.bounds if first.starts is None else (*first.bounds, first.starts)
    lasts: list[BodyPart] = [Atom(ANY, (), NEXT), Atom(predicate, arguments, J)]
    match remembered.memory:
        case "last":
            anonymous = tuple(Anonymous() for _ in first.variables)
            lasts.append(Not(Atom(names.sat(number), anonymous, NEXT)))
        case "wait":
            lasts.append(Not(Atom(names.used(number), arguments, NEXT)))
        case _:
            pass
    return [*rules, Rule(Atom(predicate, arguments, NEXT), (*lasts, *in_time(bounds)))]


def turn_rules(names: Names, number: str, first: Attributes) -> list[Rule]:
    """Returns the rules of count_sat_F(N), F has occurred at N stages, and turn_sat_F(N), its N-th stage is next."""
    assert first.remembered is not None
    assert first.age is not None
    age, after = Variable(first.age), Arithmetic("+", Variable(first.age), Literal(1))
    count, turn = names.count(number), names.turn(number)
    occurs = Atom(names.sat(number), tuple(Anonymous() for _ in first.variables), NEXT)
    used = Atom(names.used(number), (*(Anonymous() for _ in first.variables), age), NEXT)
    return [
        Rule(Atom(count, (Literal(0),), 0)),
        Rule(Atom(count, (after,), NEXT), (occurs, Atom(count, (age,), J))),
        Rule(Atom(count, (age,), NEXT), (Atom(ANY, (), NEXT), Atom(count, (age,), J), Not(occurs))),
        Rule(Atom(turn, (Literal(1),), 0)),
        Rule(Atom(turn, (after,), NEXT), (used,)),
        Rule(Atom(turn, (age,), NEXT), (Atom(ANY, (), NEXT), Atom(turn, (age,), J), Not(used))),
    ]


def chosen_rules(
    names: Names, candidates: str, variables: tuple[str, ...], chosen: str, kept: tuple[str, ...], use: Use
) -> list[Rule]:
    """Returns rules that choose, of the candidates, those that use the oldest waiting occurrence, and mark it as used.

    `variables` are the arguments of the predicate `candidates`, `kept` those of the predicate `chosen`.
    """
    remembered, age = use.first.remembered, use.first.age
    assert remembered is not None
    assert age is not None
    candidate = Atom(candidates, terms(variables), NEXT)
    later = Atom(names.later(candidates), terms(variables), NEXT)
    other_age = Variable(f"{age}_")
    own = frozenset(remembered.variables) - frozenset(use.outer)
    others = tuple(other_age if name == age else Anonymous() if name in own else Variable(name) for name in variables)
    older = Comparison("<", other_age, Variable(age))
    oldest = (candidate, Not(later))
    return [
        Rule(later, (candidate, Atom(candidate.predicate, others, NEXT), older)),
        Rule(Atom(chosen, terms(kept), NEXT), oldest),
        Rule(Atom(names.used(use.number), terms(remembered.variables), NEXT), oldest),
    ]


def still_waiting(names: Names, number: str, variables: tuple[str, ...], use: Use) -> Rule:
    """Returns the rule that a node of several stages begins with something that no other node has used since."""
    remembered = use.first.remembered
    assert remembered is not None
    waiting = Atom(names.of(remembered), terms(remembered.variables), J)
    attempt = Atom(names.attempt(number), terms(variables), NEXT)
    return Rule(Atom(names.candidate(number), terms(variables), NEXT), (attempt, waiting))
