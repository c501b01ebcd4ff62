"""Heads and patterns that no event can be nested like."""

from __future__ import annotations

from cera.model.terms.term import MAX_DEPTH
from unit.rules.programs import codes, marked, the


def nested(levels: int) -> str:
    """A term of so many levels, each of which can be told apart."""
    return "".join(f"{{ n{level}" for level in range(2, levels + 1)) + "}" * (levels - 1)


def test_XC405_a_head_one_level_too_deep() -> None:
    assert codes(f"DETECT h{nested(MAX_DEPTH)} ON a END") == []
    found = the("XC405", f"DETECT h{nested(MAX_DEPTH + 1)} ON a END")
    assert found.severity == "error"
    assert marked(found) == f"n{MAX_DEPTH + 1}"


def test_XC405_all_and_optional_are_no_levels_of_a_term() -> None:
    inner = nested(MAX_DEPTH).removeprefix("{ ").removesuffix("}")
    head = f"DETECT h{{ all optional {inner} }} ON a END"
    assert codes(head) == []
    assert codes(head.replace("all optional", "all optional m{").replace("ON", "} ON")) == ["XC405"]


def test_XC405_a_pattern_one_level_too_deep() -> None:
    assert codes(f"DETECT h ON a{nested(MAX_DEPTH)} END") == []
    assert codes(f"DETECT h ON a{nested(MAX_DEPTH + 1)} END") == ["XC405"]
    window = "DETECT h ON and{ event a: a, while a: not b%s } END"
    assert codes(window % nested(MAX_DEPTH + 1)) == ["XC405"]
