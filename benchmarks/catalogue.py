"""The catalogue at the size of SchemaPile-permissive: seconds, rate and peak memory.

    python benchmarks/catalogue.py SCHEMAPILE_JSON [--megabytes 300] [--gzip]

Repeats the records of a SchemaPile file, each copy under a new name and with a column of its own, until the file has
the wanted size, and streams it through source and catalogue as the asset does, writing every accepted content away.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import tempfile
import time
from pathlib import Path

from sqale_assets.relational.schemapile_file import iter_records
from sqale_assets.settings import CatalogSettings
from sqale_assets.stages.catalog import catalog
from sqale_assets.store.sources import open_source


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--gzip", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("large.json.gz" if arguments.gzip else "large.json")
        schemas, tables = enlarge(arguments.source, path, arguments.megabytes * 1_000_000)
        before = peak_megabytes()
        started, cpu = time.perf_counter(), time.process_time()
        entries = []
        with (Path(folder) / "contents").open("wb") as sink:
            for entry, content in catalog(open_source(path), settings=CatalogSettings()):
                entries.append(entry)
                sink.write(content)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"{schemas} schemas, {tables} tables, {arguments.megabytes} MB of JSON")
    accepted = sum(entry.accepted for entry in entries)
    print(f"accepted {accepted}, refused {len(entries) - accepted}")
    print(f"{seconds:.1f} s ({cpu:.1f} s of CPU), {schemas / cpu:.0f} schemas or {tables / cpu:.0f} tables per CPU s")
    print(f"peak memory {peak_megabytes():.0f} MB ({before:.0f} MB before)")


def enlarge(source: Path, target: Path, size: int) -> tuple[int, int]:
    """Write copies of the records of `source` to `target`, up to `size` bytes of JSON; their count and their tables."""
    records = list(iter_records(source))
    schemas = tables = written = 0
    with gzip.open(target, "wt", compresslevel=1) if target.suffix == ".gz" else target.open("w") as stream:
        stream.write("{")
        while written < size:
            for name, record in records:
                for table in record["TABLES"].values():
                    table["COLUMNS"][f"copy_{schemas}"] = {"TYPE": "Int", "NULLABLE": None, "UNIQUE": None}
                    table["COLUMNS"].pop(f"copy_{schemas - len(records)}", None)
                text = json.dumps({f"{schemas}_{name}": record})[1:-1]
                stream.write(("," if schemas else "") + text)
                schemas, tables, written = schemas + 1, tables + len(record["TABLES"]), written + len(text)
        stream.write("}")
    return schemas, tables


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
