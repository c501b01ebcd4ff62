"""`cera capture`: from now on a database records the changes of some tables, or no longer."""

from __future__ import annotations

import click

from cera.cli import report
from cera.connectors.databases import capture as capturing
from cera.connectors.databases.reading import problems
from cera.errors import UsageError


@click.command("capture", short_help="Record the changes of a database's tables.")
@click.option(
    "--db",
    "url",
    metavar="URL",
    required=True,
    help="The database: sqlite:PATH, sqlite:///PATH or postgresql://USER@HOST/DATABASE.",
)
@click.option(
    "--tables",
    metavar="NAME,...",
    multiple=True,
    help="The tables: ACC,ORDERS or public.acc; names with commas or points stand in quotes, '\"my table\"'.",
)
@click.option("--drop", is_flag=True, help="Remove the triggers; without --tables all, and the change table too.")
@click.option("--upgrade", is_flag=True, help="Make anew what an earlier version has made; without --tables for all.")
def capture(url: str, tables: tuple[str, ...], drop: bool, upgrade: bool) -> None:
    """Makes a table cera_changes and triggers that write the changes of the tables into it.

    A change is recorded with its operation, the old and the new row, the time of the commit and the transaction. Done
    again, nothing changes; tables that were altered in SQLite get new triggers.

    \b
    Examples:
      cera capture --db sqlite:bank.db --tables ACC,ORDERS
      cera capture --db postgresql://me@localhost/bank --tables public.acc
      cera capture --db sqlite:bank.db --drop
      cera capture --db postgresql://me@localhost/bank --upgrade
    """
    if drop and upgrade:
        raise UsageError("--drop and --upgrade exclude each other")
    action = capturing.drop if drop else capturing.upgrade if upgrade else capturing.capture
    done = action(url, tables)
    for line in done or ["nothing was captured there"]:
        click.echo(report.printable(line))
    for problem in [] if drop and not tables else problems(url):
        report.warn(f"{problem.place}: {problem.reason}")
