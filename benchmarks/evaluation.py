"""What the evaluation harness costs beside the model, and whether its scores are what they must be.

    python benchmarks/evaluation.py [--tables 239] [--rows 69] [--episodes 256] [--in-flight 64]
    python benchmarks/evaluation.py --corpus data/sample/published [--n 300]

The first runs scripted episodes of five rounds (survey, inspect, read values, query, submit) on one large database
through gateway and HTTP; the model is another process and answers at once. Target: under 20 ms of CPU per round.
The second plays three models on a corpus: gold itself, one constant, and hostile statements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from executor import build

from sqale_assets.evaluation.corpora import open_corpus
from sqale_assets.evaluation.evaluate import evaluate
from sqale_assets.evaluation.figures import figures
from sqale_assets.evaluation.items import Corpus, Item
from sqale_assets.evaluation.log import Evaluated
from sqale_assets.llm.gateway import Gateway
from sqale_assets.settings import Settings
from sqale_assets_tests.llm.server import FakeProvider, Request

GOLD = "SELECT DISTINCT a.name FROM entity_5 a JOIN entity_6 b ON b.parent_id = a.id WHERE a.kind = 'k1'"
HOSTILE = (
    "DELETE FROM sqlite_master", "DROP TABLE entity_5", "ATTACH DATABASE '/tmp/evil.sqlite' AS evil",
    "PRAGMA writable_schema = 1", "SELECT 1; DROP TABLE entity_5", "SELECT writefile('/tmp/evil', 'x')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "VACUUM INTO '/tmp/evil.sqlite'",
)  # fmt: skip


def call(tool: str, **args: Any) -> str:
    return json.dumps({"tool": tool, "args": args})


ROUNDS = (
    f"<think>Which tables are there?</think>{call('list_tables')}",
    "".join(call("describe_table", table_name=f"entity_{at}") for at in range(4, 8))
    + call("foreign_keys", table_name="entity_5"),
    call("sample_rows", table_name="entity_5")
    + call("distinct_values", table_name="entity_5", column_name="kind")
    + call("run_query", sql="SELECT max(amount) FROM entity_6")
    + call("join_path", table_a="entity_5", table_b="entity_6"),
    call("run_query", sql=GOLD),
    call("submit_sql", sql=GOLD),
)  # fmt: skip


def serve(answers: dict[str, list[str]], connection: Any) -> None:
    """A model in its own process: question -> its replies in order."""

    def reply(request: Request) -> str:
        messages = request.body["messages"]
        question = re.search(r"```question\n(.*?)\n```", messages[1]["content"], re.DOTALL)
        replies = answers[question[1]] if question else [""]
        return replies[min(sum(message["role"] == "assistant" for message in messages), len(replies) - 1)]

    async def run() -> None:
        async with FakeProvider(reply) as provider:
            connection.send(provider.base_url)
            await asyncio.Event().wait()

    asyncio.run(run())


@contextmanager
def model(answers: dict[str, list[str]]) -> Iterator[str]:
    """The base URL of a model that gives these answers."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(answers, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


class Quiet:
    """A watch that says nothing."""

    def sampled(self, *_: Any) -> None: ...
    def checked(self) -> None: ...
    def prepared(self, *_: Any) -> None: ...
    def ended(self, *_: Any) -> None: ...
    def refused(self, *_: Any) -> None: ...


def play(corpus: Corpus, folder: Path, name: str, answers: dict[str, list[str]], **chosen: Any) -> Evaluated:
    """Measure the model that gives these answers."""
    with model(answers) as url:
        settings = Settings(
            store=str(folder / name),
            answers={"query_seconds": 0.5},  # one of the hostile statements never ends
            evaluation={"route": {"api_base": url, "timeout": 60}, "questions": len(corpus.items), **chosen},
        )

        async def run() -> Evaluated:
            gateway = Gateway(settings)
            try:
                return await evaluate(corpus, settings, gateway, folder / "runs", Quiet(), model=f"openai/{name}")
            finally:
                await gateway.aclose()

        return asyncio.run(run())


