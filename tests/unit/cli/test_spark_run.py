"""`cera run --engine spark`: the bytes and the counts of the other engines, by whomever they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.running import occasions
from unit.cli.command_line import FIRE, Cera, write_lines

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

#: Temperatures with equal events, ties in time, values whose JSON is not obvious, and one record that is not an event.
TEMPERATURES = [
    *(
        f'{{"at": {second}, "term": {{"temp": {{"area": "{area}", "sensor": {number}, "value": {40 + second / 7}}}}}}}'
        for second in range(0, 60, 3)
        for number, area in ((1, "a\\u0007"), (2, "b 😀"))
    ),
    '{"at": 9, "term": {"smoke": {"area": "b 😀"}}}',
    '{"at": 9, "term": {"smoke": {"area": "b 😀"}}}',
    '{"at": 9, "term": {"siren": {"{}": [{"on": true}, {"on": false}]}}}',
    '{"at": 9}',
]
HOT = "DETECT fire { area { var A } } ON temp {{ area {{ var A }}, value {{ var T }} }} where { var T > 40 } END\n"
RAISE = 'RAISE to(recipient="sms:1") { alarm { area { var A } } } ON fire {{ area {{ var A }} }} END\n'
SUMMARY = "46 events read; 1 of them equal to another one (--id-field keeps such events apart)"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets Spark's workers do what they do with a recording that is not small."""
    from cera.engines.spark import recorded

    monkeypatch.setattr(recorded, "_is_small", lambda *_: False)


@pytest.fixture
def command(folder: Path) -> tuple[str, ...]:
    write_lines(folder / "more.jsonl", TEMPERATURES)
    (folder / "fire.xceq").write_text(FIRE + RAISE)
    return ("run", "fire.xceq", "--events", "events.jsonl", "--events", "more.jsonl", "--time-unit", "s")


@pytest.fixture
def small_command(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The same events, with one rule and a layer above it, for what does not depend on the rules."""
    (folder / "fire.xceq").write_text(HOT + RAISE)
    return command


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("options", [(), ("--select", "fire,temp", "--base", "--until", "40")], ids=["all", "some"])
def test_the_workers_write_what_the_other_engines_write(
    folder: Path, cera: Cera, command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    written, said = {}, {}
    for engine in ("reference", "local", "spark"):
        result = cera(*command, *options, "--engine", engine, "--out", f"{engine}.jsonl")
        assert result.exit_code == 0, result.stderr
        written[engine] = (folder / f"{engine}.jsonl").read_bytes()
        said[engine] = result.stderr
    assert written["spark"] == written["local"] == written["reference"] != b""
    assert said["spark"] == said["local"] == said["reference"]
    assert SUMMARY in said["spark"]
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")], "something unfinished is left"


def test_standard_output_and_small_recordings_have_the_same_lines(cera: Cera, small_command: tuple[str, ...]) -> None:
    lines = {cera(*small_command, "--base", "--engine", engine).stdout_bytes for engine in ("local", "spark")}
    assert len(lines) == 1


@pytest.mark.usefixtures("large")
def test_a_file_is_not_touched_by_a_run_that_fails(
    folder: Path, cera: Cera, small_command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cera.engines.spark import recorded

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (folder / "out.jsonl").write_text("before\n")
    monkeypatch.setattr(recorded, "join_parts", full)
    result = cera(*small_command, "--engine", "spark", "--out", "out.jsonl")
    assert (result.exit_code, (folder / "out.jsonl").read_text()) == (2, "before\n")
    assert "out.jsonl cannot be written: No space left on device" in result.stderr
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_parquet_is_counted_as_lines_are(folder: Path, cera: Cera, small_command: tuple[str, ...]) -> None:
    lines = cera(*small_command, "--engine", "local", "--select", "fire", "--out", "out.jsonl")
    table = cera(*small_command, "--engine", "spark", "--select", "fire", "--out", "out.parquet")
    assert table.exit_code == 0, table.stderr
    assert table.stderr == lines.stderr
    assert [path.suffix for path in (folder / "out.parquet").iterdir() if not path.name.startswith((".", "_"))]


def test_what_is_said_of_constraints_is_the_same_on_every_engine(
    folder: Path, cera: Cera, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "shop.escl").write_text(
        """CONSTRAINT paid: IF event o: order(id(N)) and event w: from-end[o, 60 sec]
        THEN while w: event: payment(id(N)) END
        CONSTRAINT once: IN ANY CASE exists <= 1 event: order(id(N)) END
        CONSTRAINT seen: IF event: visit(id(N)) THEN event: order(id(N)) END
        CONSTRAINT dear: IF event: order(id(N)) and N > 2 and N < 4 THEN N > 0 END
        CONSTRAINT never: IF event: order(id(N)) and event: payment(id(N)) and N > 3 THEN N > 0 END
        CONSTRAINT far: IF event: order(id(N)) and N > 3 THEN exists >= 4 event: order(id(N)) END"""
    )
    orders = [
        (0, "order", 1),
        (5, "order", 1),
        (20, "payment", 1),
        (100, "order", 2),
        (110, "order", 3),
        (300, "order", 4),
    ]
    write_lines(
        folder / "orders.jsonl",
        [f'{{"at": {at}, "term": {{"{label}": {{"id": {id_}}}}}}}' for at, label, id_ in orders],
    )
    monkeypatch.setattr(occasions, "BY_RULES_FROM", 2)  # `dear` and `never` are looked for by rules
    monkeypatch.setattr(occasions, "_FIRST_PIECE", 1)
    said, written = {}, {}
    for engine in ("reference", "local", "spark"):
        given = ("--events", "orders.jsonl", "--time-unit", "s", "--until", "165", "--engine", engine)
        result = cera("verify", "shop.escl", *given)
        assert result.exit_code == 6, result.stderr
        said[engine], written[engine] = result.stderr.partition("shop: ")[2], result.stdout
    assert said["spark"] == said["local"] == said["reference"]
    held = "6 constraints, 1 held, 2 violated, 3 not judged"
    assert said["spark"].startswith(f"{held}\n  paid: violated once, 1 deadline still open (")
    assert written["spark"].count('"window": {"from": 100, "to": 160}') == 1


def test_events_that_no_instance_waited_for_are_counted_on_every_engine(folder: Path, cera: Cera) -> None:
    (folder / "order.ihta").write_text(
        """automaton Order(id(O)) {
          start Open; end Paid;
          enter -> Open: ordered(id(O*), invoice(unique N* for 1 h));
          Open -> Paid: paid(id(O));
        }"""
    )
    came = [(0, "ordered", 1), (10, "paid", 1), (20, "paid", 9)]
    write_lines(
        folder / "orders.jsonl",
        [f'{{"at": {at}, "term": {{"{label}": {{"id": {id_}, "invoice": {id_}}}}}}}' for at, label, id_ in came],
    )
    said = {}
    for engine in ("local", "spark"):
        given = ("--events", "orders.jsonl", "--time-unit", "s", "--engine", engine)
        said[engine] = cera("verify", "order.ihta", *given).stderr
    assert "1 event came when no instance waited for such an event" in said["local"]
    assert said["spark"] == said["local"]
