"""Options in cera.toml are the defaults of the commands that have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.cli.command_line import Cera, terms

LAYOUT = 'label-field = "type"\ntime_field = "ts"\nevents = "log.jsonl"\n'


@pytest.fixture
def project(folder: Path) -> Path:
    made = folder / "project"
    made.mkdir()
    (made / "p.xceq").write_text("DETECT b{var X} ON a{{x{{var X}}}} END")
    (made / "log.jsonl").write_text('{"type": "a", "ts": 1, "x": 5}\n')
    (made / "cera.toml").write_text(LAYOUT)
    return made


def test_settings_beside_the_program_are_used_and_paths_are_relative_to_them(cera: Cera, project: Path) -> None:
    result = cera("run", "project/p.xceq")
    assert result.exit_code == 0, result.stderr
    assert terms(result.stdout) == [{"b": 5}]
    assert "settings from" not in result.stderr
    verbose = cera("run", "project/p.xceq", "--verbose").stderr
    assert verbose.startswith("settings from project/cera.toml: label-field, time-field, events\n")
    assert "engine: reference (it was asked for)\n" in verbose


def test_a_command_takes_what_it_has_and_ignores_the_rest(cera: Cera, project: Path) -> None:
    assert cera("check", "project/p.xceq").exit_code == 0


def test_the_command_line_wins(cera: Cera, project: Path) -> None:
    (project / "other.jsonl").write_text('{"type": "a", "ts": 1, "x": 6}\n')
    assert terms(cera("run", "project/p.xceq", "--events", "project/other.jsonl").stdout) == [{"b": 6}]
    (project / "cera.toml").write_text(LAYOUT.replace("label-field", "label"))
    assert terms(cera("run", "project/p.xceq", "--label-field", "type").stdout) == [{"b": 5}]
    (project / "cera.toml").write_text(LAYOUT)
    assert "no event has this label" in cera("run", "project/p.xceq", "--label", "c").stderr


def test_the_table_of_a_command_is_for_it_alone_and_before_the_top(cera: Cera, project: Path) -> None:
    (project / "cera.toml").write_text(f'{LAYOUT}select = "x"\n[run]\nselect = ["b", "c"]\n[stream]\nonce = true\n')
    assert terms(cera("run", "project/p.xceq").stdout) == [{"b": 5}]


def test_settings_of_csv_are_a_table(cera: Cera, project: Path) -> None:
    (project / "log.csv").write_text("type;ts;x\na;1;2,5\n")
    text = LAYOUT.replace("log.jsonl", "log.csv") + "csv = {delimiter = ';', decimal = ','}\n"
    (project / "cera.toml").write_text(text)
    assert terms(cera("run", "project/p.xceq").stdout) == [{"b": 2.5}]


@pytest.mark.parametrize("first", [True, False])
def test_another_file_can_be_named(cera: Cera, project: Path, first: bool) -> None:
    (project / "cera.toml").write_text("nonsense = 1\n")
    (project / "own.toml").write_text(LAYOUT)
    config = ("--config", "project/own.toml")
    result = cera("run", *config, "project/p.xceq") if first else cera("run", "project/p.xceq", *config)
    assert terms(result.stdout) == [{"b": 5}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time-feild = 1", "there is no option `time-feild`; did you mean 'time-field'?"),
        ("[run]\ntime-feild = 1", "[run]: there is no option `time-feild`; did you mean 'time-field'?"),
        ("[rnu]\nstrict = true", "there is no option `rnu`; did you mean 'run'?"),
        ("[check]\nevents = 'a'", "[check]: there is no option `events`"),
        ("strict = 3", "`strict` is true or false, found 3"),
        ("until = [1, 2]", "`until` has one value, found 2 in a list"),
        ("until = {a = 1}", "`until` is a text, a number or a truth value"),
        ("[run", "is not TOML: "),
        ("quiet = true", "there is no option `quiet`"),
        ("allow-exec = true", "`allow-exec` is a permission, which is given on the command line only"),
        ("[run]\nallow_sql = 'sqlite:b.db'", "[run]: `allow_sql` is a permission"),
        ("out = 'x'", "`out` is taken only from a file that is asked for: --config cera.toml"),
        ("conf = {a = 1}", "`conf` is taken only from a file that is asked for"),
    ],
)
def test_what_a_file_must_not_say_is_an_error_with_the_file(cera: Cera, project: Path, text: str, message: str) -> None:
    (project / "cera.toml").write_text(text)
    result = cera("run", "project/p.xceq")
    assert result.exit_code == 2
    assert f"project/cera.toml: {message}" in result.stderr or f"project/cera.toml {message}" in result.stderr


def test_a_value_that_an_option_refuses_is_an_error_with_the_file(cera: Cera, project: Path) -> None:
    (project / "cera.toml").write_text(f"{LAYOUT}time-unit = 'h'\n")
    result = cera("run", "project/p.xceq")
    assert result.exit_code == 2
    assert "project/cera.toml: Invalid value for '--time-unit': 'h' is not one of" in result.stderr


def test_a_named_file_that_is_not_there_is_an_error(cera: Cera, project: Path) -> None:
    assert "none.toml cannot be read" in cera("run", "project/p.xceq", "--config", "none.toml").stderr


def test_an_engine_in_the_file_is_named_where_it_does_not_go_with_the_command_line(
    cera: Cera, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CERA_ENGINE")
    (project / "cera.toml").write_text(f"{LAYOUT}engine = 'local'\n")
    assert "engine:" not in cera("run", "project/p.xceq").stderr
    result = cera("run", "project/p.xceq", "--master", "local[2]")
    assert "--master is for Spark, and the engine in project/cera.toml is local" in result.stderr
    monkeypatch.setenv("CERA_ENGINE", "reference")
    assert "CERA_ENGINE is reference" in cera("run", "project/p.xceq", "--master", "local[2]").stderr


def test_quiet_leaves_errors_and_what_was_asked_for(cera: Cera, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CERA_ENGINE")
    (project / "log.jsonl").write_text('{"type": "a", "ts": 1, "x": 5}\nbroken\n')
    assert "1 record rejected" in cera("run", "project/p.xceq").stderr
    result = cera("run", "project/p.xceq", "--quiet")
    assert (result.stderr, terms(result.stdout)) == ("", [{"b": 5}])
    assert cera("run", "project/p.xceq", "--quiet", "--strict").stderr.startswith("error: ")
    (project / "p.xceq").write_text("DETECT b{var X} ON a{{x{{var Y}}}} END")
    assert "error[XC201]" in cera("run", "project/p.xceq", "-q").stderr
    checked = cera("check", "project/p.xceq", "-q").stderr
    assert "error[XC201]" in checked
    assert "warning[XC103]" in checked
    assert "1 file" not in checked
    assert cera("check", "project/p.xceq", "-q", "-v").exit_code == 2


def test_quiet_says_why_nothing_could_be_used(cera: Cera, project: Path) -> None:
    (project / "log.jsonl").write_text("broken\n")
    result = cera("run", "project/p.xceq", "--quiet")
    assert result.exit_code == 7
    assert result.stderr.startswith("error: ")
