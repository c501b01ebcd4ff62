"""SQL commands in PostgreSQL: bound values, once each."""

from __future__ import annotations

import re

import psycopg
import pytest

from cera.actions.action import Call, Planned, Sql
from cera.actions.permissions import Permissions
from cera.actions.runner import ActionRunner, Failure
from cera.actions.sql import SqlTarget
from cera.errors import UsageError
from cera.model.events import Event
from cera.model.interval import Interval
from cera.model.terms import Term

pytestmark = pytest.mark.xdist_group("postgres")


def test_commands_with_bound_values_run_once_and_failures_leave_nothing(postgres: str) -> None:
    insert = Sql("INSERT INTO log VALUES (:1, :2 || '%s 100%', :3)")
    events = [Event(Term("e"), Interval(n, n)) for n in range(5)]
    told: list[Failure] = []
    hostile = "'); DROP TABLE log; --"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE log (n int PRIMARY KEY, note text, amount numeric)")
        for n in (3, 4):
            planned = [Planned("r", "p", insert, (None,) * 3)]
            with ActionRunner(planned, Permissions(sql=postgres), tell=told.append, sleep=lambda _: None) as runner:
                runner.run(Call("r", events[0], insert, (1, hostile, 2.5)))
                runner.run(Call("r", events[1], insert, (1, "the same key", None)))
                runner.run(Call("r", events[2], insert, (2, "x", None)))
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                assert runner.run(Call("r", events[n], insert, (n, "after a lost connection", None))) == "done"
        rows = connection.execute("SELECT n, note, amount::float8 FROM log ORDER BY n").fetchall()
        noted = connection.execute("SELECT count(*) FROM cera_actions").fetchone()
    assert rows[:2] == [(1, f"{hostile}%s 100%", 2.5), (2, "x%s 100%", None)]
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert noted == (4,)
    assert len(told) == 2
    assert "duplicate key" in told[0].reason


def test_a_role_that_may_not_make_tables_uses_the_one_that_is_there(postgres: str) -> None:
    role = f"poor_{postgres.rpartition('/')[2].partition('?')[0]}"
    poor = re.sub(r"//[^/@]*@", f"//{role}@", postgres)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f'CREATE ROLE "{role}" LOGIN'.encode())
        with pytest.raises(UsageError, match="the table cera_actions, in which is noted what is done, cannot be made"):
            SqlTarget(poor).prepare()
        SqlTarget(postgres).prepare()
        connection.execute(f'GRANT SELECT, INSERT ON cera_actions TO "{role}"'.encode())
        SqlTarget(poor).prepare()
        connection.execute(f'DROP OWNED BY "{role}"'.encode())
        connection.execute(f'DROP ROLE "{role}"'.encode())
