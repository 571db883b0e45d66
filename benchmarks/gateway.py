r"""Requests per second through the gateway, against a loopback server of fixed latency in its own process.

    python benchmarks/gateway.py                          # 0.2 s / 64 and 2 s / 256
    python benchmarks/gateway.py --latency 0.2 --flight 64 --calls 2048 --clients gateway,dagster,aiohttp
    python benchmarks/gateway.py --random-429 0.1

    BENCH_CURATOR_PYTHON=.../bin/python BENCH_DATA_DESIGNER_PYTHON=.../bin/python \
        python benchmarks/gateway.py --clients gateway,curator,data_designer,aiohttp

Clients: the gateway in a plain event loop; the gateway inside a Dagster run; litellm bare and its Router;
plain aiohttp as the yardstick. Every client makes the same calls, one after the other, in a process of its
own, against `loopback.py`. `ideal` is flight / latency; `of aiohttp` the ratio to aiohttp's rate in the same run.
CPU is the client's own, so it stays honest on a busy machine; the server's is beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

MODEL = "openai/gpt-4o-mini"  # one that has a price
ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ("gateway", "dagster", "aiohttp", "litellm", "router")
#: About the size of a real prompt: 4,000 characters.
FILLER = "CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);\n" * 44
PROMPT = (
    "---\ntask: bench\nversion: 1\nstage: style\ntemperature: 0.5\n---\n"
    "## system\nTask: bench\n{filler}\n## user\n{{{{ n }}}}\n"
)


def messages(n: int) -> list[dict[str, str]]:
    return [{"role": "system", "content": f"Task: bench\n{FILLER}"}, {"role": "user", "content": str(n)}]


async def bounded(ask, calls: int, flight: int) -> int:
    """Make `calls` calls, `flight` at once; how many came back."""
    places = asyncio.Semaphore(flight)

    async def one(n: int) -> bool:
        async with places:
            return await ask(n)

    return sum(await asyncio.gather(*(one(n) for n in range(calls))))


# --- clients: each makes all the calls and returns how many were answered -----------------------


def gateway_settings(url: str, flight: int, folder: Path):
    from sqale_assets.settings import Settings

    (folder / "bench.md").write_text(PROMPT.format(filler=FILLER))
    os.environ["OPENAI_API_KEY"] = "bench"
    route = {"model": MODEL, "api_base": url}
    return Settings(store=str(folder / "store"), prompts=folder, models={"style": route}, concurrency=flight)


async def through_gateway(settings, calls: int) -> int:
    from sqale_assets.llm.gateway import Gateway
    from sqale_assets.llm.task import Task, Text

    class Bench(Task[Text]):
        prompt: ClassVar[str] = "bench"
        answer: ClassVar[type[BaseModel]] = Text
        n: int

    gateway = Gateway(settings)
    llm = gateway.for_schema("style", "bench")

    async def ask(n: int) -> bool:
        return bool((await llm.ask(Bench(n=n))).value.text)

    answered = await bounded(ask, calls, settings.concurrency)
    await gateway.aclose()
    return answered


def run_gateway(url: str, calls: int, flight: int, folder: Path) -> int:
    return asyncio.run(through_gateway(gateway_settings(url, flight, folder), calls))


def run_dagster(url: str, calls: int, flight: int, folder: Path) -> int:
    """The same inside an asset that Dagster materializes in process, as a build's runs are."""
    import dagster as dg

    settings = gateway_settings(url, flight, folder)

    @dg.asset
    async def answers() -> int:
        return await through_gateway(settings, calls)

    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([answers], instance=instance)
    return result.output_for_node("answers")


def run_aiohttp(url: str, calls: int, flight: int, folder: Path) -> int:
    import aiohttp

    async def main() -> int:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def ask(n: int) -> bool:
                body = {"model": "bench", "messages": messages(n), "temperature": 0.5}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    return bool((await response.json())["choices"][0]["message"]["content"])

            return await bounded(ask, calls, flight)

    return asyncio.run(main())


def run_litellm(url: str, calls: int, flight: int, folder: Path) -> int:
    """litellm as it comes."""
    import litellm

    async def ask(n: int) -> bool:
        reply = await litellm.acompletion(
            model=MODEL, messages=messages(n), api_base=url, api_key="bench", temperature=0.5
        )
        return bool(reply.choices[0].message.content)

    return asyncio.run(bounded(ask, calls, flight))


def run_router(url: str, calls: int, flight: int, folder: Path) -> int:
    import litellm

    parameters = {"model": MODEL, "api_base": url, "api_key": "bench"}
    router = litellm.Router(model_list=[{"model_name": "bench", "litellm_params": parameters}])

    async def ask(n: int) -> bool:
        reply = await router.acompletion(model="bench", messages=messages(n), temperature=0.5)
        return bool(reply.choices[0].message.content)

    return asyncio.run(bounded(ask, calls, flight))


