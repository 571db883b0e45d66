"""Time and memory of the corpus statistics: `python benchmarks/corpus_statistics.py STORE [schemas]`.

STORE is a built and published store (`sqale build`). Its schemas are repeated, as links in a temporary store, until
there are as many as the published SQaLe has (9,259); then they are measured as the asset `dataset_statistics` does, in
one process per core, artefacts read from disk. `pip install sqlglotc` makes sqlglot, where most of the time goes, 2.4
times as fast.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from sqale_assets.assets.measuring import measured
from sqale_assets.assets.published import published_ids
from sqale_assets.assets.stages import STAGES
from sqale_assets.settings import Settings
from sqale_assets.statistics.corpus import CorpusTally, tally
from sqale_assets.store import Store


def main(built: str, schemas: str = "9259") -> None:
    with tempfile.TemporaryDirectory() as folder:
        ids = repeated(Path(built), Path(folder), int(schemas))
        settings, store = Settings(store=folder), Store(folder)
        started, counted = time.monotonic(), CorpusTally()
        for part in measured(tally, store, ids, settings):
            counted.merge(part)
        found = counted.statistics()
        seconds = time.monotonic() - started
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processes = settings.processes or os.cpu_count() or 1
    spent = own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime
    print(
        json.dumps(
            {
                "records": found.records,
                "schemas": found.schemas.schemas,
                "tables": sum(found.schemas.tables_per_schema),
                "seconds": round(seconds, 1),
                "cpu_seconds": round(spent, 1),
                "processes": processes,
                "peak_megabytes_together": round((own.ru_maxrss + processes * workers.ru_maxrss) / 1024),
            }
        )
    )


def repeated(built: Path, folder: Path, count: int) -> list[str]:
    """Links to the published artefacts of `built` under `count` new ids."""
    chosen = published_ids(Store(built))
    ids = []
    for number, schema_id in enumerate(islice(cycle(chosen), count)):
        ids.append(f"{schema_id}_{number}")
        for stage in STAGES:
            (folder / stage.name).mkdir(exist_ok=True)
            (folder / stage.name / ids[-1]).symlink_to((built / stage.name / schema_id).resolve())
    return ids


if __name__ == "__main__":
    main(*sys.argv[1:])
