"""Functions that are written for a program: their names, their constants, and what a traceback shows of them."""

from __future__ import annotations

import traceback

import pytest

from cera.codegen import functions
from cera.codegen.functions import FunctionWriter


def test_a_traceback_shows_the_line_that_was_written() -> None:
    divide = FunctionWriter({}).function("divide", "a, b", ["# the second may be zero", "return a / b"])
    with pytest.raises(ZeroDivisionError) as caught:
        divide(1, 0)
    [*_, frame] = traceback.extract_tb(caught.value.__traceback__)
    assert (frame.name, frame.line) == ("divide", "return a / b")


def test_lines_of_sources_that_are_no_longer_kept_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_MOST_SOURCES", 2)
    monkeypatch.setattr(functions, "_COMPILED", {})
    made = [FunctionWriter({}).function("number", "", [f"return {number}"]) for number in range(3)]
    assert [function() for function in made] == [0, 1, 2]
    files = [function.__code__.co_filename for function in made]
    assert [file in functions.linecache.cache for file in files] == [False, True, True]


def test_equal_texts_and_integers_have_one_name_and_other_values_have_one_each() -> None:
    writer = FunctionWriter({})
    text, number, values = writer.name("".join(["a", "b"])), writer.name(1), [1]
    assert (writer.name("ab"), writer.name(1)) == (text, number)
    assert len({number, writer.name(True), writer.name(1.0)}) == 3
    assert writer.name(values) == writer.name(values) != writer.name([1])


def test_a_function_with_the_same_lines_is_written_once() -> None:
    writer = FunctionWriter({"start": 1})
    one, other = (writer.function(name, "n", ["return n + start"]) for name in ("one", "other"))
    assert one is other
    assert writer.function("none", "n", [])(1) is None
    assert writer.lambda_(["n"], "n + start")(2) == 3
