"""From when on the events of a run are complete, which constraints ask that miss something."""

from __future__ import annotations

from dataclasses import replace

from cera.constraints.module import ConstraintModule
from cera.errors import UsageError
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.wording import Setting


def complete_since(layers: Layers, since: Time | None) -> Layers:
    """Returns a program whose constraints take the stream as complete from a time on, if one is given."""
    if since is None:
        return layers
    return layers.changed(lambda each: replace(each, since=since) if isinstance(each, ConstraintModule) else each)


def check_complete_since(layers: Layers, since: Time | None, until: Time | None, times: TimeFormat) -> None:
    """Raises UsageError if a time is given and the program verifies no constraints, or if it is after `until`."""
    if since is None:
        return
    if not any(isinstance(each, ConstraintModule) for each in layers.modules):
        raise UsageError(
            f"{Setting.FROM} is for constraints that are verified, and the program has none; leave it out, or give the "
            "file of the constraints too"
        )
    if until is not None and since > until:
        begin, end = (str(times.format(each)) for each in (since, until))
        raise UsageError(
            f"{Setting.FROM.of(begin)} is later than {Setting.UNTIL.of(end)}: there is nothing between them to verify"
        )
