"""One build at a time on a store, one training in a folder: a lock that is let go however its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqale_assets.store.store import StoreError


@contextlib.contextmanager
def build_lock(folder: Path, work: str = "build") -> Iterator[None]:
    """Hold the lock of `folder`, a local one, for a kind of work.

    Raises:
        StoreError: another process holds it; the message names the process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{work}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise StoreError(
                f"another {work} is at work on {folder} ({file.read().strip() or 'it does not say which'}); "
                "wait for it, or stop it and run this again."
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        file.flush()
        yield
