"""The state of a verifier as plain data, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cera.constraints.clause_verifier import ClauseVerifier
from cera.constraints.memory import Place
from cera.constraints.obligations import Obligation
from cera.constraints.stream import Happening
from cera.constraints.verifier import Verifier
from cera.model.events.event import Event
from cera.model.events.states import state_term

if TYPE_CHECKING:
    from cera.constraints.processor import ConstraintProcessor, ConstraintState


def pack(state: ConstraintState) -> dict[str, Any]:
    return {
        "verifier": None if state.verifier is None else _pack_verifier(state.verifier),
        "closing": state.closing,
        "judged": state.is_judged,
        "reached": state.reached,
        "announced": state.announced,
        "wakeups": [(time, what) for time, _, what in sorted(state.wakeups, key=lambda each: each[:2])],
    }


def unpack(data: Any, processor: ConstraintProcessor) -> ConstraintState:
    state = processor.start()
    if data["verifier"] is not None:
        state.verifier = processor.new_verifier()
        _unpack_verifier(data["verifier"], state.verifier)
    state.closing, state.is_judged = data["closing"], data["judged"]
    state.reached, state.announced = data["reached"], data["announced"]
    for time, what in data["wakeups"]:
        state.wake(time, tuple(what))
    return state


def _pack_verifier(verifier: Verifier) -> dict[str, Any]:
    known = verifier.known
    happenings: dict[int, Happening] = {}
    for clause in verifier.clauses:
        for obligation in clause.obligations.values():
            _collect((each for each in obligation.chosen.values() if isinstance(each, Happening)), happenings)
        _collect(clause.derived.known.values(), happenings)
        for supports in clause.derived.supports.values():
            for states in supports:
                _collect(states, happenings)
    stored = [(place, list(some)) for place, some in verifier.store.by_label.items() if some]
    for some in verifier.store.by_label.values():
        _collect(some.values(), happenings)
    _collect(verifier.open.values(), happenings)
    return {
        "known": (known.now, known.first, list(known.earlier), known.at_end, list(known.steps)),
        "happenings": [_pack_happening(each) for _, each in sorted(happenings.items())],
        "stored": stored,
        "open": [(identity, each.number) for identity, each in verifier.open.items()],
        "told": sorted(verifier.told),
        "next": verifier.next_number,
        "clauses": [_pack_clause(each) for each in verifier.clauses],
    }


def _collect(found: Iterable[Happening], happenings: dict[int, Happening]) -> None:
    for each in found:
        if each.number not in happenings:
            happenings[each.number] = each
            _collect(each.sources, happenings)


def _pack_happening(each: Happening) -> tuple[Any, ...]:
    what = each.event if each.event is not None else each.term
    return each.number, each.kind, each.begin, each.end, what, [source.number for source in each.sources], each.since


def _pack_clause(clause: ClauseVerifier) -> dict[str, Any]:
    return {
        "started": clause.is_started,
        "windows": list(clause.windows.items()),
        "derived": [each.number for each in clause.derived.known.values()],
        "stored": [(place, list(some)) for place, some in clause.derived.store.by_label.items() if some],
        "supports": [
            (number, [[state.number for state in states] for states in supports])
            for number, supports in clause.derived.supports.items()
        ],
        "obligations": [_pack_obligation(each) for each in clause.obligations.values()],
    }


def _pack_obligation(each: Obligation) -> tuple[Any, ...]:
    chosen = [
        (place, (choice.number,) if isinstance(choice, Happening) else choice) for place, choice in each.chosen.items()
    ]
    values = list(each.values.items())
    return each.number, each.goal.number, chosen, values, each.key, sorted(each.reported, key=repr), each.wakeup


def _unpack_verifier(data: Any, verifier: Verifier) -> None:
    known = verifier.known
    known.now, known.first, earlier, known.at_end, steps = data["known"]
    known.earlier, known.steps = [tuple(each) for each in earlier], list(steps)
    happenings: dict[int, Happening] = {}
    for number, kind, begin, end, what, sources, since in data["happenings"]:
        event = what if isinstance(what, Event) else None
        term = what if event is None else state_term(event) if kind == "state" else event.term
        made = Happening(term, begin, end, kind, event, (), since, number)
        happenings[number] = made
        made.sources = tuple(happenings[each] for each in sources)
    for place, numbers in data["stored"]:
        where: Place = tuple(place)
        for number in numbers:
            verifier.store.add(where, happenings[number])
    verifier.open = {identity: happenings[number] for identity, number in data["open"]}
    verifier.told, verifier.next_number = set(data["told"]), data["next"]
    for clause, packed in zip(verifier.clauses, data["clauses"], strict=True):
        _unpack_clause(packed, clause, happenings)


def _unpack_clause(data: Any, clause: ClauseVerifier, happenings: dict[int, Happening]) -> None:
    clause.is_started = data["started"]
    clause.windows = {tuple(place): time for place, time in data["windows"]}
    for number in data["derived"]:
        clause.derived.know(happenings[number])
    for place, numbers in data["stored"]:
        where: Place = tuple(place)
        for number in numbers:
            clause.derived.store.add(where, happenings[number])
    clause.derived.supports = {
        number: [tuple(happenings[state] for state in states) for states in supports]
        for number, supports in data["supports"]
    }
    goals = {goal.number: goal for goal in clause.goals.goals}
    for number, goal, chosen, values, key, reported, wakeup in data["obligations"]:
        choices = {place: happenings[choice[0]] if isinstance(choice, tuple) else choice for place, choice in chosen}
        made = Obligation(number, goals[goal], choices, dict(values), key)
        made.reported, made.wakeup = set(reported), wakeup
        clause.add(made)
