"""Functions on strings against the model's, on texts that tell implementations apart."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.functions import call
from cera.engines.spark.values.texts import WHITESPACE
from cera.model.evaluation.functions import FUNCTIONS

pytestmark = pytest.mark.xdist_group("spark")

NUMBERS = (
    *(
        "0",
        "-0",
        "+0",
        "00",
        "01",
        "7",
        "-7",
        "+7",
        "++7",
        "- 7",
        "1.",
        ".5",
        "0.5",
        "-0.0",
        "1e5",
        "1E5",
        "0x1",
        "1_000",
    ),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1" * 400 + ".5",
        "١",
        "½",
        "Infinity",
        "NaN",
    ),
    *(
        " 5",
        "5\u00a0",
        "\u20035.25\x1f",
        "\x005",
        "5d",
        "5.0f",
        "9007199254740993.0",
        "0.1000000000000000055511151",
        "5\n",
    ),
    *("4.9406564584124654e-324", "2.2250738585072011", "", "  ", "1.7976931348623159" + "0" * 10, "\ufeff5", "5 5"),
)
TEXTS = (
    "",
    "a",
    "aaa",
    "abab",
    "ΑΣ",
    "ΑΣ Σ",
    "İstanbul",
    "straße",
    "ŉ",
    "ǅ",
    "😀a😀",
    "ﬁ",
    " \t\u00a0a\r\n",
    "a.b$1\\",
)


def found(spark: SparkSession, function: str, *texts: Sequence[str]) -> list[object]:
    """The results of a function over all combinations of its arguments, in order."""
    data = [(number, *arguments) for number, arguments in enumerate(zip(*texts, strict=True))]
    names = [f"text{number}" for number in range(len(texts))]
    frame = spark.createDataFrame(data, ", ".join(["number bigint", *(f"{name} string" for name in names)]))
    result = call(function, [Cell(string=F.col(name)) for name in names], lambda name: None)
    assert isinstance(result, Cell)
    columns = [column.alias(name) for name, column in result]
    rows = frame.coalesce(1).select("number", *columns).collect()
    values = [
        [value for value in list(row)[1:] if value is not None] for row in sorted(rows, key=lambda r: r["number"])
    ]
    return [None if not held else held[0] for held in values]


def test_texts_are_numbers_exactly_where_the_model_reads_them_as_such(spark: SparkSession) -> None:
    expected = [FUNCTIONS["number"].apply(text) for text in NUMBERS]
    assert found(spark, "number", NUMBERS) == expected


def test_case_and_length_and_trimming_go_by_unicode_as_in_python(spark: SparkSession) -> None:
    for function in ("upper-case", "lower-case", "string-length", "trim"):
        assert found(spark, function, TEXTS) == [FUNCTIONS[function].apply(text) for text in TEXTS], function


def test_replacing_takes_texts_literally_and_the_empty_text_everywhere(spark: SparkSession) -> None:
    rng = random.Random(1)
    texts, old, new = ([rng.choice((*TEXTS, "", "a", "$1")) for _ in range(150)] for _ in range(3))
    expected = [text.replace(part, other) for text, part, other in zip(texts, old, new, strict=True)]
    assert found(spark, "replace", texts, old, new) == expected


def test_whitespace_is_whatever_python_strips() -> None:
    assert set(WHITESPACE) == {chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()}
