"""How busy a build keeps a model server of fixed latency: `python -m benchmarks.throughput [--schemas 40 --flight 51]`.

Takes schemas of full size through every stage against a model that answers by the offline rules after `--latency`
seconds, stage by stage and as the pipeline does (`--ways`), and prints how many of the `--flight` places were taken on
average from the first second to the last, stragglers and barriers included, and the CPU per call. The timelines go into
`throughput.svg` beside this file.

The clock is virtual, so that a busy machine does not disturb it and no second is slept: it counts our own CPU time as
measured, leaves out the rules' (a server has its own machine), and jumps where everything waits. All is real but the
socket: prompts, throttle, cache, ledger, parsing, sandbox, databases, manifests. aiohttp's share is added per call, as
`benchmarks/gateway.py` measured it. What the clock shows is therefore one process on one core of its own; threads are
run in turn. Schemas are the slice's of the shared corpus (SQALE_SHARED), at the default sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import selectors
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.charts import panels_over_time

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
PLOT = Path(__file__).with_name("throughput.svg")
AIOHTTP = 0.0003  # seconds of CPU per call
TASK = re.compile(r"\s*Task: (\w+)")


class Clock:
    """Seconds on one core that does nothing else and never waits for its own model server's CPU."""

    def __init__(self) -> None:
        self.jumped = self.left_out = 0.0

    def now(self) -> float:
        return time.process_time() - self.left_out + self.jumped


class Selector(selectors.DefaultSelector):
    """Jumps to the next timer instead of sleeping until it."""

    clock: Clock

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout:
            self.clock.jumped += timeout
        return ready


class InTurn(ThreadPoolExecutor):
    """Runs what would go into a thread at once, on the one core."""

    def submit(self, function, /, *arguments, **named) -> Future:
        future: Future = Future()
        try:
            future.set_result(function(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)
        return future


class Policy(asyncio.DefaultEventLoopPolicy):
    def __init__(self, clock: Clock):
        super().__init__()
        self.clock = clock

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        selector = Selector()
        selector.clock = self.clock
        loop = asyncio.SelectorEventLoop(selector)
        loop.time = self.clock.now
        loop.set_default_executor(InTurn())
        return loop


class Model:
    """Answers in place of the provider, and remembers which places were taken when, by which task."""

    def __init__(self, clock: Clock, latency: float):
        self.clock, self.latency = clock, latency
        self.calls: list[tuple[str, float, float]] = []

    async def __call__(self, call: dict[str, Any]) -> Any:
        from sqale_assets.llm import direct, offline

        began, started = self.clock.now(), time.process_time()
        text = offline.respond(call["messages"])
        self.clock.left_out += time.process_time() - started
        await asyncio.sleep(self.latency)
        self.clock.jumped += AIOHTTP
        # a reply that waits for our processor does not keep the server busy
        self.calls.append((TASK.match(call["messages"][0]["content"])[1], began, began + self.latency))
        usage = {"prompt_tokens": 1000, "completion_tokens": len(text) // 4, "total_tokens": 1000 + len(text) // 4}
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return direct._converted({"id": "0", "object": "chat.completion", "choices": choices, "usage": usage})


def build(way: str, schemas: int, flight: int, latency: float, schemas_in_flight: int | None) -> dict[str, Any]:
    """One build; its calls and times."""
    import dagster as dg

    from sqale_assets.assets.outcomes import Outcomes
    from sqale_assets.assets.pipeline import Pipeline
    from sqale_assets.assets.schema_catalog import CATALOG
    from sqale_assets.assets.stage import run_stage
    from sqale_assets.assets.stages import STAGES
    from sqale_assets.assets.stream import as_finished
    from sqale_assets.definitions import build_defs
    from sqale_assets.llm import provider
    from sqale_assets.llm.backend import load_litellm
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.settings import Settings
    from sqale_assets.store import Store

    load_litellm()  # seconds of imports, once per process
    clock = Clock()
    model = provider.acompletion = Model(clock, latency)
    with tempfile.TemporaryDirectory(prefix="throughput-") as folder, dg.DagsterInstance.ephemeral() as instance:
        chosen = {"schemas_in_flight": schemas_in_flight} if schemas_in_flight else {}
        settings = Settings(
            source=SHARED / "corpus" / "schemapile_slice.json", store=folder, model="openai/rules",
            models={name: {"model": "openai/rules", "timeout": 1e6} for name in
                    ("domain", "extend", "populate", "question", "style", "answer", "judge")},
            concurrency=flight, catalog={"limit": schemas}, **chosen,
        )  # fmt: skip
        job = build_defs(settings).resolve_implicit_global_asset_job_def()
        quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey(CATALOG)], run_config=quiet)
        store, gateway = Store(settings.store), Gateway(settings)
        keys = store.schema_ids(CATALOG)
        asyncio.set_event_loop_policy(Policy(clock))
        ends, work = {}, {}
        began, cpu = clock.now(), time.process_time() - clock.left_out
        failed = Counter()
        if way == "pipeline":
            outcomes = Outcomes()
            with Pipeline(STAGES, keys, settings, store, gateway, outcomes):
                for stage in STAGES:
                    failed[stage.name] = sum(end.error is not None for end in outcomes.finished(stage.name, keys))
                    ends[stage.name] = clock.now() - began
        else:
            for stage in STAGES:

                async def one(schema_id: str, stage=stage) -> Any:
                    return await run_stage(stage, schema_id, settings, store, gateway)

                before = time.process_time() - clock.left_out
                done = list(as_finished(keys, one, settings.schemas_in_flight, gateway.aclose))
                failed[stage.name] = sum(end.error is not None for end in done)
                ends[stage.name] = clock.now() - began
                work[stage.name] = time.process_time() - clock.left_out - before
        took = clock.now() - began
        calls = [(task, start - began, end - began) for task, start, end in model.calls]
        return {
            "way": way, "schemas": len(keys), "flight": flight, "latency": latency, "seconds": took, "ends": ends,
            "schemas_in_flight": settings.schemas_in_flight,
            "cpu": time.process_time() - clock.left_out - cpu + AIOHTTP * len(calls), "work": work, "calls": calls,
            "failed": +failed, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        }  # fmt: skip


