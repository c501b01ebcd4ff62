"""Cardinalities of derived events from those of the events that rules ask for (seed 002, Listings 8.1 and 8.5).

A rule is looked at in the windows of one period: all events of a match lie in one of them, and so does the answer,
whose time is their hull. The answers in a window are then the images of the matches in it. Of matches it is known

    how many there are at most     in each group, the product over the queries of the branch
    how many there are at least    only where queries share no variable but those of the group, without conditions

and of answers, that several matches may give one (`projected`), as may several rules (`overlapping`). An aggregate
gives one answer for each group and window. It is taken for granted that no event with the label of a rule's head comes
from outside. Rules that depend on themselves are refused, as is whatever is not of this form:
nothing is then said of the label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from cera.constraints.cardinalities.cardinality import Cardinality
from cera.constraints.cardinalities.laws import (
    all_or_none,
    combined,
    conjoined,
    of_general,
    of_special,
    or_none,
    overlapping,
    projected,
    selected,
)
from cera.constraints.cardinalities.windows import transferred
from cera.constraints.numbers import ALL, CountSet, compared
from cera.constraints.subsumption.atoms import (
    Fixed,
    FlatAtom,
    Name,
    Place,
    Substitution,
    Value,
    extended,
    flat_pattern,
)
from cera.model.expressions.atoms import Atom
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import Aggregate, EventReference, InOneWindow, Variable
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.periodic_windows import Period
from cera.rules.analysis.dependencies import dependencies
from cera.rules.analysis.unification import head_label
from cera.rules.rule import Branch, PeriodicWindow, Rule, RuleProgram


@dataclass(frozen=True)
class Premises:
    """What is known of the events besides their numbers.

    `longest` is how long an event lasts at most, None if that is not known. `flat` are the labels whose events have
    each attribute at most once: an event of another label may match an atom several times, so that nothing bounds the
    number of answers.
    """

    longest: int | None = 0
    flat: Collection[str] = ()


@dataclass(frozen=True)
class _Body:
    """A branch in the windows of a period: the atoms of its queries, and what may drop a match."""

    period: Period
    atoms: tuple[FlatAtom, ...]
    absent: tuple[FlatAtom | None, ...]
    has_conditions: bool


def propagated(program: RuleProgram, known: Sequence[Cardinality], premises: Premises) -> list[Cardinality]:
    """Returns the cardinalities of what the rules of a program derive, each after those that it follows from."""
    found = list(known)
    derived: list[Cardinality] = []
    once = {*premises.flat, *flat_labels(program)}
    for rules in _in_order(program):
        of_label = _of_label(rules, found, replace(premises, flat=once))
        found += of_label
        derived += of_label
    return derived


def _in_order(program: RuleProgram) -> Iterator[list[Rule]]:
    """Yields the rules of each label that only rules derive, none of them by recursion, after those it depends on."""
    by_label: dict[str | None, list[Rule]] = {}
    for rule in program.rules:
        if rule.recipient is None:
            by_label.setdefault(head_label(rule.head), []).append(rule)
    needs: dict[str, set[str]] = {}
    for each in dependencies(program.rules):
        one, other = head_label(each.rule.head), head_label(each.on.head)
        if one is not None and other is not None:
            needs.setdefault(one, set()).add(other)
    outside = {*(program.sources or ()), *program.from_modules}
    done: set[str] = set()
    waiting = [label for label in by_label if label is not None]
    while ready := [label for label in waiting if needs.get(label, set()) <= done]:
        for label in ready:
            done.add(label)
            waiting.remove(label)
            if label not in outside and None not in by_label:
                yield by_label[label]


def _of_label(rules: Sequence[Rule], known: Sequence[Cardinality], premises: Premises) -> list[Cardinality]:
    """Returns the cardinalities of a label, which several rules may derive."""
    each_rule = [list(_of_rule(rule, known, premises)) for rule in rules]
    if len(rules) == 1:
        return each_rule[0]
    found: list[Cardinality] = []
    for chosen in product(*each_rule):
        first = chosen[0]
        if any(one.period != first.period or not _same_atom(one, first) for one in chosen):
            continue
        numbers = combined(overlapping, (or_none(one.numbers) if one.group else one.numbers for one in chosen))
        names = tuple(dict.fromkeys(name for one in chosen for name in one.because))
        found.append(replace(first, numbers=numbers, because=names))
    return found


def _same_atom(one: Cardinality, other: Cardinality) -> bool:
    """Returns whether two heads have the same attributes, and those that make groups are the same."""
    return [_kind(one, value) for _, value in _sorted(one)] == [
        _kind(other, value) for _, value in _sorted(other)
    ] and [place for place, _ in _sorted(one)] == [place for place, _ in _sorted(other)]


def _sorted(cardinality: Cardinality) -> list[tuple[Place, Value]]:
    return sorted(cardinality.atom.places, key=lambda each: each[0])


def _kind(cardinality: Cardinality, value: Value) -> object:
    return value if isinstance(value, Fixed) else value.name in cardinality.group


def _of_rule(rule: Rule, known: Sequence[Cardinality], premises: Premises) -> Iterator[Cardinality]:
    """Yields the cardinality of the head of a rule, if its form is one that is understood."""
    head = _head(rule)
    if head is None or rule.momentary or rule.traced:
        return
    atom, written, is_aggregate = head
    bodies = [_body(branch, aggregated=is_aggregate) for branch in rule.branches]
    found = [each for each in bodies if each is not None]
    if len(found) < len(bodies) or any(each.period != found[0].period for each in found):
        return
    period = found[0].period
    if is_aggregate:
        group = frozenset(value.name for _, value in atom.places if isinstance(value, Name) and value.name[0] != "=")
        yield Cardinality(atom, written, group, compared("<=", 1), period, (), (rule.name,))
        return
    counted = [_counted(each, known, premises, atom.variables) for each in found]
    if any(each is None for each in counted):
        return
    parts = [each for each in counted if each is not None]
    group = frozenset[str]().union(*(each.group for each in parts))
    if any(each.group != group for each in parts):
        parts = [replace(each, group=group, numbers=of_general(each.numbers)) for each in parts]
    numbers = combined(overlapping, (projected(each.numbers) for each in parts))
    numbers = or_none(numbers) if group else numbers
    names = dict.fromkeys(name for each in parts for name in each.because)
    if numbers != ALL:
        yield Cardinality(atom, written, group, numbers, period, (), (*names, rule.name))


@dataclass(frozen=True)
class _Counted:
    group: frozenset[str]
    numbers: CountSet
    because: tuple[str, ...]


def _counted(body: _Body, known: Sequence[Cardinality], premises: Premises, heads: frozenset[str]) -> _Counted | None:
    """Returns how many matches a branch has in each group of variables of the head."""
    usable = [[use for use in _uses(body, at, known, premises) if use.group <= heads] for at in range(len(body.atoms))]
    group = frozenset(name for each in usable for use in each for name in use.group)
    numbers: list[CountSet] = []
    names: dict[str, None] = {}
    shared = _shared(body.atoms)
    is_bare = not body.has_conditions
    for atom, uses in zip(body.atoms, usable, strict=True):
        own = group & atom.variables
        count = compared(">=", 1) if group else ALL
        exact = False
        for use in uses:
            exact |= use.group == own
            count = count.intersection(use.numbers if use.group == own else of_general(use.numbers))
            names |= dict.fromkeys(use.because)
        if atom.label not in premises.flat and not atom.variables <= group:
            count = of_special(count) if count else count
        is_bare &= exact and shared & atom.variables <= own
        numbers.append(count)
    total = combined(conjoined, numbers)
    total = total if is_bare else selected(total)
    for each in body.absent:
        correlated = each is None or bool(each.variables & frozenset[str]().union(*(a.variables for a in body.atoms)))
        absent = ALL if each is None else _total(each, body.period, known, premises)
        total = all_or_none(total, absent) if not correlated else selected(total)
    return None if total == ALL else _Counted(group, total, tuple(names))


def _total(atom: FlatAtom, period: Period, known: Sequence[Cardinality], premises: Premises) -> CountSet:
    """Returns how many events an atom matches in a window, all groups together."""
    found = ALL
    for each in known:
        theta = extended(each.atom, atom, {})
        if theta is None or each.given or any(isinstance(theta[name], Name) for name in each.group):
            continue
        numbers = or_none(each.numbers) if each.group else each.numbers
        numbers = transferred(numbers, each.period, period, longest=premises.longest)
        found = found.intersection(numbers if _is_variant(each.atom, atom) else of_general(numbers))
    return found


def _shared(atoms: Sequence[FlatAtom]) -> frozenset[str]:
    """Returns the variables that stand at more than one place."""
    names = [value.name for atom in atoms for _, value in atom.places if isinstance(value, Name)]
    return frozenset(name for name in names if names.count(name) > 1)


def _uses(body: _Body, at: int, known: Sequence[Cardinality], premises: Premises) -> Iterator[_Counted]:
    """Yields what constraints say of the numbers of one of the atoms, with their groups in the variables of the rule.

    A constraint about a more general atom gives upper bounds, one about a more special atom lower ones (ERR-81).
    """
    atom = body.atoms[at]
    for each in known:
        if each.given and each.period != body.period:
            continue
        numbers = each.numbers
        if each.period != body.period:  # a group need not occur in each of the windows
            numbers = or_none(numbers) if each.group else numbers
            numbers = transferred(numbers, each.period, body.period, longest=premises.longest)
        for theta in _embedded(each, atom, body.atoms):
            group = frozenset(v.name for name in each.group if isinstance(v := theta[name], Name))
            whole = _is_variant(each.atom, atom)
            yield _Counted(group, numbers if whole else of_general(numbers), each.because)
        is_special = extended(atom, each.atom, {}) is not None
        if is_special and not each.given and not each.group and not _is_variant(each.atom, atom):
            yield _Counted(frozenset(), of_special(numbers), each.because)


def _embedded(known: Cardinality, atom: FlatAtom, atoms: Sequence[FlatAtom]) -> Iterator[Substitution]:
    """Yields the substitutions under which an atom is that of a constraint, and its body is in the branch."""

    def further(given: Sequence[FlatAtom], theta: Substitution) -> Iterator[Substitution]:
        if not given:
            yield theta
            return
        for each in atoms:
            found = extended(given[0], each, theta)
            if found is not None:
                yield from further(given[1:], found)

    theta = extended(known.atom, atom, {})
    if theta is not None and known.group <= theta.keys():
        yield from further(known.given, theta)


def _is_variant(one: FlatAtom, other: FlatAtom) -> bool:
    """Returns whether two atoms match the same events: they differ in the names of variables only."""
    back, forth = extended(one, other, {}), extended(other, one, {})
    if back is None or forth is None:
        return False
    return all(not isinstance(value, Fixed) for value in (*back.values(), *forth.values()))


def _head(rule: Rule) -> tuple[FlatAtom, Atom, bool] | None:
    """Returns the head as an atom, and whether it has aggregates; None if it is another construct.

    A value that is computed is a variable of its own, whose name begins with a sign.
    """
    head = rule.head
    if not isinstance(head, ConstructTerm) or head.ordered:
        return None
    places: list[tuple[Place, Value]] = []
    arguments: list[Atom] = []
    is_aggregate = has_computed = False
    for number, child in enumerate(head.children):
        if not isinstance(child, ConstructTerm) or len(child.children) != 1:
            return None
        [inner] = child.children
        if not isinstance(inner, ConstructValue):
            return None
        value: Value
        match inner.expression:
            case Variable(name=name):
                value = Name(name)
            case Constant(value=scalar):
                value = Fixed(scalar)
            case Aggregate():
                is_aggregate, value = True, Name(f"=R{number}")
            case _:
                has_computed, value = True, Name(f"=R{number}")
        places.append((((child.label,), 1, 0), value))
        shown = Constant(value.value) if isinstance(value, Fixed) else Variable(value.name.lstrip("="))
        arguments.append(Atom(child.label, (shown,)))
    if len({place for place, _ in places}) < len(places) or (is_aggregate and has_computed):
        return None
    return FlatAtom(head.label, "event", tuple(places)), Atom(head.label, tuple(arguments)), is_aggregate


def _body(branch: Branch, *, aggregated: bool) -> _Body | None:
    """Returns a branch in the windows of one period; None if it is of another form."""
    if branch.absolute_timers or branch.relative_timers or branch.collections:
        return None
    events = {query.identifier for query in branch.events}
    if any(query.kind != "event" or query.auxiliary for query in branch.events) or not events:
        return None
    atoms = [flat_pattern(query.pattern) for query in branch.events]
    found = [each for each in atoms if each is not None]
    if len(found) < len(atoms):
        return None
    conditions = list(branch.conditions)
    period: Period | None = None
    match branch.windows:
        case (PeriodicWindow() as window,) if events <= {*window.over} and not window.auxiliary:
            period = window.period
            if aggregated != bool(branch.gathered) or (aggregated and not events <= {*branch.gathered}):
                return None
        case () if not aggregated and not branch.gathered and not branch.absences:
            for each in branch.conditions:
                if isinstance(each, InOneWindow) and _names(each) >= events and period is None:
                    period = Period(each.length, each.slide, each.origin)
                    conditions.remove(each)
        case _:
            return None
    if period is None:
        return None
    if branch.windows and not aggregated:
        return None if not branch.absences else _with_window(branch, found, period, conditions)
    absent = tuple(None if each.conditions else flat_pattern(each.pattern) for each in branch.absences)
    return _Body(period, tuple(found), absent, bool(conditions or branch.relations))


def _with_window(
    branch: Branch, atoms: Sequence[FlatAtom], period: Period, conditions: Sequence[object]
) -> _Body | None:
    """Returns a branch whose answers last for the whole window, because something is absent from it.

    There is then an answer for each window, and in a window lie the answers of no other one of its length.
    """
    absent = tuple(None if each.conditions else flat_pattern(each.pattern) for each in branch.absences)
    if any(each.window != branch.windows[0].identifier or each.excluded for each in branch.absences):
        absent = (None,) * len(absent)
    return _Body(period, tuple(atoms), absent, bool(conditions or branch.relations))


def _names(condition: InOneWindow) -> frozenset[str]:
    return frozenset(each.identifier for each in condition.intervals if isinstance(each, EventReference))


def flat_labels(program: RuleProgram) -> frozenset[str]:
    """Returns the derived labels whose events have each attribute once, because all their heads do."""
    labels = {head_label(rule.head): True for rule in program.rules}
    for rule in program.rules:
        labels[head_label(rule.head)] &= _head(rule) is not None
    return frozenset(label for label, once in labels.items() if once and label is not None and None not in labels)
