"""Columns as SQL text are what PySpark's columns are."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from types import ModuleType

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as in_java

from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.sql_columns import SqlColumn

TEXTS = (
    "",
    "it's",
    "''",
    '"',
    "\\",
    "\\n",
    "'\\'",
    "a\nb\t\x01",
    "${spark.app.name} $ {x} ${",
    "R'",
    "\N{GRINNING FACE}",
    "%_?:x -- /* */",
)
DOUBLES = (0.0, -0.0, 1.5, -1e-7, 1e300, 5e-324, 2.0**53, 2.0**63, math.inf, -math.inf, math.nan, 0.1)
INTEGERS = (0, -1, 2**31, -(2**63), 2**63 - 1)

#: Expressions over the columns `n` (bigint), `d` (double), `s` (string), `a` (array of bigint), `r` (struct of n, s).
EXPRESSIONS: tuple[Callable[[ModuleType, Callable[[str], Column]], Column], ...] = (
    lambda f, c: 1 - c("n") + 2 * c("n") % 3,
    lambda f, c: (c("d") / 2 - -c("d")).cast("bigint"),
    lambda f, c: ~(c("n") > 1) | (c("d") <= 0.5) & (c("s") != "x"),
    lambda f, c: c("n").eqNullSafe(None) | c("s").isNull() | c("d").isNotNull(),
    lambda f, c: c("n").bitwiseXOR(5).bitwiseOR(8).bitwiseAND(13),
    lambda f, c: f.when(c("n") > 1, "more").when(c("n") == 1, "one").otherwise(c("s")),
    lambda f, c: f.when(c("n") > 5, 1),
    lambda f, c: c("s").contains("a") | c("s").startswith("b") | c("s").endswith("'"),
    lambda f, c: c("s").isin("a\\b", "it's") | c("s").rlike(r"(?d)\A\w+'s\z"),
    lambda f, c: c("s").try_cast("double"),
    lambda f, c: f.transform(c("a"), lambda x, i: x * i + f.size(f.filter(c("a"), lambda y: y > x))),
    lambda f, c: f.aggregate(c("a"), f.lit(0).cast("bigint"), lambda total, x: f.try_add(total, x)),
    lambda f, c: f.exists(c("a"), lambda x: x == c("n")),
    lambda f, c: f.get(f.sort_array(c("a")), f.lit(0)) + f.element_at(f.array_sort(c("a")), -1),
    lambda f, c: f.struct(c("n").alias("x y"), c("s"))["x y"] + c("r")["n"],
    lambda f, c: f.concat_ws("'", c("s"), f.lit("\\"), f.lit(None)),
    lambda f, c: f.regexp_replace(c("s"), r"(\w)'", r"<$1>"),
    lambda f, c: f.array_join(f.split(c("s"), "t"), "|"),
    lambda f, c: f.xxhash64(f.lit(1).cast("bigint"), c("s"), c("d"), c("a")),
    lambda f, c: f.lpad(f.hex(c("n")), 16, "0"),
    lambda f, c: f.call_function("div", c("n") - f.pmod(c("n"), f.lit(7)), f.lit(7)),
    lambda f, c: f.substring(c("s"), f.lit(2), f.length(c("s")) - 2),
    lambda f, c: f.format_string("%+03d", c("n").cast("int")),
    lambda f, c: f.to_json(f.array(c("s"))),
    lambda f, c: f.create_map(f.lit("k"), c("s"))["k"],
    lambda f, c: f.extract(f.lit("SECOND"), f.timestamp_micros(c("n"))).cast("string"),
    lambda f, c: f.trim(f.concat(f.lit(" "), c("s"))),
    lambda f, c: f.collate(c("s"), "UTF8_BINARY"),
    lambda f, c: f.split_part(c("s"), f.lit("'"), f.lit(1)),
    lambda f, c: f.conv(f.substring(f.lit("00ff"), 1, 4), 16, -10),
)


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    text = (
        "struct(n, s) AS r FROM VALUES (1L, 0.5D, 'it''s', array(3L, 1L)), (9L, NULL, NULL, array()) AS t(n, d, s, a)"
    )
    return spark.sql(f"SELECT *, {text}")


def test_constants_come_back_as_they_were(spark: SparkSession) -> None:
    constants = [*TEXTS, *INTEGERS, True, None, *DOUBLES]
    columns = [F.lit(value).alias(f"c{number}") for number, value in enumerate(constants)]
    assert all(isinstance(each, SqlColumn) for each in columns)
    [found] = spark.range(1).select(*columns).collect()
    assert list(map(_bits, found)) == list(map(_bits, constants))


@pytest.mark.parametrize("setting", ["spark.sql.parser.escapedStringLiterals", "spark.sql.caseSensitive"])
def test_texts_do_not_depend_on_how_a_session_takes_backslashes(spark: SparkSession, setting: str) -> None:
    before = spark.conf.get(setting)
    spark.conf.set(setting, "true")
    try:
        [found] = spark.range(1).select(*(F.lit(text).alias(f"c{n}") for n, text in enumerate(TEXTS))).collect()
    finally:
        spark.conf.set(setting, before or "false")
    assert list(found) == list(TEXTS)


def _bits(value: object) -> object:
    return struct.pack("d", value) if isinstance(value, float) else (type(value), value)


def test_expressions_have_the_values_that_those_of_pyspark_have(rows: DataFrame) -> None:
    texts = [each(F, column).alias(f"c{number}") for number, each in enumerate(EXPRESSIONS)]
    javas = [each(in_java, in_java.col).alias(f"c{number}") for number, each in enumerate(EXPRESSIONS)]
    assert all(isinstance(each, SqlColumn) for each in texts)
    found, expected = rows.select(*texts), rows.select(*javas)
    assert [field.dataType for field in found.schema] == [field.dataType for field in expected.schema]
    assert list(map(str, found.collect())) == list(map(str, expected.collect()))


def test_beside_a_column_of_pyspark_they_become_one(rows: DataFrame) -> None:
    java = in_java.col("n")
    mixed = [java + column("n"), column("n") + java, F.coalesce(column("d"), java), 1 - java * column("n")]
    mixed += [F.when(java > 1, column("n")), F.transform(column("a"), lambda x: x + java), column("n") == java]
    assert not any(isinstance(each, SqlColumn) for each in mixed)
    found = rows.select(*(each.alias(f"c{number}") for number, each in enumerate(mixed))).collect()
    assert [list(row) for row in found] == [[2, 2, 0.5, 0, None, [4, 2], True], [18, 18, 9.0, -80, 9, [], True]]
