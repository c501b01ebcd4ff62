"""What a run says about itself on standard error when it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cera.cli.changes import missing_tables, not_counted
from cera.cli.report import count, fail, listed, printable, say, warn
from cera.diagnostics import did_you_mean
from cera.errors import UnusableInputError
from cera.program import Program
from cera.rules.analysis.labels_and_attributes import queries_any_label
from cera.rules.analysis.unification import head_label
from cera.running.outcome import InputCounts, Outcome
from cera.running.request import Request


def show_summary(program: Program, request: Request, outcome: Outcome) -> str | None:
    """Shows counts of all that was read, left out, rejected and derived, then what looks like a mistake.

    If no record could be used, that comes first, and is returned: `refuse` ends the command with it when everything
    else is done.
    """
    counts, derived = outcome.counts, outcome.derived
    unusable = _unusable(program, counts, derived)
    if unusable is not None:
        fail(unusable)
    say(_read(request, counts))
    total = sum(derived.values())
    by_label = [f"{printable(label)} {number:,}" for label, number in sorted(derived.items())]
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
    if left_out := outcome.left_out:
        say(f"{count(left_out, 'event')} lacked the attribute that a module is partitioned by, and did not count there")
    if strange := not_counted(counts.changes):
        say(strange)
    if unused := _unused(program, counts):
        say(f"events that no rule asks for: {listed(unused)}")
    for text in _suspicions(program, counts, derived):
        warn(text)
    return unusable


def show_missing_attributes(program: Program, outcome: Outcome) -> None:
    """Warns of attributes that no event of the label had; of those that a match can do without only if one is near."""
    for text in dict.fromkeys(program.expectations.missing_attributes(outcome.observed, outcome.counts.labels)):
        warn(text)


def refuse(unusable: str | None) -> None:
    """Ends the command with the status for input that could not be used; why has been said."""
    if unusable is not None:
        raise UnusableInputError(unusable)


def _unusable(program: Program, counts: InputCounts, derived: Mapping[str, int]) -> str | None:
    """Why nothing of the input could be used, if that is so; an empty input is not wrong."""
    if counts.rejected and not counts.records and not counts.late:
        return all_rejected(counts.rejected)
    outside = program.expectations.labels - program.expectations.derived_labels
    used = queries_any_label(program.rules.rules) or not outside or not outside.isdisjoint(counts.labels)
    if used or not counts.records or any(derived.values()):
        return None
    number = "the event does not have" if counts.records == 1 else f"none of {counts.records:,} events has"
    asked = listed([f"`{printable(label)}`" for label in sorted(outside)])
    return f"no event could be used: {number} a label that the program asks for ({asked})"


def all_rejected(number: int) -> str:
    return f"no record could be used: {f'all {number:,} were' if number > 1 else 'the only one was'} rejected"


def _read(request: Request, counts: InputCounts) -> str:
    parts = [f"{count(counts.records, 'event')} read"]
    if counts.repeated:
        parts.append(f"{counts.repeated:,} of them equal to another one (--id-field keeps such events apart)")
    if counts.after_until:
        parts.append(f"{counts.after_until:,} later than --until")
    if counts.late:
        kept = f", written to {request.late}" if request.late else " (--late PATH writes them to a file)"
        parts.append(f"{counts.late:,} too late for --max-delay{kept}")
    if counts.rejected:
        kept = f", written to {request.rejected}" if request.rejected else ""
        parts.append(f"{count(counts.rejected, 'record')} rejected{kept}")
    return "; ".join(parts)


def _suspicions(program: Program, counts: InputCounts, derived: Mapping[str, int]) -> Iterator[str]:
    if not counts.labels:
        if not counts.rejected:
            yield "there was no event in the input"
        return
    yield from missing_tables(program, counts.changes)
    yield from program.expectations.missing_labels({*counts.labels, *derived})


def _unused(program: Program, counts: InputCounts) -> list[str]:
    """The labels of input events that no query can match, each with how many there were."""
    if queries_any_label(program.rules.rules):
        return []
    queried = program.expectations.labels
    return [f"{printable(label)} {number:,}" for label, number in sorted(counts.labels.items()) if label not in queried]


def show_unknown_labels(
    selected: Sequence[str], program: Program, counts: InputCounts, derived: Mapping[str, int]
) -> None:
    """Says which labels of --select no event has and no rule derives."""
    heads = (head_label(rule.head) for rule in program.rules.rules)
    known = program.expectations.derived_labels.union(
        counts.labels, derived, (label for label in heads if label is not None)
    )
    for label in selected:
        if label not in known:
            warn(f"--select: nothing has the label `{printable(label)}`{_guess(label, known)}")


def _guess(label: str, known: Iterable[str]) -> str:
    hint = did_you_mean(label, known)
    return f"; {printable(hint)}" if hint else ""
