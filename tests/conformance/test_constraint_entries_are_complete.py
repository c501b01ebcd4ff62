"""Every entry about constraints (parts 1.E, 1.P, 1.U and 1.R of the catalogue) has a test that is named after it, and
every erratum about cardinalities, subsumption and rewriting one that names it.

Query choice (R-14) is about costs, and tested where these are.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FILES = {
    "E": ("test_escl_entries.py", "test_derivation_entries.py"),
    "P": ("test_cardinality_entries.py",),
    "U": ("test_subsumption_entries.py",),
    "R": (
        "test_rewriting_entries.py",
        "test_rewriting_entries_on_engines.py",
        "../properties/test_semantic_optimizer.py",
    ),
}
LAST = {"E": 40, "P": 40, "U": 17, "R": 13}


def _named(part: str) -> set[int]:
    """Returns the numbers in the names of tests: `p13_p14`, `e11_to_e14`, `R_04`."""
    found: set[int] = set()
    for file in FILES[part]:
        tree = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        for name in names:
            for first, last in re.findall(rf"_{part}_?(\d\d)(?:_to_{part}_?(\d\d))?(?=_)", name, re.IGNORECASE):
                found |= {*range(int(first), int(last or first) + 1)}
    return found


@pytest.mark.parametrize("part", LAST)
def test_every_entry_has_a_test_with_its_name(part: str) -> None:
    assert {*range(1, LAST[part] + 1)} - _named(part) == set()


#: The errata of chapters 8 to 10 of seed 002.
ERRATA = {*range(71, 96)}


def _errata_in_tests() -> set[int]:
    """Returns the numbers of the errata that tests name, in what they say and not in what is around them."""
    found: set[int] = set()
    for file in {name for part in "PUR" for name in FILES[part]}:
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                lines = [*node.decorator_list, node]
                said = "\n".join(ast.get_source_segment(text, each) or "" for each in lines)
                found |= {int(number) for number in re.findall(r"ERR-(\d+)", said)}
    return found


def test_every_erratum_has_a_test_that_names_it() -> None:
    assert ERRATA - _errata_in_tests() == set()
