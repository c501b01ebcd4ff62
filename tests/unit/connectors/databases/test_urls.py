"""Which database a URL names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import cera
from cera.cli.main import main
from cera.connectors.databases.capture import capture
from cera.connectors.databases.urls import Postgres, Sqlite, database, without_password
from cera.errors import UsageError


def test_sqlite_paths_are_taken_from_here_or_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a b.db"
    file.touch()
    monkeypatch.chdir(tmp_path)
    for url in ("sqlite:a b.db", "sqlite:///a b.db", "sqlite:///a%20b.db", "SQLITE:a b.db"):
        assert database(url) == Sqlite(Path("a b.db"))
    for url in (f"sqlite:{file}", f"sqlite://{file}", f"sqlite:///{file}"):
        found = database(url)
        assert isinstance(found, Sqlite)
        assert found.path.samefile(file)


def test_a_password_is_not_shown() -> None:
    assert str(database("postgresql://me:top:secret@host/db?x=1")) == "postgresql://me:***@host/db?x=1"
    assert str(Postgres("postgres://host/db?user=me&password=secret&a=b")) == (
        "postgres://host/db?user=me&password=***&a=b"
    )


def test_without_its_driver_postgresql_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"pip install 'cera\[postgres\]'"):
        capture("postgresql://me@localhost/x", ["ACC"])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://host/db", "'mysql:…' names no database that cera knows; known are sqlite:PATH"),
        ("postgresq://host", "did you mean 'postgresql'?"),
        ("bank.db", "names no database that cera knows; known are"),
        ("oracle://me:secret@host", "'oracle:…' names no database"),
        ("postgresql:bank", "write postgresql://USER@HOST/DATABASE"),
        ("sqlite://host/x.db", "names a host"),
        ("sqlite::memory:", "names no file"),
        ("sqlite:", "names no file"),
        ("sqlite:bonk.db", "the database bonk.db is not there; did you mean 'bank.db'?"),
        ("sqlite:folder", "the database folder is no file"),
    ],
)
def test_what_names_no_database_is_told(
    url: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank.db").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError) as caught:
        database(url)
    assert expected in str(caught.value)


#: URLs with a slip, each with a password.
SLIPS = [
    "postgresql://boss:S3cretPW%zz@127.0.0.1:1/b",
    "postgresql://boss:S3cretPW%@127.0.0.1:1/b",
    "postgresql://boss:x@S3cretPW@127.0.0.1:1/b",
    "postgresql://boss:x/S3cretPW@127.0.0.1:1/b",
    "postgresql://boss:x?S3cretPW@127.0.0.1:1/b",
    "postgresql://boss:S3cretPW",
    "postgresql://boss:S3cretPW/b",
    "postgresql://127.0.0.1:S3cretPW/b",
    "postgresql://127.0.0.1:1:S3cretPW/b",
    "postgresql:/boss:S3cretPW@127.0.0.1/b",
    "postgresql:boss:S3cretPW@127.0.0.1/b",
    "POSTGRESQL://boss:S3cretPW@127.0.0.1:1/b",
    "postgresq://boss:S3cretPW@127.0.0.1/b",
    "mysql://boss:S3cretPW@127.0.0.1/b",
    "boss:S3cretPW@127.0.0.1/b",
    "//boss:S3cretPW@127.0.0.1/b",
    "sqlite://boss:S3cretPW@127.0.0.1",
    "sqlite:boss:S3cretPW@127.0.0.1",
    "sqlite:///boss:S3cretPW@127.0.0.1/b",
    "sqlite:boss:S3cretPW@127.0.0.1/:memory:",
    "postgresql://127.0.0.1:1/b?user=boss&PASSWORD=S3cretPW",
    "postgresql://127.0.0.1:1/b?user=boss&pass%77ord=S3cretPW",
    "postgresql://127.0.0.1:1/b?user=boss&password=S3cretPW",
    "postgresql://127.0.0.1:1/b?user=boss&sslpassword=S3cretPW",
    "postgresql://127.0.0.1:1/b?user=boss&password:S3cretPW",
    "postgresql://boss:S3cretPW@127.0.0.1:1/b",
]


@pytest.mark.parametrize("url", SLIPS)
def test_no_message_has_the_password_of_a_url_whatever_is_wrong_with_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.xceq").write_text("DETECT a{} ON change{{}} END\n")
    run = CliRunner().invoke
    for arguments in (
        ("capture", "--db", url, "--tables", "ACC"),
        ("capture", "--db", url, "--upgrade"),
        ("run", "r.xceq", "--events", f"db:{url}", "--engine", "local"),
    ):
        result = run(main, arguments)
        assert result.exit_code != 0
        assert "cret" not in result.output, result.output
    if url.lower().startswith("postgresql:"):
        assert "cret" not in without_password(f"db:{url}")


@pytest.mark.parametrize("url", SLIPS)
def test_a_url_in_the_place_of_a_path_is_not_shown(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.xceq").write_text("DETECT a{} ON change{{}} END\n")
    (tmp_path / "events.jsonl").touch()
    (tmp_path / "settings.toml").write_text(f'events = "{url}"\n')
    for arguments in (
        ("run", "r.xceq", "--events", url),
        ("run", "r.xceq", "--config", "settings.toml"),
        ("run", "r.xceq", "--events", "events.jsonl", "--out", f"{url}/x.jsonl"),
        ("run", url, "--events", "events.jsonl"),
        ("check", f"{url}/x.xceq"),
        ("run", "r.xceq", "--events", "events.jsonl", "--calendars", url),
        ("run", "r.xceq", "--events", "events.jsonl", "--config", url),
        ("compare", f"{url}/x.cet", f"{url}/y.cet"),
        ("schema", "--events", url),
        ("stream", "r.xceq", "--source", url, "--sink", "-", "--checkpoint", "here"),
    ):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code in (1, 2), result.output
        assert "cret" not in result.output, result.output
    with pytest.raises(UsageError) as caught:
        cera.load("DETECT a{} ON change{{}} END").run(url)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://boss:S3cretPW@h/b", "'postgresql:…' is a URL, no file or folder; write db:postgresql://…"),
        ("sqlite:bank.db", "write db:sqlite:PATH"),
        ("mysql://h/b", "'mysql:…' is a URL, no file or folder; the databases that can be read are written db:"),
        ("https://h/b.jsonl", "'https:…' is a URL, no file or folder; download it first"),
        ("logs:x.jsonl", "there is no file or folder logs:…"),
        ("day/10:30.jsonl", "there is no file or folder day/10:30.jsonl"),
    ],
)
def test_who_forgets_db_before_a_url_is_told(url: str, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        cera.load("DETECT a{} ON change{{}} END").run(url)
    assert expected in str(caught.value)
