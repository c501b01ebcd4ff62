"""The systems beside each other: what is installed for each, what runs there, and what it cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.peers import data
from benchmarks.peers.tasks import Task

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: What Java lets Flink and Siddhi look into, as their own start scripts do.
_OPENED = tuple(
    f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "util", "time", "util.concurrent")
)
_HEAP = "-Xmx3g"
_PYSPARK = ("pyspark==4.3.0", "pandas>=2.2,<3", "pyarrow==26.0.1", "protobuf>=5")
_FLINK = ("apache-flink==2.3.0", "apache-flink-libraries==2.3.0")


@dataclass(frozen=True)
class System:
    """A system, with the packages of its own environment; without any it runs where cera does.

    Its work is a module of this folder, or a class in Java that is compiled against the jars among its packages.
    """

    name: str
    packages: tuple[str, ...]
    module: str = ""
    java: str = ""
    jars: str = ""
    stream: bool = False

    @property
    def is_cera(self) -> bool:
        return not self.packages

    @property
    def version(self) -> str:
        """What a cell is measured anew for: other packages, or other sources of cera."""
        return _sources() if self.is_cera else self.packages[0]

    def cannot(self, task: Task, file: Path) -> str:
        """Returns why a cell cannot be, or nothing."""
        if self.java and file.suffix == ".parquet":
            return "its wheel has no reader of Parquet"
        if self.name == "pyspark-stream" and task.name != "all":
            return "written by hand for the three sensor rules together"
        if task.grown and self.name not in ("cera", "python", "duckdb", "polars"):
            return "growth is asked of what runs in one process without a JVM"
        return ""

    def command(self, task: Task, file: Path, answers: str, environments: Path) -> list[str]:
        """Returns the command that takes turns; its environment, and what it reads, are made if they are not there."""
        if self.stream:
            file = data.chunks(file)
        if self.java:
            classes = self._compiled(environments)
            path = os.pathsep.join((str(classes), str(self._jars(environments))))
            read = data.parts(file) if self.name == "flink" else file
            return ["java", _HEAP, *_OPENED, "-cp", path, self.java, ",".join(task.rules), str(read), answers]
        return [str(self.python(environments)), "-m", f"benchmarks.peers.{self.module}", task.name, str(file), answers]

    def python(self, environments: Path) -> Path:
        """Returns the Python of the system's own environment."""
        if self.is_cera:
            return Path(sys.executable)
        folder = environments / self.name.removesuffix("-stream")
        python = folder / "bin" / "python"
        installed = folder / "installed"
        wanted = " ".join(self.packages)
        if not installed.exists() or installed.read_text() != wanted:
            venv.create(folder, with_pip=True)
            # of these the jars are used, and nothing in Python
            less = ("--no-compile", "--no-deps") if self.java else ()
            subprocess.run([python, "-m", "pip", "install", "--quiet", *less, *self.packages], check=True)
            installed.write_text(wanted)
        return python

    def _jars(self, environments: Path) -> Path:
        [libraries] = self.python(environments).parents[1].glob("lib/python*/site-packages")
        return libraries / self.jars / "*"

    def _compiled(self, environments: Path) -> Path:
        source, jars = HERE / "java" / f"{self.java}.java", self._jars(environments)
        classes = environments / self.name / "classes"
        made = classes / f"{self.java}.class"
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            classes.mkdir(exist_ok=True)
            command = ["javac", "-proc:none", "-d", str(classes), "-cp", str(jars), str(source)]
            subprocess.run(command, check=True)
        return classes


SYSTEMS = {
    system.name: system
    for system in (
        System("cera", (), "with_cera"),
        System("cera-spark", (), "with_cera_on_spark"),
        System("cera-stream", (), "with_cera_on_spark", stream=True),
        System("python", ("pyarrow==26.0.1",), "with_python"),
        System("duckdb", ("duckdb==2.0.0",), "with_duckdb"),
        System("polars", ("polars==2.1.0",), "with_polars"),
        System("pyspark", _PYSPARK, "with_pyspark"),
        System("pyspark-stream", _PYSPARK, "with_pyspark", stream=True),
        System("siddhi", ("PySiddhi==5.1.0",), java="SiddhiRules", jars="__PySiddhiProxy/target/lib"),
        System(
            "flink", ("apache-flink==2.3.0", "apache-flink-libraries==2.3.0"), java="FlinkRules", jars="pyflink/lib"
        ),
    )
}


@cache
def _sources() -> str:
    """Returns what git calls the sources of cera as they were last committed."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD:src"], cwd=ROOT, capture_output=True, text=True)
    return f"cera {found.stdout.strip() or 'unknown'}"
