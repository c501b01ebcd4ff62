"""Violations in words of their constraint: what was missing, what was too much, and which conditions do not hold."""

from __future__ import annotations

from dataclasses import dataclass

from cera.constraints.binding import is_written
from cera.constraints.clause import Clause
from cera.constraints.names import declared_identifier
from cera.constraints.queries import Combination, Literal, Part, ValidityTime
from cera.constraints.specification import NONE
from cera.constraints.texts import condition_text, count_text, literal_text, text_of
from cera.model.expressions.atoms import Atom
from cera.model.terms.term import Term, Value


@dataclass(frozen=True)
class Counted:
    """So many events or states that a constraint asks for, and in which time: its name, and its begin and end as the
    violation has them."""

    number: int
    query: str
    time: str = ""
    window: tuple[Value, Value] | None = None
    #: What was expected instead, where some were found.
    expected: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why a constraint is violated, besides the events at fault."""

    counted: tuple[Counted, ...]
    #: The conditions that do not hold, as they are written.
    refuted: tuple[str, ...]


def explanation(clause: Clause, violation: Term) -> Explanation:
    """Returns what a violation of a clause rests on: what the body says is absent, and what refutes its head."""
    expected, number = str(_child(violation, "expected") or ""), _child(violation, "found")
    counted = [
        Counted(0, _query(part), _time(part.time, clause))
        for part in clause.body
        if isinstance(part, Literal) and part.count == NONE
    ]
    refuted: list[str] = []
    for part in (part for alternative in clause.head for part in alternative):
        if not isinstance(part, Literal):
            refuted += [condition_text(part)] if condition_text(part) in expected else []
        elif _demand(part) in expected and isinstance(number, int):  # of several it is not known which is whose
            instead = _demand(part) if number else ""
            counted.append(Counted(number, _query(part), _time(part.time, clause), _window(violation), instead))
    return Explanation(tuple(counted), tuple(dict.fromkeys(refuted)))


def _demand(literal: Literal) -> str:
    """Returns what a literal of a head demands, as a violation says it."""
    return count_text(literal) if literal.count is not None else f"at least 1 {literal_text(literal)}"


def _query(literal: Literal) -> str:
    written = query_text(literal.atom)
    return f"state {written}" if literal.kind == "state" else written


def query_text(atom: Atom) -> str:
    """Returns an atom as it was written."""
    return atom.label if atom.span is None else text_of(atom.span)


def _time(time: ValidityTime | None, clause: Clause) -> str:
    """Returns the name of a time: its identifier, or else what the module around the constraint asks for."""
    match time:
        case None:
            return ""
        case Combination():
            return f"{time.operator}{{{', '.join(each.identifier for each in time.identifiers)}}}"
        case _:
            declared = (part for part in clause.body if declared_identifier(part) == time)
            return next((_declaration(part, time.identifier) for part in declared), time.identifier)


def _declaration(part: Part, identifier: str) -> str:
    if is_written(declared_identifier(part)) or part.span is None:
        return identifier
    return _query(part) if isinstance(part, Literal) else text_of(part.span)


def _window(violation: Term) -> tuple[Value, Value] | None:
    window = next((each for each in violation.children if isinstance(each, Term) and each.label == "window"), None)
    if window is None:
        return None
    begin, end = _child(window, "from"), _child(window, "to")
    return None if begin is None or end is None else (begin, end)


def _child(term: Term, label: str) -> Value | None:
    found = (each for each in term.children if isinstance(each, Term) and each.label == label)
    return next((each.children[0] for each in found), None)
