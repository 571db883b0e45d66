"""The set-up of this folder tried on one machine: `python -m deploy.prove [folder]`, with `.[cluster,prove]` installed.

PostgreSQL, Redis and an S3 server (moto) on loopback, the web server, the daemon and two Celery workers as processes,
started with the commands of `compose.yaml`.
The bundled sample's schemas are built by a backfill from the UI's API into S3; one worker is killed (SIGKILL) while it
runs; the build must still complete, and what it made must equal a build on one machine, byte for byte.

PostgreSQL refuses to run as root: started by root, the script runs it as the user `postgres`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import yaml

from sqale_assets_tests.dagster_api import STAGES, DagsterApi, wait_until
from sqale_assets_tests.processes import clean_environment, free_port

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
SMALL = {
    "SQALE_EXTENSION__EXTRA_TABLES": "4",
    "SQALE_POPULATION__MEDIAN_ROWS": "15",
    "SQALE_QUESTIONS__PER_SCHEMA": "6",
    "SQALE_PARTITIONS_PER_RUN": "3",  # several runs a stage, so that both workers have some
}


class Cluster:
    """All processes of the set-up, with their logs in `folder`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.ports = {name: free_port() for name in ("postgres", "redis", "s3", "web")}
        self.api = DagsterApi(self.ports["web"])
        self.processes: dict[str, subprocess.Popen] = {}
        clean = clean_environment()
        self.environment = {
            **clean, **SMALL,
            "PATH": f"{BIN}:{clean['PATH']}",  # dagster-celery calls celery
            "DAGSTER_HOME": str(folder / "home"),
            "SQALE_POSTGRES_HOST": "127.0.0.1", "SQALE_POSTGRES_PORT": str(self.ports["postgres"]),
            "SQALE_POSTGRES_DB": "postgres", "SQALE_POSTGRES_USER": "postgres", "SQALE_POSTGRES_PASSWORD": "unused",
            "SQALE_REDIS": f"redis://127.0.0.1:{self.ports['redis']}/0",
            "SQALE_STORE": "s3://sqale/corpus",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.ports['s3']}",
            "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }  # fmt: skip

    def start(self, name: str, *command: object) -> subprocess.Popen:
        log = (self.folder / f"{name}.log").open("w")
        self.processes[name] = subprocess.Popen(
            [str(part) for part in command], env=self.environment, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True, cwd=HERE.parent,
        )  # fmt: skip
        return self.processes[name]

    def start_container(self, service: str, changed: Mapping[str, str] = {}, name: str = "") -> subprocess.Popen:
        """What the container of a service of `compose.yaml` runs, with some of its arguments `changed`."""
        command = yaml.safe_load((HERE / "compose.yaml").read_text())["services"][service]["command"]
        program, *arguments = (part for each in command for part in changed.get(each, each).split())
        return self.start(name or service, BIN / program, *arguments)

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.processes[name].pid, number)

    def start_services(self) -> None:
        postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        data = self.folder / "postgres"
        data.mkdir()
        as_user: list[object] = []
        if os.geteuid() == 0:
            shutil.chown(data, "postgres")
            as_user = ["runuser", "-u", "postgres", "--"]
        initdb = [*as_user, postgres / "initdb", "-D", data, "-U", "postgres", "-A", "trust"]
        subprocess.run([str(part) for part in initdb], check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start("postgres", *as_user, postgres / "postgres", "-D", data, "-p", self.ports["postgres"], "-k", "/tmp")
        self.start("redis", "redis-server", "--port", self.ports["redis"], "--save", "", "--appendonly", "no")
        self.start("s3", BIN / "moto_server", "-p", self.ports["s3"], "-H", "127.0.0.1")
        for name in ("postgres", "redis", "s3"):
            wait_until(lambda name=name: answers(self.ports[name]), 60, name)
        if self.start_container("bucket").wait(60):
            raise RuntimeError(f"no bucket could be made; see {self.folder}/bucket.log")

    def start_dagster(self) -> None:
        home = self.folder / "home"
        home.mkdir()
        shutil.copy(HERE / "dagster.yaml", home)
        self.start_container("daemon")
        self.start_container("web", {"0.0.0.0": "127.0.0.1", "3000": str(self.ports["web"])})
        for name in ("worker_a", "worker_b"):
            self.start_container("worker", {"--": f"-n {name} --", "2": "1"}, name=name)
        wait_until(self.api.loaded, 180, "the web server")
        for name, process in self.processes.items():
            if process.poll() is not None and name != "bucket":
                raise RuntimeError(f"{name} has ended; see {self.folder / name}.log")

    def build(self) -> None:
        """The catalogue, then a backfill of all stages, and a worker killed while one of its runs is at work."""
        run = self.api.materialize("schema_catalog")
        if (status := wait_until(lambda: self.api.run_status(run), 300, "schema_catalog")) != "SUCCESS":
            raise RuntimeError(f"schema_catalog: {status}; see {self.folder}")
        keys = self.api.partition_keys("source_schema")
        backfill = self.api.backfill(STAGES, keys)
        print(f"backfill {backfill} of {len(keys)} schemas launched")
        wait_until(lambda: self.populated() >= 2, 1200, "the first populated databases")
        wait_until(lambda: self.running("worker_a"), 300, "a run on worker_a")
        self.kill("worker_a")
        print("worker_a killed with SIGKILL while it had a run")
        print("backfill", wait_until(lambda: self.api.backfill_status(backfill), 3000, "the backfill"))
        for stage in STAGES:
            stats = self.api.partition_stats(stage)
            print(f"  {stage:<20} {stats['numMaterialized']} of {stats['numPartitions']}, {stats['numFailed']} failed")

    def populated(self) -> int:
        return self.api.partition_stats("populated_database")["numMaterialized"]

    def running(self, worker: str) -> bool:
        """Whether the worker has a run."""
        from celery import Celery

        active = Celery(broker=self.environment["SQALE_REDIS"]).control.inspect(timeout=3).active() or {}
        return any(tasks for name, tasks in active.items() if worker in name)

    def stop(self) -> None:
        for name in reversed(self.processes):
            self.kill(name, signal.SIGTERM)
        time.sleep(3)
        for name in self.processes:
            self.kill(name)


def main(folder: str | None = None) -> int:
    place = Path(folder or tempfile.mkdtemp(prefix="prove-"))
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o755)
    cluster = Cluster(place)
    try:
        cluster.start_services()
        cluster.start_dagster()
        cluster.build()
        print("publishing from S3 and building on one machine, to compare")
        sqale = [BIN / "sqale", "build"]
        subprocess.run(sqale, env=cluster.environment, check=True)
        alone = {
            name: value for name, value in cluster.environment.items() if name not in ("DAGSTER_HOME", "SQALE_REDIS")
        }
        subprocess.run(sqale, env={**alone, "SQALE_STORE": str(place / "alone")}, check=True)
        same, different = compare(cluster.environment, place / "alone")
    finally:
        cluster.stop()
    print(f"{same} published and artefact files are equal byte for byte, {len(different)} differ: {different[:5]}")
    return 1 if different or not same else 0


def compare(environment: dict[str, str], alone: Path) -> tuple[int, list[str]]:
    """Databases and published parquet on S3 against those of the build on one machine."""
    os.environ.update({name: value for name, value in environment.items() if name.startswith("AWS_")})
    from upath import UPath

    root, same, different = UPath(environment["SQALE_STORE"]), 0, []
    paths = [*alone.glob("populated_database/*/database.sqlite"), *(alone / "published").rglob("*.parquet")]
    for path in sorted(paths):
        name = path.relative_to(alone).as_posix()
        remote = root / name
        if remote.exists() and remote.read_bytes() == path.read_bytes():
            same += 1
        else:
            different.append(name)
    return same, different


def answers(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
