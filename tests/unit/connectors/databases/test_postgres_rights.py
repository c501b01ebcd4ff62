"""Capture in PostgreSQL gives nobody rights, by types, triggers or search paths; and what was made once is upgraded."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors.databases import postgres_schema
from cera.connectors.databases.capture import capture, drop, upgrade
from cera.connectors.databases.reading import problems, read_changes
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_to_json
from cera.wording import on_command_line

pytestmark = pytest.mark.xdist_group("postgres")

#: What cera made before 2026-11-16, as far as it differs: everybody may call it, and it casts what it is given.
OLD = """CREATE OR REPLACE FUNCTION public.cera_capture() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $cera$
BEGIN
  INSERT INTO public.cera_transactions DEFAULT VALUES ON CONFLICT DO NOTHING;
  INSERT INTO public.cera_changes (operation, table_name, new_row)
    VALUES (lower(TG_OP), TG_ARGV[0], public.cera_row(to_json(NEW), TG_RELID));
  RETURN NULL;
END $cera$"""

#: A type whose cast to JSON makes who calls it superuser, if it can.
EVIL = """
CREATE TYPE {0}.evil AS ENUM ('x');
CREATE FUNCTION {0}.evil_json({0}.evil) RETURNS json LANGUAGE plpgsql AS $$ BEGIN
  IF current_user <> session_user THEN EXECUTE format('ALTER ROLE %I SUPERUSER', session_user); END IF;
  RETURN '1'::json; END $$;
CREATE CAST ({0}.evil AS json) WITH FUNCTION {0}.evil_json({0}.evil);
CREATE FUNCTION {0}.evil_text({0}.evil) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  IF current_user <> session_user THEN EXECUTE format('ALTER ROLE %I SUPERUSER', session_user); END IF;
  RETURN 'cast'; END $$;
CREATE CAST ({0}.evil AS text) WITH FUNCTION {0}.evil_text({0}.evil) AS IMPLICIT;
"""


class Database:
    """A database of the superuser, in which `app` owns the table `acc` and `low` has no rights."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connections: list[psycopg.Connection] = []
        self.boss = self.connect("postgres")
        for role in ("app", "low"):
            self.boss.execute(f"DROP ROLE IF EXISTS {role}".encode())
            self.boss.execute(f"CREATE ROLE {role} LOGIN".encode())
        self.boss.execute("CREATE TABLE acc (k int, v numeric)")
        self.boss.execute("ALTER TABLE acc OWNER TO app")
        self.boss.execute("CREATE SCHEMA apps AUTHORIZATION app")

    def connect(self, role: str) -> psycopg.Connection:
        made = psycopg.connect(self.url.replace("postgres@", f"{role}@", 1), autocommit=True)
        self.connections.append(made)
        return made

    def close(self) -> None:
        for connection in self.connections[1:]:
            connection.close()
        self.boss.execute("DROP OWNED BY app, low CASCADE")
        self.boss.execute("DROP ROLE app, low")
        if self.changed_by_cera():
            drop(self.url)
        self.boss.close()

    def changed_by_cera(self) -> bool:
        return self.boss.execute("SELECT to_regclass('public.cera_changes')").fetchone() != (None,)

    def is_superuser(self, role: str) -> bool:
        return self.boss.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", (role,)).fetchone() == (True,)

    def changes(self) -> list[tuple[str, object]]:
        found = [term_to_json(one.term)["change"] for one in read_changes(self.url) if isinstance(one, Event)]
        return [(change["table"], change.get("new")) for change in found]

    def make_old(self) -> None:
        """What is captured is as cera captured it once."""
        self.boss.execute(OLD.encode())
        self.boss.execute("ALTER FUNCTION cera_capture() OWNER TO postgres")
        self.boss.execute("GRANT EXECUTE ON FUNCTION cera_capture() TO PUBLIC")


@pytest.fixture
def database(postgres: str) -> Iterator[Database]:
    made = Database(postgres)
    yield made
    made.close()


def attack_by_a_temporary_table(database: Database) -> None:
    low = database.connect("low")
    low.execute(EVIL.format("pg_temp").encode())
    low.execute("CREATE TEMP TABLE mine (a pg_temp.evil)")
    low.execute("CREATE TRIGGER t AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION public.cera_capture('acc')")
    low.execute("INSERT INTO mine VALUES ('x')")


def attack_by_a_column(database: Database, column: str = "apps.evil", value: str = "'x'") -> None:
    app = database.connect("app")
    app.execute(EVIL.format("apps").encode())
    app.execute("CREATE DOMAIN apps.evil_domain AS apps.evil")
    app.execute("CREATE TYPE apps.evil_pair AS (n int, e apps.evil)")
    app.execute("CREATE TYPE apps.evil_range AS RANGE (subtype = apps.evil)")
    app.execute(f"ALTER TABLE acc ADD COLUMN more {column}".encode())
    app.execute(f"INSERT INTO acc VALUES (1, 2, {value})".encode())


