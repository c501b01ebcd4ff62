"""Each law by its golden file: rules, constraints, and the plan before and after.

The files of `golden` are read by people: what a law should do to each rule is said in the comments. Only the law that
a file is named after is used. That the laws keep the answers is a property test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.algebra.plan_text import print_plan
from cera.algebra.translation import translate
from cera.diagnostics import Source
from cera.explain.plan import NOTATION
from cera.optimizer.semantic.driver import LAWS
from cera.pipeline import Pipeline

GOLDEN = Path(__file__).parent / "golden"


def parts_of(law: str) -> dict[str, str]:
    text = (GOLDEN / f"{law.replace(' ', '-')}.txt").read_text()
    rules, constraints, before, after = text.split("\n====")
    return {
        "rules": rules,
        "constraints": constraints.removeprefix(" constraints"),
        "before": before.removeprefix(" before").strip("\n"),
        "after": after.removeprefix(" after").strip("\n"),
    }


@pytest.mark.parametrize("law", LAWS)
def test_a_law_does_what_its_golden_file_shows(law: str) -> None:
    parts = parts_of(law)
    others = frozenset(LAWS) - {law}
    trusted = (Source("golden.escl", parts["constraints"]),)
    pipeline = Pipeline((Source("golden.slog", parts["rules"]),), trusted=trusted, without_laws=others)
    assert not pipeline.errors
    assert print_plan(translate(pipeline.rules), NOTATION) == parts["before"]
    assert print_plan(translate(pipeline.running_rules), NOTATION) == parts["after"]


@pytest.mark.parametrize("law", LAWS)
def test_a_law_has_nothing_to_do_without_the_constraints(law: str) -> None:
    parts = parts_of(law)
    pipeline = Pipeline((Source("golden.slog", parts["rules"]),), trusted=(Source("golden.escl", ""),))
    assert [each for rule in pipeline.rewritten.rules for each in rule.rewritings] == []
