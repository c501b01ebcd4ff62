"""What the local definitions of a clause have derived so far: events, and states with the states that they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cera.constraints.memory import Change, Place, Store
from cera.constraints.stream import Happening
from cera.model.events.states import OPEN


class LocalDerivations:
    """The events and states that definitions have derived, each once."""

    def __init__(self, store: Store, numbers: Iterator[int]) -> None:
        self.store = store
        self._numbers = numbers
        self.known: dict[object, Happening] = {}
        #: The states that each derived state rests on, by its number.
        self.supports: dict[int, list[tuple[Happening, ...]]] = {}

    def derive(self, found: Happening) -> Iterator[Change]:
        """Yields what was derived, unless it was before."""
        is_state = found.kind == "state"
        known = self.known.get(_key(found))
        states = tuple(each for each in found.sources if each.kind == "state")
        if known is not None:
            if is_state and states not in self.supports[known.number]:
                self.supports[known.number].append(states)
                known.end = max(known.end, found.end)
            return
        found.number = next(self._numbers)
        self.know(found)
        if is_state:
            self.supports[found.number] = [states]
        place: Place = (None, found.term.label)
        self.store.add(place, found)
        yield place, found

    def know(self, found: Happening) -> None:
        self.known[_key(found)] = found

    def ended(self) -> Iterator[Change]:
        """Yields the derived states that end now, because what they rest on does."""
        for happening in self.known.values():
            if happening.kind == "state" and happening.is_open:
                ends = (min((state.end for state in each), default=OPEN) for each in self.supports[happening.number])
                end = max(ends)
                if end < OPEN:
                    happening.end = end
                    yield (None, happening.term.label), happening

    def forget(self, needs: Callable[[Place, Happening], bool]) -> None:
        """Forgets what cannot matter any more."""
        for place, some in self.store.by_label.items():
            for happening in list(some.values()):
                if not needs(place, happening):
                    self.store.remove(place, happening)
                    self.known.pop(_key(happening), None)
                    self.supports.pop(happening.number, None)


def _key(found: Happening) -> tuple[object, ...]:
    return (found.term, found.begin) if found.kind == "state" else (found.term, found.begin, found.end)
