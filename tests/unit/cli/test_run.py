"""`cera run`: what comes out, where to, and what is said about it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from unit.cli.command_line import FIRE, STREAM, Cera, records, terms, write_lines

pytestmark = pytest.mark.usefixtures("on_either_engine")

RUN = ("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s")
AVERAGE = {"avg_temp": {"sensor": "s", "value": 40}}
ALARM = {"fire": {"area": "a"}}
LOSS = {"burnt_down": {"sensor": "s"}}


def test_X_20_the_three_events_come_out_in_the_order_of_end_begin_and_term(cera: Cera) -> None:
    result = cera(*RUN)
    assert result.exit_code == 0
    found = [(record["begin"], record["end"], record["term"]) for record in records(result.stdout)]
    assert found == [(10, 80, AVERAGE), (65, 80, ALARM), (70, 92, LOSS)]


def test_a_line_has_the_fields_of_the_design_and_names_the_causes_by_their_ids(cera: Cera) -> None:
    alarm = records(cera(*RUN, "--select", "fire").stdout)[0]
    assert list(alarm) == ["begin", "end", "term", "rule", "id", "causes"]
    ids = {json.dumps(record["term"]): record["id"] for record in records(cera(*RUN, "--base").stdout)}
    assert alarm["rule"] == "fire"
    assert alarm["causes"] == {
        "s": ids[json.dumps({"smoke": {"area": "a"}})],
        "t": ids[json.dumps({"temp": {"area": "a", "sensor": "s", "value": 41}})],
    }


def test_without_a_time_unit_times_are_iso_8601(cera: Cera) -> None:
    loss = records(cera("run", "fire.xceq", "--events", "events.jsonl").stdout)[2]
    assert (loss["begin"], loss["end"]) == ("1970-01-01T00:01:10Z", "1970-01-01T00:01:32Z")


def test_the_time_unit_says_what_a_number_is(cera: Cera, folder: Path) -> None:
    milliseconds = [json.loads(line) for line in STREAM]
    scaled = [{**record, "begin": record["begin"] * 1000, "end": record["end"] * 1000} for record in milliseconds]
    write_lines(folder / "events.jsonl", [json.dumps(record) for record in scaled])
    loss = records(cera("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "ms").stdout)[2]
    assert (loss["begin"], loss["end"]) == (70_000, 92_000)


def test_the_summary_counts_what_was_read_and_derived_on_standard_error(cera: Cera) -> None:
    result = cera(*RUN)
    assert "3 events read\n" in result.stderr
    assert "3 events derived: avg_temp 1, burnt_down 1, fire 1\n" in result.stderr


@pytest.mark.parametrize("options", [(), ("--max-delay", "1 min"), ("--as", "table"), ("--base", "--select", "fire")])
def test_equal_records_are_one_event_and_the_summary_says_so(
    cera: Cera, folder: Path, options: tuple[str, ...]
) -> None:
    write_lines(folder / "events.jsonl", [*STREAM, STREAM[1]])
    result = cera(*RUN, *options)
    assert "4 events read; 1 of them equal to another one" in result.stderr
    assert "3 events derived" in result.stderr


@pytest.mark.parametrize("options", [(), ("--max-delay", "1 min"), ("--as", "table")])
@pytest.mark.parametrize("option", ["--rejected", "--late"])
def test_an_input_is_not_overwritten_by_what_is_left_out(
    cera: Cera, folder: Path, option: str, options: tuple[str, ...]
) -> None:
    delay = () if option == "--rejected" or options[:1] == ("--max-delay",) else ("--max-delay", "1 min")
    result = cera(*RUN, option, "events.jsonl", *options, *delay)
    assert result.exit_code == 2
    assert "events.jsonl is also read with --events; it would be overwritten" in result.stderr
    assert (folder / "events.jsonl").read_text().splitlines() == list(STREAM)


@pytest.mark.parametrize("options", [(), ("--max-delay", "1 min"), ("--as", "table")])
@pytest.mark.parametrize("option", ["--rejected", "--out"])
def test_neither_the_program_nor_what_is_in_a_folder_of_events_is_overwritten(
    cera: Cera, folder: Path, option: str, options: tuple[str, ...]
) -> None:
    (folder / "in").mkdir()
    write_lines(folder / "in" / "one.jsonl", STREAM)
    if option == "--out" and options == ("--as", "table"):
        return
    run = ("run", "fire.xceq", "--events", "in", *options)
    for name in ("one", "two"):
        result = cera(*run, option, f"in/{name}.jsonl")
        assert result.exit_code == 2
        assert f"{option}: in/{name}.jsonl lies in in, which is read with --events" in result.stderr
    result = cera(*run, option, "fire.xceq")
    assert result.exit_code == 2
    assert f"{option} names the program fire.xceq itself" in result.stderr
    assert (folder / "in" / "one.jsonl").read_text().splitlines() == list(STREAM)
    assert "DETECT" in (folder / "fire.xceq").read_text()


def test_an_id_field_keeps_equal_records_apart(cera: Cera, folder: Path) -> None:
    smoke = json.loads(STREAM[1])
    more = [json.dumps({**smoke, "number": number}) for number in (1, 2)]
    write_lines(folder / "events.jsonl", [STREAM[2], *more])
    result = cera(*RUN, "--id-field", "number", "--base", "--select", "smoke")
    assert len(records(result.stdout)) == 2
    assert "equal" not in result.stderr


@pytest.mark.parametrize("choice", [("--select", "fire,avg_temp"), ("--select", "fire", "--select", " avg_temp")])
def test_select_keeps_the_named_labels(cera: Cera, choice: tuple[str, ...]) -> None:
    result = cera(*RUN, *choice)
    assert terms(result.stdout) == [AVERAGE, ALARM]
    assert "3 events derived" in result.stderr
    assert "2 events written" in result.stderr


def test_select_of_a_label_that_nothing_has_is_a_warning_with_a_guess(cera: Cera) -> None:
    result = cera(*RUN, "--select", "fier")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "--select: nothing has the label `fier`; did you mean `fire`?" in result.stderr


def test_base_merges_the_input_into_the_order_of_time(cera: Cera) -> None:
    found = [(record["begin"], record["end"]) for record in records(cera(*RUN, "--base").stdout)]
    assert found == [(60, 63), (65, 68), (10, 80), (65, 80), (70, 80), (70, 92)]


def test_select_applies_to_the_base_too(cera: Cera) -> None:
    found = [next(iter(term)) for term in terms(cera(*RUN, "--base", "--select", "smoke,fire").stdout)]
    assert found == ["smoke", "fire"]


def test_an_input_event_that_is_derived_as_well_is_written_once(cera: Cera, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [*STREAM, '{"begin": 65, "end": 80, "term": {"fire": {"area": "a"}}}'])
    alarms = [r for r in records(cera(*RUN, "--base").stdout) if r["term"] == ALARM]
    assert [alarm["rule"] for alarm in alarms] == ["fire"]


def test_until_cuts_the_replay_as_if_now_were_that_time(cera: Cera) -> None:
    result = cera(*RUN, "--until", "91")
    assert terms(result.stdout) == [AVERAGE, ALARM]
    result = cera(*RUN, "--until", "1970-01-01T00:01:10Z", "--base")
    assert [record["end"] for record in records(result.stdout)] == [63, 68]
    assert "1 later than --until" in result.stderr


def test_events_come_from_standard_input(cera: Cera) -> None:
    result = cera("run", "fire.xceq", "--events", "-", "--time-unit", "s", input="\n".join(STREAM))
    assert terms(result.stdout) == [AVERAGE, ALARM, LOSS]


def test_events_come_from_several_paths(cera: Cera, folder: Path) -> None:
    for name, line in zip("abc", STREAM, strict=True):
        write_lines(folder / f"{name}.jsonl", [line])
    paths = [argument for name in "cab" for argument in ("--events", f"{name}.jsonl")]
    assert terms(cera("run", "fire.xceq", *paths).stdout) == [AVERAGE, ALARM, LOSS]


def test_flat_records_are_read_by_the_fields_that_are_named(cera: Cera, folder: Path) -> None:
    (folder / "log.csv").write_text(
        "kind,from,to,area,sensor,value\ntemp,60,63,a,s,40\nsmoke,65,68,a,,\ntemp,70,80,a,s,41\n"
    )
    options = ("--label-field", "kind", "--time-field", "from", "--end-field", "to", "--time-unit", "s")
    result = cera("run", "fire.xceq", "--events", "log.csv", *options)
    assert terms(result.stdout) == [AVERAGE, ALARM, LOSS]


def test_one_label_for_all_records(cera: Cera, folder: Path) -> None:
    (folder / "log.csv").write_text("at,sensor,value\n70,s,41\n")
    result = cera("run", "fire.xceq", "--events", "log.csv", "--label", "temp", "--select", "burnt_down")
    assert terms(result.stdout) == [LOSS]


def test_a_label_and_a_label_field_together_are_refused(cera: Cera) -> None:
    result = cera(*RUN, "--label", "temp", "--label-field", "kind")
    assert result.exit_code == 2
    assert "--label-field" in result.stderr


def test_the_semantics_can_be_chosen(cera: Cera, folder: Path) -> None:
    points = [{"at": json.loads(line)["begin"], "term": json.loads(line)["term"]} for line in STREAM]
    write_lines(folder / "events.jsonl", [json.dumps(record) for record in points])
    assert LOSS in terms(cera(*RUN).stdout)
    assert LOSS not in terms(cera(*RUN, "--semantics", "formal").stdout)


def test_out_gets_the_same_lines_and_standard_output_none(cera: Cera, folder: Path) -> None:
    written = cera(*RUN, "--out", "alarms.jsonl")
    assert written.stdout == ""
    assert (folder / "alarms.jsonl").read_text() == cera(*RUN).stdout
    assert not list(folder.glob(".*"))


def test_a_dash_is_standard_output_and_not_a_file_of_that_name(cera: Cera, folder: Path) -> None:
    written = cera(*RUN, "--out", "-")
    assert (written.stdout, written.stderr) == (cera(*RUN).stdout, cera(*RUN).stderr)
    assert not (folder / "-").exists()


@pytest.mark.parametrize("option", ["--rejected", "--late", "--actions-ledger", "--actions-failed"])
def test_what_is_written_beside_the_answers_does_not_go_among_them(cera: Cera, folder: Path, option: str) -> None:
    refused = cera(*RUN, "--max-delay", "1 sec", option, "-")
    assert refused.exit_code == 2
    assert f"{option}: - would be standard output" in refused.stderr
    assert not (folder / "-").exists()


def test_out_replaces_a_file_and_keeps_its_mode_and_links(cera: Cera, folder: Path) -> None:
    (folder / "real.jsonl").write_text("old")
    (folder / "real.jsonl").chmod(0o640)
    (folder / "link.jsonl").symlink_to("real.jsonl")
    cera(*RUN, "--out", "link.jsonl")
    assert (folder / "link.jsonl").is_symlink()
    assert len(records((folder / "real.jsonl").read_text())) == 3
    assert stat.S_IMODE((folder / "real.jsonl").stat().st_mode) == 0o640


def test_out_writes_to_what_is_not_a_regular_file(cera: Cera) -> None:
    assert cera(*RUN, "--out", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_a_failed_run_leaves_the_old_output(cera: Cera, folder: Path) -> None:
    (folder / "alarms.jsonl").write_text("old")
    write_lines(folder / "events.jsonl", ["nonsense"])
    assert cera(*RUN, "--strict", "--out", "alarms.jsonl").exit_code == 3
    assert (folder / "alarms.jsonl").read_text() == "old"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "."), "is a folder"),
        (("--out", "nowhere/x.jsonl"), "there is no folder nowhere"),
        (("--out", "fire.xceq"), "the program fire.xceq itself"),
        (("--out", "x", "--rejected", "./x"), "both name x"),
        (("--rejected", "."), "is a folder"),
        (("--until", "soon"), "'soon' is not a time"),
        (("--timezone", "Europe/Berln"), "Europe/Berlin"),
        (("--engine", "steam"), "steam"),
        (("--recursion-limit", "0"), "recursion-limit"),
        (("--calendars", "none.toml"), "none.toml"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, tuple) else "",
)
def test_an_option_that_makes_no_sense_is_refused(
    cera: Cera, folder: Path, options: tuple[str, ...], said: str
) -> None:
    result = cera(*RUN, *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert (folder / "fire.xceq").read_text() == FIRE


def test_a_typo_in_the_program_is_told_by_the_labels_that_occurred(cera: Cera, folder: Path) -> None:
    (folder / "fire.xceq").write_text(FIRE.replace("smoke", "smok"))
    result = cera(*RUN)
    assert result.exit_code == 0
    assert "the program asks for `smok`, and no event has this label; did you mean `smoke`?" in result.stderr
    assert "events that no rule asks for: smoke 1" in result.stderr


def test_a_label_that_a_rule_derives_is_not_called_missing(cera: Cera, folder: Path) -> None:
    (folder / "more.xceq").write_text("DETECT call{ var A } ON event f: fire{{ area{{ var A }} }} END")
    (folder / "fire.xceq").write_text(FIRE.replace("var T > 40", "var T > 4000"))
    result = cera("run", "fire.xceq", "more.xceq", "--events", "events.jsonl")
    assert result.exit_code == 0
    assert "asks for" not in result.stderr


def test_a_table_can_be_asked_for_where_nobody_reads_and_lines_where_somebody_does(cera: Cera) -> None:
    result = cera("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s", "--as", "table")
    assert "│    65 │  80 │ fire{area" in result.stdout
    lines = cera("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s", "--as", "jsonl")
    assert [line["rule"] for line in records(lines.stdout)] == ["avg_temp", "fire", "burnt_down"]
    refused = cera("run", "fire.xceq", "--events", "events.jsonl", "--as", "table", "--out", "a.jsonl")
    assert refused.exit_code == 2
    assert "--as table is for standard output" in refused.stderr


def test_undefined_expressions_are_counted(cera: Cera, folder: Path) -> None:
    (folder / "ratio.xceq").write_text(
        "DETECT r{1} ON event t: temp{{value{{var T}}}} where { 1 / (var T - 40) > 0 } END"
    )
    result = cera("run", "ratio.xceq", "--events", "events.jsonl")
    assert "1 expression had no value" in result.stderr
    assert terms(result.stdout) == [{"r": 1}]


def test_a_wrong_program_is_shown_and_nothing_is_run(cera: Cera, folder: Path) -> None:
    (folder / "fire.xceq").write_text(FIRE.replace("area { var A } }", "area { var B } }", 1))
    result = cera(*RUN)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[XC201]" in result.stderr
    assert "events read" not in result.stderr


def test_the_warnings_of_a_program_are_shown_and_it_runs(cera: Cera, folder: Path) -> None:
    (folder / "fire.xceq").write_text(FIRE.replace("{{ area {{ var A }} }},", "{{ area {{ var A }}, x{{var X}} }},", 1))
    result = cera(*RUN)
    assert result.exit_code == 0
    assert "warning[XC103]" in result.stderr
    assert terms(result.stdout) == [AVERAGE, LOSS]


@pytest.mark.parametrize("engine", [(), ("--engine", "reference")], ids=["auto", "reference"])
def test_a_recursion_without_end_stops_with_the_rule_named(engine: tuple[str, ...], cera: Cera, folder: Path) -> None:
    (folder / "loop.xceq").write_text("DETECT n{ var N + 1 } ON event e: n{{ var N }} END")
    write_lines(folder / "n.jsonl", ['{"at": 0, "term": {"n": 0}}'])
    result = cera("run", "loop.xceq", "--events", "n.jsonl", "--recursion-limit", "50", *engine)
    assert (result.exit_code, result.stdout) == (4, "")
    assert "rule 'n'" in result.stderr
    assert "more than 50 events" in result.stderr


@pytest.mark.parametrize("engine", [(), ("--engine", "reference")], ids=["auto", "reference"])
def test_a_recursion_that_combines_its_own_events_stops_before_it_has_too_many_of_them(
    engine: tuple[str, ...], cera: Cera, folder: Path
) -> None:
    """Fifty events have 125,000 combinations of three."""
    body = ", ".join(f"event {name}: n{{{{ var {name.upper()} }}}}" for name in "abc")
    (folder / "sums.xceq").write_text(f"DETECT n{{ var A + var B + var C }} ON and {{ {body} }} END")
    write_lines(folder / "n.jsonl", ['{"at": 0, "term": {"n": 1}}', '{"at": 0, "term": {"n": 2}}'])
    result = cera("run", "sums.xceq", "--events", "n.jsonl", "--recursion-limit", "100", *engine)
    assert (result.exit_code, result.stdout) == (4, "")
    assert "rule 'n' (sums.xceq:1:8) is recursive" in result.stderr
    assert "in more than 10,000 ways" in result.stderr
    assert "raise the limit (--recursion-limit)" in result.stderr


def test_a_raised_event_says_where_it_goes(cera: Cera, folder: Path) -> None:
    (folder / "audit.xceq").write_text(
        'RAISE to(recipient="http://auditor.com", transport="HTTP") { var B } ON var B -> smoke{{}} END'
    )
    record = records(cera("run", "audit.xceq", "--events", "events.jsonl").stdout)[0]
    assert record["term"] == {"smoke": {"area": "a"}}
    assert record["to"] == {"recipient": "http://auditor.com", "transport": "HTTP"}
