"""`cera translate --to xceq` and `--to slog`: rules in the other rule language, or why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from unit.cli.command_line import Cera

RULE = "DETECT hot{area{var A}} ON temp{{area{var A}, value{var V}}} where { var V > 40 } END\n"
SAME = "hot(area(A)) <-\n  temp(area(A), value(V)) and\n  V > 40.\n"


def test_a_rule_in_the_other_language_and_back(cera: Cera, folder: Path) -> None:
    (folder / "hot.xceq").write_text(RULE)
    there = cera("translate", "hot.xceq", "--to", "slog")
    assert (there.exit_code, there.stdout, there.stderr) == (0, SAME, "")
    (folder / "hot.slog").write_text(there.stdout)
    back = cera("translate", "hot.slog", "--to", "xceq")
    assert cera("fmt", "--check", "hot.slog").exit_code == 0
    assert back.stdout == ("DETECT hot{area{var A}}\nON temp{{area{var A}, value{var V}}} where { var V > 40 }\nEND\n")


def test_files_of_both_languages_become_one_of_either(cera: Cera, folder: Path) -> None:
    (folder / "hot.xceq").write_text(RULE)
    (folder / "hot.slog").write_text("hot(area(A)) <- fire(area(A)).\n")
    result = cera("translate", "hot.xceq", "hot.slog", "--to", "slog")
    assert result.stdout == f"{SAME}\nhot(area(A)) <- fire(area(A)).\n"


def test_what_is_declared_about_events_stays_as_a_comment(cera: Cera, folder: Path) -> None:
    (folder / "hot.xceq").write_text(f"SOURCE temp{{ area, value: number }}, from{{ at{{ x, y }} }}\n{RULE}")
    result = cera("translate", "hot.xceq", "--to", "slog")
    declared = '# from outside: temp(area, value: number)\n# from outside: "from"(at(x, y))\n'
    assert result.stdout == declared + SAME


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("DETECT a{} ON b[[var X]] END", "values without names are all there are"),
        ("DETECT a{} ON b{} END", "asks for all there are"),
        ("DETECT a{} ON b[[c{{}}]] END", "have no order"),
        ("DETECT a{} ON b{{desc c{{}}}} END", "no `desc`"),
        ("DETECT a{} ON b{{without c{{}}}} END", "no `without`"),
        ("DETECT a{} ON b{{optional c{{}}}} END", "no `optional`"),
        ("DETECT a{} ON b{{x{/E[0-9]/}}} END", "no regular expressions"),
        ("DETECT a{} ON /b.*/{{}} END", "has one label"),
        ("DETECT var X ON b{{var X -> c{{}}}} END", "binds values"),
        ("DETECT a[x{1}, y{2}] ON b{{}} END", "attributes of a head have no order"),
        ("DETECT a{1, 2} ON b{{}} END", "values of a head have an order"),
        ("DETECT a{all x{var X}} ON b{{x{var X}}} END", "no `all`"),
        ("DETECT a{1 > 2} ON b{{}} END", "a condition is not a value"),
        ('RAISE to(recipient="x") { a{} } ON b{{}} END', "no messages"),
        ("DETECT a{} ON and { event t: timer:datetime{{hour{3}}}, b{{}} } END", "no timers of the calendar"),
        ("DETECT a{} ON and { event b: b{{}}, while b: not c{{x{var X}}} where { var X > 1 } } END", "does not happen"),
        ("DETECT a{count(all var X)} ON b{{x{var X}}} END", "collects nothing"),
        ("DETECT a{x{var X}} ON and { event b: b{{}}, while b: collect c{{x{var X}}} } END", "for aggregates only"),
        (
            "DETECT a{count(all var X)} ON and { event b: b{{}}, event d: d{{}}, while b: collect c{{x{var X}}} } END",
            "gathers all",
        ),
        (
            "DETECT a{} ON and { state s: on{{}}, event b: b{{}} } where { not (b in s) } END",
            "no place in other conditions",
        ),
        ("SEMANTICS formal DETECT a{} ON b{{}} END", "formal"),
    ],
)
def test_what_streamlog_cannot_say_is_an_error_with_its_place(
    cera: Cera, folder: Path, program: str, message: str
) -> None:
    (folder / "a.xceq").write_text(program)
    result = cera("translate", "a.xceq", "--to", "slog", "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[SL401]" in result.stderr
    assert message in result.stderr
    assert "--> a.xceq:1:" in result.stderr
    assert "hint: " in result.stderr


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("Range 1h: a(n(count(X))) <- b(x(X)).", "no windows of the clock"),
        ("Range 1h Slide 1 min: a() <- b() and c().", "no windows of the clock"),
        ("event: day(): a(n(count(X))) <- i: b(x(X)) and j: c(x(X)) and i before j.", "`i` is gathered"),
        ("state s: on(): a(k(K)) <- state: on(k(K)).", "two states with one label"),
        ("state: a(x(X)) until c(x(X)) <- b(x(X)).", "asks for states, and derives none"),
    ],
)
def test_what_xchangeeq_cannot_say_is_an_error_with_its_place(
    cera: Cera, folder: Path, program: str, message: str
) -> None:
    (folder / "a.slog").write_text(program)
    result = cera("translate", "a.slog", "--to", "xceq", "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[XC601]" in result.stderr
    assert message in result.stderr
    assert "--> a.slog:1:" in result.stderr
    assert "hint: " in result.stderr


def test_modules_of_other_languages_are_not_rules(cera: Cera, folder: Path) -> None:
    (folder / "logins.snoop").write_text("Left := recent Login ; Logout\n")
    result = cera("translate", "logins.snoop", "--to", "xceq")
    assert result.exit_code == 2
    assert "logins is not a program of rules" in result.stderr


def test_events_at_one_point_of_time_have_a_form(cera: Cera, folder: Path) -> None:
    (folder / "a.slog").write_text("now: a() <- i: b() and j: c().")
    assert "{i, j} within 0 sec" in cera("translate", "a.slog", "--to", "xceq").stdout


def test_every_program_has_a_plan_and_json(tmp_path: Path) -> None:
    path = tmp_path / "p.slog"
    path.write_text("alarm(area(A)) <- fire(area(A)).\n")
    plan = CliRunner().invoke(main, ["translate", str(path), "--to", "plan"])
    assert plan.exit_code == 0
    assert plan.stdout.startswith("plan:\n")
    explained = CliRunner().invoke(main, ["explain", str(path)]).stdout
    assert plan.stdout.strip() in explained
    data = CliRunner().invoke(main, ["translate", str(path), "--to", "json"])
    shown = json.loads(CliRunner().invoke(main, ["explain", str(path), "--json"]).stdout)
    assert shown.pop("local")  # how an engine runs it is no part of the program
    assert json.loads(data.stdout) == shown
