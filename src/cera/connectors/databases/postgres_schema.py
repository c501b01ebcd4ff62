"""The objects that capture creates in PostgreSQL: two tables, four functions, and two triggers for each captured table.

A change is written as it happens; its transaction has one row in `cera_transactions`, whose trigger is deferred: it
runs when the transaction commits, and records that time. Tables of users have no deferred triggers, which would
forbid altering or truncating them later in the same transaction. The settings that values are written by are fixed.

The trigger functions run with other rights than the writer's (SECURITY DEFINER), so that writers need none on
the change table. So nothing that a user has defined may run in them:

- `search_path` has pg_catalog alone, and no function or operator is looked for in pg_temp.
- `to_json` calls a cast to json of a type that is not built in. It is given values of built-in types only, and else a
  value is written by the output function of its type (`format('%s', …)`), which a superuser has made.
- The type of a value is its `pg_typeof`. The catalog, as a transaction sees it that began long ago (REPEATABLE
  READ), may still have another column of that name. What is looked up of a type, the base of a domain and the element
  of an array, never changes.
- Nobody else may call them: they would record what never happened.
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

#: In the source of the functions since the version in which user-defined casts cannot run in them.
VERSION = "cera capture, version 2"

_SETTINGS = """LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = 'hex' SET intervalstyle = 'iso_8601'"""

#: JSON as text, which keeps apart large reals (1e+300) and integers. NaN and the infinities are texts in it, and not
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

#: Built-in types have numbers below 16384, whoever creates types; domains over them and arrays of them are safe too.
_IS_PLAIN = """CREATE OR REPLACE FUNCTION {schema}.cera_is_plain(kind oid) RETURNS boolean LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, pg_temp AS $cera$
BEGIN
  WHILE kind >= 16384 LOOP
    kind := (SELECT CASE typtype WHEN 'd' THEN typbasetype
        WHEN 'b' THEN CASE WHEN typelem <> 0 AND typlen = -1 THEN typelem END END
      FROM pg_type WHERE oid = kind);
  END LOOP;
  RETURN kind IS NOT NULL;
END $cera$"""

FUNCTIONS = (
    _ROW,
    _IS_PLAIN,
    f"""CREATE OR REPLACE FUNCTION {{schema}}.cera_capture() RETURNS trigger {_SETTINGS} AS $cera$
-- {VERSION}
DECLARE
  written text;
  old_row json;
  new_row json;
BEGIN
  INSERT INTO {{schema}}.cera_transactions DEFAULT VALUES ON CONFLICT DO NOTHING;
  IF TG_OP = 'TRUNCATE' THEN
    INSERT INTO {{schema}}.cera_changes (operation, table_name) VALUES ('truncate', TG_ARGV[0]);
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' OR EXISTS (SELECT FROM pg_attribute
      WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped AND atttypid >= 16384) THEN
    SELECT 'SELECT json_object_agg(name, value) FROM (VALUES ' || string_agg(format(
        '(%1$L, CASE WHEN ($1).%1$I IS NOT DISTINCT FROM NULL THEN NULL WHEN %2$I.cera_is_plain(pg_typeof(($1).%1$I))'
        ' THEN to_json(($1).%1$I) ELSE to_json(format(''%%s'', ($1).%1$I)) END)', attname, {{home}}), ', '
        ORDER BY attnum) || ') AS columns(name, value)'
      INTO written FROM pg_attribute WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    IF written IS NULL THEN
      old_row := to_json(OLD);
    ELSE
      EXECUTE written INTO old_row USING OLD;
    END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF written IS NULL THEN
      new_row := to_json(NEW);
    ELSE
      EXECUTE written INTO new_row USING NEW;
    END IF;
  END IF;
  INSERT INTO {{schema}}.cera_changes (operation, table_name, old_row, new_row)
    VALUES (lower(TG_OP), TG_ARGV[0], {{schema}}.cera_row(old_row, TG_RELID), {{schema}}.cera_row(new_row, TG_RELID));
  RETURN NULL;
END $cera$""",
    f"""CREATE OR REPLACE FUNCTION {{schema}}.cera_commit() RETURNS trigger {_SETTINGS} AS $cera$
BEGIN
  UPDATE {{schema}}.cera_transactions SET committed = clock_timestamp() WHERE transaction_id = NEW.transaction_id;
  RETURN NULL;
