"""From EPL to Datalog_1S: seed 003, Table 2, corrected.

    evt(R(X), Q)   sat_E(IV, X, s(J)) <- evt_R(X, s(J)), sat_P(IV, _, J), Q.            for each P in PPS(E)
    seq(F, G)      sat_E(IV, X, Y, J) <- sat_G(IV, X, Y, J).
    *seq(F, G)     sat_E(IV, Y, J)    <- sat_G(IV, Y, J).
    or(F, G)       sat_E(IV, J)       <- sat_F(IV, X, J).     sat_E(IV, J) <- sat_G(IV, Y, J).
    and(F, G)      sat_E(IV, X, Y, J) <- sat_F(IV, X, J), sat_G(IV, Y, J).
    neg(F)         sat_E(IV, s(J))    <- any(s(J)), sat_P(IV, _, J), not sat_F(IV, _, s(J)).   for each P in PPS(E)
    ε              sat_E(IV, J)       <- sat_P(IV, _, J).                                      for each P in PPS(E)

A basic event or negation that may be the first of all (its predecessor is `start`) has no constraint on J (ERR-99); a
negation is about the imported variables (ERR-97); what happens at s(J) is satisfied at s(J) (ERR-98); in a relaxed
sequence sat_P is has_sat_P (ERR-106) or what the context of the rule makes of it (`contexts.py`). Inside of a time
limit, whatever goes on to the next stage does so in time only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cera.datalog.syntax import NEXT, Anonymous, Argument, Atom, BodyPart, J, Not, Program, Stage
from cera.datalog.syntax import Rule as DatalogRule
from cera.languages.epl.attribute_grammar import START, Attributes, Predecessor, attributes
from cera.languages.epl.contexts import (
    STAGE_RULES,
    Use,
    chosen_rules,
    memory_rules,
    priors_in_turn,
    still_waiting,
    turn_rules,
    uses_of_waiting,
)
from cera.languages.epl.predicates import ANY, SAT_START, STAGE, Names, in_time, terms
from cera.languages.epl.syntax import Context, Event
from cera.languages.epl.tree import (
    AnyNode,
    BasicNode,
    BinaryNode,
    EmptyNode,
    FirstNode,
    NegationNode,
    Node,
    UnlessNode,
    postorder,
    tree_of,
)
from cera.languages.expressions.lengths import in_microseconds
from cera.languages.text.nodes import EventType
from cera.model.expressions.expression import Variable

START_RULES = (DatalogRule(Atom(SAT_START, (), J)),)


@dataclass(frozen=True)
class Translation:
    """The Datalog rules of one EPL rule, the predicate of the detected events and its arguments."""

    rules: tuple[DatalogRule, ...]
    predicate: str
    variables: tuple[str, ...]


def translate(
    event: Event,
    monitored: tuple[EventType, ...],
    context: Context = "unrestricted",
    *,
    suffix: str = "",
    expand: bool = False,
    copies: bool = True,
) -> Translation:
    """Returns the rules for an event.

    With `expand`, derived constructs are written out by their definitions first (in the unrestricted context). Without
    `copies`, which is what runs, a node that would only copy another has no rule of its own, nor has a negation in a
    conjunction.
    """
    tree = tree_of(event, monitored, expand=expand and context == "unrestricted", fold=not copies)
    translator = _Translator(tree, context, suffix, copies)
    for node in postorder(tree):
        translator.node(node)
    root = translator.attributes[tree.number]
    return Translation(tuple(translator.rules), translator.names.sat(tree.number), root.variables)


class _Translator:
    def __init__(self, tree: Node, context: Context, suffix: str, copies: bool) -> None:
        self.attributes = attributes(tree, context)
        self.names = Names(suffix)
        self.rules: list[DatalogRule] = []
        self._uses = uses_of_waiting(tree, self.attributes)
        in_turn = {use.number for use in self._uses.values() if use.in_turn}
        self._in_turn = in_turn | priors_in_turn(tree, self.attributes)
        if not copies:
            self._name_copies(tree)

    def _name_copies(self, node: Node) -> None:
        """Names copies, parents before their parts, so that a chain of copies has the name of its outermost."""
        for each in reversed(list(postorder(node))):
            if isinstance(each, BinaryNode) and each.operator in ("seq", "relaxed", "*seq"):
                own = self.attributes[each.number].variables
                if own == self.attributes[each.second.number].variables and each.number not in self._uses:
                    self.names.same(each.second.number, each.number)

    def node(self, node: Node) -> None:
        own = self.attributes[node.number]
        used = self._uses.get(node.number)
        if used is None or used.in_turn:
            self._own_rules(node, own, self.names.sat(node.number))
        elif isinstance(node, BasicNode | AnyNode | NegationNode):
            self._own_rules(node, own, self.names.candidate(node.number))
        else:
            self._own_rules(node, own, self.names.attempt(node.number))
            self.rules.append(still_waiting(self.names, node.number, own.variables, used))
        if used is not None and used.in_turn:
            self._uses_in_turn(used, Atom(self.names.sat(node.number), terms(own.variables), NEXT))
        elif used is not None:
            candidates, chosen = self.names.candidate(node.number), self.names.sat(node.number)
            self.rules += chosen_rules(self.names, candidates, own.variables, chosen, own.variables, used)
        if own.remembered is not None and own.remembered.memory != "sat":
            in_turn = node.number in self._in_turn
            self.rules += turn_rules(self.names, node.number, own) if in_turn else []
            self.rules += memory_rules(self.names, node.number, own, in_turn=in_turn)

    def _uses_in_turn(self, use: Use, *body: BodyPart) -> None:
        remembered = use.first.remembered
        assert remembered is not None
        self.rules.append(DatalogRule(Atom(self.names.used(use.number), terms(remembered.variables), NEXT), body))

    def _own_rules(self, node: Node, own: Attributes, predicate: str) -> None:
        match node:
            case BasicNode():
                event = (Variable(node.variable),) if node.variable is not None else (Anonymous(),)
                conditions = tuple(in_microseconds(condition) for condition in node.conditions)
                for predecessor in own.predecessors:
                    stage = self._stage(predecessor)
                    happens = Atom(node.predicate, event, stage)
                    self._rule(predicate, own, stage, happens, *self._before(predecessor, own), *conditions)
            case AnyNode():
                for predecessor in own.predecessors:
                    stage = self._stage(predecessor)
                    self._rule(predicate, own, stage, Atom(ANY, (), stage), *self._before(predecessor, own))
            case NegationNode():
                for predecessor in own.predecessors:
                    stage = self._stage(predecessor)
                    absent = Not(self._atom(node.event, stage, own.imported))
                    before = self._before(predecessor, own)
                    self._rule(predicate, own, stage, Atom(ANY, (), stage), *before, absent)
            case EmptyNode():
                for predecessor in own.predecessors:
                    body = Atom(SAT_START, (), J) if predecessor == START else self._predecessor(predecessor, own)
                    self._rule(predicate, own, J, body)
            case FirstNode():
                self._unless(own, predicate, node.event, node.event, True)
            case UnlessNode():
                self._unless(own, predicate, node.event, node.absent, node.before)
            case BinaryNode():
                self._binary(node, own, predicate)

    def _binary(self, node: BinaryNode, own: Attributes, predicate: str) -> None:
        match node.operator:
            case "seq" | "relaxed" | "*seq":
                if self.names.sat(node.second.number) != predicate:
                    self._rule(predicate, own, J, self._atom(node.second, J))
            case "or":
                self._rule(predicate, own, J, self._atom(node.first, J))
                self._rule(predicate, own, J, self._atom(node.second, J))
            case "and":
                self._rule(predicate, own, J, self._atom(node.first, J), self._atom(node.second, J))
            case "prior":
                self._prior(node, own, predicate)

    def _prior(self, node: BinaryNode, own: Attributes, predicate: str) -> None:
        """Adds satE(IV, X, Y, s(J)) <- satG(IV, Y, s(J)), has_satF(IV, X, J)."""
        first = self.attributes[node.first.number]
        assert first.remembered is not None
        limits = () if first.starts is None else (first.starts,)
        body = (
            self._atom(node.second, NEXT),
            *self._turn(first.remembered),
            Atom(self.names.of(first.remembered), terms(first.remembered.variables), J),
            *in_time(limits),
        )
        use = Use(node.first.number, first, own.imported)
        if first.remembered.memory != "wait" or node.first.number in self._in_turn:
            self._rule(predicate, own, NEXT, *body)
            if first.remembered.memory == "wait":
                self._uses_in_turn(use, *body)
            return
        second = self.attributes[node.second.number]
        arguments = first.remembered.variables + tuple(n for n in second.variables if n not in first.variables)
        candidates = self.names.pair(node.number)
        self.rules.append(DatalogRule(Atom(candidates, terms(arguments), NEXT), body))
        self.rules += chosen_rules(self.names, candidates, arguments, predicate, own.variables, use)

    def _unless(self, own: Attributes, predicate: str, event: Node, absent: Node, before: bool) -> None:
        """Adds, for E & !F, sat(IV, X, s(J)) <- sat_E(IV, X, s(J)), sat_P(IV, _, J), not sat_F(IV, _, s(J)).

        E & ![F, any], and first(E) with F = E: the same with not has_sat_F(IV, J).
        """
        if before:
            has, seen = self.names.has(absent.number), terms(own.imported)
            self.rules.append(DatalogRule(Atom(has, seen, J), (self._atom(absent, J, own.imported),)))
            lasts = (Atom(ANY, (), NEXT), Atom(has, seen, J), *in_time(own.bounds))
            self.rules.append(DatalogRule(Atom(has, seen, NEXT), lasts))
        for predecessor in own.predecessors:
            stage = NEXT if before else self._stage(predecessor)
            after = () if predecessor == START else (self._predecessor(predecessor, own),)
            without = Atom(has, seen, J) if before else self._atom(absent, stage, own.imported)
            self._rule(predicate, own, stage, self._atom(event, stage), *after, Not(without))

    def _rule(self, predicate: str, own: Attributes, stage: Stage, *body: BodyPart) -> None:
        head = Atom(predicate, terms(own.variables), stage)
        if body != (head,):
            self.rules.append(DatalogRule(head, body))

    def _atom(self, node: Node, stage: Stage, kept: Sequence[str] | None = None) -> Atom:
        """Returns the satisfaction of a node; variables that are not kept are anonymous."""
        own = self.attributes[node.number].variables
        return Atom(self.names.sat(node.number), _arguments(own, own if kept is None else kept), stage)

    def _stage(self, predecessor: Predecessor) -> Stage:
        return J if predecessor == START else NEXT

    def _before(self, predecessor: Predecessor, own: Attributes) -> tuple[BodyPart, ...]:
        """Returns sat_P(IV, _, J) and that it is not too late; nothing where the event may be the first of all."""
        if predecessor == START:
            return ()
        return (*self._turn(predecessor), self._predecessor(predecessor, own), *in_time(own.bounds))

    def _turn(self, predecessor: Predecessor) -> tuple[Atom, ...]:
        """Returns the condition that it is the predecessor's turn, if waiting occurrences are used in turn."""
        if predecessor.memory != "wait" or predecessor.number not in self._in_turn:
            return ()
        return (Atom(self.names.turn(predecessor.number), terms(predecessor.variables[-1:]), J),)

    def _predecessor(self, predecessor: Predecessor, own: Attributes) -> Atom:
        return Atom(self.names.of(predecessor), _arguments(predecessor.variables, own.imported), J)


def _arguments(variables: Iterable[str], kept: Iterable[str]) -> tuple[Argument, ...]:
    known = frozenset(kept)
    return tuple(Variable(name) if name in known else Anonymous() for name in variables)


def program_of(translated: Iterable[Translation]) -> Program:
    """Returns all rules together, after those for `sat_start` and `stage` where some rule refers to these."""
    rules = [rule for each in translated for rule in each.rules]
    used = {part.predicate for rule in rules for part in rule.body if isinstance(part, Atom)}
    start = START_RULES if SAT_START in used else ()
    stages = STAGE_RULES if STAGE in used else ()
    return Program((*start, *stages, *rules))
