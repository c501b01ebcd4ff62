"""What the documents show of the command line and of Python is what happens.

Each page has a folder of its own with a copy of `examples`. Its blocks are taken from top to bottom:

    ```… file=NAME      is written to that file
    ```… from=PATH      stands in that file of the repository
    ```console          is run on a terminal; `…` in the output stands for what is left out
    ```pycon            is run by Python

Spark is started for what the README shows; blocks of other pages that need it are left out here, and run with all of
their page in `make test-long`: every command that starts it takes twenty seconds of a core.
"""

from __future__ import annotations

import doctest
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import PAGES, ROOT, Block, blocks, name_of
from docs.prepared_command import prepared
from docs.terminal import agrees, commands, run

#: What other tests run, and what nothing runs: commands with side effects, and pictures.
RUN_ELSEWHERE = {
    *("xceq", "slog", "toml", "csv", "events", "derives", "check", "holds"),
    *("epl", "history", "detects", "dl1s", "cet", "snoop", "python", "escl", "stream", "violations"),
}
NOT_RUN = {"sh", "text"}

#: What starts Spark, and what does not, with the same option.
SIGNS_OF_SPARK = ("--engine spark", "cera stream", "cera.spark", "pyspark")
WITHOUT_SPARK = "$ cera explain"


def starts_spark(block: Block) -> bool:
    text = "\n".join(line for line in block.text.split("\n") if not line.startswith(WITHOUT_SPARK))
    return block.language in ("console", "pycon") and any(sign in text for sign in SIGNS_OF_SPARK)


README = ROOT / "README.md"
PAGES_ON_SPARK = [page for page in PAGES if page != README and any(map(starts_spark, blocks(page)))]


def marks_of(page: Path) -> Iterator[pytest.MarkDecorator]:
    """Yields what the commands of a page need."""
    if any(block.language == "console" for block in blocks(page)):
        yield pytest.mark.processes
    if page == README:
        yield pytest.mark.spark


@pytest.fixture(scope="module")
def cera_on_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a `cera` that need not be imported first."""
    with prepared(tmp_path_factory.mktemp("prepared")) as folder:
        yield folder


@pytest.mark.parametrize("page", [pytest.param(page, id=name_of(page), marks=[*marks_of(page)]) for page in PAGES])
def test_what_a_page_shows_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    shown = [block for block in blocks(page) if page == README or not starts_spark(block)]
    shows_commands = any(block.language == "console" for block in shown)
    first = [request.getfixturevalue("cera_on_path")] if shows_commands else []
    monkeypatch.chdir(tmp_path)
    assert_all_happens(shown, tmp_path, first)


@pytest.mark.long
@pytest.mark.processes
@pytest.mark.spark
@pytest.mark.parametrize("page", PAGES_ON_SPARK, ids=name_of)
def test_what_a_page_shows_with_spark_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cera_on_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_all_happens(list(blocks(page)), tmp_path, [cera_on_path])


def assert_all_happens(shown: Sequence[Block], folder: Path, first: Sequence[Path]) -> None:
    shutil.copytree(ROOT / "examples", folder / "examples")
    names: dict[str, Any] = {}
    problems = [problem for block in shown for problem in _problems(block, folder, first, names)]
    assert not problems, "\n\n".join(problems)


def _problems(block: Block, folder: Path, first: Sequence[Path], names: dict[str, Any]) -> Iterator[str]:
    if "file" in block.options:
        target = folder / block.options["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text)
    elif "from" in block.options:
        if block.text not in (ROOT / block.options["from"]).read_text():
            yield f"{block.place}: this does not stand in {block.options['from']}"
    elif block.language == "console":
        yield from _wrong_outputs(block, folder, first)
    elif block.language == "pycon":
        yield from _wrong_answers(block, names)
    elif block.language not in RUN_ELSEWHERE | NOT_RUN:
        yield f"{block.place}: nothing tests a block of `{block.language}`"


def _wrong_outputs(block: Block, folder: Path, first: Sequence[Path]) -> Iterator[str]:
    for command in commands(block.text):
        actual = run(command.text, folder, *first)
        if not agrees(command.output, actual):
            yield f"{name_of(block.page)}:{block.line + command.line}: $ {command.text}\n{actual}"


class _Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return agrees(want, got)


def _wrong_answers(block: Block, names: dict[str, Any]) -> Iterator[str]:
    test = doctest.DocTestParser().get_doctest(block.text, names, name_of(block.page), block.place, block.line)
    report: list[str] = []
    doctest.DocTestRunner(_Checker()).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    yield from ["".join(report)] if report else []


def test_an_output_may_leave_out_what_is_long() -> None:
    assert agrees("id ab…\n…\nlast\n", "id abcdef\n1\n2\nlast\n")
    assert agrees("\na\n", "a  \n\n")
    assert not agrees("a\n", "a b\n")
    assert not agrees("a\n…\n", "b\nc\n")


@pytest.mark.processes
def test_commands_are_run_on_a_terminal_in_the_folder_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    assert run("test -t 1 && test -t 2 && ls; exit 1", tmp_path) == "here\n"


def test_a_command_may_go_over_several_lines() -> None:
    [first, second] = commands("$ a \\\n    b\nout\n$ c\n")
    assert (first.text, first.output, second.text, second.line) == ("a \\\n    b", "out\n", "c", 4)


def test_the_readme_shows_what_make_demo_does() -> None:
    [demo] = [line for line in (ROOT / "Makefile").read_text().splitlines() if "/cera run" in line]
    command = demo.strip().removeprefix("@$(BIN)/")
    shown = [c.text for b in blocks(README) if b.language == "console" for c in commands(b.text)]
    assert command in shown
