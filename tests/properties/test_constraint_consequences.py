"""What checks claim of constraints, held against what they mean on random recordings.

    trivial          nothing violates it, on any recording
    follows          where nothing violates the others, nothing violates it, on any recording
    unsatisfiable    whatever makes its body hold violates it, on a recording in which all is decided
    contradictory    whatever makes the body of the second one hold violates one of both, on such a recording

What this cannot see: what is so and not found, because the checks are not complete.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from cera.constraints.binding import Binding, plan
from cera.constraints.clause import Clause
from cera.constraints.consequences.contradiction import contradict, is_unsatisfiable
from cera.constraints.consequences.implication import follows, is_trivial
from cera.constraints.queries import Combination, Literal, TimerLiteral, WindowLiteral
from cera.constraints.semantics import Judge, violations
from cera.constraints.stream import Stream
from cera.constraints.times import times_of
from cera.model.evaluation.evaluator import Evaluator
from hypothesis_profiles import examples
from properties.related_constraints import clauses_of, random_recording, random_set, text_of

_RECORDINGS = 8


def _is_violated(clauses: Sequence[Clause], stream: Stream) -> bool:
    return bool(violations(clauses, stream).violations)


def _judge(clause: Clause, stream: Stream) -> Judge:
    judge = Judge(stream, Evaluator((), stream.timezone))
    judge.derive(clause.definitions)
    judge.know(clause)
    return judge


def _bindings(clause: Clause, stream: Stream) -> list[tuple[Binding, bool]]:
    """Returns the substitutions under which a body holds, and whether each of them violates the clause."""
    judge = _judge(clause, stream)
    heads = [plan(each, clause.body) for each in clause.head]
    return [(each, bool(judge.refuted(heads, each))) for each in judge.bindings(plan(clause.body), Binding())]


def _is_said(clause: Clause, binding: Binding) -> bool:
    """Returns whether the modules of a clause have something in common under a substitution."""
    parts = [part for each in (clause.body, *clause.head) for part in each if isinstance(part, Literal)]
    times = {part.time for part in parts if isinstance(part.time, Combination) and part.time.of_modules}
    return not any(item.kind == "unsaid" for time in times for items in times_of(time, binding.items) for item in items)


def _held(seed: int) -> Counter[str]:
    choose = random.Random(seed)
    texts = random_set(choose)
    read = [clauses_of(each) for each in texts]
    constraints = [each for each in read if each]
    if len(constraints) < len(texts):
        return Counter(refused=1)
    seen = Counter(tried=1)
    any_kind = [random_recording(choose, decided=False) for _ in range(_RECORDINGS)]
    decided = [random_recording(choose, decided=True) for _ in range(_RECORDINGS)]
    shown = "\n".join(texts)
    for clause in (each for one in constraints for each in one):
        if is_trivial(clause):
            seen["trivial"] += 1
            for stream in (*any_kind, *decided):
                assert not _is_violated([clause], stream), f"trivial: {clause.name}\n{shown}\n{text_of(stream)}"
                seen["trivial with a body that holds"] += bool(_bindings(clause, stream))
        elif is_unsatisfiable([clause]):
            seen["unsatisfiable"] += 1
            for stream in decided:
                for binding, is_violated in _bindings(clause, stream):
                    if not _is_said(clause, binding):
                        continue
                    seen["unsatisfiable with a body that holds"] += 1
                    assert is_violated, f"unsatisfiable: {clause.name}\n{shown}\n{binding.values}\n{text_of(stream)}"
    for place, second in enumerate(constraints):
        others = [*constraints[:place], *constraints[place + 1 :]]
        _follows(second, others, [*any_kind, *decided], shown, seen)
        for first in others:
            _contradict(first, second, decided, shown, seen)
    return seen


def _follows(
    clauses: Sequence[Clause],
    others: Sequence[Sequence[Clause]],
    streams: Sequence[Stream],
    shown: str,
    seen: Counter[str],
) -> None:
    premises = [each for one in others for each in one]
    for clause in clauses:
        if not premises or is_trivial(clause) or not follows(clause, premises):
            continue
        seen["follows"] += 1
        seen["follows from several"] += not any(follows(clause, one) for one in others)
        seen["follows from what is said of other times"] += not any(_times(each) & _times(clause) for each in premises)
        for stream in streams:
            if not _is_violated(premises, stream):
                bound = bool(_bindings(clause, stream))
                seen["follows where the others hold"] += 1
                seen["follows where the others and its body hold"] += bound
                assert not _is_violated([clause], stream), f"follows: {clause.name}\n{shown}\n{text_of(stream)}"
            else:
                seen["follows where the others do not hold"] += 1


def _times(clause: Clause) -> set[object]:
    """Returns the timers and windows that a clause asks for."""
    return {
        part.window if isinstance(part, WindowLiteral) else (part.timer, part.duration)
        for part in clause.body
        if isinstance(part, WindowLiteral | TimerLiteral)
    } or {None}


def _contradict(
    first: Sequence[Clause], second: Sequence[Clause], streams: Sequence[Stream], shown: str, seen: Counter[str]
) -> None:
    if not contradict(first, second):
        return
    seen["contradictory"] += 1
    seen["contradictory in other times"] += not any(_times(one) & _times(other) for one in first for other in second)
    for stream in streams:
        bound = any(_is_said(second[0], each) for each, _ in _bindings(second[0], stream))
        seen["contradictory with a body that holds"] += bound
        if bound:
            both = [*first, *second]
            assert _is_violated(both, stream), f"contradictory\n{shown}\n{text_of(stream)}"


def test_what_checks_claim_of_constraints_is_so() -> None:
    number = examples(200)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["tried"] > number // 2, seen
    for kind, least in (("trivial", 10), ("unsatisfiable", 50), ("contradictory", 100), ("follows", 20)):
        assert seen[kind] >= number // least, seen


@pytest.mark.long
def test_what_checks_claim_of_constraints_is_so_for_long() -> None:
    seen = sum((_held(seed) for seed in range(10_000, 20_000)), Counter())
    print(seen)
    assert seen["tried"] > 5_000
    for kind in ("follows from what is said of other times", "contradictory in other times"):
        assert seen[kind] > 10, seen
