"""One generated function, run in pydantic-monty: seeded, bounded in time and memory, no files, no network.

A call crosses the sandbox's wall once: in go seed, row count and foreign-key values, out come whole
columns. Measured: checkout 0.6 ms, 4 to 14 microseconds a row of six columns.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from importlib import resources
from typing import Any

from sqale_assets.stages.sandbox.imports import MENTIONED, redirect_imports
from sqale_assets.stages.sandbox.pools import DEFAULT_LOCALE, pools

#: What the sandbox's clock shows: a build must not depend on the day it runs.
NOW = datetime(2025, 6, 30, 12, 0, 0)
ENTRY = "generate_rows"

_USES_FAKER = re.compile(r"\b(fake|faker|Faker)\b")
#: Names that generated code uses without importing them as often as not.
_ALWAYS_THERE = "import math, random, re\nfrom datetime import date, datetime, time, timedelta\n"
_OWN_IMPORT = re.compile(r"^from sqale_assets\S+ import (\([^)]*\)|.*)\n", re.MULTILINE)
_CALL = (
    f"import random as _random\n_result = {ENTRY}(_random.Random(_seed), _n, _parents)\ncollect(_result, _columns, _n)"
)


class GeneratorError(Exception):
    """The function did not run to its end. The text is the traceback, in the model's own lines."""


class Sandbox:
    """A pool of sandbox workers, open inside `with`. One run is one fresh session."""

    def __init__(self, *, seconds: float = 10.0, megabytes: int = 256, workers: int = 2):
        self._limits = {
            "max_feed_duration_secs": seconds,
            "max_memory": megabytes << 20,
            "max_recursion_depth": 200,
            "max_suspensions": 10,
            "max_total_sleep_secs": 0.0,
        }
        self._workers = workers

    def __enter__(self) -> Sandbox:
        from pydantic_monty import Monty

        self._pool = Monty(max_processes=self._workers)
        self._pool.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._pool.__exit__(*error)

    async def run(self, source: str, **arguments: Any) -> dict[str, list[Any]]:
        """`run_now` off the event loop: the worker is a process of its own, so that two run on two cores.

        Not monty's own asyncio pool: one in fifteen interpreters that had used it aborted at exit (1.4.0).
        """
        return await asyncio.to_thread(self.run_now, source, **arguments)

    def run_now(
        self,
        source: str,
        *,
        columns: Sequence[str],
        n: int,
        parents: dict[str, list[Any]],
        seed: str,
        locale: str = DEFAULT_LOCALE,
    ) -> dict[str, list[Any]]:
        """The function's rows as columns: one list per name of `columns`, all equally long, at most `n`.

        Values are as the function made them (dates, Decimals and bytes included).

        Raises:
            GeneratorError: syntax error, exception, wrong return type, time or memory limit.
        """
        from pydantic_monty import CollectString, MontyCrashedError, MontyError

        policy = {"datetime": NOW, "sleep": "zero", "random_start": {"seed": seed}}
        printed = CollectString()  # swallowed: only the return value counts
        try:
            with self._pool.checkout(limits=self._limits, os_policy=policy) as session:
                self._offer(session, source, seed, locale)
                session.feed_run(redirect_imports(source), print_callback=printed)
                values = session.feed_run(
                    _CALL,
                    inputs={"_seed": seed, "_n": n, "_parents": parents, "_columns": list(columns)},
                    print_callback=printed,
                )
        except MontyCrashedError as error:
            raise GeneratorError("The function exceeded the sandbox's limits of time or memory.") from error
        except MontyError as error:
            raise GeneratorError(_traceback(error)) from error
        return {
            name: json.loads(column) if isinstance(column, str) else column
            for name, column in zip(columns, values, strict=True)
        }

    @staticmethod
    def _offer(session: Any, source: str, seed: str, locale: str) -> None:
        """Feed the parts of the prelude that the source can reach."""
        session.feed_run(_ALWAYS_THERE + _prelude("collect"))
        if MENTIONED.search(source):
            session.feed_run(_prelude("modules"))
        if _USES_FAKER.search(source):
            session.feed_run(_prelude("words") + _prelude("faker"))
            session.feed_run("fake = Faker()", inputs={"POOLS": pools(locale), "MODULE_SEED": f"{seed}:fake"})


@lru_cache
def _prelude(name: str) -> str:
    """The text of a prelude module, without its imports of other ones: they are fed before it."""
    folder = resources.files("sqale_assets.stages.sandbox.prelude")
    return _OWN_IMPORT.sub("", folder.joinpath(f"{name}.py").read_text(encoding="utf-8")) + "\n"


def _traceback(error: Any) -> str:
    """The error in the form a model has seen a million times, without the sandbox's own frames."""
    text = error.display() if hasattr(error, "display") else str(error)
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= 30 else [*lines[:12], "  ...", *lines[-12:]])
