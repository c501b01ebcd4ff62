"""Parameters of SQL commands: found where they are, and nowhere else."""

from __future__ import annotations

import pytest

from cera.connectors.actions.texts.statements import parse_statement, statement_problems


@pytest.mark.parametrize(
    ("text", "sqlite", "postgres"),
    [
        ("update A set b = :1 where c=:2", "update A set b = ?1 where c=?2", "update A set b = %(p1)s where c=%(p2)s"),
        ("insert into l values (%d, %s)", "insert into l values (?1, ?2)", "insert into l values (%(p1)s, %(p2)s)"),
        ("select :2, :1, :2", "select ?2, ?1, ?2", "select %(p2)s, %(p1)s, %(p2)s"),
        ("select '12:30 :1', \":1\", :1", "select '12:30 :1', \":1\", ?1", "select '12:30 :1', \":1\", %(p1)s"),
        ("select 'it''s :1' || :1 -- :2", "select 'it''s :1' || ?1 -- :2", "select 'it''s :1' || %(p1)s -- :2"),
        ("select :1::int, a[1:2] /* :3 */", "select ?1::int, a[1:2] /* :3 */", "select %(p1)s::int, a[1:2] /* :3 */"),
        (r"select E'\':2', :1", r"select E'\':2', ?1", r"select E'\':2', %(p1)s"),
        ("select $x$ :2 ' $x$, :1", "select $x$ :2 ' $x$, ?1", "select $x$ :2 ' $x$, %(p1)s"),
        ("select a % 2 where b like '%s%' and c = :1", "select a % 2 where b like '%s%' and c = ?1",
         "select a %% 2 where b like '%%s%%' and c = %(p1)s"),
        ("delete from a;", "delete from a;", "delete from a;"),
        ("select :1 /* a /* :2 */ :3 */", "select ?1 /* a /* :2 */ :3 */", "select %(p1)s /* a /* :2 */ :3 */"),
        ("select /* it's /* */ :1", "select /* it's /* */ ?1", "select /* it's /* */ %(p1)s"),
        ("select $$ :2 -- $$, :1 -- it's", "select $$ :2 -- $$, ?1 -- it's", "select $$ :2 -- $$, %(p1)s -- it's"),
        ("select '--', :1 -- '", "select '--', ?1 -- '", "select '--', %(p1)s -- '"),
    ],
)  # fmt: skip
def test_parameters_become_those_of_the_database(text: str, sqlite: str, postgres: str) -> None:
    statement = parse_statement(text)
    assert (statement.for_sqlite(), statement.for_postgres()) == (sqlite, postgres)


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("update a set b = :1", 1, None),
        ("update a set b = :2", 1, "has the parameter :2, and there are 1 arguments"),
        ("update a set b = %s, c = %s", 1, "has the parameter :2"),
        ("update a set b = :1", 2, "argument 2 is not used"),
        ("update a set b = ':1'", 1, "':1' is a text and no parameter; leave the quotes out"),
        ("update a set b = '%s'", 1, "'%s' is a text and no parameter"),
        ("delete from a; drop table b", 0, "there is another one after ';'"),
        ("delete from a; -- that is all", 0, None),
        ("update a set b = 'it", 0, "a quote that is not closed: 'it"),
        (" -- nothing", 0, "the SQL command is empty"),
        ("commit", 0, "does not begin or end one"),
        ("/* now */ -- and here\n commit", 0, "does not begin or end one"),
        ("BEGIN", 0, "does not begin or end one"),
        ("insert into t(a) values (:name)", 0, "':name' is no parameter here; write :1, :2, …"),
        ("insert into t(a) values (?1)", 0, "'?1' is no parameter here"),
        ("update t set a = ? where b = :1", 1, "'?' is no parameter here"),
        ("delete from t where a = $1", 0, "'$1' is no parameter here"),
        ("insert into t values (:1, @b)", 1, "'@b' is no parameter here"),
        ("select ':name', '?', \":a\" /* ?1 */ -- $1 @b", 0, None),
        ("select a::text, b[1:n], b[:n], d ? 'k', d ?| array['k'], d @? '$.a', $x$ :b $x$, n$1 from t", 0, None),
        ("select * from t where d @> :1 and c <@b and v @@to_tsquery('a') and d ? :2", 2, None),
    ],
)
def test_wrong_commands_are_found_before_a_run(text: str, arguments: int, expected: str | None) -> None:
    found = statement_problems(text, [None] * arguments)
    assert expected in found[0] if expected else not found


def test_only_parameters_count() -> None:
    text = "select :1::int, 'at :2', \":3\", $$:4$$ -- :5\n /* :6 */ where a = :7 and b like '%d%' and c[1:8] is null"
    assert [part for part in parse_statement(text).parts if isinstance(part, int)] == [1, 7]
