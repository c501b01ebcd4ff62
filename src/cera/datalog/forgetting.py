"""Facts that no later stage can use, because every rule that looks back to them asks that not too much time has passed.

    sat2(X, T, Y, s(J)) <- B(Y, s(J)), has_sat1(X, T, J), time(Now, s(J)), Now - T <= 2000000.

Two seconds after T, has_sat1(X, T) is of no use, nor is it to a rule that asks for sat2(X, T, Y, s(J)) besides. Stages
remove such facts when they come to them; here they are removed from histories in which nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cera.datalog.expression_source import RuleWriter
from cera.datalog.frames import Expiry, Frame, deadline_of
from cera.datalog.normal import NormalAtom, NormalRule
from cera.datalog.stage_source import deadline_function
from cera.datalog.syntax import root
from cera.model.expressions.expression import Arithmetic, Expression, Literal, Variable, variables
from cera.modules.tuples import Row

#: Until when a fact can be of use; something else than an integer where that is not known.
Lasting = Callable[[Row], Any]

#: A use of a fact: the arguments by names of their own, and until when it can be, by these names.
_Use = tuple[tuple[str, ...], tuple[Expression, ...]]


def lastings(rules: Sequence[NormalRule], writer: RuleWriter) -> Mapping[str, Sequence[Lasting]]:
    """Returns the limits of each use, for predicates of which every use has one."""
    found: dict[str, list[Lasting]] = {}
    for predicate, uses in _uses(rules).items():
        if all(uses):
            functions = (_function(writer, predicate, use) for use in dict.fromkeys(uses) if use is not None)
            found[predicate] = [each for each in functions if each is not None]
    return found


def kept_for_ever(rules: Sequence[NormalRule]) -> list[str]:
    """Returns the predicates whose facts a later stage may use however much time has passed."""
    return [predicate for predicate, uses in _uses(rules).items() if not all(uses)]


def is_over(row: Row, limits: Sequence[Lasting], now: int) -> bool:
    """Returns whether a fact is of no use at a time and later."""
    return all((until := limit(row)).__class__ is int and until < now for limit in limits)


def _uses(rules: Sequence[NormalRule]) -> dict[str, list[_Use | None]]:
    """Returns the uses of old facts of each predicate; None where nothing limits for how long."""
    times = _Times(rules)
    found: dict[str, list[_Use | None]] = {}
    for rule in rules:
        looking_back = [atom for atom in rule.atoms if atom.moment == "old"]
        limits = times.limits(rule) if looking_back else ()
        for atom in looking_back:
            found.setdefault(atom.predicate, []).append(_use(atom, limits))
    return found


def _use(atom: NormalAtom, limits: Sequence[Expression]) -> _Use | None:
    names = tuple(term if isinstance(term, str) else f"unnamed {place}" for place, term in enumerate(atom.terms))
    known = tuple(until for until in limits if {root(name) for name in variables(until)} <= set(names))
    return (names, known) if known and len(set(names)) == len(names) else None


def _function(writer: RuleWriter, predicate: str, use: _Use) -> Lasting | None:
    names, deadlines = use
    return deadline_function(writer, Frame(predicate, names, (), (), Expiry("", (), deadlines)))


class _Times:
    """The times until which rules can derive something.

    `_limited` has, of each predicate, the arguments T of which every fact has it that the time of its stage is at most
    T + d, with that d in microseconds.
    """

    def __init__(self, rules: Iterable[NormalRule]) -> None:
        self._rules: dict[str, list[NormalRule]] = {}
        self._asking: dict[str, list[str]] = {}
        self._limited: dict[str, dict[int, int]] = {}
        for rule in rules:
            self._rules.setdefault(rule.predicate, []).append(rule)
            for atom in rule.positive:
                if atom.moment == "new":
                    self._asking.setdefault(atom.predicate, []).append(rule.predicate)
        waiting = list(self._rules)
        while waiting:
            predicate = waiting.pop()
            found = self._limits_of(predicate)
            if found != self._limited.get(predicate, {}):
                self._limited[predicate] = found
                waiting += self._asking.get(predicate, ())

    def limits(self, rule: NormalRule) -> list[Expression]:
        """Returns the last times at which the rule can derive something, by its variables."""
        clocks = [each.terms[0] for each in rule.positive if each.predicate == "time" and each.moment == "new"]
        found = [
            until
            for clock in clocks
            if isinstance(clock, str)
            for condition in rule.conditions
            if (until := deadline_of(condition, clock)) is not None
        ]
        for atom in rule.positive:
            if atom.moment == "new":
                for place, longest in self._limited.get(atom.predicate, {}).items():
                    if isinstance(name := atom.terms[place], str):
                        found.append(Arithmetic("+", Literal(longest), Variable(name)))
        return found

    def _limits_of(self, predicate: str) -> dict[int, int]:
        """Returns the arguments that every rule of the predicate limits, each with the longest limit."""
        together: dict[int, int] | None = None
        for rule in self._rules[predicate]:
            places = {each.name: place for place, each in enumerate(rule.outputs) if isinstance(each, Variable)}
            found: dict[int, int] = {}
            for limit in self.limits(rule):
                match limit:
                    case Arithmetic("+", Literal(int(longest)), Variable(name)) if name in places:
                        found[places[name]] = min(longest, found.get(places[name], longest))
                    case _:
                        pass
            together = found if together is None else _longest(together, found)
        return together or {}


def _longest(one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
    return {place: max(longest, other[place]) for place, longest in one.items() if place in other}
