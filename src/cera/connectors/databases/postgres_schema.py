"""What capture makes in PostgreSQL: two tables, three functions, and two triggers for each captured table.

A change is written as it happens; its transaction has one row in `cera_transactions`, whose trigger is deferred: it
runs when the transaction commits, and writes down that time. Tables of users have no deferred triggers, which would
forbid to alter or truncate them later in the same transaction. The functions run with the rights of who captured, so
that writers need none on the change table; the settings that values are written by are fixed.
"""

from __future__ import annotations

TABLES = (
    """CREATE TABLE {schema}.cera_changes (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  operation text NOT NULL,
  table_name text NOT NULL,
  old_row json,
  new_row json,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id()
)""",
    "CREATE INDEX cera_changes_by_transaction ON {schema}.cera_changes (transaction_id, position)",
    """CREATE TABLE {schema}.cera_transactions (
  transaction_id xid8 PRIMARY KEY DEFAULT pg_current_xact_id(),
  committed timestamptz NOT NULL DEFAULT clock_timestamp()
)""",
    "CREATE INDEX cera_transactions_by_time ON {schema}.cera_transactions (committed, transaction_id)",
)

_SETTINGS = """LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = 'hex' SET intervalstyle = 'iso_8601'"""

#: JSON as text, which keeps apart large reals (1e+300) and integers. NaN and the infinities are texts in it, and no
#: values here: a column of numbers that has one is left out.
_ROW = """CREATE OR REPLACE FUNCTION {schema}.cera_row(recorded json, relation oid) RETURNS json LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, pg_temp AS $cera$
BEGIN
  IF recorded::text !~ '"(NaN|-?Infinity)"' THEN
    RETURN recorded;
  END IF;
  RETURN (SELECT coalesce(json_object_agg(key, value), '{{}}') FROM json_each(recorded) WHERE key NOT IN (
    SELECT attname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = relation AND recorded ->> attname IN ('NaN', 'Infinity', '-Infinity')
      AND coalesce(nullif(typbasetype, 0), pg_type.oid) IN ('float4'::regtype, 'float8'::regtype, 'numeric'::regtype)));
END $cera$"""

FUNCTIONS = (
    _ROW,
    f"""CREATE OR REPLACE FUNCTION {{schema}}.cera_capture() RETURNS trigger {_SETTINGS} AS $cera$
BEGIN
  INSERT INTO {{schema}}.cera_transactions DEFAULT VALUES ON CONFLICT DO NOTHING;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO {{schema}}.cera_changes (operation, table_name, new_row)
      VALUES ('insert', TG_ARGV[0], {{schema}}.cera_row(to_json(NEW), TG_RELID));
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO {{schema}}.cera_changes (operation, table_name, old_row, new_row)
      VALUES ('update', TG_ARGV[0], {{schema}}.cera_row(to_json(OLD), TG_RELID),
        {{schema}}.cera_row(to_json(NEW), TG_RELID));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO {{schema}}.cera_changes (operation, table_name, old_row)
      VALUES ('delete', TG_ARGV[0], {{schema}}.cera_row(to_json(OLD), TG_RELID));
  ELSE
    INSERT INTO {{schema}}.cera_changes (operation, table_name) VALUES ('truncate', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $cera$""",
    f"""CREATE OR REPLACE FUNCTION {{schema}}.cera_commit() RETURNS trigger {_SETTINGS} AS $cera$
BEGIN
  UPDATE {{schema}}.cera_transactions SET committed = clock_timestamp() WHERE transaction_id = NEW.transaction_id;
  RETURN NULL;
END $cera$""",
)

COMMIT_TRIGGER = """CREATE CONSTRAINT TRIGGER cera_commit AFTER INSERT ON {schema}.cera_transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}.cera_commit()"""

#: The triggers of a captured table; the argument is what events call it.
ROW_TRIGGER = """CREATE TRIGGER cera_capture AFTER INSERT OR UPDATE OR DELETE ON {table}
  FOR EACH ROW EXECUTE FUNCTION {schema}.cera_capture({shown})"""
TRUNCATE_TRIGGER = """CREATE TRIGGER cera_truncate AFTER TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.cera_capture({shown})"""

#: Everything but the triggers of tables.
DROPPED = (
    "DROP TABLE IF EXISTS {schema}.cera_changes",
    "DROP TABLE IF EXISTS {schema}.cera_transactions",
    "DROP FUNCTION IF EXISTS {schema}.cera_capture()",
    "DROP FUNCTION IF EXISTS {schema}.cera_commit()",
    "DROP FUNCTION IF EXISTS {schema}.cera_row(json, oid)",
)

#: Captured tables: schema, name, what events call it, how many of the two triggers there are.
CAPTURED = """SELECT space.nspname, class.relname,
    min(convert_from(substring(made.tgargs for greatest(length(made.tgargs) - 1, 0)), 'UTF8')), count(*)
  FROM pg_trigger made
    JOIN pg_class class ON class.oid = made.tgrelid JOIN pg_namespace space ON space.oid = class.relnamespace
    JOIN pg_proc called ON called.oid = made.tgfoid JOIN pg_namespace ours ON ours.oid = called.pronamespace
  WHERE made.tgname IN ('cera_capture', 'cera_truncate') AND called.proname = 'cera_capture'
    AND ours.nspname = %s AND made.tgparentid = 0
  GROUP BY 1, 2 ORDER BY 1, 2"""

#: Tables that a name may mean, with what kind of a relation each is: that in lower case, which SQL means by a name
#: without quotes, before one that is spelt the same.
NAMED = """SELECT space.nspname, class.relname, class.relkind::text
  FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace
  WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND (class.relname = %(name)s OR (NOT %(exact)s AND class.relname = lower(%(name)s)))
    AND CASE WHEN %(schema)s::text IS NULL THEN pg_table_is_visible(class.oid)
        ELSE space.nspname = %(schema)s OR (NOT %(exact_schema)s AND space.nspname = lower(%(schema)s)) END
  ORDER BY (CASE WHEN %(exact_schema)s THEN 0 WHEN space.nspname = lower(%(schema)s) THEN 0 ELSE 1 END),
    (CASE WHEN %(exact)s THEN 0 WHEN class.relname = lower(%(name)s) THEN 0 ELSE 1 END)"""

#: Names of tables that can be seen, for a guess at the one that was meant.
VISIBLE = """SELECT CASE WHEN pg_table_is_visible(class.oid) THEN '' ELSE space.nspname || '.' END || class.relname
  FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace
  WHERE class.relkind IN ('r', 'p') AND space.nspname !~ '^(pg_|information_schema)' AND class.relname !~ '^cera_'
  ORDER BY 1 LIMIT 1000"""