def forge(database: Database) -> None:
    low = database.connect("low")
    low.execute("CREATE TEMP TABLE m (k int, v numeric)")
    low.execute("CREATE TRIGGER t AFTER INSERT ON m FOR EACH ROW EXECUTE FUNCTION public.cera_capture('acc')")
    low.execute("INSERT INTO m VALUES (666, 1000000)")


def test_what_was_captured_once_gave_any_role_the_rights_of_who_captured(database: Database) -> None:
    """The attacks are real: if this fails, the tests below hold nothing."""
    capture(database.url, ["acc"])
    database.make_old()
    attack_by_a_temporary_table(database)
    assert database.is_superuser("low")
    attack_by_a_column(database)
    assert database.is_superuser("app")
    forge(database)
    assert ("acc", {"k": 666, "v": 1000000}) in database.changes()


@pytest.mark.parametrize("attack", [attack_by_a_temporary_table, forge])
def test_a_role_without_rights_can_make_no_trigger_that_records(database: Database, attack: object) -> None:
    assert callable(attack)
    capture(database.url, ["acc"])
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"permission denied for function .*cera_capture"):
        attack(database)
    assert not database.is_superuser("low")
    assert database.changes() == []


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        ("apps.evil", "'x'", "x"),
        ("apps.evil_domain", "'x'", "x"),
        ("apps.evil[]", "'{x,x}'", "{x,x}"),
        ("apps.evil_pair", "(3, 'x')", "(3,x)"),
        ("apps.evil_pair[]", "ARRAY[(3, 'x')::apps.evil_pair]", '{"(3,x)"}'),
        ("apps.evil_range", "'[x,x]'", "[x,x]"),
        ("apps.evil", "NULL", None),
    ],
)
@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_a_value_of_a_type_of_a_user_is_written_by_its_output_function(
    database: Database, column: str, value: str, written: str | None, isolation: str
) -> None:
    capture(database.url, ["acc"])
    database.boss.execute(f"ALTER ROLE app SET default_transaction_isolation = '{isolation}'".encode())
    attack_by_a_column(database, column, value)
    assert not database.is_superuser("app")
    assert database.changes() == [("acc", {"k": 1, "v": 2} | ({} if written is None else {"more": written}))]


def test_a_column_that_another_took_the_place_of_since_the_transaction_began_runs_nothing(database: Database) -> None:
    """The catalog of such a transaction still says that the column is a number."""
    database.boss.execute("ALTER TABLE acc ADD COLUMN more int")
    capture(database.url, ["acc"])
    first, second = database.connect("app"), database.connect("app")
    second.execute(EVIL.format("apps").encode())
    first.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    first.execute("SELECT count(*) FROM pg_class")
    second.execute("ALTER TABLE acc DROP COLUMN more")
    second.execute("ALTER TABLE acc ADD COLUMN more apps.evil")
    first.execute("INSERT INTO acc (k, v, more) VALUES (1, 2, 'x')")
    first.execute("COMMIT")
    assert not database.is_superuser("app")
    assert database.changes() == [("acc", {"k": 1, "v": 2, "more": "x"})]


def test_a_search_path_of_the_writer_leads_nowhere(database: Database) -> None:
    capture(database.url, ["acc"])
    database.boss.execute("CREATE TABLE seen (who text)")
    database.boss.execute("GRANT INSERT ON seen TO PUBLIC")
    app = database.connect("app")
    for name, arguments, result in [
        ("to_json", "anyelement", "json"),
        ("lower", "text", "text"),
        ("format", "text, anyelement", "text"),
        ("clock_timestamp", "", "timestamptz"),
        ("pg_current_xact_id", "", "xid8"),
        ("cera_row", "json, oid", "json"),
    ]:
        app.execute(
            f"""CREATE FUNCTION apps.{name}({arguments}) RETURNS {result} LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO public.seen VALUES (current_user); RETURN NULL; END $$""".encode()
        )
    app.execute("CREATE FUNCTION apps.same(text, text) RETURNS bool LANGUAGE sql AS 'SELECT false'")
    app.execute("CREATE OPERATOR apps.= (LEFTARG = text, RIGHTARG = text, FUNCTION = apps.same)")
    app.execute("CREATE TEMP TABLE cera_changes (a int)")
    app.execute("CREATE TEMP TABLE pg_attribute (attrelid oid, attnum int2, attisdropped bool, atttypid oid)")
    app.execute("SET search_path = apps, pg_temp, pg_catalog, public")
    app.execute("INSERT INTO public.acc VALUES (1, 2)")
    assert database.changes() == [("acc", {"k": 1, "v": 2})]
    assert database.boss.execute("SELECT count(*) FROM seen").fetchone() == (0,)


