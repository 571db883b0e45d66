"""Precision and recall of foreign-key inference, by hiding declared keys.

    python benchmarks/foreign_key_inference.py [FOLDER_OR_JSON ...]

Takes every schema with at least half a declared key per table, hides all its keys, infers, and compares. A schema
that declares only some of its keys makes true finds look false, so precision is a lower bound; "target" is the
precision over columns that do have a declared key (is it the right table?). Without arguments it reads the sample
and, where it lies beside the checkout or SQALE_SHARED says, the shared corpus.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sqale_assets.relational.fidelity import Reading
from sqale_assets.relational.inference import infer_foreign_keys
from sqale_assets.relational.model import Schema
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.schemapile import read_schemapile
from sqale_assets.relational.schemapile_file import iter_records

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SQALE_SHARED", ROOT.parent / "shared")) / "corpus"
WELL_DECLARED = 0.5

Key = tuple[str, tuple[str, ...], str, tuple[str, ...]]


def main(paths: list[Path]) -> None:
    print(
        f"{'source':24}{'schemas':>8}{'declared':>9}{'inferred':>9}{'right':>7}{'precision':>10}{'target':>8}{'recall':>8}"
    )
    for path in paths:
        totals, by_confidence = Counter(), Counter()
        for name, reading in readings(path):
            if reading.schema.foreign_key_count < WELL_DECLARED * len(reading.schema.tables):
                continue
            declared = keys(reading.schema)
            found = infer_foreign_keys(without_keys(reading.schema), reading.rows)
            inferred = {
                (table.lower(), lower(key.columns), key.target_table.lower(), lower(key.target_columns)): key.confidence
                for table, added in found.items()
                for key in added
            }
            totals += Counter(
                schemas=1, declared=len(declared), inferred=len(inferred), right=len(declared & inferred.keys())
            )
            keyed = {key[:2] for key in declared}
            totals["elsewhere"] += sum(key not in declared and key[:2] in keyed for key in inferred)
            for key, confidence in inferred.items():
                by_confidence[round(confidence, 2), key in declared] += 1
            if os.environ.get("VERBOSE"):
                for key in sorted(inferred.keys() - declared):
                    print(f"  {name}: wrong {inferred[key]:.2f} {key}")
                for key in sorted(declared - inferred.keys()):
                    print(f"  {name}: missed {key}")
        right, inferred_count = totals["right"], totals["inferred"]
        precision, recall = right / max(inferred_count, 1), right / max(totals["declared"], 1)
        target_precision = right / max(right + totals["elsewhere"], 1)
        print(
            f"{path.name[:23]:24}{totals['schemas']:8}{totals['declared']:9}{inferred_count:9}{right:7}"
            f"{precision:10.3f}{target_precision:8.3f}{recall:8.3f}"
        )
        for confidence in sorted({confidence for confidence, _ in by_confidence}, reverse=True):
            good, bad = by_confidence[confidence, True], by_confidence[confidence, False]
            print(f"    confidence {confidence:.2f}: {good} right, {bad} not declared")


def readings(path: Path) -> Iterator[tuple[str, Reading]]:
    if path.is_dir():
        for file in sorted(path.rglob("*.sql")):
            yield file.name, read_sql(file.read_bytes())
    else:
        for name, record in iter_records(path):
            yield name, read_schemapile(record)


def keys(schema: Schema) -> set[Key]:
    return {
        (table.name.lower(), lower(key.columns), key.target_table.lower(), lower(key.target_columns))
        for table in schema.tables
        for key in table.foreign_keys
    }


def lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def without_keys(schema: Schema) -> Schema:
    tables = (table.model_copy(update={"foreign_keys": ()}) for table in schema.tables)
    return schema.model_copy(update={"tables": tuple(tables)})


if __name__ == "__main__":
    defaults = [ROOT / "sample", SHARED / "sql", SHARED / "schemapile_slice.json"]
    main([Path(argument) for argument in sys.argv[1:]] or [path for path in defaults if path.exists()])
