"""Messages speak of arguments in Python, and of options on the command line."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import cera
from cera.arguments import in_python, options_named
from cera.cli.main import main

FLAT = '{"type": "a", "ts": 1}\n'


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("give --label-field or --label", "give `label` or `label_value`"),
        ("give --label-field and --time-field", "give `label` and `time`"),
        ("run it with --engine reference, which can", 'run it with engine="reference", which can'),
        ("longer than --max-duration", "longer than `max_duration`"),
        ("give --layout debezium", 'give `layout=cera.Layout(envelope="debezium")`'),
        ("give --string-field 'a b' or --xml-types string", None),
        ("give --allow-sql URL with the database", "give `allow_sql` with the database"),
        ("run `cera capture --db X --tables Y` again", "run `cera capture --db X --tables Y` again"),
        ("found --- and a--label", "found --- and a--label"),
        ("the limit (--recursion-limit)", "the limit (`recursion_limit`)"),
    ],
)
def test_options_become_arguments(option: str, argument: str | None) -> None:
    made = in_python(option)
    assert made == argument if argument is not None else "--" not in made
    with options_named():
        assert in_python(option) == option


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
    with pytest.raises(cera.ProgramError, match='engine="reference"') as caught:
        cera.load("DETECT a{var X} ON a{{x{{var X}}}} END").session()
    assert all("--" not in (each.hint or "") for each in caught.value.diagnostics)
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