END $cera$""",
)

_NAMES = ("cera_row(json, oid)", "cera_is_plain(oid)", "cera_capture()", "cera_commit()")

#: Nobody else may create triggers with the functions, or call them.
REVOKED = tuple(f"REVOKE ALL ON FUNCTION {{schema}}.{name} FROM PUBLIC" for name in _NAMES)

#: Makes a role the owner of the functions: it owns no table, cannot log in, and can only insert.
OWNED = (
    "GRANT USAGE, CREATE ON SCHEMA {schema} TO {owner}",
    "GRANT INSERT ON {schema}.cera_changes TO {owner}",
    "GRANT INSERT, SELECT, UPDATE (committed) ON {schema}.cera_transactions TO {owner}",
    *(f"GRANT EXECUTE ON FUNCTION {{schema}}.{name} TO CURRENT_USER" for name in _NAMES),
    *(f"ALTER FUNCTION {{schema}}.{name} OWNER TO {{owner}}" for name in _NAMES),
    "REVOKE CREATE ON SCHEMA {schema} FROM {owner}",
)

#: Whether the functions are those of an earlier version, or whether everybody may call them.
OUTDATED = """SELECT position(%(version)s IN prosrc) = 0 OR has_function_privilege('public', called.oid, 'execute')
  FROM pg_proc called JOIN pg_namespace space ON space.oid = called.pronamespace
  WHERE proname = 'cera_capture' AND nspname = %(schema)s"""

#: Removes all triggers that call the functions as well, whoever has made them.
FUNCTIONS_DROPPED = tuple(f"DROP FUNCTION IF EXISTS {{schema}}.{name} CASCADE" for name in reversed(_NAMES))

COMMIT_TRIGGER = """CREATE CONSTRAINT TRIGGER cera_commit AFTER INSERT ON {schema}.cera_transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}.cera_commit()"""

#: The triggers of a captured table; the argument is its name in events.
ROW_TRIGGER = """CREATE TRIGGER cera_capture AFTER INSERT OR UPDATE OR DELETE ON {table}
  FOR EACH ROW EXECUTE FUNCTION {schema}.cera_capture({shown})"""
TRUNCATE_TRIGGER = """CREATE TRIGGER cera_truncate AFTER TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.cera_capture({shown})"""

#: Everything but the triggers of tables.
DROPPED = (
    "DROP TABLE IF EXISTS {schema}.cera_changes",
    "DROP TABLE IF EXISTS {schema}.cera_transactions",
    *FUNCTIONS_DROPPED,
)

#: Captured tables: schema, name, name in events, how many of the two triggers there are.
CAPTURED = """SELECT space.nspname, class.relname,
    min(convert_from(substring(made.tgargs for greatest(length(made.tgargs) - 1, 0)), 'UTF8')), count(*)
  FROM pg_trigger made
    JOIN pg_class class ON class.oid = made.tgrelid JOIN pg_namespace space ON space.oid = class.relnamespace
    JOIN pg_proc called ON called.oid = made.tgfoid JOIN pg_namespace ours ON ours.oid = called.pronamespace
  WHERE made.tgname IN ('cera_capture', 'cera_truncate') AND called.proname = 'cera_capture'
    AND ours.nspname = %s AND made.tgparentid = 0
  GROUP BY 1, 2 ORDER BY 1, 2"""

#: Temporary tables, which cannot be captured.
TEMPORARY = """SELECT space.nspname, class.relname
  FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace WHERE class.relpersistence = 't'"""

#: Tables that a name may mean, with the kind of each relation: the one in lower case, which SQL means by a name
#: without quotes, before one that is spelt the same.
NAMED = """SELECT space.nspname, class.relname, class.relkind::text
  FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace
  WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND (class.relname = %(name)s OR (NOT %(exact)s AND class.relname = lower(%(name)s)))
    AND CASE WHEN %(schema)s::text IS NULL THEN pg_table_is_visible(class.oid)
        ELSE space.nspname = %(schema)s OR (NOT %(exact_schema)s AND space.nspname = lower(%(schema)s)) END
  ORDER BY (CASE WHEN %(exact_schema)s THEN 0 WHEN space.nspname = lower(%(schema)s) THEN 0 ELSE 1 END),
    (CASE WHEN %(exact)s THEN 0 WHEN class.relname = lower(%(name)s) THEN 0 ELSE 1 END)"""

#: Names of visible tables, for a guess at the one that was meant.
VISIBLE = """SELECT CASE WHEN pg_table_is_visible(class.oid) THEN '' ELSE space.nspname || '.' END || class.relname
  FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace
  WHERE class.relkind IN ('r', 'p') AND space.nspname !~ '^(pg_|information_schema)' AND class.relname !~ '^cera_'
  ORDER BY 1 LIMIT 1000"""
