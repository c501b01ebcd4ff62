"""Attributes that a program asks for and that no event has are a warning after the run, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.cli.command_line import Cera, write_lines

READINGS = [
    f'{{"type": "reading", "ts": {at}, "fridge": "f1", "temp": {at}, "position": {{"x": 1, "y": 2}}}}'
    for at in range(1, 5)
]
EVENTS = ("--events", "readings.jsonl", "--label-field", "type", "--time-field", "ts", "--time-unit", "s")

EPL = 'begin M monitor reading; R: reading(X, X.{0} > 0) as hot(t: X.temp) -> write("hot"). end.'


def warnings(cera: Cera, folder: Path, name: str, text: str, lines: list[str] = READINGS) -> list[str]:
    (folder / name).write_text(text)
    write_lines(folder / "readings.jsonl", lines)
    result = cera("run", name, *EVENTS)
    assert result.exit_code == 0, result.stderr
    return [line for line in result.stderr.splitlines() if "asks for" in line and "no rule" not in line]


@pytest.mark.usefixtures("on_either_engine")
class TestOnEitherEngine:
    def test_a_misspelt_attribute_is_named_with_its_place_and_the_one_that_was_meant(
        self, cera: Cera, folder: Path
    ) -> None:
        (found,) = warnings(cera, folder, "a.xceq", "DETECT x{ var F } ON reading{{ frigde{ var F } }} END")
        said = "warning: the program asks for `frigde` of `reading` (a.xceq:1:32), and no such event has it"
        assert found == f"{said}; did you mean `fridge`?"

    def test_the_case_of_letters_counts(self, cera: Cera, folder: Path) -> None:
        (found,) = warnings(cera, folder, "a.xceq", "DETECT x{ var F } ON reading{{ Fridge{ var F } }} END")
        assert "did you mean `fridge`?" in found

    def test_attributes_inside_of_others_are_looked_at(self, cera: Cera, folder: Path) -> None:
        text = "DETECT x{ var F } ON reading{{ position{{ x{{}}, z{ var F } }}, place{{ x{{}} }} }} END"
        one, other = warnings(cera, folder, "a.xceq", text)
        assert "`position.z` of `reading`" in one
        assert "they have `x`, `y`" in one
        assert "`place` of `reading`" in other

    @pytest.mark.parametrize(
        "children", ["fridge{{}}", "optional alarm{{}}", "without broken{{}}", "desc x{{}}", "/fr.*/{{}}", "*{{}}"]
    )
    def test_what_is_there_or_need_not_be_is_fine(self, cera: Cera, folder: Path, children: str) -> None:
        assert warnings(cera, folder, "a.xceq", f"DETECT x ON reading{{{{ {children} }}}} END") == []

    @pytest.mark.parametrize("children", ["optional tmep{{}}", "without tmep{{}}"])
    def test_what_need_not_be_there_but_is_nearly_there(self, cera: Cera, folder: Path, children: str) -> None:
        (found,) = warnings(cera, folder, "a.xceq", f"DETECT x ON reading{{{{ {children} }}}} END")
        assert "did you mean `temp`?" in found

    def test_an_attribute_of_one_event_is_enough(self, cera: Cera, folder: Path) -> None:
        lines = [*READINGS, '{"type": "reading", "ts": 9, "alarm": true}']
        assert warnings(cera, folder, "a.xceq", "DETECT x ON reading{{ alarm{{}} }} END", lines) == []

    def test_a_derived_event_has_what_its_rule_constructs(self, cera: Cera, folder: Path) -> None:
        hot = "DETECT hot{ fridge{ var F } } ON reading{{ fridge{ var F } }} END\n"
        assert warnings(cera, folder, "a.xceq", hot + "DETECT x ON hot{{ fridge{{}} }} END") == []
        (found,) = warnings(cera, folder, "a.xceq", hot + "DETECT x ON hot{{ fridges{{}} }} END")
        assert "`fridges` of `hot`" in found

    def test_what_a_variable_of_a_head_holds_is_not_known(self, cera: Cera, folder: Path) -> None:
        hot = "DETECT hot{ var P } ON reading{{ var P -> position{{}} }} END\n"
        assert warnings(cera, folder, "a.xceq", hot + "DETECT x ON hot{{ position{{}} }} END") == []

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("a.epl", EPL.format("tmep")),
            ("a.epl", EPL.format("temp").replace("t: X.temp", "t: X.tmep")),
            ("a.epl", EPL.format("temp").replace("begin M", "begin M partition by tmep;")),
            ("a.cet", "T := ;(reading as A, reading as B) where A.tmep < B.temp as hot(t: B.temp);"),
            ("a.cet", "partition by tmep; T := ;(reading as A, reading as B) as hot(t: B.temp);"),
            ("a.cet", "T := ;(cumulative: reading as A, reading as B) as hot(t: sum(A.tmep));"),
            ("a.snoop", "T := recent a: reading ; b: reading where a.tmep > 0 as hot(n: 1)"),
            ("a.dl1s", "monitor reading. hot(X.tmep, J) <- reading(X, J). detect Hot: hot(T, J) as hot(t: T)."),
        ],
    )
    def test_every_language_has_it(self, cera: Cera, folder: Path, name: str, text: str) -> None:
        found = warnings(cera, folder, name, text)
        assert found, text
        assert all("`tmep` of `reading`" in each and "did you mean `temp`?" in each for each in found)
        assert warnings(cera, folder, name, text.replace("tmep", "temp")) == []
