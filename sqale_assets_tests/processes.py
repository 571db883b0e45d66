"""`sqale` as processes of their own over a few of the bundled schemas, and what they leave in the store."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqale_assets.settings import REPOSITORY

SMALL = {
    "SQALE_EXTENSION__EXTRA_TABLES": "2",
    "SQALE_POPULATION__MEDIAN_ROWS": "12",
    "SQALE_QUESTIONS__PER_SCHEMA": "6",
}
SCHEMAS = ("museum_collection.sql", "energy_metering.sql", "issue_tracker.sql")


def copy_schemas(folder: Path, names: tuple[str, ...] = SCHEMAS) -> Path:
    """A source folder of these schemas of the sample."""
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(REPOSITORY / "sample" / name, folder)
    return folder


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def clean_environment() -> dict[str, str]:
    """This process' environment without settings of ours or Dagster's."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("SQALE_", "DAGSTER_"))}


def environment(home: Path, **further: str) -> dict[str, str]:
    """This process' environment with small sizes, and the store under `home`."""
    return {**clean_environment(), **SMALL, "SQALE_STORE": str(home / "store"), "COLUMNS": "150", **further}


def sqale(*arguments: object, home: Path, **further: str) -> subprocess.Popen:
    """Start `sqale` with its store and Dagster instance under `home`."""
    return subprocess.Popen(
        [sys.executable, "-m", "sqale_assets.cli", *map(str, arguments)],
        env=environment(home, **further), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(*arguments: object, home: Path, **further: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a `sqale` command."""
    process = sqale(*arguments, home=home, **further)
    output, errors = process.communicate(timeout=800)
    return process.returncode, output, errors


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of so many megabytes, mounted at `folder`; only root may mount one."""
    import pytest  # this module also serves `deploy.prove`, which is installed without it

    folder.mkdir()
    size = f"size={megabytes}m"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def manifests(home: Path) -> dict[str, dict]:
    return {
        str(path.relative_to(home)): json.loads(path.read_text()) for path in (home / "store").glob("*/*/manifest.json")
    }


def published(home: Path) -> dict[str, bytes]:
    folder = home / "store" / "published"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}
