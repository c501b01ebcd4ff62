"""The map is true: the paths that documents name exist, and imports go one way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "cera"

#: What each part may import, besides itself, `errors` and `diagnostics`.
ALLOWED = {
    "model": set(),
    "rules": {"model"},
    "datalog": {"model", "rules"},
    "instances": {"model", "datalog"},
    "languages": {"model", "rules", "datalog", "instances"},
    "algebra": {"model", "rules"},
    "optimizer": {"model", "rules", "algebra"},
    "engines": {"model", "rules", "datalog", "instances", "algebra", "optimizer", "connectors"},
    "connectors": {"model"},
    "actions": {"model", "connectors"},
    "pipeline": {"model", "rules", "languages", "engines", "connectors", "algebra", "optimizer", "plan_table"},
    "comparing": {"model", "datalog", "instances", "languages", "engines"},
    "performing": {"model", "languages", "engines", "actions", "pipeline"},
    "explain_modules": {"datalog", "languages", "engines"},
    "testing": {"model"},
    "spark": {"model", "connectors", "engines"},
    "diagnostic_pages": {"model"},
    "plan_table": {"algebra", "explain_plan"},
    "explain_plan": {"model", "rules", "languages", "algebra", "optimizer"},
    "explain": {
        "model",
        "rules",
        "languages",
        "engines",
        "connectors",
        "pipeline",
        "algebra",
        "optimizer",
        "explain_plan",
    },
    "cli": {
        "diagnostic_pages",
        "model",
        "rules",
        "datalog",
        "languages",
        "engines",
        "connectors",
        "actions",
        "comparing",
        "performing",
        "pipeline",
        "explain",
        "explain_modules",
        "algebra",
        "optimizer",
    },
    "arguments": set(),
    "html_table": set(),
    "errors": set(),
    "diagnostics": set(),
    "__main__": {"cli"},
}
BELOW_ALL = {"errors", "diagnostics", "html_table", "arguments"}


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "cera":
            names += [f"cera.{alias.name}" for alias in node.names]
        parts |= {name.split(".")[1] for name in names if name.startswith("cera.")}
    return parts


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_go_one_way(part: str) -> None:
    files = [PACKAGE / f"{part}.py"] if (PACKAGE / f"{part}.py").exists() else sorted((PACKAGE / part).rglob("*.py"))
    assert files
    for path in files:
        assert imported_parts(path) <= ALLOWED[part] | BELOW_ALL | {part}, path


def test_every_part_of_the_package_has_its_place_in_the_order() -> None:
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts - {"__init__"} == set(ALLOWED)


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
