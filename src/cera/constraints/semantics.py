"""The meaning of clauses (seed 002, section 7.5, corrected): what violates them in a whole recorded stream, and when
that is certain. Slow on purpose: every other way to find violations is tested against it.

    a clause is violated by a substitution of the variables and identifiers of its body
        under which all parts of the body hold and no alternative of the head does                 (ERR-54)
    a literal is evaluated in its own time, independent of those of others                         (ERR-56)
    what only an alternative has is existential over the whole of it

The violation is certain when the body is, and every alternative of the head is refuted (DESIGN, "Certainty of a
violation"): a conjunction with its first refuted part, a disjunction with its last; a count when its set has no number
at or above the present one, or lacks it when its time has passed; a literal that needs one event, when its time has
passed and all that could have been it are refuted. Dually, a count in a body holds when its set has all numbers at or
above the present one, or has the number when its time has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cera.constraints.binding import Binding, Plan, is_written, plan
from cera.constraints.bodies import Bodies
from cera.constraints.clause import Clause
from cera.constraints.groups import binds, components, own_names
from cera.constraints.names import declared_identifier
from cera.constraints.places import Need, located_literals, unknown_places
from cera.constraints.queries import HullLiteral, Literal, Membership, Part, TimerLiteral, WindowLiteral
from cera.constraints.stream import Happening, Stream, Values
from cera.constraints.texts import Finding, condition_text, count_text, findings_of, literal_text
from cera.constraints.times import (
    Item,
    Times,
    begun,
    common,
    item_of,
    noticed,
    times_of,
)
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.states import OPEN
from cera.model.terms.term import Value, value_key
from cera.model.time.interval import Interval, Time, hull


@dataclass(frozen=True)
class Refutation:
    """Why something does not hold, and since when that is certain."""

    at: Time
    expected: str
    found: Finding
    faults: tuple[Happening, ...] = ()
    window: Interval | None = None
    #: The values of the group that is at fault.
    group: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True)
class Violation:
    """A violation: the substitution, what was expected and found, who is at fault, and when it is certain.

    `faults` are the events and states at fault that the text has no identifier for: of the body, and those counted.
    """

    clause: Clause
    at: Time
    values: tuple[tuple[str, Value], ...]
    identified: tuple[tuple[str, Happening], ...]
    expected: str
    found: Finding
    faults: tuple[Happening, ...]
    window: Interval | None = None


@dataclass(frozen=True)
class Verdict:
    """The violations of clauses, and the places that they ask for and nobody knows, with when that was first so."""

    violations: tuple[Violation, ...]
    unknown_places: Mapping[str, int] = field(default_factory=dict)
    undefined: int = 0


def violations(clauses: Sequence[Clause], stream: Stream, origin: Time = 0) -> Verdict:
    """Returns all violations, in the order in which they are certain: those that are so before a recording is cut."""
    evaluator = Evaluator((), stream.timezone)
    found: list[Violation] = []
    unknown: dict[str, int] = {}
    last = OPEN - 1 if stream.until is None else stream.until
    for clause in clauses:
        judge = Judge(stream, evaluator, origin)
        judge.derive(clause.definitions)
        found += (each for each in judge.violations(clause) if each.at <= last)
        for place, at in judge.unknown_places(clause).items():
            unknown[place] = min(at, unknown.get(place, at))
    ordered = sorted(found, key=lambda each: (each.at, each.clause.name, _values_key(each.values)))
    return Verdict(tuple(ordered), unknown, evaluator.undefined)


def _values_key(values: Iterable[tuple[str, Value]]) -> tuple[tuple[str, object], ...]:
    return tuple((name, value_key(value)) for name, value in values)


class Judge(Bodies):
    """The evaluation of clauses over a stream."""

    #: The variables of the body, whose values a violation has in its binding.
    _named: frozenset[str] = frozenset()

    def violations(self, clause: Clause) -> Iterator[Violation]:
        body = plan(clause.body)
        self.know(clause)
        heads = [plan(each, clause.body) for each in clause.head]
        seen: set[object] = set()
        for binding in self.bindings(body, Binding()):
            for refutation in self.refuted(heads, binding):
                violation = violation_of(clause, binding, refutation, self.stream.start)
                trace = tuple((name, item.interval, id(item.happening)) for name, item in binding.items.items())
                key = (_values_key(violation.values), trace, tuple(id(each) for each in binding.happenings))
                if key not in seen:
                    seen.add(key)
                    yield violation

    def know(self, clause: Clause) -> None:
        """Takes note of the variables that the binding of a violation names."""
        self._named = frozenset[str]().union(*map(binds, clause.body))

    def unknown_places(self, clause: Clause) -> dict[str, Time]:
        found: list[tuple[Happening, frozenset[Need]]] = []
        for each in located_literals(clause):
            candidates = self.stream.candidates(each.literal, {}, self.local, self.stream.begin)
            found += ((happening, each.needs) for happening, _ in candidates)
        return unknown_places(found, self.stream.locations)

    def refuted(self, heads: Sequence[Plan], binding: Binding) -> list[Refutation]:
        """Returns the refutations of a head: one, or one for each group where a single literal is counted. A head
        without alternatives never holds."""
        if not heads:
            return [Refutation(binding.at, "", None)]
        if len(heads) == 1:
            [only] = heads
            if len(only.parts) == 1 and isinstance(only.parts[0], Literal) and only.parts[0].count is not None:
                return list(self._refuted_groups(only.parts[0], binding))
        found = [self.refutation(each.parts, binding) for each in heads]
        refuted = [each for each in found if each is not None]
        if len(refuted) < len(found):
            return []
        last = max(refuted, key=lambda each: (each.at, each.window is not None))
        expected = ", or ".join(dict.fromkeys(each.expected for each in refuted))
        facts = findings_of(each.found for each in refuted)
        faults = tuple(fault for each in refuted for fault in each.faults)
        return [replace(last, expected=expected, found=facts, faults=faults)]

    # Heads

    def refutation(self, parts: Sequence[Part], binding: Binding) -> Refutation | None:
        """Returns the earliest refutation of a conjunction; None if it holds, or nothing is certain."""
        known = frozenset(binding.values) | {f"#{name}" for name in binding.items}
        found = [self._component(each, binding) for each in components(parts, known)]
        refuted = [each for each in found if each is not None]
        return min(refuted, key=lambda each: each.at) if refuted else None

    def _component(self, parts: Sequence[Part], binding: Binding) -> Refutation | None:
        """Returns the refutation of parts that depend on one another, which are in the order of a plan."""
        if not parts:
            return None
        part, rest = parts[0], parts[1:]
        match part:
            case Literal(kind="relation", count=None):
                return self._one_of(self.extended(part, binding), part, rest, binding.at, binding)
            case Literal(count=None):
                times = times_of(part.time, binding.items)
                passed = self.settled(part, times)
                return self._one_of(self.extended(part, binding), part, rest, passed, binding)
            case Literal():
                return self._counted_refutation(part, rest, binding)
            case Membership():
                member = self.member(part, binding)
                if member.holds is None:
                    return None
                if member.holds:
                    return self.refutation(rest, binding)
                return Refutation(member.at, condition_text(part), None)
            case TimerLiteral() | HullLiteral():
                item = self.interval(part, binding)
                if item is None:
                    return None
                return self.refutation(rest, binding.extended({}, part.identifier, item, item.known))
            case WindowLiteral():
                windows = list(self.extended(part, binding))
                return self._one_of(windows, part, rest, self.stream.at_end, binding)
            case _:
                truth = self.conditions.truth(part, binding.values, binding.items)
                if truth.holds is None:
                    return None
                if truth.holds:
                    return self.refutation(rest, binding)
                return Refutation(truth.at, condition_text(part), self._values_text(part, binding))

    def _one_of(
        self, found: Iterable[Binding], part: Part, rest: Sequence[Part], passed: Time | None, binding: Binding
    ) -> Refutation | None:
        """Returns the refutation of all ways in which something that is needed could be, once no more can come."""
        if passed is None:
            return None
        refuted: list[Refutation] = []
        for each in found:
            refutation = self.refutation(rest, each)
            if refutation is None:
                return None
            refuted.append(refutation)
        at = max([passed, *(each.at for each in refuted)])
        window = _window(times_of(part.time, binding.items)) if isinstance(part, Literal) else None
        if not refuted:
            text = literal_text(part) if isinstance(part, Literal) else "a window"
            return Refutation(at, f"at least 1 {text}", 0, (), window)
        last = refuted[-1]
        return replace(last, at=at, window=window)

    def _counted_refutation(self, part: Literal, rest: Sequence[Part], binding: Binding) -> Refutation | None:
        times = times_of(part.time, binding.items)
        unbound = [name for name in part.group_by or () if name not in binding.values]
        existential = bool(rest)
        if unbound and not existential:
            refuted = list(self._refuted_groups(part, binding))
            return min(refuted, key=lambda each: each.at) if refuted else None
        passed = self.settled(part, times)
        found: list[Refutation] = []
        for values, members in self.groups(part, binding, times):
            refutation = self._group_refutation(part, rest, binding.extended(values), members, times)
            if refutation is None:
                return None
            found.append(refutation)
        if not unbound:
            return found[0]
        if passed is None:
            return None
        if not found:
            return Refutation(passed, count_text(part), 0, (), _window(times))
        last = max(found, key=lambda each: each.at)
        return replace(last, at=max(passed, last.at))

    def _group_refutation(
        self, part: Literal, rest: Sequence[Part], binding: Binding, members: Sequence[Happening], times: Times
    ) -> Refutation | None:
        """Returns the refutation of the count of one group, or of what is said of its members."""
        counted = self._disproved(part, binding.values, members, times)
        if part.identifier is None:
            others = self.refutation(rest, binding)
        else:
            identified = (
                binding.extended({}, part.identifier, item_of(each), noticed(each, times)) for each in members
            )
            others = self._one_of(identified, part, rest, self.settled(part, times), binding) if rest else None
        both = [each for each in (counted, others) if each is not None]
        return min(both, key=lambda each: each.at) if both else None

    def _refuted_groups(self, part: Literal, binding: Binding) -> Iterator[Refutation]:
        """Yields the refutations of a counted literal, one for each group that is at fault."""
        times = times_of(part.time, binding.items)
        for values, members in self.groups(part, binding, times):
            found = self._group_refutation(part, (), binding.extended(values), members, times)
            if found is not None:
                yield replace(found, group=tuple(sorted(values.items())))

    def group_refutation(
        self, part: Literal, binding: Binding, group: dict[str, Value]
    ) -> tuple[Refutation | None, bool]:
        """Returns the refutation of a counted literal for one group, and whether the group holds whatever comes."""
        times = times_of(part.time, binding.items)
        together = binding.extended(group)
        [(_, members)] = self.groups(part, together, times)
        found = self._group_refutation(part, (), together, members, times)
        if found is None:
            return None, self.numbers(part.count, together.values).has_all_from(len(members))
        return replace(found, group=tuple(sorted(group.items()))), False

    def _disproved(
        self, part: Literal, values: Values, members: Sequence[Happening], times: Times
    ) -> Refutation | None:
        """Returns why a count does not hold: there is the first number that is too large, or all there are is not
        enough. None if it holds, or nothing is certain."""
        numbers = self.numbers(part.count, values)
        if len(members) in numbers:
            return None
        over = next((n for n in range(len(members) + 1) if not numbers.reaches(n)), None)
        if over is None:
            at = self.settled(part, times)
            window = _window(times)
        else:
            at = begun(times) if over == 0 else noticed(members[over - 1], times)
            window = _window(times) if _is_foreseen(times) else None
        if at is None:
            return None
        seen = tuple(members[:over])  # those that come later are not at fault
        return Refutation(at, count_text(part), len(seen), seen, window)

    def _values_text(self, part: Part, binding: Binding) -> str | None:
        """Returns the values of variables that are not in the binding of the violation; None if there are none."""
        names = sorted((own_names(part) & binding.values.keys()) - self._named)
        return ", ".join(f"{name} = {_shown(binding.values[name])}" for name in names) or None


def _window(times: Times) -> Interval | None:
    """Returns the time in which something was looked for, as one interval; None if it is all of time, or has not
    ended."""
    found = [
        Interval(*common(bounded)) for items in times if (bounded := [each for each in items if _is_bounded(each)])
    ]
    return hull(found) if found and all(end < OPEN for _, end in found) else None


def _is_bounded(item: Item) -> bool:
    return item.kind not in ("always", "never", "unsaid")


def _is_foreseen(times: Times) -> bool:
    """Returns whether the ends of a time are known with it, as those of states are not."""
    items = [item for each in times for item in each]
    return all(item.end_known <= item.known and (item.kind != "state" or item.happening is None) for item in items)


def _shown(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def violation_of(clause: Clause, binding: Binding, refutation: Refutation, start: Time) -> Violation:
    """Returns a violation. What is certain before anything has happened is so with the first event."""
    values = {**binding.values, **dict(refutation.group)}
    written = {each.identifier for part in clause.body if (each := declared_identifier(part)) and is_written(each)}
    identified = [(name, item.happening) for name, item in binding.items.items() if name in written]
    faults = (*binding.unnamed, *refutation.faults)
    at = max(binding.at, refutation.at, start)
    window = refutation.window
    return Violation(
        clause,
        at,
        tuple(sorted(values.items())),
        tuple((name, each) for name, each in identified if each is not None),
        refutation.expected,
        refutation.found,
        faults,
        window,
    )
