"""What Spark makes of programs: optimized logical plans, in files: tests/unit/engines/spark/plan/golden/NAME.txt.

    cd tests && python -m optimized_plans      records them again

Nothing is run over events: the tables are two Parquet files with a row each. Numbers of expressions are left out.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import cera
import cera.spark
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.session.session import session

GOLDEN = Path(__file__).parent / "unit" / "engines" / "spark" / "plan" / "golden"

_SENSORS = Path(__file__).parents[1] / "examples" / "sensors" / "fire.xceq"

#: Programs beside the sensor rules, and what is special about their plans.
PROGRAMS: Mapping[str, str] = {
    # a calculated value, an optional child, and a selection on another calculation
    "calculations": """
DETECT rise{area{var A}, by{var U - var T}, optional by-half{(var U - var T) / 2}}
ON and {
  event s: temp{{area{{var A}}, value{{var T}}}},
  event t: temp{{area{{var A}}, value{{var U}}}}
} where { s before t, {s, t} within 1 min, var U > var T + 10 }
END
""",
    # aggregates of other events than those of the window
    "aggregates": """
DETECT smokes{area{var A}, number{count(all var S)}, last{last(all var S)}, mean{avg(all var V)}}
ON and {
  event e: alarm{{area{{var A}}}},
  event i: from-start-backward[e, 10 min],
  while i: collect smoke{{area{{var A}}, sensor{{var S}}, value{{var V}}}}
}
END
""",
    # no bound, and nothing shared: broadcast
    "unconnected": """
DETECT both{one{upper-case(var A)}, other{var B}}
ON and {
  event s: smoke{{area{{var A}}}},
  event t: alarm{{area{{var B}}}}
} where { s before t, contains(var A, "a") }
END
""",
    # alternatives that bind the same variable, and a rule above them
    "alternatives": """
DETECT seen{area{var A}} ON or { event smoke{{area{{var A}}}}, event alarm{{area{{var A}}}} } END

DETECT again{area{var A}}
ON and { event s: seen{{area{{var A}}}}, event t: seen{{area{{var A}}}} } where { s before t, {s, t} within 5 sec }
END
""",
    # a head that is no flat event, and a pattern for any label
    "nested": """
DETECT report{place{area{var A}, sensor{var S}}, values[var V, 1.5, "it's", true]}
ON event t: temp{{area{{var A}}, sensor{{var S}}, value{{var V}}}} where { var V >= 40 or var S = "s1" }
END
""",
}


def sensor_rule(name: str) -> cera.Program:
    """Returns the program with one of the rules of `examples/sensors`."""
    rules = re.split(r"(?<=END)\n", _SENSORS.read_text(encoding="utf-8"))
    return cera.load("\n".join(text for text in rules if f"DETECT {name}" in text))


def _all_columns(program: cera.Program, table: DataFrame) -> DataFrame:
    tables = from_frame(table).tables
    return answers(program.layers, tables, table.sparkSession, max_duration=0).events()


def _typed(program: cera.Program, label: str, unique: tuple[str, ...], table: DataFrame) -> DataFrame:
    events = cera.spark.events(table, label="label", time="at", unique=unique)
    return program.detect(events, max_duration=0, label=label).select("begin", "end", "children.*")


#: Names of plans, and the DataFrames that are planned, over a table of readings.
PLANS: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    **{name: partial(_all_columns, sensor_rule(name)) for name in ("fire", "burnt_down", "avg_temp")},
    **{f"{name}-typed": partial(_typed, sensor_rule(name), name, ()) for name in ("fire", "burnt_down", "avg_temp")},
    "avg_temp-unique": partial(_typed, sensor_rule("avg_temp"), "avg_temp", ("sensor",)),
    **{name: partial(_all_columns, cera.load(text)) for name, text in PROGRAMS.items()},
}


def readings(spark: SparkSession, folder: Path) -> DataFrame:
    """Returns a table of readings in Parquet files."""
    times = pa.array([0, 1], pa.timestamp("us", tz="UTC"))
    columns = {"label": ["temp", "smoke"], "at": times, "area": ["a", "b"], "sensor": ["s", None], "value": [1.0, None]}
    for number in (0, 1):
        pq.write_table(pa.table(columns).slice(number, 1), folder / f"part-{number}.parquet")
    return spark.read.parquet(str(folder))


def optimized(frame: DataFrame) -> str:
    """Returns the plan of a DataFrame, without the numbers of expressions; a struct is written in one of two ways."""
    text = frame._jdf.queryExecution().optimizedPlan().toString().replace("named_struct(", "struct(")
    return re.sub(r"#\d+L?", "", re.sub(r"lambda \w+", "lambda", text))


def plans(spark: SparkSession, names: Mapping[str, Callable[[DataFrame], DataFrame]] = PLANS) -> Mapping[str, str]:
    """Returns the optimized plan of each name."""
    most = "spark.sql.debug.maxToStringFields"
    spark.conf.set(most, "10000")
    try:
        with tempfile.TemporaryDirectory() as folder:
            table = readings(spark, Path(folder))
            return {name: optimized(made(table)) for name, made in names.items()}
    finally:
        spark.conf.unset(most)


if __name__ == "__main__":
    started = session("local[1]", {}, "cera plans", small=True)
    GOLDEN.mkdir(exist_ok=True)
    for each, plan in plans(started).items():
        (GOLDEN / f"{each}.txt").write_text(plan, encoding="utf-8")
    started.stop()
