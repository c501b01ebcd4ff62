"""Actions of rules on the command line: what is allowed, what is done, what has failed."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar, assert_never, cast

import click

from cera.actions import action as calls
from cera.actions.permissions import Permissions, check
from cera.actions.runner import ActionRunner, Failure
from cera.cli import report
from cera.engines.stagewise.arrivals import Recognizer
from cera.languages.epl.arguments import action_argument, kind_of
from cera.languages.epl.syntax import Action, Sql, System, Write
from cera.languages.modules import RuleAction
from cera.model.evaluation import Evaluator
from cera.model.events import DerivedEvent
from cera.model.time_text import TimeFormat
from cera.pipeline import Program

R = TypeVar("R")


@dataclass(frozen=True)
class ActionOptions:
    """What the command line says about actions."""

    permissions: Permissions
    ledger: Path | None
    failures: Path | None


def action_options(command: Callable[..., R]) -> Callable[..., R]:
    """--allow-sql and so on; the command gets `actions`."""

    @click.option(
        "--allow-sql", metavar="URL", help="Where SQL commands of rules run; without it such rules are refused."
    )
    @click.option("--allow-exec", is_flag=True, help="Lets rules call programs; without it such rules are refused.")
    @click.option(
        "--actions-ledger",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="A file of what is done, so that the next run with it does nothing again.",
    )
    @click.option(
        "--actions-failed",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="Where actions that fail again and again go, as JSON lines with their events.",
    )
    @functools.wraps(command)
    def with_actions(
        allow_sql: str | None,
        allow_exec: bool,
        actions_ledger: Path | None,
        actions_failed: Path | None,
        **others: Any,
    ) -> R:
        permissions = Permissions(allow_sql, allow_exec)
        return command(actions=ActionOptions(permissions, actions_ledger, actions_failed), **others)

    return with_actions


class _StandardOutput(io.BufferedIOBase):
    """Standard output, as long as a command runs, which knows whether a line has been begun."""

    in_line = False

    def write(self, data: Any) -> int:
        if data:
            self.in_line = not bytes(data).endswith(b"\n")
        return sys.stdout.buffer.write(data)

    def flush(self) -> None:
        sys.stdout.buffer.flush()


class Performer:
    """Does what the rules of a program want done for the events that they detect.

    Made before anything is read: it refuses what is wrong or not allowed.
    """

    def __init__(self, program: Program, options: ActionOptions, times: TimeFormat) -> None:
        self._by_rule: dict[str, tuple[RuleAction, Recognizer]] = {}
        self._evaluator = Evaluator((), program.timezone)
        self._output = _StandardOutput()
        for each in program.modules.found:
            recognizer = Recognizer(each.module)
            self._by_rule |= {one.rule: (one, recognizer) for one in each.actions}
        planned = [planned_action(one) for one, _ in self._by_rule.values()]
        self._runner = ActionRunner(
            planned,
            options.permissions,
            ledger=options.ledger,
            failures=options.failures,
            output=cast(BinaryIO, self._output),
            tell=_tell,
            times=times,
        )

    @property
    def rules(self) -> frozenset[str]:
        """The rules that want something done."""
        return frozenset(self._by_rule)

    def perform(self, derived: Iterable[DerivedEvent]) -> None:
        """The actions of some events, in their order."""
        for one in derived if self._by_rule else ():
            for rule in dict.fromkeys(derivation.rule for derivation in one.derivations):
                if rule in self._by_rule:
                    self._runner.run(self._call(rule, one))

    def perform_all(self, derived: Iterable[DerivedEvent]) -> None:
        """The same for a batch of events, after which something else may be written."""
        self.perform(derived)
        self.end_line()

    def _call(self, rule: str, derived: DerivedEvent) -> calls.Call:
        """Of several ways in which the rule derived the event, the first gives the values."""
        wanted, recognizer = self._by_rule[rule]
        derivation = next(each for each in derived.derivations if each.rule == rule)
        bound = {name: recognizer.attributes(event) for name, event in derivation.causes.items()}
        values = [action_argument(each, bound, self._evaluator) for each in wanted.action.arguments]
        return calls.Call(rule, derived.event, runnable(wanted.action), tuple(values))

    def end_line(self) -> None:
        """Events are written next, on standard output perhaps: a text that does not end with its line does now."""
        if self._output.in_line:
            self._output.write(b"\n")
            self._output.flush()

    def show_summary(self) -> None:
        outcomes = self._runner.outcomes
        parts = [f"{report.count(outcomes['done'], 'action')} done"] if self._by_rule else []
        parts += [f"{outcomes['repeated']:,} done before"] if outcomes["repeated"] else []
        parts += [f"{outcomes['failed']:,} failed"] if outcomes["failed"] else []
        if parts:
            report.say("; ".join(parts))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()


def check_actions(program: Program, permissions: Permissions) -> None:
    """Raises UsageError with all actions of a program that are wrong or not allowed."""
    check([planned_action(one) for each in program.modules.found for one in each.actions], permissions)


def planned_action(one: RuleAction) -> calls.Planned:
    kinds = tuple(map(kind_of, one.action.arguments))
    return calls.Planned(one.rule, str(one.span or one.rule), runnable(one.action), kinds)


def runnable(action: Action) -> calls.Action:
    match action:
        case Write():
            return calls.Write(action.format, action.file)
        case Sql():
            return calls.Sql(action.command)
        case System():
            return calls.System(action.command)
        case other:
            assert_never(other)


def _tell(failure: Failure) -> None:
    call = failure.call
    report.warn(f"the {call.action} of the rule {call.rule} failed for the event {call.event.id}: {failure.reason}")
