"""SQL commands in PostgreSQL: bound values, once each."""

from __future__ import annotations

import re

import psycopg
import pytest

from cera.connectors.actions import sql
from cera.connectors.actions.action import Call, PlannedAction, Sql
from cera.connectors.actions.failure import Failure
from cera.connectors.actions.permissions import Permissions
from cera.connectors.actions.runner import ActionRunner
from cera.connectors.actions.sql import SqlTarget
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval

pytestmark = pytest.mark.xdist_group("postgres")


def test_commands_with_bound_values_run_once_and_failures_leave_nothing(postgres: str) -> None:
    insert = Sql("INSERT INTO log VALUES (:1, :2 || '%s 100%', :3)")
    events = [Event(Term("e"), Interval(n, n)) for n in range(5)]
    failed: list[Failure] = []
    hostile = "'); DROP TABLE log; --"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE log (n int PRIMARY KEY, note text, amount numeric)")
        for n in (3, 4):
            planned = [PlannedAction("r", "p", insert, (None,) * 3)]
            with ActionRunner(
                planned, Permissions(sql=postgres), on_failure=failed.append, sleep=lambda _: None
            ) as runner:
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
    assert len(failed) == 2
    assert "duplicate key" in failed[0].reason


def test_a_role_that_may_not_make_tables_uses_the_one_that_is_there(postgres: str) -> None:
    role = f"poor_{postgres.rpartition('/')[2].partition('?')[0]}"
    poor = re.sub(r"//[^/@]*@", f"//{role}@", postgres)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f'CREATE ROLE "{role}" LOGIN'.encode())
        with pytest.raises(UsageError, match=r"the table cera_actions, .* cannot be made or used"):
            SqlTarget(poor).prepare()
        SqlTarget(postgres).prepare()
        connection.execute(f'GRANT SELECT, INSERT ON cera_actions TO "{role}"'.encode())
        SqlTarget(poor).prepare()
        connection.execute(f'DROP OWNED BY "{role}"'.encode())
        connection.execute(f'DROP ROLE "{role}"'.encode())


def test_what_passes_is_tried_again_and_what_does_not_is_not(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "_WAIT_SECONDS", 0.05)
    failed: list[Failure] = []
    pauses: list[float] = []
    texts = {
        "INSERT INTO nowhere VALUES (1)": "does not exist",
        "INSRT INTO log VALUES (1)": "syntax error",
        "INSERT INTO log VALUES (1 / 0)": "division by zero",
        "INSERT INTO log VALUES (:1)": "22P02|invalid input syntax",
        "DELETE FROM pg_authid": "permission denied|no right",
    }
    role = f"poor_{postgres.rpartition('/')[2].partition('?')[0]}"
    poor = re.sub(r"//[^/@]*@", f"//{role}@", postgres)
    event = Event(Term("e"), Interval(0, 0))
    with psycopg.connect(postgres, autocommit=True) as connection, psycopg.connect(postgres) as other:
        connection.execute("CREATE TABLE log (n int PRIMARY KEY)")
        connection.execute(f'CREATE ROLE "{role}" LOGIN'.encode())
        SqlTarget(postgres).prepare()
        connection.execute(f'GRANT ALL ON cera_actions, log TO "{role}"'.encode())
        actions = [Sql(text) for text in texts] + [Sql("INSERT INTO log VALUES (7)")]
        planned = [PlannedAction("r", "p", action, ("string",) * (":1" in action.statement)) for action in actions]

        def sleep(seconds: float) -> None:
            pauses.append(seconds)
            other.rollback()

        with ActionRunner(planned, Permissions(sql=poor), on_failure=failed.append, sleep=sleep) as runner:
            for action in actions[:-1]:
                runner.run(Call("r", event, action, ("x",) * (":1" in action.statement)))
            assert not pauses
            other.execute("LOCK TABLE log")
            assert runner.run(Call("r", event, actions[-1])) == "done"
        assert pauses == [0.5]
        connection.execute(f'DROP OWNED BY "{role}"'.encode())
        connection.execute(f'DROP ROLE "{role}"'.encode())
    for failure, expected in zip(failed, texts.values(), strict=True):
        assert re.search(expected, failure.reason), failure.reason
