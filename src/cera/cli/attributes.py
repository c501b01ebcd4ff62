"""What a run says about attributes that rules ask for and that no event has: most are misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cera.cli.recording import Counts
from cera.cli.report import listed, printable, warn
from cera.diagnostics import closest
from cera.engines.layers.attributes import asked_by, derived_by
from cera.model.attributes import AskedAttribute, ObservedAttributes, Path
from cera.model.events import Event
from cera.pipeline import Program

if TYPE_CHECKING:
    from cera.engines.spark.recorded import Recorded


def observed_attributes(program: Program) -> ObservedAttributes:
    """What is to be looked for in the events of a run; what the program derives itself is known already."""
    observed = ObservedAttributes(asked_by(program.layers))
    for label, paths in derived_by(program.layers).items():
        observed.see(label, _open(observed.missing.get(label, set()), paths))
    return observed


def _open(asked: Iterable[Path], derived: frozenset[Path] | None) -> list[Path]:
    """The derived attributes, and those that are asked for where it is not known what is derived."""
    if derived is None:
        return list(asked)
    return [*derived, *(path for path in asked if len(path) > 1 and path[:1] in derived)]


def look_at(program: Program, events: Iterable[Event]) -> ObservedAttributes:
    """What events that are all there have of it."""
    observed = observed_attributes(program)
    for event in events if observed.missing else ():
        observed.look(event)
    return observed


def observed_on_spark(program: Program, recording: Recorded) -> ObservedAttributes:
    """What the events that Spark reads have of it."""
    from cera.engines.spark.observed import observe  # Spark is there if something was recorded with it

    observed = observed_attributes(program)
    observe(recording.reading.tables, observed, asked_by(program.layers))
    return observed


def show_missing_attributes(program: Program, observed: ObservedAttributes, counts: Counts) -> None:
    """Warns of attributes that no event of the label had; of those that a match can do without only if one is near."""
    for text in dict.fromkeys(_missing(program, observed, counts)):
        warn(text)


def _missing(program: Program, observed: ObservedAttributes, counts: Counts) -> Iterator[str]:
    derived = derived_by(program.layers)
    for asked in asked_by(program.layers):
        occurs = counts.labels.get(asked.label) or asked.label in derived
        if not occurs or asked.path not in observed.missing.get(asked.label, ()):
            continue
        parent = asked.path[:-1]
        if parent in observed.missing[asked.label]:
            continue  # the attribute around it is missing, too
        known = observed.seen(asked.label, parent)
        meant = closest(asked.path[-1], known)
        if asked.any_case and meant is not None and meant.lower() == asked.path[-1].lower():
            continue
        if asked.needed or meant is not None:
            yield _text(asked, meant, known)


def _text(asked: AskedAttribute, meant: str | None, known: Iterable[str]) -> str:
    place = "" if asked.span is None else f" ({asked.span})"
    has = listed([f"`{name}`" for name in sorted(known)])
    hint = f"did you mean `{meant}`?" if meant else f"they have {has}" if has else "they have no attributes"
    said = f"the program asks for `{asked.name}` of `{asked.label}`{place}, and no such event has it; {hint}"
    return printable(said)
