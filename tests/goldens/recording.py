"""What the command line writes for every example, in files beside this one: EXAMPLE/NAME.

    cd tests && python -m goldens.recording [EXAMPLE ...]      records them again

A file holds what all engines write. Where they differ, there is a file for each: NAME.ENGINE.ENDING. Spark's own plan
is not recorded: it changes with every version of Spark.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from cera.cli.main import main

ROOT = Path(__file__).parents[2]
GOLDENS = Path(__file__).parent
EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
ENGINES = ("reference", "local", "spark")

_ENDINGS = (".xceq", ".slog", ".epl", ".dl1s", ".cet", ".snoop")

Outputs = Mapping[str, str]


def outputs(example: str, engine: str, folder: Path) -> Outputs:
    """Returns what the commands write that depend on an engine, by the name of the file that holds it.

    They run in `folder`, an empty one, with a copy of the example in `examples`.
    """
    with _copied(example, folder):
        return _run(example, engine)


def texts(example: str, folder: Path) -> Outputs:
    """Returns what the commands write that run no program."""
    with _copied(example, folder):
        programs = _programs(example)
        found = {
            "check.txt": _invoked("check", *programs).stderr,
            "check.json": _cera("check", *programs, "--json"),
            "explain.txt": _cera("explain", *programs),
            "explain.json": _cera("explain", *programs, "--json"),
            **_on_spark(programs),
        }
        for program in programs:
            name = Path(program).stem
            if program.endswith((".epl", ".snoop")):
                found[f"{name}.to-datalog.txt"] = _cera("translate", program, "--to", "datalog")
            if program.endswith((".cet", ".snoop")):
                found[f"{name}.to-cet.txt"] = _cera("translate", program, "--to", "cet")
        return found


def _on_spark(programs: list[str]) -> dict[str, str]:
    """Returns how the programs run on Spark, which is not started for it."""
    _, heading, shown = _cera("explain", *programs, "--engine", "spark").rpartition("on streams:\n")
    explained = json.loads(_cera("explain", *programs, "--engine", "spark", "--json"))["spark"]
    return {"explain-spark.txt": heading + shown, "explain-spark.json": _pretty(explained)}


def golden(example: str, name: str, engine: str | None = None) -> str:
    """Returns what is recorded: of an engine, or of all of them."""
    file = GOLDENS / example / name
    own = file.with_suffix(f".{engine}{file.suffix}")
    return (own if own.exists() else file).read_bytes().decode()


def _run(example: str, engine: str) -> dict[str, str]:
    """The table is left out on Spark, where a run takes longest: it is drawn from the same events."""
    if example == "orders":
        _make_shop()
        options = ["--events", "db:sqlite:shop.db", "--allow-sql", "sqlite:shop.db"]
    else:
        options = _options(example)
    command = ["run", *_programs(example), *options, "--engine", engine]
    result = _invoked(*command, "--as", "jsonl")
    assert result.exit_code == 0, result.stderr
    found = {"answers.txt": result.stdout, "summary.txt": result.stderr}
    if engine != "spark":
        found["table.txt"] = _cera(*command, "--as", "table")
    return found


def _cera(*arguments: str) -> str:
    """Returns standard output, or standard error where the command refuses what it is asked for."""
    result = _invoked(*arguments)
    return result.stdout if result.exit_code == 0 else result.stderr


def _invoked(*arguments: str) -> Result:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(main, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def _programs(example: str) -> list[str]:
    case = _case(example)
    folder = Path("examples") / example
    found = case.get("programs") or sorted(path.name for path in folder.iterdir() if path.suffix in _ENDINGS)
    return [str(folder / name) for name in found]


def _options(example: str) -> list[str]:
    case = {"events": "events.jsonl", **_case(example)}
    named = {name: value for name, value in case.items() if name not in ("title", "entries", "programs", "events")}
    options = [part for name, value in named.items() for part in (f"--{name.replace('_', '-')}", value)]
    return ["--events", str(Path("examples") / example / case["events"]), *options]


def _case(example: str) -> dict[str, str]:
    file = Path("examples") / example / "case.toml"
    return tomllib.loads(file.read_text()) if file.exists() else {}


def _make_shop() -> None:
    """Makes the database of the example `orders`, with a second between two changes from a given time on."""
    folder = Path("examples") / "orders"
    with contextlib.closing(sqlite3.connect("shop.db")) as shop:
        shop.executescript((folder / "schema.sql").read_text())
        _cera("capture", "--db", "sqlite:shop.db", "--tables", "outbox")
        shop.executescript((folder / "day.sql").read_text())
        shop.execute("UPDATE cera_changes SET committed = printf('2026-03-02T10:00:%02d.000Z', position)")
        shop.commit()


@contextlib.contextmanager
def _copied(example: str, folder: Path) -> Iterator[None]:
    shutil.copytree(ROOT / "examples" / example, folder / "examples" / example)
    with contextlib.chdir(folder):
        yield


def _pretty(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _record(example: str) -> None:
    def new() -> Path:
        return Path(tempfile.mkdtemp())

    by_engine = {engine: outputs(example, engine, new()) for engine in ENGINES}
    shutil.rmtree(GOLDENS / example, ignore_errors=True)
    (GOLDENS / example).mkdir()
    for name in {name: None for found in by_engine.values() for name in found}:
        written = {engine: found[name] for engine, found in by_engine.items() if name in found}
        if len(set(written.values())) == 1:
            _write(example, name, next(iter(written.values())))
        else:
            for engine, text in written.items():
                _write(example, f"{Path(name).stem}.{engine}{Path(name).suffix}", text)
    for name, text in texts(example, new()).items():
        _write(example, name, text)


def _write(example: str, name: str, text: str) -> None:
    (GOLDENS / example / name).write_bytes(text.encode())


if __name__ == "__main__":
    for one in sys.argv[1:] or EXAMPLES:
        _record(one)
