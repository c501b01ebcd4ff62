"""`cera sample`, and what --rates and --cost do with its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main
from cera.optimizer.costs.rates_file import read_rates

RULE = "Range 1h: n(k(K), number(count(V))) <- p(k(K), v(V)) and V > 1.\n"
CLOSED = "CONSTRAINT closed: IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END\n"
ROWS = [("p", 10, 1, 1), ("p", 11, 1, 2), ("q", 20, 1, None), ("p", 21, 2, 3), ("q", 30, 2, None)]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.slog").write_text(RULE)
    Path("c.escl").write_text(CLOSED)
    records = [{"at": at, "term": {label: {"k": k} | ({"v": v} if v else {})}} for label, at, k, v in ROWS]
    Path("events.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    lines = "".join(f"{label},{at},{k},{v or ''}\n" for label, at, k, v in ROWS)
    Path("events.csv").write_text("type,ts,k,v\n" + lines)


def cera(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


JSONL = ("--events", "events.jsonl", "--time-unit", "s")
FLAT = ("--label-field", "type", "--time-field", "ts", "--time-unit", "s")


def test_rates_are_written_for_people_and_always_the_same() -> None:
    found = cera("sample", *JSONL, "--program", "a.slog")
    assert found.exit_code == 0, found.stderr
    assert found.stdout.splitlines()[1:] == [
        "events = 5",
        "seconds = 20",
        "",
        "[labels.p]",
        "per_second = 0.15",
        "distinct = { k = 2, v = 3 }",
        "",
        "[labels.q]",
        "per_second = 0.1",
        "distinct = { k = 2 }",
        "",
        "[in_use]",
        "k = 9.5",
        "v = 0",
        "",
        "[asked]",
        "'p: v > 1' = 0.666667",
    ]
    assert "5 events read; 2 labels; 1 question of rules" in found.stderr
    assert cera("sample", *JSONL, "--program", "a.slog").stdout == found.stdout


def test_csv_and_parquet_give_the_same_rates() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"type": [r[0] for r in ROWS], "ts": [r[1] for r in ROWS], "k": [r[2] for r in ROWS]}
    parquet.write_table(pyarrow.table(columns | {"v": [r[3] for r in ROWS]}), "events.parquet")
    expected = cera("sample", *JSONL).stdout
    assert cera("sample", "--events", "events.csv", *FLAT).stdout == expected
    assert cera("sample", "--events", "events.parquet", *FLAT).stdout == expected


def test_what_could_not_be_used_is_said() -> None:
    with Path("events.jsonl").open("a") as file:
        file.write('{"at": 31, "term": {"p": {"k": [1, 2]}}}\nnonsense\n')
    Path("b.slog").write_text("h(k(K)) <- zebra(k(K), c(3)) and p(k(K)).\n")
    found = cera("sample", *JSONL, "--program", "b.slog", "--out", "rates.toml")
    assert found.exit_code == 0, found.stderr
    assert "events.jsonl:7" in found.stderr
    assert "not used: attributes that are not a single value (1)" in found.stderr
    assert "the rules ask for `zebra`, and no event has this label" in found.stderr
    assert "1 record rejected" in found.stderr
    assert read_rates(Path("rates.toml")).labels.keys() == {"p", "q"}


def test_events_of_one_time_have_no_rates() -> None:
    Path("one.jsonl").write_text('{"at": 1, "term": {"p": {"k": 1}}}\n')
    found = cera("sample", "--events", "one.jsonl", "--time-unit", "s")
    assert found.exit_code == 2
    assert "all events end at the same time, so that there are no rates" in found.stderr


def test_constraints_need_rules() -> None:
    found = cera("sample", *JSONL, "--constraints", "c.escl")
    assert found.exit_code == 2
    assert "--constraints is about the rules of --program, and there are none" in found.stderr


OPTIMIZE = ("optimize", "a.slog", "--constraints", "c.escl")


def test_costs_are_shown_before_and_after() -> None:
    assert cera("sample", *JSONL, "--program", "a.slog", "--out", "rates.toml").exit_code == 0
    found = cera(*OPTIMIZE, "--rates", "rates.toml", "--cost", "state")
    assert found.exit_code == 0, found.stderr
    lines = found.stdout.splitlines()
    # 0.1 matches a second wait for half an hour, or for half of the 9.5 seconds that a key is in use
    assert "  estimated: 0.475 tuples in state instead of 180; " in found.stdout
    assert "an answer after 4 sec 750 ms instead of 30 min" in lines[2]
    assert "estimates: by rates.toml, for events of 20 sec; values are taken to be equally frequent" in lines


def test_what_costs_more_than_it_saves_is_left_out_and_said() -> None:
    Path("rates.toml").write_text("[labels.p]\nper_second = 1\n[labels.q]\nper_second = 1000\n")
    found = cera(*OPTIMIZE, "--rates", "rates.toml", "--cost", "work")
    assert "rule n (a.slog:1:11): unchanged" in found.stdout
    assert "  left out, for less work: join introduction, by closed" in found.stdout
    as_json = json.loads(cera(*OPTIMIZE, "--rates", "rates.toml", "--cost", "work", "--json").stdout)
    assert as_json["rules"][0]["costs"]["chosen"]["left_out"] == ["join introduction, by closed"]
    assert as_json["estimates"] == {"rates": "rates.toml", "seconds": 86400.0, "model": "work"}


def test_without_rates_it_is_said_what_is_assumed() -> None:
    found = cera(*OPTIMIZE, "--cost", "state")
    assert "estimates: without rates, 1 event a second of each label, 100 values of each attribute" in found.stdout


def test_rates_without_a_model_use_all_laws() -> None:
    Path("rates.toml").write_text("[labels.q]\nper_second = 1000\n")
    found = cera(*OPTIMIZE, "--rates", "rates.toml")
    assert "join introduction, by closed" in found.stdout
    assert "all laws that apply are used; --cost leaves out what costs more than it saves" in found.stdout


def test_explain_shows_costs_and_the_order_of_joins() -> None:
    Path("j.slog").write_text(
        "h(k(K)) <- i: often(k(K)) and m: mid(k(K)) and j: rare(k(K)) and {i, m, j} within 10 sec.\n"
    )
    Path("rates.toml").write_text(
        "".join(f"[labels.{n}]\nper_second = {r}\n" for n, r in (("often", 100), ("mid", 10), ("rare", 0.1)))
    )
    found = cera("explain", "j.slog", "--rates", "rates.toml")
    assert "optimized plan (order-joins):" in found.stdout
    assert "h, estimated: 1,100 tuples in state" in found.stdout
    assert "joins in the order of the text: " in found.stdout
    assert "order-joins" not in cera("explain", "j.slog").stdout


ANSWERED = (*JSONL, "--as", "jsonl", "--engine", "local")
RUN = ("run", "a.slog", "--constraints", "c.escl", *ANSWERED)


def test_no_answer_depends_on_rates_and_costs() -> None:
    Path("rates.toml").write_text("[labels.p]\nper_second = 1\n[labels.q]\nper_second = 1000\n")
    plain = [json.loads(line)["id"] for line in cera("run", "a.slog", *ANSWERED).stdout.splitlines()]
    coming = (*RUN, "--max-delay", "1 s")
    early = cera(*coming).stdout
    late = cera(*coming, "--rates", "rates.toml", "--cost", "work").stdout
    assert len(plain) == 2
    assert [json.loads(line)["id"] for line in early.splitlines()] == plain
    assert [json.loads(line)["id"] for line in late.splitlines()] == plain
    assert "known" in early
    assert "known" not in late


def test_a_recording_has_no_early_answers_and_the_same_bytes_as_without_constraints() -> None:
    assert cera(*RUN).stdout == cera("run", "a.slog", *ANSWERED).stdout


def test_a_model_needs_constraints() -> None:
    found = cera("run", "a.slog", *JSONL, "--cost", "work")
    assert found.exit_code == 2
    assert "--cost chooses among what --constraints allow, and there are none" in found.stderr


def test_a_file_of_rates_that_is_wrong_is_refused() -> None:
    Path("rates.toml").write_text("[labels.p]\n")
    found = cera("run", "a.slog", *JSONL, "--rates", "rates.toml")
    assert found.exit_code == 2
    assert "rates.toml: 'labels.p' does not say how often such events come" in found.stderr
