"""Cardinalities from one kind of window to another (seed 002, section 8.6, with the sound formulas of P-40).

Of windows of length r that begin every s, how many disjoint ones lie in every window of length L, and how many are
needed to cover it? If each of them has from n to m events, there are at least the first number times n, and at most the
second times m.

    packed = ⌊(L - r - wait) / (s·⌈r/s⌉)⌋ + 1          covering = ⌈(L + lead - r) / (s·⌊r/s⌋)⌉ + 1,   if s <= r

`wait` is the longest time from the begin of a window of length L to the next begin of one of the others, `lead` the
longest from the last begin of one of those. Without alignment both are s - 1, since time is whole. The tables of the
paper are this only for s = r, and unsound for some slides (ERR-75, ERR-76).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from cera.constraints.cardinalities.laws import greatest, least, repeated
from cera.constraints.numbers import ALL, CountSet
from cera.model.time.periodic_windows import Period


@dataclass(frozen=True)
class Alignment:
    """How far apart the begins of two kinds of windows may be."""

    wait: int
    lead: int


def unaligned(of: Period) -> Alignment:
    """Returns what is known of a time that may begin whenever it likes."""
    return Alignment(of.slide - 1, of.slide - 1)


def aligned(of: Period, to: Period) -> Alignment:
    """Returns what is known of periodic windows: their begins differ by the same, modulo both slides."""
    step = gcd(of.slide, to.slide)
    return Alignment(
        _most(of.origin - to.origin, step, of.slide),
        _most(to.origin - of.origin, step, of.slide),
    )


def _most(residue: int, step: int, below: int) -> int:
    """Returns the greatest number below another one that has a residue modulo a step."""
    first = residue % step
    return first + (below - 1 - first) // step * step


def packed(length: int, of: Period, alignment: Alignment) -> int:
    """Returns how many disjoint windows lie in every time of a length."""
    room = length - of.length - alignment.wait
    return 0 if room < 0 else room // (of.slide * -(-of.length // of.slide)) + 1


def covering(length: int, of: Period, alignment: Alignment) -> int | None:
    """Returns how many windows suffice to cover every time of a length; None if some time is not covered at all."""
    rest = length + alignment.lead - of.length
    if rest <= 0:
        return 1
    return None if of.slide > of.length else -(-rest // (of.slide * (of.length // of.slide))) + 1


def tiling(of: Period, to: Period) -> int | None:
    """Returns how many windows make up each of the others without gap and overlap; None if they do not."""
    if (to.origin - of.origin) % of.slide or to.slide % of.slide or to.length % of.length:
        return None
    number = to.length // of.length
    return number if number == 1 or of.length % of.slide == 0 else None


def transferred(numbers: CountSet, of: Period, to: Period | int, *, longest: int | None = 0) -> CountSet:
    """Returns the numbers of events in windows, by those in other windows (P-40).

    `to` may be just a length: that of a time which begins whenever it likes. `longest` is how long an event lasts at
    most, None if that is not known. An event that lasts may lie in none of several windows that cover a time, so upper
    bounds are for windows that are shorter by that (ERR-77). Lower bounds stay.
    """
    if not numbers:
        return numbers
    if isinstance(to, Period):
        number = tiling(of, to)
        if number is not None and (longest == 0 or number == 1):
            return repeated(numbers, number)
        alignment, length = aligned(of, to), to.length
    else:
        alignment, length = unaligned(of), to
    low = packed(length, of, alignment) * least(numbers)
    high = greatest(numbers)
    if high is None or longest is None or longest >= of.length:
        return CountSet(((low, None),)) if low else ALL
    windows = covering(length, of._replace(length=of.length - longest), alignment)
    return CountSet(((low, None if windows is None else windows * high),))
