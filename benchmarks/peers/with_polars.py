"""The rules as queries of Polars."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from benchmarks.peers.tasks import AREAS, DAY, HOT, HOUR, MINUTE, SILENCE, THRESHOLDS, Task
from benchmarks.peers.turns import given, take_turns

SCHEMAS = {
    False: {"type": pl.String, "sensor": pl.String, "area": pl.String, "value": pl.Float64, "ts": pl.Int64},
    True: {"type": pl.String, "case": pl.String, "amount": pl.Float64, "ts": pl.Int64},
}


def join(events: pl.LazyFrame, window: int, hot: float = HOT) -> pl.LazyFrame:
    # each smoke meets readings of its own minute and of the next one
    length = MINUTE * window
    minute = pl.col("ts") // length
    smoke = events.filter(pl.col("type") == "smoke").select(
        "area", begin="ts", minute=pl.concat_list(minute, minute + 1)
    )
    of_hot = events.filter((pl.col("type") == "temp") & (pl.col("value") > hot)).select("area", end="ts", minute=minute)
    pairs = smoke.explode("minute").join(of_hot, on=["area", "minute"])
    return pairs.filter(pl.col("end") > pl.col("begin"), pl.col("end") <= pl.col("begin") + length).drop("minute")


def absence(events: pl.LazyFrame, window: int) -> pl.LazyFrame:
    length = SILENCE * window
    readings = events.filter(pl.col("type") == "temp").with_columns(following=pl.col("ts").shift(-1).over("sensor"))
    silent = pl.col("following").is_null() | (pl.col("following") > pl.col("ts") + length)
    found = readings.filter(pl.col("value") > HOT, silent)
    return found.select(begin="ts", end=pl.col("ts") + length, sensor="sensor")


def average(events: pl.LazyFrame, window: int) -> pl.LazyFrame:
    return others(events.filter(pl.col("type") == "temp"), MINUTE * window, "sensor", "value", "sensor")


def others(events: pl.LazyFrame, length: int, name: str, value: str, key: str | None) -> pl.LazyFrame:
    """The mean of a column in a window before each row, without the row itself."""

    def of_key(rolled: pl.Expr) -> pl.Expr:
        return rolled.over(key) if key else rolled

    sums = events.with_columns(one=1.0).select(
        name,
        begin=pl.col("ts") - length,
        end="ts",
        total=of_key(pl.col(value).rolling_sum_by("ts", f"{length}i", closed="both")) - pl.col(value),
        count=of_key(pl.col("one").rolling_sum_by("ts", f"{length}i", closed="both")) - 1,
    )
    with_others = sums.filter(pl.col("count") > 0.5)
    return with_others.select("begin", "end", name, value=pl.col("total") / pl.col("count"))


def approved(events: pl.LazyFrame, window: int) -> pl.LazyFrame:
    sent = events.filter(pl.col("type") == "O_SENT").select("case", begin="ts")
    pairs = sent.join(events.filter(pl.col("type") == "A_APPROVED").select("case", end="ts"), on="case")
    return pairs.filter(pl.col("end") > pl.col("begin"), pl.col("end") <= pl.col("begin") + 30 * DAY)


def unanswered(events: pl.LazyFrame, window: int) -> pl.LazyFrame:
    sent = events.filter(pl.col("type") == "O_SENT").select("case", begin="ts")
    back = events.filter(pl.col("type") == "O_SENT_BACK").select("case", back="ts")
    in_time = pl.col("back").is_between(pl.col("begin"), pl.col("begin") + 14 * DAY)
    answered = sent.join(back, on="case").filter(in_time)
    silent = sent.join(answered, on=["case", "begin"], how="anti")
    return silent.select("begin", "case", end=pl.col("begin") + 14 * DAY)


def amounts(events: pl.LazyFrame, window: int) -> pl.LazyFrame:
    return others(events.filter(pl.col("type") == "A_SUBMITTED"), HOUR, "case", "amount", None)


RULES: dict[str, Callable[[pl.LazyFrame, int], pl.LazyFrame]] = {
    "join": join,
    "absence": absence,
    "average": average,
    "approved": approved,
    "unanswered": unanswered,
    "amounts": amounts,
}


def queries(task: Task, events: pl.LazyFrame) -> dict[str, pl.LazyFrame]:
    if task.hundred == "thresholds":
        return {f"fire_{number}": join(events, task.window, hot) for number, hot in enumerate(THRESHOLDS)}
    if task.hundred == "areas":
        return {f"fire_{area}": join(events.filter(pl.col("area") == area), task.window) for area in AREAS}
    return {rule: RULES[rule](events, task.window) for rule in task.rules}


def answered(task: Task, path: str, answers: str | None) -> int:
    events = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_ndjson(path, schema=SCHEMAS[task.loans])
    if len(task.rules) > 1 or task.hundred:
        events = events.collect().lazy()  # several queries read the file once
    chosen = queries(task, events)
    if answers is None:
        return sum(frame.item() for frame in pl.collect_all([query.select(pl.len()) for query in chosen.values()]))
    found = 0
    for name, query in chosen.items():
        frame = query.sort("end", "begin").collect()
        frame.write_ndjson(f"{answers}.{name}")
        found += len(frame)
    return found


if __name__ == "__main__":
    its_task, its_events, its_answers = given()
    take_turns(lambda: answered(its_task, its_events, its_answers))
