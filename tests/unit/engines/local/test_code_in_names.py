"""Names and values of programs and events are never read as Python, though plans are written as Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cera
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval

CODE = "__import__('pathlib').Path('{}').touch()"


@pytest.mark.parametrize(
    "around",
    ["{}", "'); {} #", '"); {} #', "''' + {} + '''", "\\'; {} #", "\n{}\n", "{{{}}}", "\u2028{}", '"""\n{}\n"""', "\\"],
)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_code_in_labels_attributes_and_values_stays_text(around: str, engine: str, tmp_path: Path) -> None:
    name = around.replace("{}", CODE.format(tmp_path / "ran")).replace("{{", "{").replace("}}", "}")
    quoted = json.dumps(name, ensure_ascii=False)
    program = cera.load(
        f"""DETECT {quoted}{{ {quoted}{{ var X }}, n{{ count(all var Y) }} }}
        ON and {{ event a: {quoted}{{{{ {quoted}{{{{ var X }}}}, k{{{{ {quoted} }}}} }}}},
          event w: timer:extend-begin[event a, 1 sec], while w: collect b{{{{ {quoted}{{{{ var Y }}}} }}}} }} END"""
    )
    happened = Term(name, [Term(name, [name]), Term("k", [name])])
    other = Term("b", [Term(name, [name])])
    events = [Event(other, Interval(0, 0)), Event(happened, Interval(500_000, 500_000))]
    [derived] = program.run(events, engine=engine).derived
    assert derived.event.term == Term(name, [Term(name, [name]), Term("n", [1])])
    assert not (tmp_path / "ran").exists()
