"""Messages speak of arguments in Python, and of options on the command line."""

from __future__ import annotations

from pathlib import Path

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
        ({"engine": "flink"}, "there is no engine 'flink'; there are: auto, spark, local, reference"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(cera.UsageError, match=message):
        cera.load("DETECT b ON a{{}} END").run([], **arguments)  # type: ignore[arg-type]
