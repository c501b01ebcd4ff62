"""The rules as SQL of DuckDB."""

from __future__ import annotations

import duckdb

from benchmarks.peers.tasks import AREAS, DAY, HOT, HOUR, MINUTE, SILENCE, THRESHOLDS, Task
from benchmarks.peers.turns import given, take_turns

COLUMNS = {
    False: "{type: 'VARCHAR', sensor: 'VARCHAR', area: 'VARCHAR', value: 'DOUBLE', ts: 'BIGINT'}",
    True: "{type: 'VARCHAR', \"case\": 'VARCHAR', amount: 'DOUBLE', ts: 'BIGINT'}",
}
LOANS = {
    "approved": f"""SELECT s.ts AS begin, a.ts AS end, "case"
        FROM (SELECT "case", ts FROM events WHERE type = 'O_SENT') s
        JOIN (SELECT "case", ts FROM events WHERE type = 'A_APPROVED') a USING ("case")
        WHERE a.ts > s.ts AND a.ts <= s.ts + {30 * DAY}""",
    "unanswered": f"""SELECT ts AS begin, ts + {14 * DAY} AS end, "case" FROM events s
        WHERE type = 'O_SENT' AND NOT EXISTS (SELECT 1 FROM events b WHERE b.type = 'O_SENT_BACK'
            AND b."case" = s."case" AND b.ts >= s.ts AND b.ts <= s.ts + {14 * DAY})""",
    "amounts": f"""SELECT ts - {HOUR} AS begin, ts AS end, "case", mean FROM (
            SELECT ts, "case", avg(amount) OVER last AS mean FROM events WHERE type = 'A_SUBMITTED'
            WINDOW last AS (ORDER BY ts RANGE BETWEEN {HOUR} PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW))
        WHERE mean IS NOT NULL""",
}


def queries(task: Task) -> dict[str, str]:
    minute, silence = MINUTE * task.window, SILENCE * task.window
    if task.loans:
        return {rule: LOANS[rule] for rule in task.rules}
    if task.hundred == "thresholds":
        return {f"fire_{number}": join(minute, hot=hot) for number, hot in enumerate(THRESHOLDS)}
    if task.hundred == "areas":
        return {f"fire_{area}": join(minute, f"AND area = '{area}'") for area in AREAS}
    rules = {
        "join": join(minute),
        "absence": f"""SELECT ts AS begin, ts + {silence} AS end, sensor FROM (
                SELECT *, lead(ts) OVER (PARTITION BY sensor ORDER BY ts) AS following FROM events WHERE type = 'temp')
            WHERE value > {HOT} AND (following IS NULL OR following > ts + {silence})""",
        "average": f"""SELECT ts - {minute} AS begin, ts AS end, sensor, mean FROM (
                SELECT ts, sensor, avg(value) OVER last AS mean FROM events WHERE type = 'temp'
                WINDOW last AS (PARTITION BY sensor ORDER BY ts
                    RANGE BETWEEN {minute} PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW))
            WHERE mean IS NOT NULL""",
    }
    return {rule: rules[rule] for rule in task.rules}


def join(minute: int, of_one: str = "", hot: float = HOT) -> str:
    return f"""SELECT s.ts AS begin, t.ts AS end, area
        FROM (SELECT area, ts FROM events WHERE type = 'smoke' {of_one}) s
        JOIN (SELECT area, ts FROM events WHERE type = 'temp' AND value > {hot} {of_one}) t USING (area)
        WHERE t.ts > s.ts AND t.ts <= s.ts + {minute}"""


def answered(task: Task, path: str, answers: str | None) -> int:
    read = f"read_parquet('{path}')"
    if path.endswith(".jsonl"):
        read = f"read_json('{path}', format='newline_delimited', columns={COLUMNS[task.loans]})"
    with duckdb.connect() as connection:
        chosen = queries(task)
        kind = "TABLE" if len(chosen) > 1 else "VIEW"  # several queries read the file once
        connection.execute(f"CREATE {kind} events AS SELECT * FROM {read}")
        found = 0
        for name, query in chosen.items():
            if answers is None:
                query = f"SELECT count(*) FROM ({query})"
            else:
                query = f"COPY ({query} ORDER BY 2, 1) TO '{answers}.{name}' (FORMAT json)"
            found += connection.execute(query).fetchall()[0][0]
    return found


if __name__ == "__main__":
    its_task, its_events, its_answers = given()
    take_turns(lambda: answered(its_task, its_events, its_answers))
