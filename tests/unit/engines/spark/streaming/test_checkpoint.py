"""What a checkpoint belongs to, and what is said when it belongs to something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.checkpoint import Checkpoint, Manifest
from cera.errors import UsageError
from cera.program import load
from cera.wording import on_command_line
from module_runs import rule_operators

SMOKE = "DETECT smoky{ a{ var A } } ON smoke{{ area{{ var A }} }} END\n"
TEMP = "DETECT warm{ a{ var A } } ON temp{{ area{{ var A }} }} END\n"
DOOR = "DETECT open{ a{ var A } } ON door{{ area{{ var A }} }} END\n"


def opened(
    folder: Path, text: str, sources: tuple[str, ...] = ("in",), *, restart_changed: bool = False, buckets: int = 16
) -> Manifest:
    made = rule_operators(load(text).checked(), buckets=buckets)
    return Checkpoint(folder).open(made, sources, restart_changed=restart_changed)


def test_the_same_program_goes_on_with_the_same_run(tmp_path: Path) -> None:
    first = opened(tmp_path / "c", SMOKE + TEMP)
    assert opened(tmp_path / "c", TEMP + "# moved\n" + SMOKE) == first


def test_a_folder_with_other_things_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="no checkpoint of cera"):
        opened(tmp_path, SMOKE)


def test_a_checkpoint_that_is_broken_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "cera.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        opened(tmp_path, SMOKE)


def test_a_checkpoint_of_another_program_names_its_rules(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE + TEMP)
    with pytest.raises(UsageError, match="another program, with the rules smoky, warm; give another --checkpoint"):
        opened(tmp_path / "c", DOOR)


def test_a_changed_rule_is_named_with_what_to_do(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE + TEMP)
    changed = SMOKE + TEMP.replace("a{ var A }", "b{ var A }")
    with pytest.raises(UsageError, match=r"has changed: warm \(changed.*--restart-changed"):
        opened(tmp_path / "c", changed)
    kept = opened(tmp_path / "c", changed, restart_changed=True)
    assert opened(tmp_path / "c", changed) == kept


def test_new_and_missing_rules_are_named(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE + TEMP)
    with pytest.raises(UsageError, match=r"open \(new\); warm \(gone\)"):
        opened(tmp_path / "c", SMOKE + DOOR)


def test_another_order_of_operators_can_keep_no_state(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE)
    alarm = "DETECT many{ count(var A) } ON and { event d: end{}, event w: extend-begin[event d, 1 min], "
    alarm += "while w: collect smoky{{ a{{ var A }} }} } END"
    with pytest.raises(UsageError, match=r"another order of operators \(many \(new\)\)"):
        opened(tmp_path / "c", SMOKE + alarm, restart_changed=True)


def test_a_checkpoint_of_another_source_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE)
    with pytest.raises(UsageError, match="belongs to the source in, not to out"):
        opened(tmp_path / "c", SMOKE, ("out",))


def test_a_kill_in_the_moment_of_the_first_writing_leaves_a_folder_that_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "cera.unfinished").write_text('{"run": "1a')
    opened(tmp_path, SMOKE)
    assert [path.name for path in tmp_path.iterdir()] == ["cera.json"]


def test_an_option_that_divides_events_in_another_way_is_named(tmp_path: Path) -> None:
    opened(tmp_path / "c", SMOKE)
    with pytest.raises(UsageError, match=r"smoky \(changed.*\), with --buckets 16 then, and --buckets 3 now"):
        opened(tmp_path / "c", SMOKE, buckets=3)


MODULE = "begin Sinks monitor temp; partition by area; Fall: (temp(X), temp(Y, Y.v < X.v)). Any: temp(X). end.\n"


def opened_with(folder: Path, module: str, *, restart_changed: bool = False) -> Manifest:
    made = operators(load([module, SMOKE]).layers)
    return Checkpoint(folder).open(made, ("in",), restart_changed=restart_changed)


def test_a_changed_module_is_named_by_all_its_rules(tmp_path: Path) -> None:
    first = opened_with(tmp_path / "c", MODULE)
    assert opened_with(tmp_path / "c", f"# moved\n{MODULE}") == first
    changed = MODULE.replace("Y.v < X.v", "Y.v <= X.v")
    with pytest.raises(UsageError, match=r"has changed: Sinks\.Fall, Sinks\.Any \(changed.*--restart-changed"):
        opened_with(tmp_path / "c", changed)
    assert opened_with(tmp_path / "c", changed, restart_changed=True).operators != first.operators


def test_a_checkpoint_knows_whether_a_duration_was_promised(tmp_path: Path) -> None:
    assert Checkpoint(tmp_path / "new").promised_duration() is None
    opened(tmp_path / "c", SMOKE)
    assert Checkpoint(tmp_path / "c").promised_duration() is False
    made = rule_operators(load(SMOKE).checked(), max_duration=0)
    Checkpoint(tmp_path / "d").open(made, ("in",), restart_changed=False)
    assert Checkpoint(tmp_path / "d").promised_duration() is True


def test_constraints_that_went_on_with_another_duration_would_have_forgotten_too_much(tmp_path: Path) -> None:
    text = "IF event h: a(k(K)) and event i: b(k(K)) and {h, i} within max 1 min THEN exists <= 1 event: c(k(K)) END"
    layers = load(Source("watch.escl", text)).layers

    def goes_on(longest: int | None, *, restart_changed: bool = False) -> Manifest:
        made = operators(layers, max_duration=longest)
        return Checkpoint(tmp_path / "c").open(made, ("in",), restart_changed=restart_changed)

    first = goes_on(0)
    assert goes_on(0) == first
    for longest, now in ((None, "no --max-duration"), (60_000_000, "--max-duration 60000000 us")):
        with pytest.raises(UsageError) as refused:
            goes_on(longest)
        said = on_command_line(refused.value.message)
        assert "watch.c1 (changed" in said
        assert f"with --max-duration 0 us then, and {now} now" in said
        assert "--restart-changed" in said
    assert goes_on(None, restart_changed=True).operators != first.operators


def test_times_of_another_unit_are_refused(tmp_path: Path) -> None:
    made, checkpoint = rule_operators(load(SMOKE).checked()), Checkpoint(tmp_path / "c")
    first = checkpoint.open(made, ("in",), restart_changed=False)
    assert checkpoint.open(made, ("in",), restart_changed=False, unit="s") == first  # what numbers count anyway
    with pytest.raises(UsageError, match="read with `time_unit` s, not ms; give the same `time_unit`, or give another"):
        checkpoint.open(made, ("in",), restart_changed=False, unit="ms")


def test_the_order_of_event_types_says_nothing(tmp_path: Path) -> None:
    paid, shipped = "Paid := ;(E1, E2);", "Shipped := ;(first: Paid, and(E3, E4));"
    first = opened_with(tmp_path / "c", f"event E5;\n{paid}\n{shipped}\n")
    assert opened_with(tmp_path / "c", f"{shipped}\n{paid}\nevent E5;\n") == first


OLD_OPTIONS = {"--buckets": "16", "--timezone": "UTC", "--max-duration": "0 us", "--time-unit": "ms"}
NEW_OPTIONS = {"buckets": "16", "timezone": "UTC", "max_duration": "0 us", "time_unit": "ms"}


@pytest.fixture
def old_checkpoint(tmp_path: Path) -> Checkpoint:
    """One whose file has the spelling of the command line, as all files had up to 2026-11-17."""
    made = Checkpoint(tmp_path / "c")
    made.open(rule_operators(load(SMOKE).checked(), max_duration=0), ("in",), restart_changed=False, unit="ms")
    file = made.folder / "cera.json"
    known = json.loads(file.read_text())
    assert known["options"] == NEW_OPTIONS
    file.write_text(json.dumps({**known, "options": OLD_OPTIONS}))
    return made


def test_options_are_read_as_they_were_once_spelled(old_checkpoint: Checkpoint) -> None:
    made = rule_operators(load(SMOKE).checked(), max_duration=0)
    assert old_checkpoint.promised_duration() is True
    assert old_checkpoint.open(made, ("in",), restart_changed=False, unit="ms").options == NEW_OPTIONS
    with pytest.raises(UsageError, match="read with `time_unit` ms, not s; give the same `time_unit`, or"):
        old_checkpoint.open(made, ("in",), restart_changed=False)
    changed = rule_operators(load(SMOKE).checked(), buckets=3, timezone="Europe/Berlin")
    said = (
        "with --buckets 16 --timezone UTC --max-duration 0 us then, and --buckets 3 --timezone Europe/Berlin "
        "no --max-duration now"
    )
    with pytest.raises(UsageError) as refused:
        old_checkpoint.open(changed, ("in",), restart_changed=False, unit="ms")
    assert said in on_command_line(refused.value.message)


def test_a_checkpoint_that_changes_is_written_with_the_names_of_today(old_checkpoint: Checkpoint) -> None:
    changed = rule_operators(load(SMOKE).checked(), max_duration=0, buckets=3)
    old_checkpoint.open(changed, ("in",), restart_changed=True, unit="ms")
    known = json.loads((old_checkpoint.folder / "cera.json").read_text())
    assert known["options"] == {**NEW_OPTIONS, "buckets": "3"}


def test_a_checkpoint_in_which_nobody_noted_options_is_read(old_checkpoint: Checkpoint) -> None:
    file = old_checkpoint.folder / "cera.json"
    file.write_text(
        json.dumps({name: value for name, value in json.loads(file.read_text()).items() if name != "options"})
    )
    made = rule_operators(load(SMOKE).checked(), max_duration=0)
    assert old_checkpoint.open(made, ("in",), restart_changed=False).options == {**NEW_OPTIONS, "time_unit": "s"}
