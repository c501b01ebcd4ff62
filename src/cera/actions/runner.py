"""Running the actions of detected events: each once, failing ones again after a pause, and then on with the run."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, assert_never

from cera.actions.action import ActionError, Call, Planned, Sql, System, Write
from cera.actions.appending import append
from cera.actions.commands import call, words_of
from cera.actions.ledger import Entry, Ledger
from cera.actions.permissions import Permissions, check, file_problems
from cera.actions.sql import SqlTarget
from cera.connectors.sinks import base_line
from cera.errors import UsageError
from cera.model.printf import FormatError, parse_format
from cera.model.time_text import TimeFormat

#: `repeated`: it was done, or had failed for good, before.
Outcome = Literal["done", "repeated", "failed"]


@dataclass(frozen=True)
class Retrying:
    """How often an action is tried, and the pauses between, in seconds: each `factor` times the one before."""

    attempts: int = 4
    pause: float = 0.5
    factor: float = 4.0
    longest: float = 10.0

    def pauses(self) -> list[float]:
        return [min(self.pause * self.factor**i, self.longest) for i in range(self.attempts - 1)]


@dataclass(frozen=True)
class Failure:
    """An action that could not be done."""

    call: Call
    reason: str
    attempts: int

    def line(self, times: TimeFormat) -> dict[str, Any]:
        """What is kept of it: the event with everything, so that it can be done by hand."""
        arguments = [str(v) if not isinstance(v, str | int | float | None) else v for v in self.call.arguments]
        return {
            "rule": self.call.rule,
            "action": str(self.call.action),
            "arguments": arguments,
            "reason": self.reason,
            "attempts": self.attempts,
            "event": base_line(self.call.event, times),
        }


class ActionRunner:
    """Runs actions that were planned and checked before.

    SQL commands are done exactly once: the database they change notes them. Texts in files too: the ledger knows where
    they begin. Texts on standard output and calls of programs are noted right after they are done; a run that is killed
    just between does them again, and a program can tell by CERA_ACTION, which is then the same.
    """

    def __init__(
        self,
        planned: Iterable[Planned],
        permissions: Permissions,
        *,
        ledger: Path | None = None,
        failures: Path | None = None,
        output: BinaryIO | None = None,
        tell: Callable[[Failure], object] = lambda failure: None,
        retrying: Retrying | None = None,
        times: TimeFormat | None = None,
        seconds: float = 60.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Raises UsageError where an action is wrong or not allowed, UnreachableError where its database is away.

        `ledger`: the file of what is done, None if nothing outlives this run; `failures`: the file of JSON lines for
        what could not be done; `tell` is called with it, too; `seconds`: how long a program may run.
        """
        actions = list(planned)
        check(actions, permissions)
        for path in (ledger, failures):
            if path is not None and (found := file_problems(path)):
                raise UsageError(found[0])
        self._sql = None
        if permissions.sql is not None and any(isinstance(one.action, Sql) for one in actions):
            self._sql = SqlTarget(permissions.sql)
            self._sql.prepare()
        self._permissions = permissions
        self._ledger = Ledger(ledger)
        self._failures = failures
        self._output = output
        self._tell = tell
        self._retrying = retrying or Retrying()
        self._times = times or TimeFormat()
        self._seconds = seconds
        self._sleep = sleep
        self.outcomes: Counter[Outcome] = Counter()

    def run(self, wanted: Call) -> Outcome:
        """Does what an event asks for, unless it is done. Raises only where the ledger itself cannot be kept."""
        outcome = self._outcome(wanted)
        self.outcomes[outcome] += 1
        return outcome

    def _outcome(self, wanted: Call) -> Outcome:
        entry = self._ledger.entry(wanted.key)
        if entry is not None and entry.state != "started":
            return "repeated"
        pauses = self._retrying.pauses()
        for attempt in range(1, self._retrying.attempts + 1):
            try:
                done = self._do(wanted)
            except FormatError as error:
                return self._failed(Failure(wanted, str(error), attempt))
            except ActionError as error:
                if attempt == self._retrying.attempts:  # no pause after the last one
                    return self._failed(Failure(wanted, str(error), attempt))
                self._sleep(pauses[attempt - 1])
            else:
                self._ledger.note(wanted.key, Entry("done"))
                return "done" if done else "repeated"
        raise AssertionError("the last attempt returns")

    def _do(self, wanted: Call) -> bool:
        """Whether it was done now; False if its database says that it was done before."""
        match wanted.action:
            case Write(format, file):
                text = parse_format(format).apply(wanted.arguments)
                if file is None:
                    self._write(text.encode("utf-8", "backslashreplace"))
                else:
                    append(Path(file), text, wanted.key, self._ledger)
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

    def _write(self, data: bytes) -> None:
        sys.stdout.flush()
        stream = self._output or sys.stdout.buffer
        stream.write(data)
        stream.flush()

    def _failed(self, failure: Failure) -> Outcome:
        if self._failures is not None:
            line = json.dumps(failure.line(self._times), ensure_ascii=False)
            with self._failures.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{line}\n")
        self._ledger.note(failure.call.key, Entry("failed"))
        self._tell(failure)
        return "failed"

    def close(self) -> None:
        self._ledger.close()
        if self._sql is not None:
            self._sql.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
