"""A real build against a real server of fixed latency: `python -m benchmarks.busy learn|run [--processes 2] ...`.

`learn` builds once and keeps every prompt's reply (`benchmarks/replay.py`), `run` builds the same anew, store and cache
empty, and prints how many of the `--flight` places at the server were taken on average from its first call to its last,
stragglers and barriers included, and the CPU and memory that the build took, all its processes together. With `--plot`
each run adds a panel to `busy.svg`. Schemas are the slice's of the shared corpus (SQALE_SHARED), at the default sizes.
Unlike `benchmarks/throughput.py` the clock is the wall's: run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import copy
import json
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.charts import panels_over_time
from benchmarks.replay import STEP
from sqale_assets.settings import REPOSITORY
from sqale_assets_tests.processes import clean_environment, free_port
from sqale_assets_tests.shared import SLICE

PLOT = Path(__file__).with_name("busy.svg")


def write_source(path: Path, count: int) -> None:
    """So many schemas: the slice's, and where they do not suffice, those once more with another column each."""
    schemas = json.loads(SLICE.read_text())
    written = {}
    for number in range(count):
        again, place = divmod(number, len(schemas))
        name = list(schemas)[place]
        schema = copy.deepcopy(schemas[name])
        if again:
            columns = next(iter(schema["TABLES"].values()))["COLUMNS"]
            like = next(iter(columns.values()))
            columns[f"remark_{again}"] = like | {
                "TYPE": "Varchar", "NULLABLE": True, "UNIQUE": False, "DEFAULT": None, "IS_PRIMARY": False,
                "IS_INDEX": False, "VALUES": [None for _ in like.get("VALUES", ())],
            }  # fmt: skip
        written[f"{again}_{name}"] = schema
    path.write_text(json.dumps(written))


def build(how: str, chosen: argparse.Namespace) -> dict:
    """One build; what server and operating system tell of it."""
    port = free_port()
    latency = 0 if how == "learn" else chosen.latency
    serving = [sys.executable, "-m", "benchmarks.replay", "--port", str(port), "--latency", str(latency)]
    serving += ["--replies", str(chosen.replies), *(["--learn"] if how == "learn" else [])]
    with tempfile.TemporaryDirectory(prefix="busy-", dir=chosen.folder) as store:
        source = Path(store) / "source.json"
        environment = clean_environment() | {
            "SQALE_MODEL": "openai/rules", "OPENAI_API_BASE": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none",
            "SQALE_STORE": store, "SQALE_CONCURRENCY": str(chosen.flight), "SQALE_PROCESSES": str(chosen.processes),
            "SQALE_SOURCE": str(source), "SQALE_SCHEMAS_IN_FLIGHT": str(chosen.schemas_in_flight or ""),
        }  # fmt: skip
        write_source(source, chosen.schemas)
        server = subprocess.Popen(serving, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "sqale_assets.cli", "build", "--no-publish"], cwd=REPOSITORY, env=environment
        )
        peak = Peak(process.pid)
        code = process.wait()
        took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        server.send_signal(signal.SIGTERM)
        told = json.loads(server.communicate()[0])
    if code:
        sys.exit(f"the build ended with {code}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    timeline = told.pop("timeline")
    while timeline and not timeline[-1]:
        timeline.pop()
    told |= {
        "latency": latency,
        "server_cpu": told.pop("cpu"),
        "cpu": cpu,
        "seconds": took,
        "memory": peak.most,
        "timeline": timeline,
    }
    return told | {name: getattr(chosen, name) for name in ("flight", "processes", "schemas")}


class Peak(threading.Thread):
    """The most memory that a process and its descendants had together, in bytes; pages that they share count once."""

    def __init__(self, root: int):
        super().__init__(daemon=True)
        self._root, self.most = root, 0
        self.start()

    def run(self) -> None:
        while Path(f"/proc/{self._root}/smaps_rollup").exists():
            self.most = max(self.most, sum(_proportional_bytes(pid) for pid in _family(self._root)))
            time.sleep(2)


def _family(pid: int) -> list[int]:
    try:
        children = [
            int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()
        ]
    except OSError:  # it is gone
        return []
    return [pid, *(member for child in children for member in _family(child))]


def _proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def tell(made: dict) -> None:
    places = made["timeline"]
    busy = sum(places) / len(places) / made["flight"]
    print(
        f"{made['schemas']} schemas, {made['calls']:,} calls of {made['latency']:g} s, {made['flight']} in flight, "
        f"{made['processes']} processes: {made['seconds']:.0f} s, from first to last call {len(places) * STEP:.0f} s, "
        f"server {busy:.0%} busy ({made['calls'] / len(places) / STEP:.0f} calls/s)\n"
        f"  CPU {made['cpu']:.0f} s, {1000 * made['cpu'] / made['calls']:.1f} ms a call; server "
        f"{made['server_cpu']:.0f} s; "
        f"memory {made['memory'] / 1e6:,.0f} MB; unknown prompts {made['unknown']}"
    )


def plot(runs: list[dict]) -> None:
    """Places taken over time, one panel per run."""
    rows = [
        {
            "run": f"{made['processes']} processes, {made['flight']} places, {made['latency']:g} s a call",
            "s": second, "places": sum(made["timeline"][int(second / STEP) :][: int(1 / STEP)]) * STEP,
        }
        for made in runs
        for second in range(int(len(made["timeline"]) * STEP))
    ]  # fmt: skip
    panels_over_time(rows, "run", PLOT, interpolate="step-after")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("how", choices=["learn", "run"])
    parser.add_argument("--schemas", type=int, default=87)
    parser.add_argument("--flight", type=int, default=256)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--schemas-in-flight", type=int, help="the setting's default is half of --flight")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="for stores")
    parser.add_argument("--replies", type=Path, default=Path(tempfile.gettempdir()) / "busy-replies.sqlite")
    parser.add_argument("--plot", type=Path, help="keep runs in this JSON file and plot all that it holds")
    chosen = parser.parse_args()
    made = build(chosen.how, chosen)
    tell(made)
    if chosen.plot and chosen.how == "run":
        runs = [*(json.loads(chosen.plot.read_text()) if chosen.plot.exists() else []), made]
        chosen.plot.write_text(json.dumps(runs))
        plot(runs)


if __name__ == "__main__":
    main()
