"""What is compared between checkouts: `cera run … --out` as a user runs it, start included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.recordings.data import LAYOUTS, generate
from benchmarks.recordings.runner import PROGRAMS, options, program_text


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields the runs on the local engine; those on Spark are among the cases of Spark."""
    yield from chosen(folder, 20_000 if quick else 100_000, ["local"], ["all rules"] if quick else PROGRAMS)


def chosen(
    folder: Path,
    events: int,
    engines: Sequence[str],
    programs: Sequence[str] = PROGRAMS,
    layouts: Sequence[str] = tuple(LAYOUTS),
) -> Iterator[Case]:
    for layout in layouts:
        path = folder / f"{layout}-{events}.{LAYOUTS[layout][0]}"
        generate(events, layout, path)
        for program in programs:
            rules, out = folder / f"{program}.xceq", folder / "answers.jsonl"
            rules.write_text(program_text(program))
            for engine in engines:
                arguments = ("-m", "cera", *options(rules, path, layout, engine, out))
                name = f"{program}, {layout}, {events:,}"
                yield Case("recordings" if engine == "local" else engine, name, arguments, out)
        path.unlink()
