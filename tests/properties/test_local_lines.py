"""Lines of derived events that are made without terms are those of the terms, in the same order of output.

It cannot show that lines are ever made this way: `tests/unit/engines/local/test_answer_lines.py` does.
"""

from __future__ import annotations

import json
from itertools import groupby

from cera.connectors.event_lines import event_line
from cera.engines.local.answer_lines import AnswerLines
from cera.model.time.time_text import TimeFormat
from cera.modules.driving import Driver
from cera.modules.processor import Detection
from properties.generator import Case, cases
from properties.holding import holds_for
from properties.local_runs import from_json, in_order, processor_of
from properties.theories import rules_of

FORMATS = (TimeFormat(), TimeFormat("s"), TimeFormat("ms"))


def expected_line(found: Detection, times: TimeFormat) -> str:
    return json.dumps(event_line(found.result(), times), ensure_ascii=False)


@holds_for(cases() | cases(recursive=True) | cases(windowed=True), short=50, long=3_000)
def test_a_line_made_without_a_term_is_that_of_the_term(case: Case) -> None:
    host = Driver(processor_of(rules_of(case), case.events), 0)
    derived = [found for event in in_order(case.events) for found in host.push([from_json(event)])]
    derived += host.close()
    for number, (_, together) in enumerate(groupby(derived, key=lambda one: one.end)):
        times = FORMATS[number % len(FORMATS)]
        makes = AnswerLines(times)
        made = [(line, found) for found in together if (line := makes.line(found)) is not None]
        for line, found in made:
            assert (line.label, line.text) == (found.label, expected_line(found, times))
        by_term = sorted(made, key=lambda pair: pair[1].result().event.output_key)
        assert sorted(made, key=lambda pair: pair[0].order) == by_term
