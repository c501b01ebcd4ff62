"""`compare`: the result of the search for a difference, under the names of the two types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cera.comparing.histories import Difference
from cera.comparing.search import Domain, Options, search
from cera.comparing.subjects import read
from cera.errors import UsageError


@dataclass(frozen=True)
class Comparison:
    """The shortest histories on which two event types differ; none if they do not on any that was tried.

    `events` is the length of these, or the length up to which all histories were tried. `exhausted` says that there is
    no difference on longer ones either. Both are about histories over a `domain` of values and distances.
    """

    names: tuple[str, str]
    differences: tuple[Difference, ...]
    events: int
    tried: int
    exhausted: bool
    domain: Domain


def compare(
    first: str,
    second: str,
    *,
    max_events: int | None = None,
    labels: Iterable[str] | None = None,
    simultaneous: bool = False,
    count: bool = False,
    every: bool = False,
) -> Comparison:
    """Compares two event types, each a file and the type in it that is meant, or the text of a type.

    Without `max_events` it takes a few seconds. `labels` are those that occur; with `simultaneous` several events may
    occur at one time. With `count` only how many events are detected at each time is compared. With `every` all
    shortest histories are found, else one of them. Raises ProgramError if a type is wrong, UsageError if it is not
    there.
    """
    for given in (first, second):
        if not isinstance(given, str):
            raise UsageError(f"an event type to compare is a text, or the name of a file, found {given!r}")
    if max_events is not None and not isinstance(max_events, int):
        raise UsageError(f"`max_events` is a number of events, found {max_events!r}")
    if isinstance(labels, str):
        raise UsageError(f"`labels` are several names, as [{labels!r}]")
    subjects = (read(first), read(second))
    chosen = None if labels is None else tuple(labels)
    found = search(*subjects, Options(max_events, chosen, simultaneous, count, every))
    names = (subjects[0].name, subjects[1].name)
    return Comparison(names, found.differences, found.events, found.tried, found.exhausted, found.domain)
