"""The map is true: the paths that documents name exist, and imports go one way."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from import_graph import PACKAGE, Edges, edges, tangles
from language_names import named_in
from option_names import options_in
from source_names import marks_in

ROOT = Path(__file__).parents[2]

#: The rooms, what each imports, and the circles that are left: a list that may only get shorter.
#: `PYTHONPATH=tests python tests/unit/test_architecture.py` writes it again.
LIST = Path(__file__).parent / "rooms.toml"

#: What still names a language outside of `languages`, and why: a list that may only get shorter.
NAMES_OF_LANGUAGES = {
    "cli/why.py": {"cera.languages.xchangeeq"},  # rules of the hub are printed as XChangeEQ writes them
    "cli/explain.py": {"Datalog_1S"},  # what modules run as, in the help
    "cli/schema.py": {"cera.languages.xchangeeq"},  # `--declare` prints SOURCE directives
    "explain/plan.py": {"cera.languages.xchangeeq"},  # as in why
    "explain/program.py": {"cera.languages.xchangeeq"},
}

#: Has options of other programs, some of which have the names of ours.
OTHER_PROGRAMS = PACKAGE / "connectors" / "actions" / "texts" / "interpreter_table.py"
#: Rooms in which `-` is the sign of a number or an operator, and no text of a user names a source.
SIGNS = (
    "connectors/actions/",
    "datalog/",
    "engines/columns/",
    "engines/local/",
    "engines/spark/values/",
    "languages/",
    "model/",
    "rules/",
)

#: What looks at a text to find out which source or sink it names: one file each, and where it is another thing.
NAMES_OF_SOURCES = {
    "connectors/sink.py": {"-", "console", ".parquet"},
    "connectors/source.py": {"-", "db:"},
    "connectors/files.py": {".parquet"},  # the format of a file that is read
    "connectors/relations/files.py": {".parquet"},  # the format of a relation, which is not a source of events
    "engines/spark/streaming/sources/file_source.py": {".parquet"},
    "cli/explain.py": {"-"},  # how options begin
    "cli/program_text.py": {"-"},  # the program on standard input
    "engines/spark/plan/absence.py": {"-"},  # a setting of Spark that is less than nothing
    "engines/spark/reading/time_columns.py": {"-"},  # the sign of an offset
}


def listed() -> tuple[dict[str, list[str]], list[list[str]]]:
    data = tomllib.loads(LIST.read_text())
    return data["imports"], data["circles"]


def test_a_room_imports_only_the_rooms_that_the_list_allows() -> None:
    allowed, _ = listed()
    new = [f"{name} -> {other}" for name, others in edges().items() for other in others - set(allowed.get(name, []))]
    assert not new, "these rooms did not know each other so far; look for a way that goes along the list"


def test_what_a_room_no_longer_imports_is_taken_off_the_list() -> None:
    allowed, circles = listed()
    graph = edges()
    gone = [f"{name} -> {other}" for name, others in allowed.items() for other in set(others) - graph.get(name, set())]
    assert not gone, "take these off tests/unit/rooms.toml, so that they do not come back"
    assert circles == tangles(graph)


def test_every_room_is_on_the_list() -> None:
    assert set(edges()) == set(listed()[0])


def test_no_file_outside_of_the_languages_names_one() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    outside = {name for name in files if not name.startswith(("languages/", "datalog/"))}  # a calculus, and a language
    found = {name: named_in(files[name]) for name in outside}
    assert {name: names for name, names in found.items() if names} == NAMES_OF_LANGUAGES


def test_no_file_outside_of_the_command_line_names_an_option() -> None:
    outside = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "cli")]
    outside.remove(OTHER_PROGRAMS)
    found = {path.relative_to(PACKAGE).as_posix(): sorted(options_in(path)) for path in outside}
    assert not {name: options for name, options in found.items() if options}, "name the setting: `cera.wording.Setting`"
    assert options_in(PACKAGE / "cli" / "run.py")


def test_the_kind_of_a_source_or_sink_is_decided_in_one_place() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    found = {name: marks_in(path) for name, path in files.items() if not name.startswith(SIGNS)}
    assert {name: marks for name, marks in found.items() if marks} == NAMES_OF_SOURCES


def test_spark_is_imported_by_its_own_engine_only() -> None:
    importing = [path for path in PACKAGE.rglob("*.py") if re.search(r"^(import|from) pyspark", path.read_text(), re.M)]
    assert all("engines/spark" in path.as_posix() or path == PACKAGE / "spark.py" for path in importing)


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_the_paths_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    paths = re.findall(r"`((?:src|tests|docs|examples|benchmarks)(?:/[\w.\-]+)*/?)`", text)
    paths += re.findall(r"\]\(((?!http)[\w./\-]+)\)", text)
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert not [p for p in PACKAGE.rglob("*.py") if p.stem in ("utils", "helpers", "common", "misc")]


def written(graph: Edges) -> str:
    """Returns the text of the list of rooms."""
    lines = [
        "# The rooms of src/cera and what each imports: a list that may only get shorter.",
        "circles = [",
    ]
    lines += [f"    {json.dumps(group)}," for group in tangles(graph)]
    lines += ["]", "", "[imports]"]
    for name in sorted(graph):
        lines += [f"{json.dumps(name)} = {json.dumps(sorted(graph[name]))}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    LIST.write_text(written(edges()))
