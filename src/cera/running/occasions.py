"""Whether constraints that nothing violates were judged: what their bodies ask for is looked for in the recording.

The events are read once more, and only as long as something is missing, which most often is a few hundred of them.
What is not among the first thousands is looked for by rules, on the engine of the run (`cera.running.late_occasions`).
Where events come as they happen they are looked at as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.constraints.occasion_module import OccasionModule
from cera.constraints.occasion_needs import Need, PlaceNeed, needs_of, place_needs_of, relations_needed
from cera.constraints.occasions import Seen, missing_occasion
from cera.constraints.places import unknown_place
from cera.constraints.reports import VIOLATION
from cera.constraints.translation.clause_rules import ByRules
from cera.constraints.translation.layers import verifications
from cera.model.events.occurrence import Occurrence
from cera.modules.driving import Driver
from cera.modules.layered_processor import layered_processor
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module, Settings

#: How many events are looked at between two looks whether all was found: few at first.
_FIRST_PIECE = 64
_MOST_AT_ONCE = 4096
#: After so many events rules look for what they can.
BY_RULES_FROM = 5_000

#: Returns how often a clause was violated so far, given its file and its name: `shop.paid`.
Violations = Callable[[str], int]


class _Question:
    """What a clause needs to be judged."""

    def __init__(self, module: ConstraintModule, clause: Clause) -> None:
        self.module = module
        self.clause = clause
        self.name = f"{module.name}.{clause.name}"
        self.needs = needs_of(clause)
        self.places = place_needs_of(clause)
        #: Whether it is left to rules.
        self.is_left = False

    def names(self, need: Need) -> list[str]:
        return [f"{self.module.name}.{way.name}" for way in need.ways]

    def is_judged(self, found: set[str]) -> bool:
        return not self.needs or not found.isdisjoint(self.names(self.needs[-1]))

    def headless(self) -> list[Clause]:
        return [way for need in self.needs for way in need.ways]

    def rules_can_say_it(self) -> bool:
        made = verifications(self.module.of_clauses(tuple(self.headless())))
        return not self.places and all(isinstance(each, ByRules) for _, each in made)


class Occasions:
    """Why clauses that nothing violates were not judged, by file and clause, once it was looked.

    `rules_may_look`: the recording can be read again, by an engine that takes rules for constraints.
    """

    def __init__(self, layers: Layers, violations: Violations, *, rules_may_look: bool = False) -> None:
        self._layers = layers
        self._violations = violations
        self.rules_may_look = rules_may_look
        self._questions: list[_Question] = []
        self._known: set[PlaceNeed] = set()
        self._empty: set[str] = set()
        #: The clauses without a head whose bodies held, by file and name.
        self.found: set[str] = set()

    @property
    def missing(self) -> Mapping[str, str]:
        """Why clauses were not judged, by file and clause."""
        unjudged = (each for each in self._questions if not each.is_judged(self.found))
        return {each.name: self._reason(each) for each in unjudged}

    def _reason(self, question: _Question) -> str:
        for name in relations_needed(question.clause):
            if name in self._empty:
                return f"the relation `{name}` has no row"
        missing = [each.reason for each in question.needs if self.found.isdisjoint(question.names(each))]
        unknown = [each.reason for each in question.places if each not in self._known]
        return [*missing[:-1], *unknown, missing[-1]][0]

    def search(self, seen: Seen | None, settings: Callable[[], Settings]) -> Search:
        """Returns a search for the occasions of all clauses that nothing violates, and that may have had one as far as
        it is known what was seen. Settings are made if there are some."""
        for module in self._layers.modules:
            if isinstance(module, ConstraintModule):
                names = {each: self._violations(f"{module.name}.{each.name}") for each in module.clauses}
                violated = {each.constraint for each, number in names.items() if number}
                for clause in module.clauses:
                    if clause.constraint not in violated and (seen is None or missing_occasion(clause, seen) is None):
                        self._questions.append(_Question(module, clause))
        asked = any(each.needs for each in self._questions)
        return Search(self, self._questions, self._layers, settings() if asked else Settings())

    def know_place(self, need: PlaceNeed) -> None:
        self._known.add(need)

    def is_known(self, need: PlaceNeed) -> bool:
        return need in self._known

    def note_empty(self, relations: Iterable[str]) -> None:
        self._empty.update(relations)

    def left(self) -> Layers | None:
        """Returns a program whose violations are the occasions of clauses that are left to rules; None if none is."""
        modules: list[ConstraintModule] = []
        for question in self._questions:
            if question.is_left and not question.is_judged(self.found):
                ways = [each for each in question.headless() if f"{question.module.name}.{each.name}" not in self.found]
                modules.append(question.module.of_clauses(tuple(ways)))
        return over(self._layers, modules) if modules else None


class Search:
    """One look through events for what clauses need."""

    def __init__(
        self, occasions: Occasions, questions: Sequence[_Question], layers: Layers, settings: Settings
    ) -> None:
        self._occasions = occasions
        self._questions = questions
        self._settings = settings
        #: Those whose bodies held, and those that are left to others.
        self._done: set[str] = set()
        looking = [OccasionModule.of(each.module, way, self._done) for each in questions for way in each.headless()]
        self._layers = over(layers, looking)
        self._driver: Driver | None = None
        relations = {name for each in questions for name in relations_needed(each.clause)} & settings.relations.keys()
        rows = {name: settings.relations[name] for name in relations}
        occasions.note_empty(name for name, each in rows.items() if next(iter(each.each()), None) is None)

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels of the events that matter; None if all could."""
        modules = self._layers.modules
        if any(each.starts_with_any_event for each in modules):
            return None
        read = frozenset[str | None]().union(*(each.reads for each in modules))
        return None if None in read else frozenset(label for label in read if label is not None)

    def is_over(self) -> bool:
        """Whether all clauses had an occasion, or are left to rules."""
        return all(each.is_left or each.is_judged(self._done) for each in self._questions)

    def start(self, max_delay: int | None = 0) -> None:
        """Begins to look at events that come no later than that."""
        self._driver = Driver(layered_processor(self._layers, self._settings), max_delay)

    def push(self, events: Sequence[Occurrence]) -> None:
        """Looks at events as they come."""
        assert self._driver is not None
        if self.is_over():
            return
        self._driver.push(list(events))
        for question in self._questions:
            for need in question.places:
                if not self._occasions.is_known(need) and any(_is_known(each, need, question) for each in events):
                    self._occasions.know_place(need)

    def finish(self) -> None:
        """Takes note of what was found."""
        assert self._driver is not None
        if not self.is_over():
            until = self._settings.until
            _ = self._driver.close() if until is None else self._driver.advance_to(until)
        left = {f"{each.module.name}.{way.name}" for each in self._questions if each.is_left for way in each.headless()}
        self._occasions.found |= self._done - left

    def look_through(self, events: Iterable[Occurrence]) -> None:
        """Looks through a recording, in the order of time, as long as something is missing."""
        if self.is_over():
            return
        self.start()
        flowing, size, number = iter(events), _FIRST_PIECE, 0
        while piece := list(islice(flowing, size)):
            self.push(piece)
            number += len(piece)
            if self._occasions.rules_may_look and number >= BY_RULES_FROM > number - len(piece):
                self._leave_to_rules()
            if self.is_over():
                break
            size = min(2 * size, _MOST_AT_ONCE)
        self.finish()

    def _leave_to_rules(self) -> None:
        for each in self._questions:
            if not each.is_judged(self._done) and each.rules_can_say_it():
                each.is_left = True
                names = {f"{each.module.name}.{way.name}" for way in each.headless()}
                self._occasions.found |= names & self._done
                self._done |= names


def _is_known(event: Occurrence, need: PlaceNeed, question: _Question) -> bool:
    located = need.located
    return event.label == located.literal.atom.label and (
        unknown_place(event.term, located.needs, question.module.locations) is None
    )


def over(layers: Layers, looking: Sequence[ConstraintModule]) -> Layers:
    """Returns modules that look for something, over those others that derive what they ask for."""
    asked = frozenset[str | None]().union(*(each.reads for each in looking))
    if not any(_derives(module, asked) for module in layers.modules):
        return Layers((Layer(tuple(looking)),))
    others = [Layer(tuple(each for each in layer.modules if _is_below(each, asked))) for layer in layers.layers]
    return Layers((*(each for each in others if each.modules), Layer(tuple(looking))))


def _is_below(module: Module, asked: frozenset[str | None]) -> bool:
    """Returns whether a module derives something for others: constraints only where their violations are asked for, and
    not those that ask for violations themselves, which do not see their own."""
    return not isinstance(module, ConstraintModule) or (VIOLATION in asked and VIOLATION not in module.reads)


def _derives(module: Module, labels: frozenset[str | None]) -> bool:
    return None in module.derives or not module.derives.isdisjoint(labels)
