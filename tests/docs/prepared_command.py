"""The command `cera` without the second that Python takes to import it: a process that has done so forks for each call.

`python -m docs.prepared_command SOCKET` is that process. The `cera` of `prepared` hands it the arguments, the folder,
the environment and the three standard streams, and ends with the status that the fork ends with.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

_CLIENT = """#!{python} -IS
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
texts = [os.getcwd(), str(len(sys.argv) - 1), *sys.argv[1:], *(part for pair in os.environ.items() for part in pair)]
data = "\\0".join(texts).encode(errors="surrogateescape")
socket.send_fds(server, [len(data).to_bytes(4)], [0, 1, 2])
server.sendall(data)
status = server.recv(1)
sys.exit(status[0] if status else "the prepared command was killed")
"""


@contextmanager
def prepared(folder: Path) -> Iterator[Path]:
    """Yields a folder with a `cera`, for the front of the path of a shell."""
    address, command = folder / "socket", folder / "cera"
    command.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
    command.chmod(0o755)
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(
        [sys.executable, "-m", "docs.prepared_command", str(address)],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,  # ends with this process, however that ends
    )
    try:
        while not address.exists():
            assert server.poll() is None, "the process that prepares `cera` has ended"
            time.sleep(0.05)
        yield folder
    finally:
        server.communicate()


def _prepare() -> None:
    """Imports all of cera but for what needs Spark, makes the parsers of all languages, and leaves what there is then
    alone."""
    import cera
    from cera.diagnostics import Source
    from cera.languages.registry import LANGUAGES

    for module in pkgutil.walk_packages(cera.__path__, "cera."):
        if not module.name.startswith(("cera.engines.spark", "cera.spark", "cera.__main__")):
            importlib.import_module(module.name)
    for language in LANGUAGES:
        language.parse(Source("x", "text in no language"))
    gc.collect()
    gc.freeze()


def _serve(address: str) -> None:
    _prepare()
    server = socket.socket(socket.AF_UNIX)
    unfinished = f"{address}.unfinished"
    server.bind(unfinished)
    server.listen()
    os.rename(unfinished, address)
    running = 0
    while sys.stdin not in select.select([sys.stdin, server], [], [])[0]:
        client, _ = server.accept()
        if os.fork() == 0:
            server.close()
            _answer(client)
        client.close()
        running += 1
        while running and os.waitpid(-1, os.WNOHANG)[0]:
            running -= 1


def _answer(client: socket.socket) -> NoReturn:
    """Runs one call, in a process of its own."""
    length, streams, _, _ = socket.recv_fds(client, 4, 3)
    wanted = int.from_bytes(length)
    data = b""
    while len(data) < wanted:
        data += client.recv(wanted - len(data))
    folder, count, *texts = data.decode(errors="surrogateescape").split("\0")
    arguments, pairs = texts[: int(count)], texts[int(count) :]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(zip(pairs[::2], pairs[1::2], strict=True))
    sys.argv = ["cera", *arguments]
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", 1 if os.isatty(1) else -1, encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace")
    status = 1
    try:
        from cera.cli.main import main

        main(prog_name="cera")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        client.send(bytes([status]))
        os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
