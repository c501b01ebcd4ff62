"""The runner of actions of detected events: each runs once; a failing one is retried after pauses, then left out."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Literal, Self, assert_never

from cera.connectors.actions.action import ActionError, Call, Key, PlannedAction, Sql, System, Write
from cera.connectors.actions.commands import call, words_of
from cera.connectors.actions.failure import Failure, RetryPolicy, restored, stored
from cera.connectors.actions.ledger import Entry, Ledger, append
from cera.connectors.actions.permissions import Permissions, check, file_problems
from cera.connectors.actions.sql import SqlTarget
from cera.connectors.actions.texts.printf import FormatError, parse_format
from cera.errors import EngineError, UsageError
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting, in_python

#: `repeated`: done in an earlier run; `failed before`: had failed finally in an earlier run, and is not tried again.
Outcome = Literal["done", "repeated", "failed", "failed before"]


class ActionRunner:
    """A runner of actions that were planned and checked before.

    SQL commands are done exactly once: the database that they change records them. Texts in files too: the ledger knows
    where they begin. Texts on standard output and calls of programs are recorded right after they are done; a run that
    is killed in between does them again, and a program can detect this by CERA_ACTION, which is then the same.

    An action that fails because a database or a program does not work at the moment is tried again after pauses. If it
    still fails, the next actions for the same database or program are tried once each, until one works again: otherwise
    every event of a long stream would wait for it.
    """

    def __init__(
        self,
        planned: Iterable[PlannedAction],
        permissions: Permissions,
        *,
        ledger: Path | None = None,
        failures: Path | None = None,
        output: BinaryIO | None = None,
        on_failure: Callable[[Failure], object] = lambda failure: None,
        words: Callable[[str], str] = in_python,
        retrying: RetryPolicy | None = None,
        times: TimeFormat | None = None,
        seconds: float = 60.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Raises UsageError where an action is wrong or not allowed, UnreachableError where its database is away.

        `ledger`: the file of the actions that are done, None if nothing outlives this run; `failures`: the file of JSON
        lines for actions that failed; `on_failure` is called with each of them, too; `words` names the settings that a
        reason mentions; `seconds`: how long a program may run.
        """
        actions = list(planned)
        check(actions, permissions)
        for path in (ledger, failures):
            if path is not None and (found := file_problems(path)):
                raise UsageError(found[0])
        self._planned = {(one.rule, one.mark): one for one in actions}
        self._sql = None
        if permissions.sql is not None and any(isinstance(one.action, Sql) for one in actions):
            self._sql = SqlTarget(permissions.sql)
            self._sql.prepare()
        self._permissions = permissions
        self._ledger = Ledger(ledger)
        self._failures = failures
        self._output = output
        self._on_failure = on_failure
        self._words = words
        self._retrying = retrying or RetryPolicy()
        self._times = times or TimeFormat()
        self._seconds = seconds
        self._sleep = sleep
        self._not_working: set[str] = set()
        self._failed_now: set[Key] = set()
        self.outcomes: Counter[Outcome] = Counter()

    @property
    def waiting(self) -> int:
        """The number of actions of earlier runs that have failed."""
        return sum(1 for _ in self._ledger.failed())

    def retry_failed(self) -> int:
        """Retries the actions that failed in earlier runs; returns how many remain because the program no longer has
        them.
        """
        left = 0
        for key, call_ in self._ledger.failed():
            planned = self._planned.get(key[1:])
            if planned is None:
                left += 1
            else:
                self.outcomes[self._try(restored(planned, call_))] += 1
        return left

    def run(self, wanted: Call) -> Outcome:
        """Does the action of a call, unless it is done. Raises only if the ledger cannot be written."""
        key = wanted.key
        if key in self._failed_now:
            return "failed"
        entry = self._ledger.entry(key)
        if entry is None or entry.state == "started":
            outcome = self._try(wanted)
        else:
            outcome = "repeated" if entry.state == "done" else "failed before"
        self.outcomes[outcome] += 1
        return outcome

    def _try(self, wanted: Call) -> Outcome:
        target, began, attempt = _target(wanted), time.monotonic(), 0
        while True:
            attempt += 1
            try:
                done = self._do(wanted)
            except FormatError as error:
                return self._failed(Failure(wanted, self._words(str(error)), attempt))
            except ActionError as error:
                pause = self._retrying.pause_after(attempt) if error.passing else None
                if pause is None or target in self._not_working or self._is_late(began, pause):
                    if error.passing:
                        self._not_working.add(target)
                    return self._failed(Failure(wanted, self._words(str(error)), attempt))
                self._sleep(pause)
            else:
                self._not_working.discard(target)
                self._ledger.note(wanted.key, Entry("done"))
                return "done" if done else "repeated"

    def _is_late(self, began: float, pause: float) -> bool:
        return time.monotonic() + pause - began > self._retrying.whole

    def _do(self, wanted: Call) -> bool:
        """Does the action; returns False if its database says that it was done before."""
        match wanted.action:
            case Write(format, file):
                text = parse_format(format).apply(wanted.arguments)
                if file is None:
                    self._write(text.encode("utf-8", "backslashreplace"))
                else:
                    append(self._place(file), text, wanted.key, self._ledger)
            case Sql(statement):
                if self._sql is None:
                    raise UsageError(f"the rule {wanted.rule} runs SQL, which was not planned")
                return self._sql.execute(wanted.key, statement, wanted.arguments)
            case System(command):
                if not self._permissions.exec:
                    raise UsageError(f"the rule {wanted.rule} calls a program, which was not planned")
                words = words_of(command, wanted.arguments)
                self._write(call(words, self._seconds, {"CERA_ACTION": " ".join(map(str, wanted.key))}))
            case other:
                assert_never(other)
        return True

    def _place(self, file: str) -> Path:
        """Returns the real path of a file, checked again: a link may have been put in its way since it was allowed."""
        place = self._permissions.place(file)
        if place is None:
            reason = f"{file} cannot be written: it is not below a folder of {Setting.ALLOW_WRITE}"
            raise ActionError(reason, passing=False)
        return place

    def _write(self, data: bytes) -> None:
        sys.stdout.flush()
        stream = self._output or getattr(sys.stdout, "buffer", None)
        if stream is None:  # a notebook shows only text
            sys.stdout.write(data.decode("utf-8", "replace"))
            return
        stream.write(data)
        stream.flush()

    def _failed(self, failure: Failure) -> Outcome:
        if self._failures is not None:
            line = json.dumps(failure.line(self._times), ensure_ascii=False)
            try:
                with self._failures.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(f"{line}\n")
            except OSError as error:
                raise EngineError(
                    f"an action failed ({failure.reason}), and that cannot be recorded in {self._failures}: "
                    f"{error.strerror or error}"
                ) from error
        key = failure.call.key
        self._ledger.note(key, Entry("failed", call=stored(failure.call)))
        self._failed_now.add(key)
        self._on_failure(failure)
        return "failed"

    def close(self) -> None:
        self._ledger.close()
        if self._sql is not None:
            self._sql.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _target(wanted: Call) -> str:
    """Returns the name of what an action depends on: a database, a file or a program."""
    match wanted.action:
        case Write(file=file):
            return f"file {file}"
        case Sql():
            return "sql"
        case System(command):
            return f"program {command}"
        case other:
            assert_never(other)
