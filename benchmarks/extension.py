"""How large, how conform and how fast: the extension stage with the offline model over a corpus of real schemas.

    python benchmarks/extension.py [--limit 87] [--profile]

Reads the SchemaPile slice beside the checkout (SQALE_SHARED), extends every schema to its drawn size, and prints
quantiles, the share of refused tables and the extrapolation to the published 9,259 schemas. Times are CPU seconds,
so that a busy machine does not change them. Targets: a schema of 113 tables in under 1 s; conformity 0.9.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import platform
import pstats
import statistics
import time
from collections import Counter
from pathlib import Path

from sqale_assets.records import DomainDescription, ExtendedSchema, SourceFile, SourceSchema
from sqale_assets.relational.schemapile import read_schemapile
from sqale_assets.settings import ExtensionSettings
from sqale_assets.stages.domain import describe_domain
from sqale_assets.stages.extension import extend_schema
from sqale_assets_tests.doubles import OfflineLlm

SHARED = Path(os.environ.get("SQALE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
PUBLISHED_SCHEMAS = 9259


def sources(limit: int) -> list[SourceSchema]:
    records = json.loads((SHARED / "corpus" / "schemapile_slice.json").read_text())
    found = []
    for name, record in list(records.items())[:limit]:
        reading = read_schemapile(record)
        file = SourceFile(schema_id=name, name=name, format="schemapile", sha256="0", bytes=0)
        found.append(
            SourceSchema(
                schema_id=name, source=file, definition=reading.schema, rows=reading.rows, fidelity=reading.fidelity
            )
        )
    return found


def extend(source: SourceSchema, domain: DomainDescription) -> tuple[ExtendedSchema, float]:
    found: list[ExtendedSchema] = []

    async def run() -> None:  # asyncio.run formats what its coroutine returns: 0.1 s for a schema of this size
        found.append(await extend_schema(source, domain, OfflineLlm(), settings=ExtensionSettings(), seed=0))

    started = time.process_time()
    asyncio.run(run())
    return found[0], time.process_time() - started


def quantiles(label: str, values: list[float], digits: int = 0) -> None:
    deciles = statistics.quantiles(values, n=10)
    shown = [min(values), deciles[0], statistics.median(values), deciles[8], max(values)]
    print(f"{label:28}" + "".join(f"{value:>10.{digits}f}" for value in shown))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=87)
    parser.add_argument("--profile", action="store_true", help="where the time goes, over all schemas")
    arguments = parser.parse_args()

    work = [(source, asyncio.run(describe_domain(source, OfflineLlm()))) for source in sources(arguments.limit)]
    extend(*work[0])  # imports and caches
    profiler = cProfile.Profile()
    if arguments.profile:
        profiler.enable()
    results = [extend(source, domain) for source, domain in work]
    profiler.disable()

    extended = [schema for schema, _ in results]
    seconds = [spent for _, spent in results]
    added = [sum(table.origin == "added" for table in schema.definition.tables) for schema in extended]
    print(f"Python {platform.python_version()}, {len(work)} schemas, {sum(added):,} tables added")
    print(f"{'':28}" + "".join(f"{name:>10}" for name in ("min", "p10", "median", "p90", "max")))
    quantiles("tables of the source", [len(source.definition.tables) for source, _ in work])
    quantiles("tables", [len(schema.definition.tables) for schema in extended])
    quantiles("columns", [schema.definition.column_count for schema in extended])
    quantiles("style conformity", [schema.style_conformity for schema in extended], 3)
    quantiles("attached share", [schema.attached_share for schema in extended], 3)
    quantiles("largest component", [schema.connected_share for schema in extended], 3)
    quantiles("calls", [schema.usage.calls for schema in extended])
    quantiles("CPU seconds", seconds, 3)
    refused = Counter(item.reason for schema in extended for item in schema.rejected)
    short = sum(len(schema.definition.tables) < schema.target_tables for schema in extended)
    print(f"refused for good: {dict(refused) or 'none'}; schemas short of their target: {short}")
    per_table = sum(seconds) / sum(added)
    print(f"{1000 * per_table:.2f} ms per added table, so {113 * per_table:.2f} s for 113 of them")
    print(f"{PUBLISHED_SCHEMAS:,} schemas: {PUBLISHED_SCHEMAS * statistics.mean(seconds) / 3600:.1f} CPU hours")
    if arguments.profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