def test_triggers_fire_for_every_writer_also_through_views_and_rights_of_columns(database: Database) -> None:
    capture(database.url, ["acc"])
    database.boss.execute("GRANT INSERT (k) ON acc TO low")
    database.boss.execute("CREATE VIEW seen AS SELECT * FROM acc")
    database.boss.execute("GRANT INSERT ON seen TO low")
    database.boss.execute("ALTER TABLE acc ENABLE ROW LEVEL SECURITY")
    database.boss.execute("CREATE POLICY all_of_it ON acc FOR INSERT WITH CHECK (true)")
    low = database.connect("low")
    low.execute("INSERT INTO acc (k) VALUES (1)")
    low.execute("INSERT INTO seen VALUES (2, 3)")
    assert database.changes() == [("acc", {"k": 1}), ("acc", {"k": 2, "v": 3})]
    for statement in ("INSERT INTO cera_changes DEFAULT VALUES", "SELECT * FROM cera_changes", "SELECT cera_capture()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            low.execute(statement.encode())


def test_the_functions_belong_to_a_role_that_can_only_insert(database: Database) -> None:
    capture(database.url, ["acc"])
    [owner] = database.boss.execute(
        "SELECT DISTINCT pg_get_userbyid(proowner) FROM pg_proc WHERE proname ~ '^cera_'"
    ).fetchall()
    [name] = owner
    assert name.startswith("cera_capture_")
    database.boss.execute(f"SET ROLE {name}".encode())
    for statement in ("SELECT * FROM cera_changes", "DELETE FROM cera_changes", "TABLE acc", "CREATE TABLE x (a int)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            database.boss.execute(statement.encode())
    database.boss.execute("RESET ROLE")
    drop(database.url)
    assert database.boss.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", owner).fetchall() == []


def test_who_may_not_make_roles_captures_with_rights_of_its_own(database: Database) -> None:
    database.boss.execute("GRANT CREATE ON SCHEMA public TO app")
    url = database.url.replace("postgres@", "app@", 1)
    assert capture(url, ["acc"]) == ["made the table public.cera_changes", "acc: captured"]
    database.boss.execute("INSERT INTO acc VALUES (1, 2)")
    assert database.changes() == [("acc", {"k": 1, "v": 2})]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        forge(database)
    drop(url)


def test_an_old_capture_is_a_warning_and_is_upgraded(database: Database) -> None:
    capture(database.url, ["acc"])
    assert problems(database.url) == []
    database.make_old()
    forge(database)
    database.boss.execute("INSERT INTO acc VALUES (1, 2)")
    [problem] = problems(database.url)
    assert "run `cera capture --upgrade --db postgresql://" in on_command_line(problem.reason)
    again = CliRunner().invoke(main, ["capture", "--db", database.url, "--tables", "acc"])
    assert "any user can get the rights of who captured" in again.output
    done = CliRunner().invoke(main, ["capture", "--db", database.url, "--upgrade"])
    assert done.output.splitlines() == ["made the functions anew", "acc: triggers made anew"], done.output
    assert problems(database.url) == []
    before = len(database.changes())
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        forge(database)
    database.connections[-2].execute("INSERT INTO m VALUES (667, 1)")  # by the trigger that was forged before
    database.boss.execute("INSERT INTO acc VALUES (3, 4)")
    assert database.changes()[before:] == [("acc", {"k": 3, "v": 4})]


def test_an_upgrade_asks_which_table_is_meant_where_two_claim_a_name(database: Database) -> None:
    capture(database.url, ["acc"])
    database.make_old()
    database.connect("app").execute(
        """CREATE TABLE apps.acc (k int);
        CREATE TRIGGER cera_capture AFTER INSERT ON apps.acc FOR EACH ROW EXECUTE FUNCTION public.cera_capture('acc')"""
    )
    with pytest.raises(UsageError, match=r"\(apps\.acc, public\.acc\), so somebody may have forged them"):
        upgrade(database.url)
    assert upgrade(database.url, ["public.acc"]) == [
        "made the functions anew",
        "acc: triggers made anew",
        "apps.acc: no longer captured",
    ]


def test_there_is_nothing_to_upgrade_without_a_capture(database: Database) -> None:
    with pytest.raises(UsageError, match="no changes are captured there"):
        upgrade(database.url)


def test_no_function_takes_what_it_records_from_who_calls_it() -> None:
    """Only the triggers write, and they have no parameters."""
    writing = [text for text in postgres_schema.FUNCTIONS if "INSERT INTO" in text or "UPDATE" in text]
    assert len(writing) == 2
    assert all("() RETURNS trigger" in text for text in writing)
