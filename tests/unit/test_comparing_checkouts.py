"""`python -m benchmarks --against PATH`: what is measured, what is left out, and what is called slower."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

ROOT = Path(__file__).parents[2]

#: Prints what the sources that it runs with say.
PRINTING = "import json, cera; print(json.dumps(cera.TOOK))"


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def checkout(folder: Path, took: dict[str, object]) -> Path:
    """Returns a folder with a cera that knows nothing but how long it takes."""
    (folder / "src" / "cera").mkdir(parents=True)
    (folder / "src" / "cera" / "__init__.py").write_text(f"TOOK = {took!r}\n")
    return folder


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ([1.0, 1.01, 1.01], [1.2, 1.21, 1.21], "slower"),
        ([1.0, 1.01, 1.01], [0.8, 0.81, 0.81], "faster"),
        ([1.0, 1.01, 1.01], [1.04, 1.05, 1.05], ""),
        ([1.0, 1.2, 1.2], [1.2, 1.21, 1.21], "slower?"),
        ([1.0, 1.01, 1.01], [1.2, 1.5, 1.5], "slower?"),
        ([1.0], [2.0], "slower?"),
    ],
)
def test_slower_is_what_is_so_by_more_than_the_limit_and_the_noise(
    before: list[float], now: list[float], verdict: str
) -> None:
    from benchmarks.comparison import Comparison, Row

    row = Row("local", "rules", before, now)
    found = Comparison(len(now), [row])
    assert found.verdict(row) == verdict
    assert found.is_slower == (verdict == "slower")


def test_nothing_is_clearly_slower_where_the_same_code_differs_as_much() -> None:
    from benchmarks.comparison import CONTROL, Comparison, Row

    row = Row("local", "rules", [1.0, 1.0], [1.2, 1.2])
    found = Comparison(2, [Row(CONTROL, "by hand", [1.0, 1.0], [1.3, 1.3]), row])
    assert found.verdict(row) == "slower?"
    assert not found.is_slower
    assert list(found.summary()) == [
        "control: 1.300 on average of 1, noise 30.0% in the middle",
        "local: 1.200 on average of 1, noise 30.0% in the middle",
        "all: 1.200 on average of 1, noise 30.0% in the middle",
        "the control differs by 30%: too busy a machine to find 5%, measure again",
    ]


@pytest.mark.processes
def test_a_command_is_measured_with_both_checkouts(tmp_path: Path) -> None:
    from benchmarks.comparison import compare
    from benchmarks.recordings.cases import chosen

    found = compare(chosen(tmp_path, 10, ["local"], ["fire"], ["event objects"]), ROOT, 2)
    [row] = found.rows
    assert (len(row.other), len(row.this)) == (2, 2)
    assert row.noise is not None
    assert min(row.megabytes) > 10
    assert not found.left_out + found.different


@pytest.mark.processes
def test_what_both_can_do_is_compared_and_the_rest_is_said(tmp_path: Path) -> None:
    from benchmarks.checkouts import Case, Checkout
    from benchmarks.comparison import compare, show

    old = checkout(tmp_path / "old", {"parts": {"parse": 1.0, "gone": 1.0}, "derived": 3})
    new = checkout(tmp_path / "new", {"parts": {"parse": 2.0, "added": 1.0}, "derived": 4})
    (old / "moved.py").write_text(PRINTING)
    (new / "moved.py").write_text(PRINTING)
    cases = [
        Case("local", "rules", ("-c", PRINTING)),
        Case("local", "moved", ("-m", "moved")),  # this checkout's benchmarks, over the other's sources, lack it
        Case("local", "newer", ("-c", "import cera; cera.NEWER")),
        Case("local", "silent", ("-c", "")),
    ]
    found = compare(cases, old, 3, Checkout("this", new, (new,)))
    assert [(row.name, row.ratio, found.verdict(row)) for row in found.rows] == [
        ("rules, parse", 2.0, "slower"),
        ("moved, parse", 2.0, "slower"),
    ]
    assert found.different == ["local: rules", "local: moved"]
    assert found.own_benchmarks == ["local: moved"]
    assert [text.partition(" (")[0] for text in found.left_out] == [
        "local: rules, added",
        "local: rules, gone",
        "local: moved, added",
        "local: moved, gone",
        "local: newer",
        "local: silent",
    ]
    assert "has no attribute 'NEWER'" in found.left_out[4]
    assert "does not print what it took" in found.left_out[5]
    console = Console(width=150, record=True, quiet=True)
    assert show(found, old, console) == 1


def test_a_folder_without_sources_is_refused(tmp_path: Path) -> None:
    from benchmarks.comparison import compare

    with pytest.raises(SystemExit, match="not a checkout of cera"):
        compare([], tmp_path, 1)


def test_every_benchmark_can_be_compared_and_chosen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import __main__ as program

    assert set(program.CASES) == set(program.BENCHMARKS)
    asked: list[list[str]] = []
    monkeypatch.setattr(program, "all_cases", lambda names, folder, quick: asked.append(names) or [])
    assert program.main(["--against", str(ROOT), "--only", "local", "--only", "epl"]) == 0
    assert program.main(["--against", str(ROOT), "--without", "spark", "--quick"]) == 0
    assert asked == [["local", "epl"], [name for name in program.BENCHMARKS if name != "spark"]]
    with pytest.raises(SystemExit):
        program.main(["--quick"])
    assert "--quick and --repeat are for --against" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["parse_and_check", "local", "epl", "instances", "recordings", "recursion", "spark"])
def test_a_quick_comparison_has_the_files_that_its_cases_name(name: str, tmp_path: Path) -> None:
    from benchmarks.__main__ import CASES

    number = 0
    for case in CASES[name](tmp_path, quick=True):
        number += 1
        named = [Path(argument) for argument in case.arguments if argument.startswith(str(tmp_path))]
        assert all(path.exists() or path == case.answers for path in named)
    assert number
