"""Time, memory and page size of the quality report: `python benchmarks/quality_report.py STORE [records]`.

STORE is a built and published store (`sqale build`). Its schemas are repeated in a temporary store, artefacts as links
and the published rows under new ids, until there are so many records (100,000). Then the asset `quality_report` is
materialized as its daily job does it, and the page is opened in a headless Chromium, where there is one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import resource
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import dagster as dg
import duckdb
from corpus_statistics import repeated

from sqale_assets.assets.members import members
from sqale_assets.assets.published import published_ids
from sqale_assets.definitions import build_defs
from sqale_assets.settings import REPOSITORY, Settings
from sqale_assets.statistics.comparison import compare, load_reference
from sqale_assets.statistics.corpus import CorpusTally, tally
from sqale_assets.store import Store
from sqale_assets_tests.report.browser import CHROMIUM, browse

LOADED = """
    addEventListener("load", () => setTimeout(() => {
        const [timing] = performance.getEntriesByType("navigation");
        document.body.dataset.milliseconds = Math.round(timing.loadEventEnd);
    }));
"""


def main(built: str, records: str = "100000") -> None:
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:  # its memory is not the report's
            found = apart.submit(enlarge, Path(built), Path(folder), int(records)).result()
        spent = cpu_seconds()
        jobs = build_defs(Settings(store=folder)).resolve_implicit_global_asset_job_def()
        started = time.monotonic()
        jobs.execute_in_process(asset_selection=[dg.AssetKey("quality_report")])
        found |= {
            "seconds": round(time.monotonic() - started, 1),
            "cpu_seconds": round(cpu_seconds() - spent, 1),
            "processes": os.cpu_count(),
            "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        page = Path(folder) / "quality_report" / "report.html"
        found["page_megabytes"] = round(page.stat().st_size / 1e6, 2)
        if CHROMIUM:
            dom, _ = browse(page.read_text(encoding="utf-8"), Path(folder), LOADED)
            found["page_loaded_milliseconds"] = int(re.search(r'data-milliseconds="(\d+)"', dom)[1])
    print(json.dumps(found))


def enlarge(built: Path, folder: Path, records: int) -> dict[str, int]:
    """A store that holds `built`'s published schemas so often that there are `records` of them, and its figures."""
    store = Store(built)
    chosen, once = published_ids(store), tally(members(store, published_ids(store)))
    copies = -(-records // len(once.texts))
    ids = repeated(built, folder, copies * len(chosen))
    for name in ("judge_calibration", "published"):
        shutil.copytree(built / name, folder / name, ignore=shutil.ignore_patterns("data"))
    (folder / "published" / "splits.json").write_text(json.dumps(dict.fromkeys(ids, "train")), encoding="utf-8")
    for name in ("schemas", "queries", "provenance"):
        repeat_rows(built / "published" / name / "data", folder / "published" / name / "data", copies)
    counted = CorpusTally()
    for _ in range(copies):
        counted.merge(once)
    figures = counted.statistics()
    comparison = compare(figures, load_reference(REPOSITORY / "quality" / "reference_statistics.json"))
    for name, made in (("dataset_statistics/statistics", figures), ("dataset_comparison/comparison", comparison)):
        (folder / name).parent.mkdir()
        (folder / f"{name}.json").write_text(made.model_dump_json(), encoding="utf-8")
    return {"records": figures.records, "schemas": figures.schemas.schemas}


def repeat_rows(source: Path, target: Path, copies: int) -> None:
    """Every row of a data set `copies` times, each time under other ids."""
    target.mkdir(parents=True)
    with duckdb.connect() as connection:
        for split in ("train", "test"):
            columns = connection.execute(f"SELECT * FROM '{source}/{split}-*.parquet' LIMIT 0").description
            numbered = ", ".join(
                f"{name} || '_' || copy AS {name}" if name in ("schema_id", "question_id", "cluster") else name
                for name, *_ in columns
            )
            for copy in range(copies):
                connection.execute(
                    f"COPY (SELECT {numbered} FROM '{source}/{split}-*.parquet', (SELECT {copy} AS copy)) "
                    f"TO '{target}/{split}-{copy:05}-of-{copies:05}.parquet' (COMPRESSION zstd)"
                )


def cpu_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main(*sys.argv[1:])
