"""What a run says about itself on standard error when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from cera.cli.options import Replay
from cera.cli.recording import Recording
from cera.cli.report import count, listed, printable, say, warn
from cera.diagnostics import did_you_mean
from cera.engines.answer import Answer
from cera.explain import derived_labels, queried_labels, queries_any_label
from cera.pipeline import Program
from cera.rules.unification import head_label


def show_summary(program: Program, replay: Replay, recording: Recording, answer: Answer, written: int) -> None:
    """Counts of everything that was read, left out, rejected and derived, then what looks like a mistake."""
    say(_read(replay, recording))
    derived = Counter(item.event.label for item in answer.derived)
    by_label = [f"{printable(label)} {number:,}" for label, number in sorted(derived.items())]
    say(f"{count(len(answer.derived), 'event')} derived" + (f": {listed(by_label)}" if by_label else ""))
    if written != len(answer.derived):
        say(f"{count(written, 'event')} written")
    if answer.undefined:
        say(
            f"{count(answer.undefined, 'expression')} had no value (division by zero, overflow, wrong type, missing "
            "child); comparisons with such a value are false"
        )
    if unused := _unused(program, recording):
        say(f"events that no rule asks for: {listed(unused)}")
    for text in _suspicions(program, recording, answer):
        warn(text)


def _read(replay: Replay, recording: Recording) -> str:
    parts = [f"{count(recording.records, 'event')} read"]
    if recording.repeated:
        parts.append(f"{recording.repeated:,} of them equal to another one (--id-field keeps such events apart)")
    if replay.until is not None:
        late = sum(event.end > replay.until for event in recording.events)
        parts += [f"{late:,} later than --until"] if late else []
    if recording.late:
        kept = f", written to {replay.late}" if replay.late else " (--late PATH writes them to a file)"
        parts.append(f"{recording.late:,} too late for --max-delay{kept}")
    if recording.rejected:
        kept = f", written to {replay.rejected}" if replay.rejected else ""
        parts.append(f"{count(len(recording.rejected), 'record')} rejected{kept}")
    return "; ".join(parts)


def _suspicions(program: Program, recording: Recording, answer: Answer) -> Iterator[str]:
    if not recording.events:
        yield "there was no event in the input"
        return
    known = _known_labels(program, recording, answer)
    for label in sorted(queried_labels(program.rules) - known):
        yield f"the program asks for `{printable(label)}`, and no event has this label{_guess(label, known)}"


def _unused(program: Program, recording: Recording) -> list[str]:
    """The labels of input events that no query can match, each with how many there were."""
    if queries_any_label(program.rules):
        return []
    queried = queried_labels(program.rules)
    unused = Counter(event.label for event in recording.events if event.label not in queried)
    return [f"{printable(label)} {number:,}" for label, number in sorted(unused.items())]


def show_unknown_labels(selected: Sequence[str], program: Program, recording: Recording, answer: Answer) -> None:
    """Says which labels of --select no event has and no rule derives."""
    heads = (head_label(rule.head) for rule in program.rules.rules)
    known = _known_labels(program, recording, answer).union(label for label in heads if label is not None)
    for label in selected:
        if label not in known:
            warn(f"--select: nothing has the label `{printable(label)}`{_guess(label, known)}")


def _known_labels(program: Program, recording: Recording, answer: Answer) -> frozenset[str]:
    """The labels of events that occurred, or that a rule would have derived."""
    events = (*recording.events, *(item.event for item in answer.derived if item.recipient is None))
    return derived_labels(program.rules).union(event.label for event in events)


def _guess(label: str, known: Iterable[str]) -> str:
    hint = did_you_mean(label, known)
    return f"; {printable(hint)}" if hint else ""
