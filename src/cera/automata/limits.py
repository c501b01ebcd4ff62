"""The limit on the runs of one instance: choices and orders of events multiply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cera.errors import MatchLimitError
from cera.model.events.occurrence import unwrap
from cera.model.message_text import count
from cera.wording import Setting

if TYPE_CHECKING:
    from cera.automata.explanations import Name
    from cera.automata.module import AutomatonModule


def too_many_runs(module: AutomatonModule, name: Name, limit: int, events: tuple[str, ...] = ()) -> MatchLimitError:
    """Returns the error for an instance with more runs than the limit."""
    instance = ", ".join(f"{attribute} {unwrap(value)}" for attribute, value in name)
    among = f"; {', '.join(events)} end at one time, and every order of them counts" if events else ""
    return MatchLimitError(
        f"the automaton `{module.name}` was cut off: the instance with {instance or 'no attributes'} has more than "
        f"{count(limit, 'run')}{among}. Make the labels of its transitions exclude each other, or raise "
        f"{Setting.ANSWER_LIMIT}"
    )
