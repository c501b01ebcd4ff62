"""Detection of the events of one type: insert what is new, find the groups of events that it terminates, consume."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from cera.instances import chains, pairs
from cera.instances.candidates import Candidates
from cera.instances.chains import Chains
from cera.instances.instance import Bound, Instance, NoValue
from cera.instances.limits import admit
from cera.instances.members import Member, Members, Solution
from cera.instances.modes import Consumption
from cera.instances.pairs import Pairs
from cera.instances.pruning import Pruning
from cera.instances.search import Search
from cera.instances.type_plan import TypePlan
from cera.instances.types import ComplexType
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import wrap
from cera.model.time.interval import Time

#: So many notes of arrivals are kept in any case.
_MANY = 1_000


class AvailableInstances:
    """Instances that a type can use: a sequence of members for each value of its key, and the next number."""

    __slots__ = ("arrivals", "by_key", "full", "next_number")

    def __init__(self) -> None:
        self.by_key: dict[Any, Members] = {}
        #: When something came for which key, where it is forgotten after a while.
        self.arrivals: deque[tuple[Time, Any]] | None = None
        #: The number of arrivals above which those of dropped instances are removed.
        self.full = _MANY
        self.next_number = 0

    @property
    def live(self) -> int:
        return sum(map(len, self.by_key.values()))

    def packed(self) -> dict[str, Any]:
        return {
            "members": [(key, members.by_type) for key, members in self.by_key.items()],
            "expires": bool(self.arrivals),
            "next": self.next_number,
        }

    def unpack(self, data: Mapping[str, Any]) -> None:
        for key, by_type in data["members"]:
            members = self.by_key[key] = Members(())
            members.by_type = {name: list(found) for name, found in by_type.items()}
        self.next_number = data["next"]
        if data["expires"]:
            self.tidy()

    def tidy(self) -> None:
        """Records when each member came: all end with the stage at which they come."""
        found = [(one.end, key) for key, members in self.by_key.items() for _, _, one in members.all()]
        self.arrivals = deque(sorted(found, key=itemgetter(0)))
        self.full = max(_MANY, 2 * len(found))


#: The key of instances that equal nothing.
NO_KEY = object()


class Detector:
    """A compiled complex type. `timely` says that its components occur at the stage at which they are detected."""

    def __init__(
        self, type_: ComplexType, evaluator: Evaluator, *, timely: bool, uncertain: Collection[str] = ()
    ) -> None:
        self.type = type_
        self._plan = TypePlan(type_, evaluator, uncertain)
        self.pruning = Pruning(self._plan, timely=timely)
        key = self._plan.key
        #: The attribute of the key in each type.
        self.keys = None if key is None else {each.type: key[each.name] for each in type_.components}
        #: The types whose instances can terminate an event.
        self._terminating = _terminating(type_) if timely else frozenset(self._plan.types)
        self._names = [(place, type_.components[place].name) for place in type_.bound]
        #: What decides in place of a search, where it can.
        self.short = _short(self._plan, timely=timely)
        #: Whether what is too old is dropped.
        self.expires = type_.within is not None

    @property
    def component_types(self) -> tuple[str, ...]:
        return self._plan.types

    def detect(
        self, available: AvailableInstances, new: Sequence[Instance], now: Time, past: Sequence[int]
    ) -> Sequence[Bound]:
        """Returns the bindings of the events that new instances terminate, in the order in which these arrive."""
        if not self._plan.possible:
            return []
        if self.short is not None:
            if len(new) == 1:
                return self._detect_one(self.short, available, new[0], now)
            return self._detect_short(self.short, available, new, now)
        inserted = self._insert(available, new, now)
        found: list[Bound] = []
        produced: set[frozenset[int]] = set()
        for member, key in sorted(inserted) if len(inserted) > 1 else inserted:
            if member[2].type not in self._terminating:
                continue
            for solution in self._group(available.by_key[key], member, now, past, produced):
                found.append(tuple((name, tuple(one[2] for one in solution.get(p, ()))) for p, name in self._names))
        self._prune(available, inserted, now)
        return found

    def _prune(self, available: AvailableInstances, inserted: Sequence[tuple[Member, Any]], now: Time) -> None:
        for key in {key for _, key in inserted} if len(inserted) > 1 else (key for _, key in inserted):
            members = available.by_key.get(key)
            if members is not None:
                self.pruning.after(members, now)
                if not members:
                    del available.by_key[key]

    def _detect_short(
        self, short: Pairs | Chains, available: AvailableInstances, new: Iterable[Instance], now: Time
    ) -> list[Bound]:
        """Detects as above, for a type whose terminators need not be remembered."""
        terminators = [one for one in new if one.type == short.last]
        inserted = self._insert(available, (one for one in new if one.type != short.last), now)
        found: list[Bound] = []
        for terminator in terminators:
            key = self.key_of(terminator)
            members = None if key is NO_KEY else available.by_key.get(key)
            if members is None:
                continue
            found += short.detect(members, terminator, now)
            if not members:
                del available.by_key[key]
        self._prune(available, inserted, now)
        return found

    def _detect_one(
        self, short: Pairs | Chains, available: AvailableInstances, one: Instance, now: Time
    ) -> Sequence[Bound]:
        """Detects as above what one new instance terminates, or inserts it."""
        key = self.key_of(one)
        if key is NO_KEY:
            return ()
        members = available.by_key.get(key)
        if one.type != short.last:
            if not _is_of_use(short, members, one):
                return ()
            number = available.next_number
            available.next_number = number + 1
            if members is None:
                members = available.by_key[key] = Members(self._plan.types)
            members.insert((one.time, number, one))
            if self.expires:
                self.note_arrival(available, now, key)
            if self.pruning.concerns_pairs:
                self.pruning.after(members, now)
                if not members:
                    del available.by_key[key]
            return ()
        if members is None:
            return ()
        found = short.detect(members, one, now)
        if found and not members:
            del available.by_key[key]
        return found

    def key_of(self, instance: Instance) -> Any:
        """Returns the value of the key of an instance; NO_KEY if it has none, so that it equals nothing."""
        if self.keys is None:
            return None
        attribute, fields = self.keys[instance.type], instance.fields
        value = instance.attribute(attribute) if fields is None or attribute == "evtime" else fields.get(attribute)
        if value.__class__ is NoValue:
            return NO_KEY
        return NO_KEY if value is None else wrap(value)

    def _insert(self, available: AvailableInstances, new: Iterable[Instance], now: Time) -> list[tuple[Member, Any]]:
        """Inserts new members, and returns each with the value of its key."""
        inserted: list[tuple[Member, Any]] = []
        for instance in new:
            key = self.key_of(instance)
            if key is NO_KEY:
                continue
            members = available.by_key.get(key)
            if self.short is not None and not _is_of_use(self.short, members, instance):
                continue
            member = (instance.time, available.next_number, instance)
            available.next_number += 1
            if members is None:
                members = available.by_key[key] = Members(self._plan.types)
            members.insert(member)
            inserted.append((member, key))
            if self.expires:
                self.note_arrival(available, now, key)
        return inserted

    def note_arrival(self, available: AvailableInstances, now: Time, key: Any) -> None:
        if available.arrivals is None:
            available.arrivals = deque()
        available.arrivals.append((now, key))
        if len(available.arrivals) > available.full:
            available.tidy()

    def expire(self, available: AvailableInstances, now: Time) -> None:
        """Drops what is too old, also of keys of which nothing new is heard."""
        arrivals = available.arrivals
        if self.type.within is None or not arrivals:
            return
        since = now - self.type.within
        while arrivals and arrivals[0][0] < since:
            _, key = arrivals.popleft()
            members = available.by_key.get(key)
            if members is not None:
                self.pruning.expire(members, now)
                if not members:
                    del available.by_key[key]

    def _group(
        self, members: Members, terminator: Member, now: Time, past: Sequence[int], produced: set[frozenset[int]]
    ) -> list[Solution]:
        """Returns the events that a member terminates, and removes the members that they consume."""
        plan = self._plan
        if terminator not in members:
            return []
        working = members.copy() if plan.restores else members
        candidates = Candidates(plan, working, now, past)
        group: list[Solution] = []
        for solution in Search(candidates).group(terminator, produced):
            group.append(solution)
            admit(self.type, group)
            self._consume(candidates, working, [solution], terminator, plan.inside)
        if plan.restores and group:
            self._consume(Candidates(plan, members, now, past), members, group, terminator, plan.outside)
        return group

    def _consume(
        self,
        candidates: Candidates,
        members: Members,
        group: Sequence[Solution],
        terminator: Member,
        modes: Mapping[str, Consumption],
    ) -> None:
        for name, consume in modes.items():
            places = self._plan.roles[name]
            gone: list[Member] = []
            for solution in group:
                bound = [member for place in places for member in solution.get(place, ())]

                def allowed(member: Member, solution: Solution = solution, places: Sequence[int] = places) -> bool:
                    return any(candidates.allowed(solution, place, member) for place in places)

                gone.extend(consume(members.by_type[name], bound, terminator[0], allowed))
            members.remove(name, gone)


def _short(plan: TypePlan, *, timely: bool) -> Pairs | Chains | None:
    if not plan.possible:
        return None
    if pairs.fits(plan, timely=timely):
        return Pairs(plan)
    return Chains(plan) if chains.fits(plan, timely=timely) else None


def _is_of_use(short: Pairs | Chains, members: Members | None, one: Instance) -> bool:
    """Returns whether an instance that terminates nothing has to be kept."""
    if isinstance(short, Pairs) or not short.needs_earlier(one.type):
        return True
    return members is not None and short.is_of_use(members, one)


def _terminating(type_: ComplexType) -> frozenset[str]:
    """Returns the types that can terminate an event: in a sequence the last required component, and those after it."""
    components = [type_.components[place] for place in type_.bound]
    if type_.operator not in (";", "not"):
        return frozenset(each.type for each in components)
    last = max((place for place, each in enumerate(components) if each.delimiter.least > 0), default=0)
    return frozenset(each.type for each in components[last:])
