"""Random Datalog_1S programs and histories.

A program grows rule by rule; a rule that the checks refuse is left out. Frame rules are made often, with all that can
stand in one, and every predicate has few values, so that joins, negations and removals meet.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cera.datalog.checks import check
from cera.datalog.history import HistoryStage
from cera.datalog.syntax import NEXT, Anonymous, Argument, Atom, BodyPart, J, Not, Program, Rule, Stage
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import And, Arithmetic, Call, Comparison, Expression, Literal, Or, Variable
from cera.model.terms.term import Value
from cera.model.terms.values import Scalar
from cera.modules.tuples import EventTuple, Fact

#: The arguments of each predicate: `t` for event tuples, `s` for scalars.
EVENTS = {"e": "t", "f": "t", "g": "ss"}
DERIVED = {"p": "t", "q": "t", "r": "ts", "u": "s", "v": "", "w": "tt", "x": "ss"}
RELATIONS = {"k": "s", "m": "ss"}
WITHOUT_STAGE = {"c": "s", "d": "ss"}
BUILT_IN = {"any": "", "time": "s"}
SHAPES = EVENTS | DERIVED | RELATIONS | WITHOUT_STAGE | BUILT_IN

SCALARS: tuple[Scalar, ...] = (0, 1, 2, True, False, "a", 1.5, -1)
ATTRIBUTES = ("n", "m", "evtime", "Time", "odd name")


@dataclass(frozen=True)
class Case:
    program: Program
    history: tuple[HistoryStage, ...]
    relations: dict[str, list[Fact]]


def seeded_case(seed: int) -> Case:
    chance = random.Random(seed)
    history = _History(chance)
    return Case(_Programs(chance).program(), history.stages(), history.relations())


class _Programs:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def program(self) -> Program:
        chance = self.chance
        rules = self._used_up() if chance.random() < 0.3 else []
        for _ in range(chance.randint(3, 12)):
            makers = [self._rule, self._frame, self._entry, self._join, self._copy, self._without_stage]
            rule = chance.choices(makers, [5, 6, 4, 3, 1, 1])[0]()
            if not check(Program((*rules, rule))):
                rules.append(rule)
        return Program(tuple(rules))

    def _rule(self) -> Rule:
        chance = self.chance
        predicate = chance.choice(list(DERIVED))
        choices: list[Stage] = [NEXT, J, chance.randint(0, 3)]
        stage = chance.choices(choices, [6, 4, 1])[0]
        stages: list[Stage] = [NEXT, NEXT, J] if stage is NEXT else [stage]
        body: list[BodyPart] = [self._positive(stages) for _ in range(chance.choice([0, 1, 1, 2, 2, 3]))]
        bound = _bound(body)
        body += [Not(self._atom(*self._body_predicate(stages), bound)) for _ in range(chance.choice([0, 0, 1, 2]))]
        body += [self._condition(bound) for _ in range(chance.choice([0, 0, 1, 1, 2]))] if bound else []
        head = Atom(predicate, tuple(self._head_argument(kind, bound) for kind in SHAPES[predicate]), stage)
        chance.shuffle(body)
        return Rule(head, tuple(body))

    def _positive(self, stages: list[Stage]) -> Atom:
        predicate, stage = self._body_predicate(stages)
        return self._atom(predicate, stage, None)

    def _body_predicate(self, stages: list[Stage]) -> tuple[str, Stage]:
        predicates = [*EVENTS, *EVENTS, *DERIVED, *BUILT_IN, *RELATIONS, *WITHOUT_STAGE]
        predicate = self.chance.choice(predicates)
        has_none = predicate in RELATIONS or predicate in WITHOUT_STAGE
        return predicate, None if has_none else self.chance.choice(stages)

    def _atom(self, predicate: str, stage: Stage, bound: dict[str, str] | None) -> Atom:
        """With values for `bound` an atom under `not`, else a positive one."""
        return Atom(predicate, tuple(self._argument(kind, bound) for kind in SHAPES[predicate]), stage)

    def _argument(self, kind: str, bound: dict[str, str] | None) -> Argument:
        chance = self.chance
        if chance.random() < 0.2:
            return Anonymous()
        if kind == "s" and chance.random() < 0.25:
            return Literal(chance.choice(SCALARS))
        if bound is None:
            if kind == "s" and chance.random() < 0.1:
                return Arithmetic("+", Variable("N"), Literal(1))
            return Variable(chance.choice(("X", "Y") if kind == "t" else ("N", "M")))
        names = [name for name, of in bound.items() if of == kind]
        if kind == "s" and names and chance.random() < 0.15:
            return Arithmetic("+", Variable(chance.choice(names)), Literal(1))
        return Variable(chance.choice(names)) if names else Anonymous()

    def _head_argument(self, kind: str, bound: dict[str, str]) -> Argument:
        chance = self.chance
        names = [name for name, of in bound.items() if of == kind]
        tuples = [name for name, of in bound.items() if of == "t"]
        if kind == "s":
            if tuples and chance.random() < 0.3:
                return Variable(f"{chance.choice(tuples)}.{chance.choice(ATTRIBUTES)}")
            if names and chance.random() < 0.2:
                return self._number(Variable(chance.choice(names)))
            if not names:
                return Literal(chance.choice(SCALARS))
        return Variable(chance.choice(names)) if names else Literal("nobody")

    def _number(self, operand: Expression) -> Expression:
        chance = self.chance
        limit = Literal(chance.choice([3, 5]))
        return chance.choice(
            [
                Arithmetic("mod", Arithmetic("+", operand, Literal(1)), limit),
                Arithmetic("-", Literal(1), operand),
                Arithmetic("/", Literal(4), operand),
                expressions.Negative(operand),
            ]
        )

    def _operand(self, bound: dict[str, str]) -> Expression:
        chance = self.chance
        name = chance.choice(list(bound))
        if bound[name] == "s" or chance.random() < 0.15:
            return Variable(name)
        return Variable(f"{name}.{chance.choice(ATTRIBUTES)}")

    def _condition(self, bound: dict[str, str]) -> Expression:
        chance = self.chance
        kind = chance.random()
        if kind < 0.1:
            return And((self._condition(bound), self._condition(bound)))
        if kind < 0.2:
            return Or((self._condition(bound), self._condition(bound)))
        if kind < 0.25:
            return expressions.Not(self._condition(bound))
        operator = chance.choice(["=", "=", "=", "!=", "<", "<=", ">", ">="])
        left = self._operand(bound)
        if chance.random() < 0.2:
            left = chance.choice([self._number(left), Call("abs", (left,))])
        right = self._operand(bound) if chance.random() < 0.6 else Literal(chance.choice(SCALARS))
        return Comparison(operator, left, right)  # type: ignore[arg-type]

    def _frame(self) -> Rule:
        """Facts that stay; what can be part of such a rule, and sometimes what cannot."""
        chance = self.chance
        predicate = chance.choice([name for name, shape in DERIVED.items() if shape])
        names = [
            {"t": "XY", "s": "NM"}[kind][SHAPES[predicate][:i].count(kind)] for i, kind in enumerate(SHAPES[predicate])
        ]
        kinds = dict(zip(names, SHAPES[predicate], strict=True))
        arguments = tuple(Variable(name) for name in names)
        body: list[BodyPart] = [Atom(predicate, arguments, J)]
        body += [Atom("any", (), NEXT)] if chance.random() < 0.7 else []
        if chance.random() < 0.15:
            body.append(self._positive([NEXT, J]))
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            body.append(Not(self._atom(chance.choice([*EVENTS, *DERIVED]), NEXT, kinds)))
        if chance.random() < 0.4:
            body.append(Atom("time", (Variable("T"),), NEXT))
            since: Expression = Variable("X.evtime") if "X" in names else Variable(names[0])
            limit = Literal(chance.choice([0, 2, 3, 2.5]))
            body.append(
                chance.choice(
                    [
                        Comparison("<=", Arithmetic("-", Variable("T"), since), limit),
                        Comparison("<", Variable("T"), Arithmetic("+", since, limit)),
                        Comparison(">=", Arithmetic("+", since, limit), Variable("T")),
                        Comparison(">", Variable("T"), since),
                    ]
                )
            )
        if chance.random() < 0.1:
            body.append(self._condition(kinds))
        chance.shuffle(body)
        return Rule(Atom(predicate, arguments, NEXT), tuple(body))

    def _entry(self) -> Rule:
        """What happens becomes a fact."""
        chance = self.chance
        predicate = chance.choice(["p", "q", "r", "u", "x"])
        stage = chance.choice([J, NEXT])
        event = Atom("g", (Variable("N"), Variable("M")), stage)
        if "t" in SHAPES[predicate]:
            event = Atom(chance.choice("ef"), (Variable("X"),), stage)
        bound = _bound([event])
        head = Atom(predicate, tuple(self._head_argument(kind, bound) for kind in SHAPES[predicate]), stage)
        condition = [self._condition(bound)] if chance.random() < 0.3 else []
        return Rule(head, (event, *condition))

    def _join(self) -> Rule:
        """An event meets what is remembered, by an attribute or an argument."""
        chance = self.chance
        predicate = chance.choice(["p", "q", "r", "w"])
        remembered = Atom(predicate, tuple(map(Variable, {"t": "X", "ts": "XN", "tt": "XZ"}[SHAPES[predicate]])), J)
        event = Atom(chance.choice("ef"), (Variable("Y"),), NEXT)
        bound = _bound([remembered, event])
        attribute = chance.choice(["n", "m"])
        equal = Comparison("=", Variable(f"Y.{attribute}"), Variable(f"X.{attribute}"))
        if predicate == "r" and chance.random() < 0.5:
            equal = Comparison("=", Variable("N"), Variable("Y.n"))
        target = chance.choice(["w", "r", "q"])
        head = Atom(target, tuple(self._head_argument(kind, bound) for kind in SHAPES[target]), NEXT)
        body: list[BodyPart] = [remembered, event, equal]
        chance.shuffle(body)
        return Rule(head, tuple(body))

    def _copy(self) -> Rule:
        """One predicate is another one, whatever happens to that."""
        one, other = self.chance.choice([("p", "q"), ("q", "p"), ("p", "e"), ("u", "time"), ("v", "any"), ("x", "g")])
        arguments = tuple(Variable(name) for name in "XY"[: len(SHAPES[one])])
        return Rule(Atom(one, arguments, J), (Atom(other, arguments, J),))

    def _used_up(self) -> list[Rule]:
        """Facts that stay until others, which stay as well, say that they do not."""
        chance = self.chance
        one, other = chance.sample(["p", "q"], 2)
        x, some = Variable("X"), [Atom(chance.choice("ef"), (Variable("X"),), NEXT) for _ in range(2)]
        user = chance.choice([Atom(other, (x,), NEXT), Atom("r", (x, Anonymous()), NEXT)])
        used = Atom(user.predicate, (x, Literal(1))[: len(user.arguments)], NEXT)
        later = (Atom(one, (x,), J), Atom(chance.choice("ef"), (Anonymous(),), NEXT))
        using = Rule(used, chance.choice([(some[1],), later]))
        kept = Atom(user.predicate, (x, Variable("N"))[: len(user.arguments)], J)
        return [
            Rule(Atom(one, (x,), NEXT), (some[0],)),
            Rule(Atom(one, (x,), NEXT), (Atom("any", (), NEXT), Atom(one, (x,), J), Not(user))),
            using,
            Rule(Atom(kept.predicate, kept.arguments, NEXT), (kept,)),
        ]

    def _without_stage(self) -> Rule:
        chance = self.chance
        predicate = chance.choice(list(WITHOUT_STAGE))
        pool = [*RELATIONS, *WITHOUT_STAGE]
        body: list[BodyPart] = [self._atom(chance.choice(pool), None, None) for _ in range(chance.choice([0, 1, 1, 2]))]
        bound = _bound(body)
        body += [Not(self._atom(chance.choice(pool), None, bound)) for _ in range(chance.choice([0, 0, 1]))]
        return Rule(Atom(predicate, tuple(self._head_argument("s", bound) for _ in SHAPES[predicate])), tuple(body))


def _bound(body: list[BodyPart]) -> dict[str, str]:
    """The variables of positive atoms and their kinds."""
    found: dict[str, str] = {}
    for atom in body:
        if isinstance(atom, Atom):
            for argument, kind in zip(atom.arguments, SHAPES[atom.predicate], strict=True):
                if isinstance(argument, Variable):
                    found[argument.name] = kind
    return found


class _History:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.tuples = 0

    def stages(self) -> tuple[HistoryStage, ...]:
        chance = self.chance
        most = chance.choice([1, 1, 2, 3, 12])
        time = 0
        stages = []
        for _ in range(chance.randint(1, 7)):
            time += chance.randint(0, 2)
            events = {
                name: self._facts(name, time, chance.randint(0, most)) for name in EVENTS if chance.random() < 0.6
            }
            stages.append(HistoryStage(events, time if chance.random() < 0.95 else None))
        return tuple(stages)

    def _facts(self, predicate: str, time: int, number: int) -> list[Fact]:
        return [tuple(self._datum(kind, time) for kind in EVENTS[predicate]) for _ in range(number)]

    def _datum(self, kind: str, time: int) -> Value | EventTuple:
        chance = self.chance
        if kind == "s":
            return chance.choice(SCALARS)
        self.tuples += 1
        fields: dict[str, Value] = {name: chance.choice(SCALARS) for name in ("n", "m") if chance.random() < 0.85}
        return EventTuple(f"event {self.tuples}", fields, max(0, time - 1), time)

    def relations(self) -> dict[str, list[Fact]]:
        chance = self.chance
        return {
            name: [tuple(chance.choice(SCALARS) for _ in shape) for _ in range(chance.randint(0, 4))]
            for name, shape in RELATIONS.items()
        }