def overhead(options: argparse.Namespace, folder: Path) -> None:
    """CPU per round, with as many episodes at once as asked for."""
    path = folder / "benchmark.sqlite"
    build(path, options.tables, options.rows)
    items = tuple(
        Item(question_id=str(at), database_id="benchmark", phrasings={"verbose": f"Question {at}?"}, sql=GOLD)
        for at in range(options.episodes)
    )
    size = f"{options.tables} tables x {options.rows} rows"
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}; {size}")
    for condition in ("full", "+32"):
        corpus = Corpus(f"bench {condition}", "sqale", "test", items, lambda _: path)
        answers = {item.phrasings["verbose"]: list(ROUNDS) for item in items}
        warm = Corpus("warm", "sqale", "test", items[:1], lambda _: path)
        play(warm, folder, f"warm-{condition}", answers, style="verbose", tables=(condition,))  # imports litellm
        cpu, wall = time.process_time(), time.monotonic()
        evaluated = play(
            corpus, folder, f"bench-{condition}", answers, style="verbose", tables=(condition,),
            episodes_in_flight=options.in_flight,
        )  # fmt: skip
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        (found,) = figures(evaluated)
        rounds = sum(episode.behaviour.rounds for episode in evaluated.episodes)
        assert found.correct.count == len(items), found.outcomes
        print(
            f"{condition:5} {len(items)} episodes, {options.in_flight} at once, {rounds} rounds: "
            f"{1000 * cpu / rounds:.1f} ms of CPU a round (golds and scores included), {wall:.1f} s in all"
        )


def sanity(path: Path, n: int, folder: Path, conditions: Sequence[str]) -> None:
    """Gold, a constant and hostile statements on a corpus."""
    corpus = open_corpus(path, "test", folder / "databases")
    style = "verbose"
    items = corpus.items[:n]
    corpus = Corpus(corpus.name, corpus.form, corpus.split, items, corpus.database)
    asked = {item.phrasings[style]: item.sql for item in items}
    players = {
        "gold": {question: [call("submit_sql", sql=sql)] for question, sql in asked.items()},
        "constant": {question: [call("submit_sql", sql="SELECT 1")] for question in asked},
        "hostile": {
            question: [call("run_query", sql=sql), call("submit_sql", sql=sql)]
            for question, sql in zip(asked, (HOSTILE * len(asked))[: len(asked)], strict=True)
        },
    }
    files = sorted({corpus.database(item.database_id) for item in items})
    before = [sha256(file.read_bytes()).hexdigest() for file in files]
    for name, answers in players.items():
        evaluated = play(corpus, folder, name, answers, style=style, tables=tuple(conditions))
        for found in figures(evaluated):
            print(
                f"{name:9} {found.condition:5} {found.correct.count:4} of {found.correct.total} correct, "
                f"{found.correct_bird.count} by BIRD's rule; {found.outcomes}; problems {found.problems}"
            )
    untouched = before == [sha256(file.read_bytes()).hexdigest() for file in files]
    ones = sum(_returns_one(corpus, item) for item in items)
    print(f"{len(files)} databases {'untouched' if untouched else 'CHANGED'}; {ones} gold queries return just 1")
    assert untouched and not list(Path("/tmp").glob("evil*"))


def _returns_one(corpus: Corpus, item: Item) -> bool:
    with sqlite3.connect(f"file:{corpus.database(item.database_id)}?mode=ro", uri=True) as connection:
        return connection.execute(item.sql).fetchall() in ([(1,)], [(1.0,)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=239)
    parser.add_argument("--rows", type=int, default=69)
    parser.add_argument("--episodes", type=int, default=256)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--corpus", type=Path, help="play gold, a constant and hostile statements on this corpus")
    parser.add_argument("--n", type=int, default=300)
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    with tempfile.TemporaryDirectory(prefix="sqale-benchmark-") as folder:
        if options.corpus:
            sanity(options.corpus, options.n, Path(folder), ("gold", "+32", "full"))
        else:
            overhead(options, Path(folder))


if __name__ == "__main__":
    main()
