"""The web server and the daemon as a long build runs them: processes of their own, each of which may be killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sqale_assets.settings import REPOSITORY
from sqale_assets_tests.dagster_api import STAGES, DagsterApi, wait_until
from sqale_assets_tests.processes import environment, free_port


class Services:
    """`dagster-webserver` and `dagster-daemon` on the store under `home`, with their logs there."""

    def __init__(self, source: Path, home: Path, **further: str):
        self.port = free_port()
        self.home = home
        instance = home / "dagster"
        instance.mkdir(parents=True)
        text = (REPOSITORY / "dagster.yaml").read_text()
        # looked after more often than in earnest, so that a test need not wait for it
        (instance / "dagster.yaml").write_text(text.replace("poll_interval_seconds: 30", "poll_interval_seconds: 5"))
        self.environment = environment(home, SQALE_SOURCE=str(source), DAGSTER_HOME=str(instance), **further)
        # Made by one process, as `dagster dev` does: two that begin at once trip over each other's tables.
        making = [sys.executable, "-c", "import dagster; dagster.DagsterInstance.get()"]
        subprocess.run(making, env=self.environment, check=True)
        self.processes: dict[str, subprocess.Popen] = {}
        self.api = DagsterApi(self.port)

    def start(self, *names: str) -> None:
        commands = {
            "web": ["dagster_webserver", "-h", "127.0.0.1", "-p", str(self.port)],
            "daemon": ["dagster._daemon", "run"],
        }
        for name in names:
            with (self.home / f"{name}.log").open("a") as log:
                self.processes[name] = subprocess.Popen(
                    [sys.executable, "-m", *commands[name], "-w", str(REPOSITORY / "workspace.yaml")],
                    env=self.environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
        self.wait_until(self.api.loaded, 400)

    def kill(self, what: str) -> None:
        """SIGKILL to the web server, the daemon, the process of a run, or to all there is, as a dying machine does."""
        if what == "machine":
            for process in self.processes.values():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        elif what == "run worker":
            os.kill(next(self.run_workers()), signal.SIGKILL)
        else:
            self.processes[what].kill()

    def at_work(self) -> bool:
        """Whether the daemon's code server has a run's process."""
        return next(self.run_workers(), None) is not None

    def run_workers(self) -> Iterator[int]:
        """The processes of runs: what the daemon's code server has spawned."""
        for server in _children(self.processes["daemon"].pid):
            for child in _children(server):
                command = Path(f"/proc/{child}/cmdline").read_bytes()
                if b"spawn_main" in command:
                    yield child

    def build(self) -> tuple[str, list[str]]:
        """The catalogue, then a backfill of all stages launched; its id and the partitions."""
        run = self.api.materialize("schema_catalog")
        assert self.wait_until(lambda: self.api.run_status(run), 600) == "SUCCESS"
        keys = self.api.partition_keys(STAGES[0])
        return self.api.backfill(STAGES, keys), keys

    def wait_until(self, ready, seconds: float):
        try:
            return wait_until(ready, seconds, "Dagster")
        except TimeoutError as error:
            logs = "".join(path.read_text()[-3000:] for path in sorted(self.home.glob("*.log")))
            raise TimeoutError(f"{error}\n{logs}") from None

    def stop(self) -> None:
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
        self.kill("machine")
        shutil.rmtree(self.home / "store" / ".scratch", ignore_errors=True)


def _children(parent: int) -> list[int]:
    """The processes below `parent` whose parent it is; none where it is gone."""
    tasks = Path(f"/proc/{parent}/task")
    with contextlib.suppress(OSError):
        return sorted({int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()})
    return []
