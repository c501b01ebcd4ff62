"""The limit on the runs of one instance: choices and orders of events multiply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cera.errors import MatchLimitError
from cera.model.events.occurrence import unwrap
from cera.model.message_text import count
from cera.wording import Setting

if TYPE_CHECKING:
    from cera.automata.explanations import Name
    from cera.automata.module import AutomatonModule


def too_many_runs(
    module: AutomatonModule, name: Name, limit: int, events: Sequence[str] = (), choices: Sequence[str] = ()
) -> MatchLimitError:
    """Returns the error for an instance with more runs than the limit, which names what multiplies them: events that
    end at one time, and transitions between which there is a choice."""
    instance = ", ".join(f"{attribute} {unwrap(value)}" for attribute, value in name)
    reasons = []
    if len(events) > 1:
        reasons.append(f"{', '.join(sorted(events))} end at one time, and every order of them counts")
    if choices:
        reasons.append(f"one event allows {' and '.join(f'`{each}`' for each in choices)}")
    return MatchLimitError(
        f"the automaton `{module.name}` was cut off: the instance with {instance or 'no attributes'} has more than "
        f"{count(limit, 'run')}{''.join(f'; {reason}' for reason in reasons)}. Make the labels of its transitions "
        f"exclude each other, or raise {Setting.ANSWER_LIMIT}"
    )
