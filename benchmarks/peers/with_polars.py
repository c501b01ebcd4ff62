"""The rules as queries of Polars: `python with_polars.py RULE FILE ANSWERS`, twice in one process, cold and warm."""

from __future__ import annotations

import json
import sys
import time

import polars as pl

SCHEMA = {"type": pl.String, "sensor": pl.String, "area": pl.String, "value": pl.Float64, "ts": pl.Int64}
MINUTE, SILENCE = 60_000, 12_000


def join(events: pl.LazyFrame) -> pl.LazyFrame:
    # each smoke meets readings of its own minute and of the next one
    minute = pl.col("ts") // MINUTE
    smoke = events.filter(pl.col("type") == "smoke").select(
        "area", begin="ts", minute=pl.concat_list(minute, minute + 1)
    )
    hot = events.filter((pl.col("type") == "temp") & (pl.col("value") > 40)).select("area", end="ts", minute=minute)
    pairs = smoke.explode("minute").join(hot, on=["area", "minute"])
    return pairs.filter(pl.col("end") > pl.col("begin"), pl.col("end") <= pl.col("begin") + MINUTE).drop("minute")


def absence(events: pl.LazyFrame) -> pl.LazyFrame:
    readings = events.filter(pl.col("type") == "temp").with_columns(following=pl.col("ts").shift(-1).over("sensor"))
    silent = pl.col("following").is_null() | (pl.col("following") > pl.col("ts") + SILENCE)
    found = readings.filter(pl.col("value") > 40, silent)
    return found.select(begin="ts", end=pl.col("ts") + SILENCE, sensor="sensor")


def average(events: pl.LazyFrame) -> pl.LazyFrame:
    minute = f"{MINUTE}i"
    readings = events.filter(pl.col("type") == "temp").with_columns(one=1.0)
    sums = readings.select(
        "sensor",
        begin=pl.col("ts") - MINUTE,
        end="ts",
        total=pl.col("value").rolling_sum_by("ts", minute, closed="both").over("sensor") - pl.col("value"),
        count=pl.col("one").rolling_sum_by("ts", minute, closed="both").over("sensor") - 1,
    )
    with_others = sums.filter(pl.col("count") > 0.5)
    return with_others.select("begin", "end", "sensor", value=pl.col("total") / pl.col("count"))


RULES = {"join": join, "absence": absence, "average": average}


def main() -> None:
    rule, path, answers = sys.argv[1:]
    seconds = []
    for _ in range(2):
        started = time.process_time()
        events = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_ndjson(path, schema=SCHEMA)
        if rule == "all":
            events = events.collect().lazy()  # three queries read the file once
        found = 0
        for name in RULES if rule == "all" else (rule,):
            query = RULES[name](events)
            if answers == "-":
                found += query.select(pl.len()).collect().item()
            else:
                frame = query.sort("end", "begin").collect()
                frame.write_ndjson(f"{answers}.{name}")
                found += len(frame)
        seconds.append(time.process_time() - started)
    print(json.dumps({"count": found, "cold": seconds[0], "warm": seconds[1]}))


if __name__ == "__main__":
    main()
