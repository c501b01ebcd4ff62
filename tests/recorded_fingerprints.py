"""The marks by which cera knows on disk what belongs to what: those of 2026-11-17, for many programs.

A saved session begins with the mark of its program. A checkpoint has those of its operators and rules, the state of a
module that of its Datalog program, a ledger those of actions. If one of them changes, what users have saved is refused,
or done again. `unit/engines/recorded_fingerprints.json` is never changed; the marks of programs that are new here are
added by `cd tests && python -m recorded_fingerprints`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import cera
from cera.datalog.events.module import DatalogModule
from cera.datalog.stages import compile as compile_stages
from cera.performing import WantedActions
from recorded_checkpoints import COLUMNS_PROGRAM, STREAMS
from recorded_states import EXAMPLES, RECORDED

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).parent / "unit" / "engines" / "recorded_fingerprints.json"
_ENDINGS = (".xceq", ".slog", ".epl", ".dl1s", ".cet", ".snoop")
_SESSION = b"state of a cera session "

#: What stands in no other program here.
_PATTERNS = """
DETECT kinds{ var N, var B, optional var E with default none }
ON and {
  event a: leaves{{ 1, -2, 3.5, "text é", true, /a|b/, var N }},
  event b: outer{{ var A -> inner{{ var B }}, desc deep{1}, without bad, optional extra{ var E },
    /x[0-9]+/[[ 1 ]], *[2] }},
  event c: /temp[0-9]+/{{ @id{ var N } }},
  event d: *[ ordered{ 1 } ]
} where { {a, b, c, d} within 1 hour } END
"""
_CONDITIONS = """
DETECT conditions{ var X, length{ concat(var Y, "x") } }
ON and { event i: a{{ v{var X}, w{var Y} }}, event j: b{{}}, event k: c{{}} }
where {
  var X != 2, -var X < - 1, (var X + 2) * 3 / 4 - 1 > var X mod 3,
  var Y = "text" or var Y = true and not var Y = false, not (var X > 3 or var X < 1 and var X >= -5),
  i before j, not j equals k, timeDiff(i, j) < 1 month, length(i) <= 3 min 14 sec,
  extend(i, 1 min) before shift-forward(j, 2 days), {i, j, k} within 2 * 1 hour,
  i before datetime("2006-09-18T09:00"), i during datetime("2006-09-18", "2006-09-19"),
  i during timer:datetime{{ hour{9} }}, j during timer:tradingDay{{ }}
} END
"""
_CALENDARS = """
[tradingDay]
hours = ["09:00", "17:30"]
weekdays = ["mon", "tue", "wed", "thu", "fri"]
holidays = ["2006-12-25"]
timezone = "Europe/Berlin"

[everyQuarter]
cron = "*/15 * * * *"
duration = "5 min"

[winterTerm]
intervals = [["2006-10-01", "2007-02-15"]]
"""
_CLOCK = """
DETECT opening{ var M, var D }
ON and { event t: timer:datetime{{ weekday{1}, minute{ var M } }}, event q: timer:everyQuarter{{ weekday{ var D } }},
  event w: timer:winterTerm{{}}, event d: timer:tradingDay{{}} } where { t during w, q during d } END
"""


@cache
def programs() -> dict[str, cera.Program]:
    """Those of examples and cases, the right ones of each language, those with recorded states, and the ones above."""
    folders = [*(ROOT / "examples").iterdir(), *(ROOT / "tests" / "conformance" / "cases").iterdir()]
    found = {
        str(folder.relative_to(ROOT)): cera.load(sorted(_files(folder.iterdir())))
        for folder in sorted(folders)
        if folder.is_dir()
    }
    found = {name: program for name, program in found.items() if _has_rows(program)}
    for folder in sorted((ROOT / "tests" / "languages").glob("*/ok")):
        named = {str(file.relative_to(ROOT)): cera.load(file) for file in sorted(_files(folder.iterdir()))}
        found |= {name: program for name, program in named.items() if _runs(program)}
    found |= {f"state {name}": cera.load(list(one.texts)) for name, one in RECORDED.items() if name not in EXAMPLES}
    found |= {f"stream {name}": cera.load(list(one.programs.values())) for name, one in STREAMS.items()}
    found["stream columns"] = COLUMNS_PROGRAM
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "calendars.toml").write_text(_CALENDARS)
        for name, text in (("patterns", _PATTERNS), ("conditions", _CONDITIONS), ("clock", _CLOCK)):
            found[name] = cera.load(text, calendars=Path(folder) / "calendars.toml", timezone="Europe/Berlin")
            found[name].checked()
    return found


def _files(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if path.suffix in _ENDINGS]


def _has_rows(program: cera.Program) -> bool:
    """Whether the relations of a program have rows without who runs it."""
    return all(relation.source is not None for relation in program.rules.relations)


def _runs(program: cera.Program) -> bool:
    try:
        program.processor()
    except cera.CeraError:
        return False
    return True


def marks(program: cera.Program) -> dict[str, Any]:
    """All marks of a program that come onto disk; a stream is divided, or has other options."""
    found: dict[str, Any] = {
        "session": _session(program.session()),
        "session of points": _session(program.session(max_duration="0 sec")),
        "stream": _stream(program),
        "stream of points": _stream(program, max_duration=0, buckets=1),
    }
    modules = {
        each.module.name: _machine(each.module)
        for each in program.modules.found
        if isinstance(each.module, DatalogModule)
    }
    actions = {one.rule: one.mark for one in WantedActions(program).planned}
    return {**found, **({"modules": modules} if modules else {}), **({"actions": actions} if actions else {})}


def _session(session: Any) -> str:
    saved: bytes = session.save()
    assert saved.startswith(_SESSION)
    return saved[len(_SESSION) :][:16].decode()


def _stream(program: cera.Program, **options: Any) -> dict[str, Any]:
    """The operators and rules in the file that says what a checkpoint belongs to."""
    from cera.engines.spark.division.operators import operators
    from cera.engines.spark.streaming.checkpoint import Checkpoint

    made = operators(program.layers, timezone=program.timezone, **options)
    with tempfile.TemporaryDirectory() as folder:
        Checkpoint(Path(folder)).open(made, ("in",), restart_changed=False)
        known = json.loads((Path(folder) / "cera.json").read_text())
    return {name: known[name] for name in ("layers", "operators", "rules")}


def _machine(module: DatalogModule) -> str:
    machine = compile_stages(module.program, [each.predicate for each in module.outputs])
    mark: str = machine.dump(machine.start())["program"]
    return mark


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


if __name__ == "__main__":
    known = recorded()
    new = {name: marks(program) for name, program in programs().items() if name not in known}
    FILE.write_text(json.dumps({**known, **new}, indent=1, ensure_ascii=False) + "\n")
