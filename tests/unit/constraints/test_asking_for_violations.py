"""Programs that ask for violations, of constraints and of automata: the same on every engine, and in micro-batches."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

pytest.importorskip("pyspark")

from cera.constraints.translation.layers import by_rules
from cera.diagnostics import Source
from cera.engines.spark.division.operators import operators
from cera.model.events.event import Event
from cera.model.terms.json_terms import loads, term_from_json
from cera.modules.layering import Layers
from cera.program import load
from cera.testing import SECOND, event
from module_runs import run_layers
from properties.local_runs import disordered
from properties.streaming_runs import MicroBatches, random_cuts

#: A parcel is packed once, within a minute, and then sent.
PARCEL = """automaton Parcel(id(O)) {
  start Open; Full; end Sent;
  enter -> Open: ordered(id(O*));
  Open -> Full: packed(id(O));
  Full -> Sent: sent(id(O));
}
"""
PAID = """CONSTRAINT paid: IF event o: ordered(id(N)) and event w: from-end[o, 20 sec]
  THEN while w: event: paid(id(N)) END
"""
DESK = """WHILE Range 60 sec
LET CONSTRAINT rare: IN ANY CASE exists <= 1 event: violation(automaton(A)) group-by {A} END END

CONSTRAINT excused: IF event v: violation(automaton("Parcel"), instance(id(N))) and event w: from-end[v, 10 sec]
  THEN while w: event: excuse(id(N)) END

CONSTRAINT twice: IF event v: violation(constraint(paid), binding(N(N)))
  THEN exists = 0 event: violation(automaton("Parcel"), instance(id(N))) END
"""
XCEQ = """RAISE to(recipient="mailto:desk@example.org") { call { about { var C } } }
ON event v: violation {{ constraint { var C } }} END

DETECT broken { id { var N }, state { var S } }
ON event v: violation {{ automaton { "Parcel" }, instance {{ id { var N } }}, state { var S } }} END
"""
STREAMLOG = "late(n(N)) <- violation(constraint(paid), binding(N(N))).\n"
EPL = """begin Book
  monitor violation;
  noted: violation(V, V.constraint = "paid") -> write("%s", V.expected).
end.
"""


def happens(label: str, at: float, number: int) -> Event:
    return event(f"{label}{{id{{{number}}}}}", at)


#: The second and the third parcel are sent before they are packed; nobody pays for the first and the third.
EVENTS = [
    *(happens("ordered", 1, number) for number in (1, 2, 3)),
    happens("paid", 5, 2),
    happens("packed", 10, 1),
    happens("sent", 12, 2),
    happens("excuse", 15, 2),
    happens("sent", 17, 1),
    happens("sent", 30, 3),
    happens("ordered", 100, 4),
    happens("paid", 101, 4),
]

#: When something is violated or found, and what.
Found = set[tuple[float, str]]


def program(**files: str) -> Layers:
    return load([Source(name.replace("_", "."), text) for name, text in files.items()]).layers


def on(engine: str, layers: Layers, labels: Sequence[str]) -> Found:
    answer = run_layers(layers, EVENTS, engine)
    return {(one.event.end / SECOND, str(one.event.term)) for one in answer.derived if one.event.label in labels}


def in_micro_batches(layers: Layers, labels: Sequence[str], seed: int) -> Found:
    choose = random.Random(seed)
    stream = MicroBatches(operators(by_rules(layers), buckets=3), 2 * SECOND)
    for batch in [*random_cuts(disordered(EVENTS, 2 * SECOND, choose), choose), [event("the-end", 300)], []]:
        stream.batch(batch)
    found = [(each.end, term_from_json(loads(each.term))) for each in stream.by_kind.derived]
    return {(end / SECOND, str(term)) for end, term in found if term.label in labels}


ASKING = program(parcel_ihta=PARCEL, shop_escl=PAID, desk_escl=DESK)
REACTING = program(parcel_ihta=PARCEL, shop_escl=PAID, desk_xceq=XCEQ, late_slog=STREAMLOG, book_epl=EPL)


def violated(found: Found) -> set[tuple[float, str]]:
    """Returns when which constraints of the desk were violated."""
    names = ("rare", "excused", "twice")
    return {(at, name) for at, text in found for name in names if f'constraint{{"{name}"}}' in text}


def test_constraints_see_the_violations_of_automata_and_of_other_constraints() -> None:
    found = on("reference", ASKING, ["violation"])
    # the second parcel was excused at 15, and the third, which nobody had paid for by 21, was not
    assert violated(found) == {(30, "rare"), (30, "twice"), (40, "excused")}
    assert on("local", ASKING, ["violation"]) == found
    assert all(in_micro_batches(ASKING, ["violation"], seed) == found for seed in range(5))


REACTIONS = ("call", "broken", "late", "noted")


def test_rules_of_each_language_react_to_violations_of_automata_and_constraints() -> None:
    found = on("reference", REACTING, REACTIONS)
    assert found == {
        (12, 'broken{id{2}, state{"Open"}}'),
        (21, 'call{about{"paid"}}'),
        (21, "late{n{1}}"),
        (21, "late{n{3}}"),
        (21, 'noted{expected{"at least 1 paid"}}'),
        (30, 'broken{id{3}, state{"Open"}}'),
    }
    assert on("local", REACTING, REACTIONS) == found
    assert all(in_micro_batches(REACTING, REACTIONS, seed) == found for seed in range(5))


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("layers", "labels"), [(ASKING, ["violation"]), (REACTING, REACTIONS)], ids=["ask", "react"])
def test_violations_are_asked_for_on_spark_as_well(layers: Layers, labels: Sequence[str]) -> None:
    assert on("spark", layers, labels) == on("reference", layers, labels)
