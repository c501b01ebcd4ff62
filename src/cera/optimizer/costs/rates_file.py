"""Files of rates: what `cera sample` writes, and people may write by hand.

seconds = 3600.0                    # for how long; what is never forgotten adds up so long

[labels.bid]
per_second = 2.5
lasts = 1.5                         # seconds, on average; 0 if it is not said
distinct = { auctionID = 40 }       # how many different values
missing = { value = 0.1 }           # the share of events without the attribute; none if it is not said

[in_use]
auctionID = 600.0                   # seconds from the first to the last event with the same value, on average

[asked]
'bid(bidderID("007"))' = 0.01       # the share of events bid with this value
'bid: value > 0' = 0.95             # the share of events bid whose values satisfy this
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cera.errors import UsageError
from cera.model.events.rates import SECONDS, LabelRates, Rates
from cera.optimizer.costs.asked import as_written

_BARE = re.compile(r"[A-Za-z0-9_-]+")


class RatesError(UsageError):
    """A file of rates is wrong."""


def read_rates(path: Path) -> Rates:
    """Reads a file of rates. Raises RatesError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RatesError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RatesError(f"{path} is not TOML: {error}") from None
    return rates_of(data, str(path))


def rates_of(data: Mapping[str, Any], origin: str) -> Rates:
    """Returns the rates that a table of TOML describes. Raises RatesError."""
    _known(data, ("events", "seconds", "labels", "in_use", "asked"), origin, "")
    _number(data.get("events", 0), "events", origin)
    seconds = _number(data.get("seconds", SECONDS), "seconds", origin)
    if seconds == 0:
        raise RatesError(f"{origin}: 'seconds' is how long the rates are for, and not 0")
    labels = {
        str(name): _label(each, f"labels.{name}", origin) for name, each in _table(data, "labels", origin, "").items()
    }
    return Rates(
        seconds,
        labels,
        _numbers(data, "in_use", origin, ""),
        {as_written(key): share for key, share in _shares(data, "asked", origin, "").items()},
        origin,
    )


def _label(data: Any, where: str, origin: str) -> LabelRates:
    if not isinstance(data, dict):
        raise RatesError(f"{origin}: '{where}' is a table, found {data!r}")
    _known(data, ("per_second", "lasts", "distinct", "missing"), origin, f"{where}.")
    if "per_second" not in data:
        raise RatesError(f"{origin}: '{where}' does not say how often such events come; write `per_second = 1.0`")
    return LabelRates(
        _number(data["per_second"], f"{where}.per_second", origin),
        _numbers(data, "distinct", origin, f"{where}."),
        _shares(data, "missing", origin, f"{where}."),
        _number(data.get("lasts", 0), f"{where}.lasts", origin),
    )


def _known(data: Mapping[str, Any], names: Iterable[str], origin: str, where: str) -> None:
    for name in data.keys() - set(names):
        raise RatesError(f"{origin}: there is no setting '{where}{name}'; there are {', '.join(names)}")


def _table(data: Mapping[str, Any], name: str, origin: str, where: str) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise RatesError(f"{origin}: '{where}{name}' is a table, found {found!r}")
    return found


def _numbers(data: Mapping[str, Any], name: str, origin: str, where: str) -> dict[str, float]:
    found = _table(data, name, origin, where)
    return {str(key): _number(value, f"{where}{name}.{key}", origin) for key, value in found.items()}


def _shares(data: Mapping[str, Any], name: str, origin: str, where: str) -> dict[str, float]:
    found = _numbers(data, name, origin, where)
    for key, value in found.items():
        if value > 1:
            raise RatesError(f"{origin}: '{where}{name}.{key}' is a share, from 0 to 1, found {value!r}")
    return found


def _number(value: Any, where: str, origin: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise RatesError(f"{origin}: '{where}' is a number that is not negative, found {value!r}")
    return float(value)


def rates_text(rates: Rates, events: int) -> str:
    """Returns the rates as a file, in the order of names: the same rates are the same text."""
    return "".join(f"{line}\n" for line in _lines(rates, events))


def _lines(rates: Rates, events: int) -> Iterator[str]:
    yield "# How often events come, as `cera sample` found it. For estimates of costs only: no answer depends on it."
    yield f"events = {events}"
    yield f"seconds = {_written(rates.seconds)}"
    for label, each in sorted(rates.labels.items()):
        yield ""
        yield f"[labels.{_key(label)}]"
        yield f"per_second = {_written(each.per_second)}"
        if each.lasts:
            yield f"lasts = {_written(each.lasts)}"
        for name, table in (("distinct", each.distinct), ("missing", each.missing)):
            if table:
                yield f"{name} = {{ {', '.join(f'{_key(k)} = {_written(v)}' for k, v in sorted(table.items()))} }}"
    for name, table in (("in_use", rates.in_use), ("asked", rates.asked)):
        if table:
            yield ""
            yield f"[{name}]"
            yield from (f"{_key(key)} = {_written(value)}" for key, value in sorted(table.items()))


def _key(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    return f"'{name}'" if name.isprintable() and "'" not in name else json.dumps(name, ensure_ascii=False)


def _written(number: float) -> str:
    """Returns a number with six digits that count."""
    rounded = float(f"{number:.6g}")
    return str(int(rounded)) if rounded.is_integer() and rounded < 1e15 else repr(rounded)