def tell(made: dict[str, Any]) -> None:
    calls, seconds = made["calls"], made["seconds"]
    busy = sum(end - start for _, start, end in calls) / made["flight"] / seconds
    print(
        f"{made['way']}: {made['schemas']} schemas, {made['schemas_in_flight']} at once, {len(calls):,} calls of "
        f"{made['latency']:g} s, {made['flight']} in flight: {seconds:,.0f} s, server {busy:.0%} busy\n"
        f"  our CPU {made['cpu']:,.0f} s, {made['cpu'] / seconds:.0%} of a core, "
        f"{1000 * made['cpu'] / len(calls):.1f} ms a call: a core keeps up with {len(calls) / made['cpu']:,.0f} "
        f"calls/s; memory {made['memory'] / 1000:,.0f} MB"
    )
    if made["failed"]:
        print("  failed:", dict(made["failed"]))
    per_task = Counter(task for task, *_ in calls)
    print("  calls:", ", ".join(f"{task} {count:,}" for task, count in per_task.items()))
    print("  stages end at", ", ".join(f"{name} {end:,.0f} s" for name, end in made["ends"].items()))
    if made["work"]:
        print(
            "  CPU per schema:", ", ".join(f"{k} {1000 * v / made['schemas']:,.0f} ms" for k, v in made["work"].items())
        )


def plot(runs: list[dict[str, Any]]) -> None:
    """Places taken over time, by task, one panel per way."""
    longest = max(made["seconds"] for made in runs)
    rows, step = [], max(longest / 120, 0.25)  # one grid: Vega fills with zeros what a panel lacks of another's
    for made in runs:
        taken: dict[tuple[int, str], float] = defaultdict(float)
        for task, start, end in made["calls"]:
            for slot in range(int(start / step), int(end / step) + 1):
                taken[slot, task] += (min(end, (slot + 1) * step) - max(start, slot * step)) / step
        title = f"{made['way']}: {made['schemas']} schemas, {made['flight']} places, {made['latency']:g} s a call"
        tasks, slots = sorted({task for _, task in taken}), range(int(longest / step) + 1)
        rows += [
            {"way": title, "s": round((slot + 0.5) * step, 2), "task": task, "places": round(taken[slot, task], 2)}
            for slot in slots
            for task in tasks
        ]
    panels_over_time(rows, "way", PLOT, color="task")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schemas", type=int, default=40)
    parser.add_argument("--flight", type=int, default=51)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--schemas-in-flight", type=int)
    parser.add_argument("--ways", default="stages,pipeline")
    parser.add_argument("--keep", type=Path, help="write the runs here as JSON, and plot those of earlier calls too")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "none")
    runs = []
    for way in arguments.ways.split(","):
        made = build(way, arguments.schemas, arguments.flight, arguments.latency, arguments.schemas_in_flight)
        tell(made)
        runs.append(made)
    if arguments.keep:
        kept = json.loads(arguments.keep.read_text()) if arguments.keep.exists() else []
        runs = [*kept, *runs]
        arguments.keep.write_text(json.dumps(runs))
    plot(runs)


if __name__ == "__main__":
    main()
