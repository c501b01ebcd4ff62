"""The checkpoint of a stream: Spark's own, and what cera notes beside it about the program that it belongs to.

CHECKPOINT/cera.json    the run, its sources, its operators with their rules
CHECKPOINT/spark        offsets and state
CHECKPOINT/spool        what came on standard input
CHECKPOINT/changes      what came from databases, a folder for each and a file that says how far it was read
CHECKPOINT/relations    the rows of relations, and their versions if they are read again
CHECKPOINT/actions.db   which actions of rules are done; those that failed, as lines too, in actions.failed.jsonl
CHECKPOINT/labels.json  how much was derived since the stream began, where that is counted
CHECKPOINT/spark.log    what Spark says
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.operators import Operator
from cera.errors import UsageError
from cera.model.time.time_text import TimeUnit
from cera.wording import Setting

_FORMAT = 1

#: The names of options on disk. Up to 2026-11-17 they were spelled as on the command line; those are still read.
_BUCKETS = "buckets"
_TIMEZONE = "timezone"
_MAX_DURATION = "max_duration"
_TIME_UNIT = "time_unit"
#: The default unit of numbers as times.
_UNIT: TimeUnit = "s"


@dataclass(frozen=True)
class Manifest:
    """The program and sources that a checkpoint belongs to. `run` is a part of the names of the files that are written.

    `options` are those that state depends on, by their names on disk; None where they were not recorded. `columns` says
    whether rules begin in columns, where they can; a checkpoint that does not say so goes on event by event.
    """

    run: str
    sources: tuple[str, ...]
    layers: tuple[int, ...]
    operators: tuple[str, ...]
    rules: Mapping[str, str]
    format: int = _FORMAT
    options: Mapping[str, str] | None = None
    columns: bool = False


@dataclass(frozen=True)
class Checkpoint:
    folder: Path

    @property
    def spark(self) -> Path:
        return self.folder / "spark"

    @property
    def spool(self) -> Path:
        return self.folder / "spool"

    def changes(self, number: int) -> Path:
        """Returns the folder for the changes of a database, the source with a number."""
        return self.folder / "changes" / str(number)

    @property
    def relations(self) -> Path:
        return self.folder / "relations"

    @property
    def actions(self) -> Path:
        return self.folder / "actions.db"

    @property
    def labels(self) -> Path:
        return self.folder / "labels.json"

    @property
    def log(self) -> Path:
        return self.folder / "spark.log"

    @property
    def _file(self) -> Path:
        return self.folder / "cera.json"

    @property
    def _unfinished(self) -> Path:
        """The file that a kill during writing leaves behind."""
        return self._file.with_suffix(".unfinished")

    def open(
        self,
        operators: Sequence[Operator],
        sources: Sequence[str],
        *,
        restart_changed: bool,
        unit: TimeUnit | None = None,
    ) -> Manifest:
        """Creates the checkpoint, or continues it. Raises UsageError where it belongs to another program or sources, or
        to numbers that are times of another unit."""
        known = self._read()
        now = _manifest(operators, sources, known.run if known else secrets.token_hex(4), unit or _UNIT)
        if known is not None:
            _compare(self.folder, known, now, restart_changed=restart_changed)
        if known != now:
            self._write(now)
        return now

    def promised_duration(self) -> bool | None:
        """Returns whether earlier runs had a maximum duration, by which they prune state; None if there were none."""
        known = self._read()
        return None if known is None else _MAX_DURATION in (known.options or {})

    def takes_columns(self) -> bool:
        """Returns whether rules may begin in columns: in a new checkpoint, and where they did when it was made."""
        known = self._read()
        return known is None or known.columns

    def _read(self) -> Manifest | None:
        try:
            data: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8"))
            return Manifest(
                data["run"],
                tuple(data["sources"]),
                tuple(data["layers"]),
                tuple(data["operators"]),
                data["rules"],
                data["format"],
                _read_options(data.get("options")),
                data.get("columns") is True,
            )
        except NotADirectoryError:
            raise UsageError(f"{Setting.CHECKPOINT}: {self.folder} is a file; name a folder") from None
        except FileNotFoundError:
            if self.folder.exists() and any(path != self._unfinished for path in self.folder.iterdir()):
                raise UsageError(
                    f"{self.folder} is there, and no checkpoint of cera; name a folder that is new or empty"
                ) from None
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"the checkpoint {self.folder} cannot be read: {error}") from error

    def _write(self, manifest: Manifest) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._unfinished.write_text(json.dumps(asdict(manifest), indent=1, ensure_ascii=False), encoding="utf-8")
            os.replace(self._unfinished, self._file)
        except OSError as error:
            raise UsageError(f"the checkpoint {self.folder} cannot be written: {error.strerror}") from error


def _manifest(operators: Sequence[Operator], sources: Sequence[str], run: str, unit: TimeUnit) -> Manifest:
    return Manifest(
        run,
        tuple(sources),
        tuple(sorted({operator.layer for operator in operators})),
        tuple(sorted(operator.identity for operator in operators)),
        {
            name: fingerprint((part, operator.identity))
            for operator in operators
            for name, part in operator.parts.items()
        },
        options={**_options(operators), _TIME_UNIT: unit},
        columns=any(operator.in_columns for operator in operators),
    )


def _options(operators: Sequence[Operator]) -> Mapping[str, str]:
    """Returns the options, which all operators share; those that were not given are left out."""
    if not operators:
        return {}
    one = operators[0]
    duration = {} if one.max_duration is None else {_MAX_DURATION: f"{one.max_duration} us"}
    return {_BUCKETS: str(one.buckets), _TIMEZONE: one.timezone, **duration}


def _read_options(found: Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Returns options by their present names, however old the file is."""
    return None if found is None else {name.removeprefix("--").replace("-", "_"): found[name] for name in found}


