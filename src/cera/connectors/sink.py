"""Where a path can be written to."""

from __future__ import annotations

from pathlib import Path

from cera.errors import UsageError
from cera.model.url_paths import no_folder_for


def check_writable(option: str, path: Path) -> None:
    """Raises UsageError where the path cannot become a file, before any long work is done for it."""
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option}: {no_folder_for(path)}")


def check_new_folder(option: str, path: Path) -> None:
    """Raises UsageError where the path cannot become a folder of Parquet files, because there is something already."""
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise UsageError(f"{option}: {path} is there already; Parquet is written to a new folder")
