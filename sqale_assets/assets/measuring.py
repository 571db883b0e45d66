"""Measuring every schema of the corpus: in this process, or dealt out to one process per core where there are many.

What is measured is a function over members whose result can be sent between processes; results come in the order of
the schemas, so that they do not depend on how many processes there were.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from sqale_assets.assets.members import members
from sqale_assets.corpus.members import Member
from sqale_assets.settings import Settings
from sqale_assets.store import Store

T = TypeVar("T")

#: Schemas measured in one go; with fewer than two of these a process is not worth its imports.
BATCH = 250


def measured(
    function: Callable[[Iterable[Member]], T], store: Store, schema_ids: Sequence[str], settings: Settings
) -> Iterator[T]:
    """The results of `function` over batches of schemas, in order. It must be a module's function, or a partial."""
    processes = settings.processes or os.cpu_count() or 1
    batches = [schema_ids[start : start + BATCH] for start in range(0, len(schema_ids), BATCH)]
    if processes == 1 or len(batches) < 2:
        yield from (function(members(store, batch)) for batch in batches)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(batches)), spawn) as pool:
        yield from pool.map(_measure, [function] * len(batches), [str(store.root)] * len(batches), batches)


def _measure(function: Callable[[Iterable[Member]], T], root: str, schema_ids: Sequence[str]) -> T:
    return function(members(Store(root), schema_ids))
