"""What schemas look like: size, keys, types, names, the foreign-key graph, and how full the databases are."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from sqale_assets.records import PopulatedDatabase
from sqale_assets.relational.model import Schema
from sqale_assets.relational.names import cases_of
from sqale_assets.statistics.sql import mean, percent


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """One schema in numbers. `rows` has one entry per table and is empty where nothing is known of rows."""

    tables: int
    columns: int
    foreign_keys: int
    rows: tuple[int, ...] = ()
    foreign_key_cells: int = 0
    invalid_foreign_key_cells: int = 0
    types: Mapping[str, int] = field(default_factory=dict)
    cases: Mapping[str, int] = field(default_factory=dict)
    #: Tables per number of tables that they share a foreign key with.
    degrees: Mapping[int, int] = field(default_factory=dict)


class SchemaStatistics(BaseModel):
    """Figures over schemas, the first block named and defined as in `quality/reference_statistics.json`.

    `rows_per_table_median` is over populated tables; `tables_populated_pct` counts tables that hold a row;
    `fk_cells_valid_pct` is over non-NULL foreign-key values.
    """

    schemas: int
    tables_median: float
    tables_mean: float
    tables_max: int
    columns_median: float
    columns_mean: float
    columns_per_table_mean: float
    fk_total: int
    fk_per_schema_mean: float
    schemas_without_fk_pct: float

    rows_total: int | None = None
    rows_per_table_median: float | None = None
    tables_populated_pct: float | None = None
    fk_cells_valid_pct: float | None = None
    column_types: dict[str, int] = {}
    table_name_cases: dict[str, int] = {}
    degree_histogram: dict[int, int] = {}
    isolated_tables_pct: float = 0.0
    #: For charts: one number per schema.
    tables_per_schema: list[int] = []
    columns_per_schema: list[int] = []


def shape_of(schema: Schema, populated: PopulatedDatabase | None = None) -> SchemaShape:
    """The shape of a schema of ours, with the rows of its database where it is filled."""
    neighbours: dict[str, set[str]] = {table.name.lower(): set() for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            one, other = table.name.lower(), key.target_table.lower()
            if one != other and other in neighbours:
                neighbours[one].add(other)
                neighbours[other].add(one)
    filled = populated.tables if populated else ()
    return SchemaShape(
        tables=len(schema.tables),
        columns=schema.column_count,
        foreign_keys=schema.foreign_key_count,
        rows=tuple(table.rows for table in filled),
        foreign_key_cells=sum(table.foreign_key_cells for table in filled),
        invalid_foreign_key_cells=sum(table.invalid_foreign_keys_after for table in filled),
        types=Counter(column.kind for table in schema.tables for column in table.columns),
        cases=Counter(_case(table.name) for table in schema.tables),
        degrees=Counter(len(near) for near in neighbours.values()),
    )


def shape_of_tables_json(entry: Mapping[str, Any]) -> SchemaShape:
    """The shape of one database of a Spider-style `tables.json` (BIRD, Spider, SynSQL, EHRSQL)."""
    return SchemaShape(
        tables=len(entry["table_names_original"]),
        columns=sum(column[0] >= 0 for column in entry["column_names_original"]),
        foreign_keys=len(entry["foreign_keys"]),
    )


def schema_statistics(shapes: Iterable[SchemaShape]) -> SchemaStatistics:
    """The figures over schemas. Over none, every figure is 0."""
    every = list(shapes)
    tables, columns = [shape.tables for shape in every], [shape.columns for shape in every]
    keys = sum(shape.foreign_keys for shape in every)
    rows = [count for shape in every for count in shape.rows]
    cells = sum(shape.foreign_key_cells for shape in every)
    degrees = _sum(shape.degrees for shape in every)
    return SchemaStatistics(
        schemas=len(every),
        tables_median=_median(tables),
        tables_mean=mean(sum(tables), len(every), 2),
        tables_max=max(tables, default=0),
        columns_median=_median(columns),
        columns_mean=mean(sum(columns), len(every), 2),
        columns_per_table_mean=mean(sum(columns), sum(tables), 2),
        fk_total=keys,
        fk_per_schema_mean=mean(keys, len(every), 2),
        schemas_without_fk_pct=percent(sum(not shape.foreign_keys for shape in every), len(every)),
        rows_total=sum(rows) if rows else None,
        rows_per_table_median=_median([count for count in rows if count]) if rows else None,
        tables_populated_pct=percent(sum(count > 0 for count in rows), len(rows)) if rows else None,
        fk_cells_valid_pct=_valid(cells, sum(shape.invalid_foreign_key_cells for shape in every)),
        column_types=dict(_sum(shape.types for shape in every).most_common()),
        table_name_cases=dict(_sum(shape.cases for shape in every).most_common()),
        degree_histogram=dict(sorted(degrees.items())),
        isolated_tables_pct=percent(degrees[0], sum(degrees.values())),
        tables_per_schema=tables,
        columns_per_schema=columns,
    )


def _valid(cells: int, invalid: int) -> float | None:
    return percent(cells - invalid, cells) if cells else None


def _median(values: list[int]) -> float:
    return statistics.median(values) if values else 0


def _sum(counts: Iterable[Mapping[Any, int]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for each in counts:
        total.update(each)
    return total


def _case(name: str) -> str:
    """The first case that a name fits, "mixed" when it fits none."""
    return min(cases_of(name), default="mixed")
