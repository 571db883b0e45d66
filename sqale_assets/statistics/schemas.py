"""What schemas look like: size, keys, types, names, the foreign-key graph, and how full the databases are."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import networkx as nx
from pydantic import BaseModel

from sqale_assets.records import PopulatedDatabase
from sqale_assets.relational.graph import foreign_key_graph
from sqale_assets.relational.model import Schema
from sqale_assets.relational.names import CASES, Case, cases_of, is_plural, words
from sqale_assets.statistics.sql import mean, percent


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """One schema in numbers. `rows` has one entry per table and is empty where nothing is known of rows.

    `cells` and `null_cells` count only tables whose NULLs are known.
    """

    tables: int
    columns: int
    foreign_keys: int
    rows: tuple[int, ...] = ()
    cells: int = 0
    null_cells: int = 0
    foreign_key_cells: int = 0
    invalid_foreign_key_cells: int = 0
    types: Mapping[str, int] = field(default_factory=dict)
    table_cases: Mapping[str, int] = field(default_factory=dict)
    column_cases: Mapping[str, int] = field(default_factory=dict)
    table_numbers: Mapping[str, int] = field(default_factory=dict)
    #: Tables per number of tables that they share a foreign key with.
    degrees: Mapping[int, int] = field(default_factory=dict)
    #: Tables in the largest part that foreign keys connect, and tables that refer to themselves in a circle.
    component: int = 0
    in_cycles: int = 0
    composite_keys: int = 0
    self_references: int = 0


class SchemaStatistics(BaseModel):
    """Figures over schemas; `DEFINITIONS` says what each one is. None where nothing is known of rows."""

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
    rows_per_table_p90: float | None = None
    tables_populated_pct: float | None = None
    null_cells_pct: float | None = None
    fk_cells_valid_pct: float | None = None
    isolated_tables_pct: float = 0.0
    largest_component_pct: float = 0.0
    tables_in_cycles_pct: float = 0.0
    fk_composite_pct: float = 0.0
    fk_self_pct: float = 0.0
    column_types: dict[str, int] = {}
    table_name_cases: dict[str, int] = {}
    table_name_numbers: dict[str, int] = {}
    column_name_cases: dict[str, int] = {}
    degree_histogram: dict[int, int] = {}
    #: For charts: populated tables per bin of `ROW_BINS`, and one number per schema.
    rows_per_table: dict[str, int] = {}
    tables_per_schema: list[int] = []
    columns_per_schema: list[int] = []


#: What each figure is. Those that the reference statistics have too are defined there.
DEFINITIONS = {
    "tables_mean": "mean tables per schema (under `sql`: mean distinct base tables per query)",
    "tables_max": "most tables in a schema (under `sql`: most distinct base tables in a query)",
    "columns_mean": "mean columns per schema",
    "columns_per_table_mean": "columns / tables, over all schemas",
    "fk_per_schema_mean": "mean foreign keys per schema",
    "schemas_without_fk_pct": "% of schemas without a foreign key",
    "rows_total": "rows over all tables",
    "rows_per_table_p90": "rows that nine in ten populated tables do not exceed",
    "tables_populated_pct": "% of tables that hold a row",
    "null_cells_pct": "% of the cells of all rows that hold NULL",
    "fk_cells_valid_pct": "% of non-NULL foreign-key values that find their row",
    "isolated_tables_pct": "% of tables that share a foreign key with no other table",
    "largest_component_pct": "mean share of a schema's tables in the largest part that foreign keys connect, in %",
    "tables_in_cycles_pct": "% of tables on a cycle of foreign keys through other tables",
    "fk_composite_pct": "% of foreign keys over several columns",
    "fk_self_pct": "% of foreign keys that refer to their own table",
    "column_types": "columns by kind of their declared type",
    "table_name_cases": "tables by the case of their name (of those that one word fits, the plainest; `mixed`: none)",
    "table_name_numbers": "tables by the number of the last word of their name (`either`: both look alike)",
    "column_name_cases": "columns by the case of their name (of those that one word fits, the plainest; `mixed`: none)",
    "degree_histogram": "tables by the number of other tables that they share a foreign key with",
    "rows_per_table": "populated tables by their number of rows",
    "tables_per_schema": "tables of each schema",
    "columns_per_schema": "columns of each schema",
}
#: Lower bounds of the bins of `rows_per_table`.
ROW_BINS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000)
_PLAINEST: tuple[Case, ...] = ("lowercase", "UPPERCASE", "PascalCase", *CASES)


def shape_of(schema: Schema, populated: PopulatedDatabase | None = None) -> SchemaShape:
    """The shape of a schema of ours, with the rows of its database where it is filled."""
    keys = [(table.name.lower(), key) for table in schema.tables for key in table.foreign_keys]
    graph = nx.DiGraph(foreign_key_graph(schema))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    columns = {table.name: len(table.columns) for table in schema.tables}
    filled = populated.tables if populated else ()
    counted = [table for table in filled if table.null_cells is not None]
    return SchemaShape(
        tables=len(schema.tables),
        columns=schema.column_count,
        foreign_keys=schema.foreign_key_count,
        rows=tuple(table.rows for table in filled),
        cells=sum(table.rows * columns[table.table] for table in counted),
        null_cells=sum(table.null_cells or 0 for table in counted),
        foreign_key_cells=sum(table.foreign_key_cells for table in filled),
        invalid_foreign_key_cells=sum(table.invalid_foreign_keys_after for table in filled),
        types=Counter(column.kind for table in schema.tables for column in table.columns),
        table_cases=Counter(_case(table.name) for table in schema.tables),
        column_cases=Counter(_case(column.name) for table in schema.tables for column in table.columns),
        table_numbers=Counter(_number(table.name) for table in schema.tables),
        degrees=Counter(len(set(graph.pred[name]) | set(graph.succ[name])) for name in graph),
        component=max(map(len, nx.weakly_connected_components(graph)), default=0),
        in_cycles=sum(len(part) for part in nx.strongly_connected_components(graph) if len(part) > 1),
        composite_keys=sum(len(key.columns) > 1 for _, key in keys),
        self_references=sum(key.target_table.lower() == table for table, key in keys),
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
    populated = sorted(count for count in rows if count)
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
        rows_per_table_median=_median(populated) if rows else None,
        rows_per_table_p90=populated[(9 * len(populated) - 1) // 10] if populated else None,
        tables_populated_pct=percent(sum(count > 0 for count in rows), len(rows)) if rows else None,
        fk_cells_valid_pct=_known_percent(cells - sum(shape.invalid_foreign_key_cells for shape in every), cells),
        null_cells_pct=_known_percent(sum(s.null_cells for s in every), sum(s.cells for s in every)),
        isolated_tables_pct=percent(degrees[0], sum(degrees.values())),
        largest_component_pct=percent(sum(s.component / s.tables for s in every if s.tables), len(every)),
        tables_in_cycles_pct=percent(sum(shape.in_cycles for shape in every), sum(tables)),
        fk_composite_pct=percent(sum(shape.composite_keys for shape in every), keys),
        fk_self_pct=percent(sum(shape.self_references for shape in every), keys),
        column_types=_ranked(shape.types for shape in every),
        table_name_cases=_ranked(shape.table_cases for shape in every),
        table_name_numbers=_ranked(shape.table_numbers for shape in every),
        column_name_cases=_ranked(shape.column_cases for shape in every),
        degree_histogram=dict(sorted(degrees.items())),
        rows_per_table=_binned(populated),
        tables_per_schema=tables,
        columns_per_schema=columns,
    )


def _known_percent(part: int, whole: int) -> float | None:
    return percent(part, whole) if whole else None


def _median(values: Sequence[int]) -> float:
    return statistics.median(values) if values else 0


def _binned(values: Sequence[int]) -> dict[str, int]:
    """How many of the sorted `values` lie in each of `ROW_BINS`, named by its bounds."""
    places = [bisect_left(values, bound) for bound in ROW_BINS] + [len(values)]
    return {
        _bin(number): after - before
        for number, (before, after) in enumerate(pairwise(places))
        if values and ROW_BINS[number] <= values[-1]
    }


def _bin(number: int) -> str:
    least = ROW_BINS[number]
    if number + 1 == len(ROW_BINS):
        return f"{least:,}+"
    most = ROW_BINS[number + 1] - 1
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _sum(counts: Iterable[Mapping[Any, int]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for each in counts:
        total.update(each)
    return total


def _ranked(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sorted(_sum(counts).items(), key=lambda item: (-item[1], item[0])))


@lru_cache(maxsize=65536)
def _case(name: str) -> str:
    """The case of a name; of one word, which fits several, the plainest. "mixed" when it fits none."""
    return min(cases_of(name), default="mixed", key=_PLAINEST.index)


def _number(name: str) -> str:
    parts = words(name)
    plural = is_plural(parts[-1]) if parts else None
    return "either" if plural is None else "plural" if plural else "singular"
