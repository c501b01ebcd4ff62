"""Answers as tables, and as a notebook shows them."""

from __future__ import annotations

import builtins
import json

import pytest

import cera

PROGRAM = "DETECT warm{f{var F}, t{var T}} ON reading{{f{{var F}}, temp{{var T}}}} where {var T > 5} END"
ROWS = [{"label": "reading", "at": at, "f": f, "temp": t} for at, f, t in ((1, "a", 9), (2, "b", 7.5), (3, "c", 1))]
ANSWER = cera.load(PROGRAM).run(ROWS)


def test_an_answer_has_a_length_and_a_short_text() -> None:
    assert len(ANSWER) == 2
    assert [one.event.label for one in ANSWER] == ["warm", "warm"]
    assert repr(ANSWER) == str(ANSWER) == "<Answer: 2 events: warm 2>"
    assert repr(cera.load(PROGRAM).run([])) == "<Answer: no events>"


def test_tables_have_the_columns_that_spark_writes() -> None:
    table = ANSWER.to_arrow()
    [first, _] = table.to_pylist()
    derived = ANSWER.derived[0]
    assert first["id"] == derived.event.id
    assert (first["label"], first["rule"]) == ("warm", "warm")
    assert json.loads(first["term"]) == {"warm": {"f": "a", "t": 9}}
    assert first["begin"].timestamp() == first["end"].timestamp() == 1
    assert [cause for _, cause in first["causes"]] == [e.id for e in derived.derivations[0].causes.values()]
    assert list(ANSWER.to_pandas().columns) == table.column_names
    assert str(ANSWER.to_pandas()["begin"].dtype) == "datetime64[us, UTC]"
    assert cera.load(PROGRAM).run([]).to_arrow().schema == table.schema


def test_with_a_label_the_children_are_columns() -> None:
    frame = ANSWER.to_pandas("warm")
    assert list(frame.columns) == ["id", "begin", "end", "f", "t"]
    assert frame[["f", "t"]].to_dict("list") == {"f": ["a", "b"], "t": [9, 7.5]}
    assert ANSWER.to_arrow("warm").select(["f", "t"]).to_pydict() == {"f": ["a", "b"], "t": [9, 7.5]}
    with pytest.raises(cera.UsageError, match=r"no event .* label `wram`; did you mean 'warm'\?; there are warm"):
        ANSWER.to_pandas("wram")
    for method in (ANSWER.to_pandas, ANSWER.to_arrow):
        with pytest.raises(
            cera.UsageError, match="`label` is the label of the events that are wanted, a text; found 5"
        ):
            method(5)  # type: ignore[operator]


def test_children_of_several_kinds_are_kept() -> None:
    rows = [{"at": 1, "term": {"a": {"end": 1}}}, {"at": 2, "term": {"a": {"end": "late", "n": {"m": 1}}}}]
    answer = cera.load("DETECT x{end{var E}} ON a{{end{{var E}}}} END").run(rows)
    assert answer.to_pandas("x")["_end"].tolist() == [1, "late"]
    assert answer.to_arrow("x")["_end"].to_pylist() == ["1", '"late"']


def test_the_table_of_a_notebook_has_nothing_of_an_event_as_html() -> None:
    rows = [{"label": "reading", "at": n, "f": "<script>alert(1)</script>", "temp": 9} for n in range(60)]
    shown = cera.load(PROGRAM).run(rows)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "… and 10 more" in shown
    assert shown.count("<tr>") == 51


def test_diagnostics_and_plans_are_tables_too() -> None:
    found = cera.load("DETECT a{var X} ON b{{<i>}} END").check()
    shown = found._repr_html_()  # type: ignore[attr-defined]
    assert "XC001" in shown
    assert "<i>" not in shown + found[0]._repr_html_()
    plan = cera.load(PROGRAM).plan
    assert str(plan).startswith("Warm := ")
    assert repr(plan) == "<PlanTable: Warm>"
    assert "<td" in plan._repr_html_()


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_library_that_is_missing_is_named(package: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == package:
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(cera.UsageError, match=rf"{method}\(\) needs {package}: pip install {package}"):
        getattr(ANSWER, method)()
