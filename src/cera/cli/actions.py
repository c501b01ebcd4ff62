"""Actions of rules on the command line: what is allowed, what is done, what has failed."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar, cast

import click

from cera.cli import report
from cera.cli.output_paths import SideFile
from cera.connectors.actions.failure import Failure
from cera.connectors.actions.permissions import Permissions, check
from cera.connectors.actions.runner import ActionRunner
from cera.connectors.line_writer import standard_output
from cera.errors import FailedActionsError, UsageError
from cera.model.events.event import DerivedEvent
from cera.model.time.time_text import TimeFormat
from cera.performing import WantedActions
from cera.program import Program
from cera.wording import on_command_line

R = TypeVar("R")

#: Where failed actions go if neither a file for them nor a ledger is named.
FAILED = Path("failed-actions.jsonl")


@dataclass(frozen=True)
class ActionOptions:
    """The options of the command line about actions."""

    permissions: Permissions
    ledger: Path | None
    failures: Path | None
    retry_failed: bool = False

    @property
    def failed(self) -> Path:
        """The file for failed actions; if none is named, one beside the ledger."""
        return self.failures or (FAILED if self.ledger is None else self.ledger.with_suffix(".failed.jsonl"))


def action_options(command: Callable[..., R]) -> Callable[..., R]:
    """Decorates a command with --allow-sql and so on; it gets them as `actions`."""

    @click.option(
        "--allow-sql", metavar="URL", help="Where SQL commands of rules run; without it such rules are refused."
    )
    @click.option(
        "--allow-write",
        metavar="DIR",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A folder below which rules write into files; without it such rules are refused. Repeatable.",
    )
    @click.option("--allow-exec", is_flag=True, help="Lets rules call programs; without it such rules are refused.")
    @click.option(
        "--actions-ledger",
        metavar="PATH",
        type=SideFile(),
        help="A file of what is done, so that the next run with it does nothing again.",
    )
    @click.option(
        "--actions-failed",
        metavar="PATH",
        type=SideFile(),
        help="Where actions that fail go, as JSON lines with their events; if not given, a file beside the ledger "
        f"with the ending .failed.jsonl, or {FAILED}.",
    )
    @click.option("--retry-failed", is_flag=True, help="First try again what the ledger knows to have failed.")
    @functools.wraps(command)
    def with_actions(
        allow_sql: str | None,
        allow_exec: bool,
        allow_write: tuple[Path, ...],
        actions_ledger: Path | None,
        actions_failed: Path | None,
        retry_failed: bool,
        **others: Any,
    ) -> R:
        permissions = Permissions(allow_sql, allow_exec, allow_write)
        options = ActionOptions(permissions, actions_ledger, actions_failed, retry_failed)
        return command(actions=options, **others)

    return with_actions


class _StandardOutput(io.BufferedIOBase):
    """A stream on standard output that remembers whether the last line has ended.

    If nothing more can be written there, the command ends, as it does without actions.
    """

    in_line = False

    def write(self, data: Any) -> int:
        if data:
            self.in_line = not bytes(data).endswith(b"\n")
        with standard_output():
            return sys.stdout.buffer.write(data)

    def flush(self) -> None:
        with standard_output():
            sys.stdout.buffer.flush()


class Performer:
    """A performer of the actions that the rules of a program want for the events that they detect.

    It is made before anything is read, and refuses actions that are wrong or not allowed.
    """

    def __init__(self, program: Program, options: ActionOptions, times: TimeFormat) -> None:
        self._wanted = WantedActions(program)
        self._output = _StandardOutput()
        self._options = options
        if options.retry_failed and options.ledger is None:
            raise UsageError("--retry-failed: what has failed is known from a ledger; name it with --actions-ledger")
        self._runner = ActionRunner(
            self._wanted.planned,
            options.permissions,
            ledger=options.ledger,
            failures=options.failed if self._wanted.planned else None,
            output=cast(BinaryIO, self._output),
            on_failure=_report_failure,
            words=on_command_line,
            times=times,
        )
        self._look_at_failed()

    def _look_at_failed(self) -> None:
        """Tries again the actions that failed in earlier runs, or warns that there are some."""
        if not self._options.retry_failed:
            if waiting := self._runner.waiting:
                report.warn(
                    f"{report.count(waiting, 'action')} failed in earlier runs; --retry-failed tries them again"
                )
            return
        if left := self._runner.retry_failed():
            rules = "of rules whose action has changed or is gone"
            report.warn(f"{report.count(left, 'action')} that failed cannot be tried again: {rules}")
        self.end_line()

    @property
    def rules(self) -> frozenset[str]:
        """The names of the rules that have actions."""
        return self._wanted.rules

    def perform(self, derived: Iterable[DerivedEvent]) -> None:
        """Performs the actions of some events, in their order."""
        for call in self._wanted.calls(derived):
            self._runner.run(call)

    def perform_all(self, derived: Iterable[DerivedEvent]) -> None:
        """Performs the actions of a batch of events, and ends the line that they may have begun."""
        self.perform(derived)
        self.end_line()

    def end_line(self) -> None:
        """Ends a line that an action has begun on standard output: events may be written there next."""
        if self._output.in_line:
            self._output.write(b"\n")
            self._output.flush()

    def finish(self) -> None:
        """Reports how many actions were done; raises FailedActionsError if any failed, when all others are done."""
        outcomes = self._runner.outcomes
        parts = [f"{report.count(outcomes['done'], 'action')} done"] if self.rules else []
        parts += [f"{outcomes['repeated']:,} done before"] if outcomes["repeated"] else []
        parts += [f"{outcomes['failed']:,} failed"] if outcomes["failed"] else []
        parts += [f"{outcomes['failed before']:,} failed before"] if outcomes["failed before"] else []
        if parts:
            report.say("; ".join(parts))
        if failed := outcomes["failed"]:
            again = "" if self._options.ledger is None else "; --retry-failed tries them again"
            raise FailedActionsError(
                f"{report.count(failed, 'action')} failed, with the events in {self._options.failed}{again}"
            )
        if before := outcomes["failed before"]:
            raise FailedActionsError(f"{report.count(before, 'action')} failed in earlier runs, and were not tried now")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()


def check_actions(program: Program, permissions: Permissions) -> None:
    """Raises UsageError if actions of a program are wrong or not allowed; it names all of them."""
    check(WantedActions(program).planned, permissions)


def _report_failure(failure: Failure) -> None:
    call = failure.call
    report.warn(f"the {call.action} of the rule {call.rule} failed for the event {call.event.id}: {failure.reason}")
