"""The summary of a run on standard error: counts, and what looks like a mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cera.cli.report import count, fail, listed, printable, say, say_more, warn
from cera.constraints.module import ConstraintModule
from cera.constraints.occasions import Seen, missing_occasion
from cera.diagnostics import did_you_mean
from cera.errors import UnusableInputError
from cera.model.events.states import is_internal, name_of, shown_label
from cera.model.terms.term import Value, format_value
from cera.modules.history_module import HistoryModule
from cera.modules.monitoring import OPERATIONS
from cera.program import Program
from cera.rules.analysis.labels_and_attributes import queries_any_label
from cera.rules.analysis.unification import head_label
from cera.running.outcome import Changes, InputCounts, Outcome
from cera.running.request import Request


def show_summary(program: Program, request: Request, outcome: Outcome) -> str | None:
    """Reports how much was read, left out, rejected and derived, then what looks like a mistake.

    If no record could be used, that comes first, and the message is returned: `refuse` ends the command with it when
    everything else is done.
    """
    counts, derived = outcome.counts, outcome.derived
    unusable = _unusable(program, counts, derived)
    if unusable is not None:
        fail(unusable)
    say(_read(request, counts))
    total = sum(derived.values())
    by_label = sorted(f"{printable(shown_label(label))} {number:,}" for label, number in derived.items())
    say(f"{count(total, 'event')} derived" + (f": {listed(by_label)}" if by_label else ""))
    if outcome.written != total:
        say(f"{count(outcome.written, 'event')} written")
    if outcome.undefined:
        of = outcome.undefined_in
        lacking = "no value" if of == "expression" else "an expression without a value"
        say(
            f"{count(outcome.undefined, of)} had {lacking} (division by zero, overflow, wrong type, missing child, a "
            "term too large); comparisons with such a value are false"
        )
    if still_open := outcome.open_states:
        named = [f"{printable(label)} {number:,}" for label, number in sorted(still_open.items())]
        total = sum(still_open.values())
        ends = "its end" if total == 1 else "their ends"
        say(f"{count(total, 'state')} still open at the end: {listed(named)}; what waits for {ends} is not answered")
    if left_out := outcome.left_out:
        why = {each.left_out_text for each in program.layers.modules if isinstance(each, HistoryModule)}
        say(f"{count(left_out, 'event')} {', or '.join(sorted(why))}")
    if outcome.most_in_state is not None:
        say_more(f"at most {count(outcome.most_in_state, 'tuple')} in state")
    if strange := _not_counted(counts.changes):
        say(strange)
    if unused := _unused(program, counts):
        words = [one for one, _ in program.modules.definitions]
        say(f"events that no {' or '.join(words) or 'rule'} asks for: {listed(unused)}")
    for text in _suspicions(program, counts, derived):
        warn(text)
    return unusable


def show_missing_attributes(program: Program, outcome: Outcome) -> None:
    """Warns of attributes that no event of the label had; of those that a match can do without only if one is near."""
    for text in dict.fromkeys(program.expectations.missing_attributes(outcome.observed, outcome.counts.labels)):
        warn(text)


def refuse(unusable: str | None) -> None:
    """Raises UnusableInputError, which ends the command, if there is a reason; it has been reported by then."""
    if unusable is not None:
        raise UnusableInputError(unusable)


def _unusable(program: Program, counts: InputCounts, derived: Mapping[str, int]) -> str | None:
    """Returns why nothing of the input could be used; None if something could, or the input is empty."""
    if counts.rejected and not counts.records and not counts.late:
        return all_rejected(counts.rejected)
    outside = program.expectations.labels - program.expectations.derived_labels
    used = queries_any_label(program.rules.rules) or not outside or not outside.isdisjoint(counts.labels)
    if used or not counts.records or any(derived.values()) or _holds_by_absence(program, counts):
        return None
    number = "the event does not have" if counts.records == 1 else f"none of {counts.records:,} events has"
    asked = listed([f"`{printable(label)}`" for label in sorted({shown_label(label) for label in outside})])
    return f"no event could be used: {number} a label that the program asks for ({asked})"


def _holds_by_absence(program: Program, counts: InputCounts) -> bool:
    """Returns whether a constraint judges events that have none of its labels: they should not happen."""
    modules = (module for module in program.layers.modules if isinstance(module, ConstraintModule))
    clauses = (clause for module in modules for clause in module.clauses)
    return any(missing_occasion(clause, Seen(counts.labels)) is None for clause in clauses)


def all_rejected(number: int) -> str:
    """Returns the message that every record was rejected."""
    return f"no record could be used: {f'all {number:,} were' if number > 1 else 'the only one was'} rejected"


def _read(request: Request, counts: InputCounts) -> str:
    parts = [f"{count(counts.records, 'event')} read"]
    if counts.repeated:
        parts.append(f"{counts.repeated:,} of them equal to another one (--id-field keeps such events apart)")
    if counts.after_until:
        parts.append(f"{counts.after_until:,} later than --until")
    if counts.late:
        kept = f", written to {request.late}" if request.late else " (--late PATH writes them to a file)"
        parts.append(f"{counts.late:,} too late for --max-delay{late_ends(counts.late_ends)}{kept}")
    if counts.repaired:
        parts.append(repaired_ends(counts.repaired))
    if counts.rejected:
        kept = f", written to {request.rejected}" if request.rejected else ""
        parts.append(f"{count(counts.rejected, 'record')} rejected{kept}")
    return "; ".join(parts)


def late_ends(number: int) -> str:
    """Returns how many of the late events are ends of states that are not open; empty if none is."""
    if not number:
        return ""
    return f", {number:,} of them the {'end of a state that is' if number == 1 else 'ends of states that are'} not open"


def repaired_ends(number: int) -> str:
    """Returns how many ends of states were moved on."""
    moved = "it was" if number == 1 else "they were"
    ends = "1 late end of a state" if number == 1 else f"{number:,} late ends of states"
    return f"{ends} repaired: {moved} moved to the first time that was not decided yet"


def _suspicions(program: Program, counts: InputCounts, derived: Mapping[str, int]) -> Iterator[str]:
    if not counts.labels:
        if not counts.rejected:
            yield "there was no event in the input"
        return
    yield from _missing_tables(program, counts.changes)
    yield from program.expectations.missing_labels({*counts.labels, *derived})


def _unused(program: Program, counts: InputCounts) -> list[str]:
    """Returns the labels of input events that no query can match, each with the number of its events."""
    if queries_any_label(program.rules.rules):
        return []
    queried = program.expectations.labels
    found = ((label, number) for label, number in sorted(counts.labels.items()) if label not in queried)
    return [f"{printable(shown_label(label))} {number:,}" for label, number in found]


def show_unknown_labels(
    selected: Sequence[str], program: Program, counts: InputCounts, derived: Mapping[str, int]
) -> None:
    """Warns of labels of --select that no event has and no rule derives."""
    heads = (head_label(rule.head) for rule in program.rules.rules)
    labels = program.expectations.derived_labels.union(
        counts.labels, derived, (label for label in heads if label is not None)
    )
    known = {name_of(label) for label in labels if not is_internal(label)}
    for label in selected:
        if label not in known:
            warn(f"--select: nothing has the label `{printable(label)}`{_guess(label, known)}")


def _guess(label: str, known: Iterable[str]) -> str:
    hint = did_you_mean(label, known)
    return f"; {printable(hint)}" if hint else ""


def _not_counted(changes: Changes) -> str | None:
    """Returns how many changes no module can monitor, and why; None if there are none."""
    strange = [
        (operation, table, number)
        for (operation, table), number in changes.items()
        if operation not in OPERATIONS or not isinstance(table, str)
    ]
    if not strange:
        return None
    reasons: Counter[str] = Counter()
    for operation, _, number in strange:
        reasons["no table" if operation in OPERATIONS else _unknown_operation(operation)] += number
    total = count(sum(number for *_, number in strange), "change")
    detail = listed([f"{printable(reason)} {number:,}" for reason, number in sorted(reasons.items())])
    return f"{total} without a table or an operation (insert, update or delete) counted for no module: {detail}"


def _unknown_operation(operation: Value | None) -> str:
    return "no operation" if operation is None else f"operation {format_value(operation)}"


def _missing_tables(program: Program, changes: Changes) -> Iterator[str]:
    """Yields a warning for each monitored table that the input has no change of, though it has others."""
    tables = {table for (_, table) in changes if isinstance(table, str)}
    reported = set()
    for each in program.expectations.changes:
        found = each.name in tables or (each.attributes and each.name.lower() in {name.lower() for name in tables})
        if tables and not found and each.name not in reported:
            reported.add(each.name)
            hint = did_you_mean(each.name, tables) or f"there are changes of {listed(sorted(tables))}"
            monitored = f"the program monitors {each}, and no change is of the table {each.name}"
            yield printable(f"{monitored}; {hint}")
