"""From detections to actions: the actions of a program's rules for the events that they derive.

Engines return detections and do nothing themselves. The command line, and `perform` in Python, run the actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cera.connectors.actions import action as acting
from cera.connectors.actions.arguments import action_argument, kind_of
from cera.connectors.actions.failure import Failure
from cera.connectors.actions.permissions import Permissions
from cera.connectors.actions.runner import ActionRunner
from cera.errors import UsageError
from cera.languages.protocol.results import RuleAction
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import DerivedEvent
from cera.modules.answers.answer import Answer
from cera.modules.arrivals import Recognizer
from cera.program import Program


@dataclass(frozen=True)
class Performed:
    """The number of actions that were done now or before, and the failures.

    `failed_before`: the number that failed in earlier calls, and were not tried now.
    """

    done: int
    repeated: int
    failed: tuple[Failure, ...]
    failed_before: int = 0


def perform(
    program: Program,
    derived: Answer | Iterable[DerivedEvent],
    *,
    allow_sql: str | None = None,
    allow_exec: bool = False,
    allow_write: str | Path | Iterable[str | Path] = (),
    ledger: str | Path | None = None,
    retry_failed: bool = False,
) -> Performed:
    """Runs the actions of a program's rules for events that they derived, in the order in which these are given.

    Raises, before anything is done, ProgramError for a program with errors and UsageError where an action cannot run or
    is not allowed. `allow_sql` is the URL of the database for SQL commands, `allow_write` the folders below which files
    are written. With a `ledger`, the path of a file, actions that are done are not done again by a later call; those
    that failed are tried again by one with `retry_failed`.
    """
    if retry_failed and ledger is None:
        raise UsageError("what has failed is known from a ledger; give the path of one")
    program.checked()
    folders = [allow_write] if isinstance(allow_write, str | Path) else list(allow_write)
    failed: list[Failure] = []
    wanted = WantedActions(program)
    events = derived.derived if isinstance(derived, Answer) else derived
    with ActionRunner(
        wanted.planned,
        Permissions(allow_sql, allow_exec, tuple(map(Path, folders))),
        ledger=None if ledger is None else Path(ledger),
        on_failure=failed.append,
    ) as runner:
        if retry_failed:
            runner.retry_failed()
        for call in wanted.calls(events):
            runner.run(call)
    outcomes = runner.outcomes
    return Performed(outcomes["done"], outcomes["repeated"], tuple(failed), outcomes["failed before"])


class WantedActions:
    """The actions of a program's rules, and their calls for detections."""

    def __init__(self, program: Program) -> None:
        self._by_rule: dict[str, tuple[RuleAction, Recognizer]] = {}
        self._evaluator = Evaluator((), program.timezone)
        for each in program.modules.found:
            recognizer = Recognizer(each.module)
            self._by_rule |= {one.rule: (one, recognizer) for one in each.actions}
        self.planned = tuple(_planned(one) for one, _ in self._by_rule.values())
        self._plan = {one.rule: one for one in self.planned}

    @property
    def rules(self) -> frozenset[str]:
        """The rules that have actions."""
        return frozenset(self._by_rule)

    def calls(self, derived: Iterable[DerivedEvent]) -> Iterator[acting.Call]:
        """Yields the calls of actions for some events, in their order; each rule once for an event."""
        for one in derived if self._by_rule else ():
            for rule in dict.fromkeys(derivation.rule for derivation in one.derivations):
                if rule in self._by_rule:
                    yield self._call(rule, one)

    def _call(self, rule: str, derived: DerivedEvent) -> acting.Call:
        """Returns the call; if the rule derived the event in several ways, the first gives the values."""
        wanted, recognizer = self._by_rule[rule]
        plan = self._plan[rule]
        derivation = next(each for each in derived.derivations if each.rule == rule)
        bound = {name: recognizer.attributes(event) for name, event in derivation.causes.items()}
        values = [action_argument(each, bound, self._evaluator) for each in wanted.arguments]
        return acting.Call(rule, derived.event, plan.action, tuple(values), plan.spelled)


def _planned(one: RuleAction) -> acting.PlannedAction:
    kinds = tuple(map(kind_of, one.arguments))
    return acting.PlannedAction(one.rule, str(one.span or one.rule), one.action, kinds, one.spelled)