def _setting(name: str) -> Setting | str:
    """Returns the setting with a name on disk; the name itself where a later version of cera wrote it."""
    return next((setting for setting in Setting if setting.value == name), name)


def _compare(folder: Path, known: Manifest, now: Manifest, *, restart_changed: bool) -> None:
    anew = f"give another {Setting.CHECKPOINT} to start anew"
    if known.format != _FORMAT:
        raise UsageError(f"the checkpoint {folder} was written by another version of cera; {anew}")
    if known.sources != now.sources:
        raise UsageError(
            f"the checkpoint {folder} belongs to the source {_listed(known.sources)}, not to {_listed(now.sources)}; "
            f"give the same {Setting.SOURCE}, or {anew}"
        )
    before, after = (manifest.options or {} for manifest in (known, now))
    if _TIME_UNIT in before and before[_TIME_UNIT] != after[_TIME_UNIT]:
        unit = Setting.TIME_UNIT
        raise UsageError(
            f"the checkpoint {folder} remembers times that were read with {unit} {before[_TIME_UNIT]}, not "
            f"{after[_TIME_UNIT]}; give the same {unit}, or {anew}"
        )
    if set(known.operators) == set(now.operators):
        return
    if not known.rules.keys() & now.rules.keys():
        raise UsageError(
            f"the checkpoint {folder} belongs to another program, with the rules {_listed(known.rules)}; {anew}"
        )
    changes = f"{_changes(known, now)}{_other_options(known, now)}"
    if known.layers != now.layers:
        raise UsageError(
            f"the program of the checkpoint {folder} has changed so that its rules run in another order of operators "
            f"({changes}), and no state can be kept; {anew}"
        )
    if not restart_changed:
        raise UsageError(
            f"the program of the checkpoint {folder} has changed: {changes}. What these rules remember cannot be kept; "
            f"give {Setting.RESTART_CHANGED} to start them without memory and keep the state of the others, or {anew}"
        )


def _changes(known: Manifest, now: Manifest) -> str:
    changed = [name for name, mark in now.rules.items() if name in known.rules and known.rules[name] != mark]
    added = [name for name in now.rules if name not in known.rules]
    removed = [name for name in known.rules if name not in now.rules]
    said = {"changed, or share events with a rule that did": changed, "new": added, "gone": removed}
    return "; ".join(f"{_listed(names)} ({what})" for what, names in said.items() if names)


def _other_options(known: Manifest, now: Manifest) -> str:
    """Returns how settings differ: `, with … 16 then, and … 3 now`."""
    then, given = known.options or {}, now.options or {}
    differ = [name for name in {**then, **given} if then.get(name) != given.get(name)]
    if known.options is None or not differ:
        return ""
    before, after = (
        " ".join(f"{_setting(name)} {options[name]}" if name in options else f"no {_setting(name)}" for name in differ)
        for options in (then, given)
    )
    return f", with {before} then, and {after} now"


def _listed(names: Sequence[str] | Mapping[str, str]) -> str:
    shown = list(names)[:10]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
