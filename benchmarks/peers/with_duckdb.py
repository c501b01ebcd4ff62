"""The rules as SQL of DuckDB: `python with_duckdb.py RULE FILE ANSWERS`, twice in one process, cold and warm."""

from __future__ import annotations

import json
import sys
import time

import duckdb

RULES = {
    "join": """SELECT s.ts AS begin, t.ts AS end, area
        FROM (SELECT area, ts FROM events WHERE type = 'smoke') s
        JOIN (SELECT area, ts FROM events WHERE type = 'temp' AND value > 40) t USING (area)
        WHERE t.ts > s.ts AND t.ts <= s.ts + 60000""",
    "absence": """SELECT ts AS begin, ts + 12000 AS end, sensor FROM (
            SELECT *, lead(ts) OVER (PARTITION BY sensor ORDER BY ts) AS following FROM events WHERE type = 'temp')
        WHERE value > 40 AND (following IS NULL OR following > ts + 12000)""",
    "average": """SELECT ts - 60000 AS begin, ts AS end, sensor, mean FROM (
            SELECT ts, sensor, avg(value) OVER last AS mean FROM events WHERE type = 'temp'
            WINDOW last AS (PARTITION BY sensor ORDER BY ts
                RANGE BETWEEN 60000 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW))
        WHERE mean IS NOT NULL""",
}
COLUMNS = "{type: 'VARCHAR', sensor: 'VARCHAR', area: 'VARCHAR', value: 'DOUBLE', ts: 'BIGINT'}"


def main() -> None:
    rule, path, answers = sys.argv[1:]
    read = f"read_parquet('{path}')"
    if path.endswith(".jsonl"):
        read = f"read_json('{path}', format='newline_delimited', columns={COLUMNS})"
    seconds = []
    for _ in range(2):
        started = time.process_time()
        connection = duckdb.connect()
        kind = "TABLE" if rule == "all" else "VIEW"  # three queries read the file once
        connection.execute(f"CREATE {kind} events AS SELECT * FROM {read}")
        found = 0
        for name in RULES if rule == "all" else (rule,):
            if answers == "-":
                query = f"SELECT count(*) FROM ({RULES[name]})"
            else:
                query = f"COPY ({RULES[name]} ORDER BY 2, 1) TO '{answers}.{name}' (FORMAT json)"
            found += connection.execute(query).fetchall()[0][0]
        seconds.append(time.process_time() - started)
    print(json.dumps({"count": found, "cold": seconds[0], "warm": seconds[1]}))


if __name__ == "__main__":
    main()
