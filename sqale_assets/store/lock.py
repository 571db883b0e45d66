"""One build at a time on a store: a lock that the operating system lets go when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqale_assets.store.store import StoreError

LOCK = "build.lock"


@contextlib.contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of `folder`, a local one.

    Raises:
        StoreError: another process holds it; the message names the process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise StoreError(
                f"another build is at work on {folder} ({file.read().strip() or 'it does not say which'}); "
                "wait for it, or stop it and run this again."
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        file.flush()
        yield
