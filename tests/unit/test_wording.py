"""Messages speak of settings, which are arguments in Python and options on the command line."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import cera
from cera.cli.main import main
from cera.diagnostics import Diagnostic, Note
from cera.wording import Setting, in_python, keeping_marks, on_command_line
from option_names import options

FLAT = '{"type": "a", "ts": 1}\n'


TEXTS = [
    (
        f"give {Setting.LABEL_FIELD} or {Setting.LABEL}",
        "give --label-field or --label",
        "give `label` or `label_value`",
    ),
    (
        f"run it with {Setting.ENGINE.of('reference')}, which can",
        "run it with --engine reference, which can",
        'run it with `engine="reference"`, which can',
    ),
    (
        f"give {Setting.LAYOUT.of('debezium')}, or {Setting.FORMAT}",
        "give --layout debezium, or --format",
        'give `layout=cera.Layout(envelope="debezium")`, or `layout=cera.Layout(format=…)`',
    ),
    (
        f"give {Setting.STRING_FIELD.of('a b')} or {Setting.XML_TYPES.of('string')}",
        "give --string-field 'a b' or --xml-types string",
        'give `layout=cera.Layout(string_fields=frozenset({"a b"}))` or `layout=cera.Layout(xml_types="string")`',
    ),
    (
        f"like {Setting.CSV.of('names=ts,type,value')}: {Setting.CSV} header is yes or no",
        "like --csv names=ts,type,value: --csv header is yes or no",
        'like `csv={"names": "ts,type,value"}`: `csv` header is yes or no',
    ),
    (
        f"for example {Setting.CONF.of('spark.driver.memory=8g')}, or {Setting.MASTER.of('local[2]')}",
        "for example --conf spark.driver.memory=8g, or --master 'local[2]'",
        'for example `settings={"spark.driver.memory": "8g"}`, or `master="local[2]"`',
    ),
    (
        f"run `cera capture {Setting.DB} X {Setting.TABLES} Y` again",
        "run `cera capture --db X --tables Y` again",
        "run `cera capture --db X --tables Y` again",
    ),
    ("⟦colour⟧ ⟦engine [engine]",) * 3,  # which a user may have written
]


@pytest.mark.parametrize(("text", "option", "argument"), TEXTS)
def test_settings_are_options_on_the_command_line_and_arguments_in_python(
    text: str, option: str, argument: str
) -> None:
    assert on_command_line(text) == option
    assert in_python(text) == argument


def test_every_setting_is_an_option_of_a_command() -> None:
    assert {on_command_line(str(setting)) for setting in Setting} <= options()


def test_an_error_has_words_of_python_and_keeps_its_marks() -> None:
    error = cera.UsageError(f"give {Setting.ENGINE}", f"or {Setting.LATE}")
    assert str(error) == "give `engine`\nor `late`"
    assert error.messages == ("give ⟦engine⟧", "or ⟦late⟧")
    assert pickle.loads(pickle.dumps(error)).message == error.message == "give ⟦engine⟧\nor ⟦late⟧"


def test_an_error_that_ends_a_worker_keeps_its_marks_in_its_text() -> None:
    with pytest.raises(cera.EngineError, match="raise ⟦tick_limit⟧"), keeping_marks():
        raise cera.EngineError(f"raise {Setting.TICK_LIMIT}")


def test_a_diagnostic_is_worded_with_its_notes() -> None:
    found = Diagnostic("XC000", "note", str(Setting.OUT), None, str(Setting.SINK), (Note(str(Setting.LATE)),))
    assert found.worded(on_command_line) == Diagnostic("XC000", "note", "--out", None, "--sink", (Note("--late"),))
    assert str(found) == "note[XC000]: --out\n  note: `late`\n  hint: --sink"


def test_a_file_of_flat_records_is_refused_with_the_argument(tmp_path: Path) -> None:
    program, file = tmp_path / "p.xceq", tmp_path / "log.jsonl"
    program.write_text("DETECT b ON a{{}} END")
    file.write_text(FLAT)
    with pytest.raises(cera.DataError, match="give `label` and `time`"):
        cera.load(program).run(file)
    rejected: list[cera.Rejected] = []
    cera.load(program).run(file, reject=rejected.append)
    assert "--" not in rejected[0].reason
    result = CliRunner().invoke(main, ["run", str(program), "--events", str(file)])
    assert "give --label-field and --time-field" in result.stderr


@pytest.mark.parametrize("name", ["t.parquet", "log.txt"])
def test_files_that_cannot_be_read_are_refused_without_options(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FLAT)
    with pytest.raises(cera.UsageError) as caught:
        cera.load("DETECT b ON a{{}} END").run(tmp_path / name)
    assert "--" not in str(caught.value)


def test_hints_of_programs_speak_of_arguments() -> None:
    collected = "DETECT n{count(all var X)} ON and {event m: a{{}}, event i: from-start-backward[m, 1 min], "
    collected += "while i: collect a{{x{{var X}}}}} END"
    assert all("--" not in (each.hint or "") for each in cera.load(collected).check())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": "type", "label_value": "a"}, "`label` is the field of the labels, `label_value`"),
        ({"layout": cera.Layout(), "time": "ts"}, "`layout` says how records are laid out, and so does `time`"),
        ({"time_unit": "hours"}, "`time_unit` is s, ms, us or ns, found 'hours'"),
        ({"timezone": "Mars"}, "Mars"),
        ({"label": 5}, "`label` is the name of a field, a text; found 5"),
        ({"time": 5}, "`time` is the name of a field, a text; found 5"),
        ({"label_value": 5}, "`label_value` is a text; found 5"),
        ({"csv": "delimiter=;"}, "`csv` is a dict of settings, like {'delimiter': ';'}; found 'delimiter=;'"),
        ({"layout": {"label": "type"}}, "`layout` is a cera.Layout, .* found {'label': 'type'}"),
        ({"until": "soon"}, "`until`: 'soon' is not a time; expected ISO 8601"),
        ({"until": 1.5}, "`until` is a time: a text .*, or an int of microseconds since 1970; found 1.5"),
        ({"until": True}, "`until` is a time"),
        ({"until": 10**30}, "`until`: .* lies outside of the years"),
        ({"until": pd.NaT}, "`until` is a time"),
        ({"late": print}, "`late` needs `max_delay`: without a limit no event is late"),
        ({"late": 5, "max_delay": 0}, "`late` is a function that takes one argument; found 5"),
        ({"reject": "skip"}, "`reject` is a function that takes one argument; found 'skip'"),
        ({"max_delay": 1.5}, "`max_delay`: 1.5 is not a duration"),
        ({"max_duration": "long"}, "`max_duration`: "),
        ({"engine": "flink"}, "there is no engine 'flink'; there are: auto, spark, local, reference"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(cera.UsageError, match=message):
        cera.load("DETECT b ON a{{}} END").run([], **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "until",
    [
        "2026-03-02T10:00:00Z",
        "1772445600",
        "2026-03-02T11:00",
        1_772_445_600_000_000,
        datetime(2026, 3, 2, 10, tzinfo=UTC),
        datetime(2026, 3, 2, 11),
        pd.Timestamp("2026-03-02T10:00:00Z"),
    ],
    ids=str,
)
def test_until_is_a_text_a_datetime_or_microseconds(until: int | str | datetime) -> None:
    rows = [{"label": "a", "at": f"2026-03-02T{hour}:00:00Z"} for hour in ("09", "10", "11")]
    program = cera.load("DETECT b ON a{{}} END")
    assert len(program.run(rows, until=until, timezone="Europe/Berlin")) == 2


def test_until_is_read_as_the_times_of_the_rows_are() -> None:
    rows = [{"label": "a", "at": "02/03/2026"}, {"label": "a", "at": "03/03/2026"}]
    program = cera.load("DETECT b ON a{{}} END")
    assert len(program.run(rows, until="02/03/2026", time_format="%d/%m/%Y")) == 1
    assert len(program.run(rows, until=date(2026, 3, 2), time_format="%d/%m/%Y")) == 1
    assert len(program.run([{"label": "a", "at": 1}, {"label": "a", "at": 3}], until="2", time_unit="ms")) == 1
