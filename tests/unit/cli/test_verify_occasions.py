"""Constraints whose bodies never held: nothing was judged, and nothing held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.running import late_occasions, occasions

NEVER = "its body never held: nothing had such values and times together"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdicts(
    constraints: str, events: Sequence[dict[str, Any]], *options: str, piped: bool = False
) -> dict[str, tuple[str, str | None]]:
    """Returns the outcome of each constraint over some events, one a second, and why it was not judged."""
    Path("c.escl").write_text(constraints)
    lines = "".join(f"{json.dumps({'at': at, 'term': term})}\n" for at, term in enumerate(events))
    Path("events.jsonl").write_text(lines)
    source = "-" if piped else "events.jsonl"
    given = ["verify", "c.escl", "--events", source, "--time-unit", "s", "--json", "-q", *options]
    found = json.loads(CliRunner().invoke(main, given, input=lines if piped else None).stdout)["constraints"]
    return {each["constraint"]: (each["outcome"], each.get("why")) for each in found}


def order(**attributes: Any) -> dict[str, Any]:
    return {"order": attributes}


def payment(**attributes: Any) -> dict[str, Any]:
    return {"payment": attributes}


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_variable_that_stands_for_several_values_or_none_matches_nothing(engine: str) -> None:
    good = "CONSTRAINT good: IF event: order(tags(T)) THEN T = good END"
    lists = [order(tags=["good", "bad"]), order(tags=[])]
    assert verdicts(good, lists, "--engine", engine) == {
        "good": ("not judged", "no event `order` matches order(tags(T))")
    }
    assert verdicts(good, [*lists, order(tags=["good"])], "--engine", engine) == {"good": ("held", None)}


def test_a_group_that_is_counted_has_to_occur() -> None:
    few = "CONSTRAINT few: IN ANY CASE exists <= 2 event: order(tags(T)) END"
    assert verdicts(few, [order(tags=[])]) == {"few": ("not judged", "no event `order` matches order(tags(T))")}
    assert verdicts(few, [order(tags="a")]) == {"few": ("held", None)}


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_values_that_never_occur_together_are_no_occasion(engine: str) -> None:
    same = "CONSTRAINT same: IF event: order(id(N), of(A)) and event: payment(id(N), of(B)) THEN A = B END"
    apart = [order(id=1, of="a"), payment(id=2, of="b")]
    assert verdicts(same, apart, "--engine", engine) == {"same": ("not judged", NEVER)}
    assert verdicts(same, [*apart, payment(id=1, of="a")], "--engine", engine) == {"same": ("held", None)}


@pytest.mark.parametrize(
    ("piped", "options"), [(True, ()), (True, ("--max-delay", "5s")), (False, ("--max-delay", "5s"))]
)
def test_it_is_the_same_from_a_pipe_and_with_a_delay(piped: bool, options: tuple[str, ...]) -> None:
    dear = "CONSTRAINT dear: IF event: order(price(P)) and P > 100 THEN P < 200 END"
    assert verdicts(dear, [order(price=5)], *options, piped=piped) == {"dear": ("not judged", NEVER)}
    assert verdicts(dear, [order(price=5), order(price=150)], *options, piped=piped) == {"dear": ("held", None)}


def test_what_comes_after_until_is_no_occasion() -> None:
    dear = "CONSTRAINT dear: IF event: order(price(P)) and P > 100 THEN P < 200 END"
    assert verdicts(dear, [order(price=5), order(price=150)], "--until", "0") == {"dear": ("not judged", NEVER)}


def test_a_relation_without_rows_is_no_occasion() -> None:
    vip = "relation vip(id)\nCONSTRAINT vip: IF event: order(id(N), price(P)) and vip(id(N)) THEN P > 5 END"
    Path("vip.csv").write_text("id\n")
    given = ("--relation", "vip=vip.csv")
    assert verdicts(vip, [order(id=1, price=9)], *given) == {"vip": ("not judged", "the relation `vip` has no row")}
    Path("vip.csv").write_text("id\n2\n")
    assert verdicts(vip, [order(id=1, price=9)], *given) == {"vip": ("not judged", NEVER)}
    Path("vip.csv").write_text("id\n1\n")
    assert verdicts(vip, [order(id=1, price=9)], *given) == {"vip": ("held", None)}


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_places_that_are_not_known_are_no_occasion(engine: str) -> None:
    body = "event i: smoke(at(S)) and event j: smoke(at(T)) and i before j"
    near = f"CONSTRAINT near: IF {body} THEN {{i, j}} apart-by max 9 m END"
    Path("places.toml").write_text('attribute = "at"\n[places.a]\nx = 0\ny = 0\n[places.b]\nx = 1\ny = 0\n')
    given = ("--locations", "places.toml", "--engine", engine)
    unknown = [{"smoke": {"at": "x"}}, {"smoke": {"at": "y"}}]
    reason = "no `smoke` comes from a place that the file of locations knows"
    assert verdicts(near, unknown, *given) == {"near": ("not judged", reason)}
    assert verdicts(near, [*unknown, {"smoke": {"at": "a"}}], *given) == {"near": ("not judged", NEVER)}
    assert verdicts(near, [*unknown, {"smoke": {"at": "a"}}, {"smoke": {"at": "b"}}], *given) == {
        "near": ("held", None)
    }


def test_an_absence_in_a_body_is_an_occasion_when_its_time_is_over() -> None:
    body = "event o: order(id(N)) and event w: from-end[o, 2 sec] and while w: not payment(id(N))"
    alone = f"CONSTRAINT alone: IF {body} THEN N > 5 END"
    assert verdicts(alone, [order(id=1), payment(id=1)]) == {"alone": ("not judged", NEVER)}
    assert verdicts(alone, [order(id=7), payment(id=1)]) == {"alone": ("held", None)}


def test_what_rules_derive_is_an_occasion() -> None:
    Path("r.slog").write_text("dear(id(N)) <- order(id(N), price(P)) and P > 100.\n")
    Path("c.escl").write_text("CONSTRAINT dear: IF event: dear(id(N)) and N > 3 THEN N < 9 END")
    for number, expected in ((1, "not judged"), (4, "held")):
        line = {"at": 1, "term": order(id=number, price=200)}
        Path("e.jsonl").write_text(json.dumps(line) + "\n")
        given = ["verify", "c.escl", "r.slog", "--events", "e.jsonl", "--time-unit", "s", "--json", "-q"]
        [found] = json.loads(CliRunner().invoke(main, given).stdout)["constraints"]
        assert found["outcome"] == expected


@pytest.mark.parametrize(("number", "expected"), [(1, "not judged"), (4, "held")])
def test_violations_of_another_file_are_occasions(number: int, expected: str) -> None:
    Path("few.escl").write_text("CONSTRAINT few: IF event: order(id(N)) THEN N > 5 END")
    Path("c.escl").write_text(
        "CONSTRAINT reacted: IF event: violation(constraint(few), binding(N(N))) and N > 3 THEN N < 9 END"
    )
    Path("e.jsonl").write_text(json.dumps({"at": 1, "term": order(id=number)}) + "\n")
    given = ["verify", "few.escl", "c.escl", "--events", "e.jsonl", "--time-unit", "s", "--json", "-q"]
    found = json.loads(CliRunner().invoke(main, given).stdout)["constraints"]
    assert [each["outcome"] for each in found] == ["violated", expected]


def test_a_constraint_is_judged_if_one_of_its_clauses_is() -> None:
    either = "CONSTRAINT either: IF event: order(id(N)) and N > 5 or event: payment(id(N)) THEN N > 0 END"
    assert verdicts(either, [order(id=1), payment(id=1)]) == {"either": ("held", None)}


def test_what_must_never_happen_is_judged_by_its_absence() -> None:
    never = "CONSTRAINT never: IN ANY CASE exists = 0 event: smoke(room(R)) END"
    assert verdicts(never, [order(id=1)]) == {"never": ("held", None)}


def test_rules_look_for_what_is_not_among_the_first_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occasions, "BY_RULES_FROM", 1)
    monkeypatch.setattr(occasions, "_FIRST_PIECE", 1)
    monkeypatch.setattr(late_occasions, "MOST_OF_ONE", 2)  # the others are looked for in another run
    several = """
      CONSTRAINT late: IF event: order(id(N)) and N > 2 THEN N < 99 END
      CONSTRAINT never: IF event: order(id(N)) and N > 50 THEN N < 99 END
      CONSTRAINT last: IF event: order(id(N)) and event: payment(id(N)) THEN N < 99 END
      CONSTRAINT lists: IF event: payment(id(N), tags(T)) THEN T = good END
      CONSTRAINT counted: IF event o: order(id(N)) and exists >= 3 event: payment(of(N)) THEN N < 99 END
    """
    events = [*(order(id=number) for number in range(20)), payment(id=19, tags=[])]
    assert verdicts(several, events) == {
        "late": ("held", None),
        "never": ("not judged", NEVER),
        "last": ("held", None),
        "lists": ("not judged", "no event `payment` matches payment(id(N), tags(T))"),
        "counted": ("not judged", "there was no event `payment` with `of`"),
    }
