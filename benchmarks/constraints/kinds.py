"""The kinds of constraints of `examples/auction`, each with those that are of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.constraints.auctions import SINCE
from benchmarks.constraints.recording import FOLDER
from cera.constraints.module import ConstraintModule
from cera.diagnostics import Source
from cera.modules.layering import Layers
from cera.modules.module import Module
from cera.program import Program


@dataclass(frozen=True)
class Kind:
    """A kind of constraint: the file and the names of those that are of it."""

    name: str
    file: str
    constraints: tuple[str, ...]
    #: Whether they are about states of the automaton.
    states: bool = False
    #: Whether something is looked for in a time that begins before the recording.
    since: bool = False


KINDS = (
    Kind(
        "at most one, ever",
        "workflow",
        ("started-once", "ended-once", "enrolled-once", "offered-once", "data-once"),
    ),
    Kind("order of events", "workflow", ("enrolled-before", "no-bid-after-end", "no-enrollment-after-end")),
    Kind(
        "one before, ever",
        "workflow",
        ("bid-for-offer", "end-of-auction", "check-of-data", "result-of-check"),
        since=True,
    ),
    Kind("two before, ever", "workflow", ("two-bidders", "some-item"), since=True),
    Kind("one between", "workflow", ("data-again",)),
    Kind("one in seconds before", "workflow", ("bid-in-time", "sale-in-time")),
    Kind("none in seconds before", "workflow", ("beat-in-time",)),
    Kind(
        "none in a state",
        "workflow",
        (
            *(f"i0-no-{what}" for what in ("beat", "sale", "item", "end")),
            *(f"i{state}-no-{what}" for state in (1, 2, 3) for what in ("sale", "item", "end")),
            *(f"i4-no-{what}" for what in ("bid", "beat", "item", "end")),
            *(f"i5-no-{what}" for what in ("bid", "beat", "sale")),
        ),
        states=True,
    ),
    Kind("so many in a state, 7.1", "offer", ("beats", "one-sale", "next-item or last-item"), states=True),
    Kind("states in a state, 7.1", "offer", ("one-I0", "one-I4", "one-I5"), states=True),
    Kind(
        "what must follow, 7.2",
        "offer",
        ("wanted-beats", "wanted-sale", *(f"wanted-I{state}" for state in (1, 2, 3, 4))),
        states=True,
    ),
    Kind("order of states, 7.2", "offer", tuple(f"i0-before-i{state}" for state in (1, 2, 3, 4, 5)), states=True),
    Kind("hourly windows, 7.3", "hourly", ("hourly",)),
    Kind("one with others, 7.4", "sale", ("three-beats",), states=True),
    Kind("rising between, 7.4", "sale", ("higher",), states=True),
    Kind(
        "same auction, 7.5",
        "items",
        ("bid-auction", "beat-auction", "sale-auction", "state-auction"),
        states=True,
    ),
    Kind("prices, 7.6", "prices", ("not-falling", "sold-for-the-price", "rising", "above-the-start"), states=True),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def layers_of(kind: Kind, *constraints: str) -> Layers:
    """Returns a program with the constraints of a kind, or with some of them."""
    chosen = constraints or kind.constraints
    path = FOLDER / f"{kind.file}.escl"

    def narrowed(module: Module) -> Module:
        if not isinstance(module, ConstraintModule):
            return module
        clauses = tuple(each for each in module.clauses if each.constraint in chosen)
        assert {each.constraint for each in clauses} == set(chosen), chosen
        return replace(module, clauses=clauses, since=SINCE if kind.since else None)

    return Program((Source(path.name, path.read_text()),)).layers.changed(narrowed)