def run_curator(url: str, calls: int, flight: int, folder: Path) -> int:
    """bespokelabs-curator, in a virtual environment of its own: BENCH_CURATOR_PYTHON names its interpreter."""
    os.environ |= {"OPENAI_API_KEY": "bench", "TELEMETRY_ENABLED": "false", "CURATOR_CACHE_DIR": str(folder)}
    os.environ |= {"CURATOR_VIEWER": "false", "HF_HUB_OFFLINE": "1"}
    import tiktoken

    class Words:
        """In place of tiktoken's encodings, which it would fetch from the network."""

        def encode(self, text: str, **_: object) -> list[str]:
            return text.split()

    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda _: Words()
    from bespokelabs import curator

    class Bench(curator.LLM):
        def prompt(self, row):
            return messages(row["n"])

        def parse(self, row, response):
            return {"text": response}

    unlimited = {"max_requests_per_minute": 10**7, "max_tokens_per_minute": 10**10}
    parameters = {"base_url": url, "max_concurrent_requests": flight, **unlimited}
    bench = Bench(model_name=MODEL.split("/")[1], backend="openai", backend_params=parameters)
    return len(bench([{"n": n} for n in range(calls)]).dataset)


def run_data_designer(url: str, calls: int, flight: int, folder: Path) -> int:
    """NeMo Data Designer, in a virtual environment of its own: BENCH_DATA_DESIGNER_PYTHON names its interpreter."""
    os.environ |= {"NEMO_TELEMETRY_ENABLED": "false", "BENCH_KEY": "bench"}
    import data_designer.config as dd
    from data_designer.interface import DataDesigner

    provider = dd.ModelProvider(name="bench", endpoint=url, provider_type="openai", api_key="BENCH_KEY")
    parameters = dd.ChatCompletionInferenceParams(max_parallel_requests=flight, temperature=0.5)
    model = dd.ModelConfig(
        alias="m", model=MODEL.split("/")[1], provider="bench", inference_parameters=parameters, skip_health_check=True
    )
    config = dd.DataDesignerConfigBuilder(model_configs=[model])
    number = dd.UUIDSamplerParams()
    config.add_column(dd.SamplerColumnConfig(name="n", sampler_type=dd.SamplerType.UUID, params=number))
    config.add_column(dd.LLMTextColumnConfig(name="text", model_alias="m", system_prompt=FILLER, prompt="{{ n }}"))
    designer = DataDesigner(artifact_path=folder, model_providers=[provider])
    designer.set_run_config(dd.RunConfig(buffer_size=calls, display_tui=False))
    return len(designer.create(config, num_records=calls).load_dataset())


# --- measuring ----------------------------------------------------------------------------------


def client(name: str, url: str, calls: int, flight: int) -> None:
    """In a process of its own: a warm-up, then the measurement, as JSON on the last line."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    run = globals()[f"run_{name}"]
    with tempfile.TemporaryDirectory() as warm, tempfile.TemporaryDirectory() as measured:
        run(url, min(flight, 32), flight, Path(warm))
        began, cpu = time.monotonic(), _cpu()
        answered = run(url, calls, flight, Path(measured))
        print(json.dumps({"answered": answered, "seconds": time.monotonic() - began, "cpu": _cpu() - cpu}))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(name: str, latency: float, flight: int, calls: int, share_429: float) -> dict[str, float]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = [sys.executable, str(ROOT / "benchmarks" / "loopback.py"), "--port", str(port)]
    server += ["--latency", str(latency), "--random-429", str(share_429)]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    try:
        _wait_for(port)
        interpreter = os.environ.get(f"BENCH_{name.upper()}_PYTHON", sys.executable)
        command = [interpreter, __file__, "--client", name, "--url", f"http://127.0.0.1:{port}/v1"]
        command += ["--calls", str(calls), "--flight", str(flight)]
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    finally:
        process.terminate()
        server_cpu, _ = process.communicate()
    return json.loads(output.splitlines()[-1]) | {"server_cpu": float(server_cpu)}


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, help="seconds")
    parser.add_argument("--flight", type=int, help="calls in flight")
    parser.add_argument("--calls", type=int, default=2048)
    parser.add_argument("--random-429", type=float, default=0.0)
    parser.add_argument("--clients", default=",".join(CLIENTS))
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        client(arguments.client, arguments.url, arguments.calls, arguments.flight)
        return

    from rich.console import Console
    from rich.table import Table

    loads = [(arguments.latency, arguments.flight)] if arguments.latency else [(0.2, 64), (2.0, 256)]
    clients = arguments.clients.split(",")
    columns = ("requests/s", "of ideal", "of aiohttp", "CPU ms per call", "server's CPU ms", "lost")
    table = Table("latency / in flight", "client", *columns)
    for latency, flight in loads:
        results = {name: measure(name, latency, flight, arguments.calls, arguments.random_429) for name in clients}
        rates = {name: result["answered"] / result["seconds"] for name, result in results.items()}
        for name, result in results.items():
            table.add_row(
                f"{latency:g} s / {flight}",
                name,
                f"{rates[name]:.0f}",
                f"{rates[name] * latency / flight:.0%}",
                f"{rates[name] / rates['aiohttp']:.2f}" if "aiohttp" in rates else "",
                f"{1000 * result['cpu'] / arguments.calls:.2f}",
                f"{1000 * result['server_cpu'] / arguments.calls:.2f}",
                str(arguments.calls - result["answered"]),
            )
    Console().print(table)


if __name__ == "__main__":
    main()
