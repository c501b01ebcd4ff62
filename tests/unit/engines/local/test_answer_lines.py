"""Lines of derived events: which are made without a term, and that ids need none either."""

from __future__ import annotations

import json

import pytest

from cera.connectors.event_lines import event_line
from cera.engines.local.answer_lines import AnswerLines
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat
from cera.modules.driving import Driver
from cera.program import load

RULE = "DETECT warm{{{head}}} ON event t: temp{{{{sensor{{{{var S}}}}, value{{{{var T}}}}}}}} END"


def line_of(head: str) -> str | None:
    program = load(RULE.format(head=head))
    host = Driver(program.processor())
    derived = [*host.push([Occurrence(1_000_000, 1_000_000, "temp", {"sensor": 'ü"1', "value": 38.5})]), *host.close()]
    [found] = derived
    line = AnswerLines(TimeFormat("s")).line(found)
    expected = json.dumps(event_line(found.result(), TimeFormat("s")), ensure_ascii=False)
    assert line is None or line.text == expected
    return None if line is None else line.text


def test_a_flat_answer_needs_no_term() -> None:
    line = line_of("z{var T}, sensor{var S}")
    assert line is not None
    assert line.startswith('{"begin": 1, "end": 1, "term": {"warm": {"sensor": "ü\\"1", "z": 38.5}}, "rule": ')


def test_an_answer_that_is_derived_in_several_ways_has_the_line_of_the_first_one() -> None:
    """By its name the recursive rule comes first, but it leads back to the answer itself."""
    program = load(
        "DETECT b{x{var X}} ON event i: c{{x{var X}}} END DETECT c{x{var X}} ON event i: b{{x{var X}}} END "
        "DETECT b{x{var X}} ON or { event i: s{{x{var X}}}, event j: t{{x{var X}}} } END"
    )
    host = Driver(program.processor())
    incoming = [Occurrence(1_000_000, 1_000_000, label, {"x": 7}) for label in ("t", "s")]
    derived = {found.label: found for found in [*host.push(incoming), *host.close()]}
    line = AnswerLines(TimeFormat("s")).line(derived["b"])
    assert line is not None
    assert len(derived["b"].result().derivations) == 3
    assert line.text == json.dumps(event_line(derived["b"].result(), TimeFormat("s")))
    assert f'"rule": "b#2", "id": "{derived["b"].result().event.id}", "causes": {{"i": ' in line.text


@pytest.mark.parametrize("head", ["sensor{id{var S}}", "var S", "x{var S}, x{var T}"])
def test_other_answers_are_left_to_their_terms(head: str) -> None:
    assert line_of(head) is None


@pytest.mark.parametrize("content", [{}, {"x": 1}, {"x": 0.5, "y": "ü", "": -7}, {"a": 2.0, "{}": "z", "b": 2**63 - 1}])
@pytest.mark.parametrize("qualifier", [None, "", "n7"])
def test_the_id_of_a_flat_event_is_that_of_its_term(content: dict[str, object], qualifier: str | None) -> None:
    term = Term("e", [Term(name, [value]) for name, value in content.items()])  # type: ignore[list-item]
    expected = Event(term, Interval(3, 5), qualifier).id
    assert Occurrence(3, 5, "e", dict(content), qualifier=qualifier).id == expected
