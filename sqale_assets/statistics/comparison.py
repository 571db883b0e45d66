"""Our corpus beside others: every figure with its source, and both where a claim and our rule disagree."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from sqale_assets.statistics.corpus import DEFINITIONS, CorpusStatistics
from sqale_assets.statistics.local import MeasuredCorpus

OURS = "ours"

#: The figures that are compared -> their heading. The first block is the seed's Figure 3.
FIGURES = {
    "schemas": "Schemas",
    "tables_median": "Median tables",
    "columns_median": "Median columns",
    "fk_total": "Foreign keys",
    "rows_per_table_median": "Median rows / table",
    "records": "Question records",
    "nested_pct": "Nested (%)",
    "multi_join_of_join_pct": "Several joins, of joining (%)",
    "tables_mean": "Tables / query",
    "tables_ge5_pct": "5+ tables (%)",
    "tables_max": "Most tables",
    "cte_pct": "CTE (%)",
    "window_pct": "Window (%)",
    "setop_pct": "Set operation (%)",
    "agg_pct": "Aggregate (%)",
    "subq_depth_mean": "SELECT depth",
    "unique_skeleton_pct": "Distinct skeletons (%)",
    "q_words_mean": "Words / question",
    "q_distinct2": "Question distinct-2",
}
FIGURE_3 = tuple(FIGURES)[:5]
#: What is measured on schemas. `tables_mean` and `tables_max` of schema figures mean something else than those of SQL.
_OF_SCHEMAS = frozenset(FIGURE_3)
_OF_QUERIES = frozenset(FIGURES) - _OF_SCHEMAS


class Figure(BaseModel):
    """A value with where it comes from. `kind`: published by somebody, or computed by our rule."""

    value: float
    kind: Literal["published", "computed"]
    source: str


class Row(BaseModel):
    """One corpus. A figure has two entries where it is both published and computed by our rule."""

    corpus: str
    figures: dict[str, list[Figure]]

    def cell(self, figure: str) -> str:
        """The figure as a table shows it: "7.7 / 7.82*" for published / computed."""
        return " / ".join(
            f"{_number(each.value)}{'' if each.kind == 'published' or self.corpus == OURS else '*'}"
            for each in self.figures.get(figure, ())
        )


class Disagreement(BaseModel):
    """A published claim that our rule does not confirm."""

    corpus: str
    figure: str
    published: Figure
    computed: Figure


class Comparison(BaseModel):
    """The rows, ours first. `definitions` explains the figures."""

    rows: list[Row]
    definitions: dict[str, str]

    def disagreements(self, *, tolerance: float = 0.02) -> list[Disagreement]:
        """Published figures that differ from the computed ones by more than `tolerance` (relative)."""
        found = []
        for row in self.rows:
            for figure, values in row.figures.items():
                by_kind = {value.kind: value for value in values}
                published, computed = by_kind.get("published"), by_kind.get("computed")
                if not published or not computed or figure in ("schemas", "records"):  # of a part of the corpus
                    continue
                if abs(published.value - computed.value) > tolerance * abs(published.value):
                    found.append(Disagreement(corpus=row.corpus, figure=figure, published=published, computed=computed))
        return found

    def markdown(self, figures: Iterable[str] = FIGURES) -> str:
        """The comparison as a Markdown table, one row per figure with its definition, and the sources below it."""
        figures = [figure for figure in figures if any(row.figures.get(figure) for row in self.rows)]
        lines = [
            f"| Figure | {' | '.join(row.corpus for row in self.rows)} | Definition |",
            f"|---|{'--:|' * len(self.rows)}---|",
            *(
                f"| {FIGURES[figure]} | {' | '.join(row.cell(figure) for row in self.rows)} | {self.defined(figure)} |"
                for figure in figures
            ),
        ]
        sources = {
            f"{row.corpus}{', computed*' if each.kind == 'computed' else ''}: {each.source}"
            for row in self.rows
            for figure in figures
            for each in row.figures.get(figure, ())
            if row.corpus != OURS
        }
        notes = ["", "Published figures first; \\* is computed by our rules.", ""]
        return "\n".join([*lines, *notes, *(f"- {source}" for source in sorted(sources))])

    def defined(self, figure: str) -> str:
        """What a figure counts, in one line."""
        return self.definitions.get(figure) or DEFINITIONS[figure]


def load_reference(path: Path) -> dict[str, Any]:
    """The reference figures (`quality/reference_statistics.json`): definitions, and data sets with their sources."""
    return json.loads(path.read_text(encoding="utf-8"))


def compare(
    ours: CorpusStatistics, reference: Mapping[str, Any], measured: Iterable[MeasuredCorpus] = ()
) -> Comparison:
    """Set our figures beside the reference's, and beside those of local copies where there are any.

    A local copy's figures take the place of the reference's computed ones.
    """
    rows = {name: _reference_row(name, entry) for name, entry in reference["datasets"].items()}
    for corpus in measured:
        row = rows.setdefault(corpus.name, Row(corpus=corpus.name, figures={}))
        for figure, value in _figures(corpus.schemas, corpus.questions, corpus.sql).items():
            kept = [each for each in row.figures.get(figure, ()) if each.kind == "published"]
            row.figures[figure] = [*kept, Figure(value=value, kind="computed", source=corpus.source)]
    values = _figures(ours.schemas, ours.questions, ours.sql) | {"records": ours.records}
    own = {figure: [Figure(value=value, kind="computed", source="this build")] for figure, value in values.items()}
    return Comparison(rows=[Row(corpus=OURS, figures=own), *rows.values()], definitions=reference["definitions"])


def _reference_row(name: str, entry: Mapping[str, Any]) -> Row:
    figures: dict[str, list[Figure]] = {}
    for figure, claim in entry["published"].items():
        if figure in FIGURES and isinstance(claim["value"], int | float):
            figures[figure] = [Figure(value=claim["value"], kind="published", source=claim["source"])]
    for part, names in (("computed_schema", _OF_SCHEMAS), ("computed_sql", _OF_QUERIES)):
        if measured := entry.get(part):
            for figure, value in _chosen(measured["values"], names).items():
                source = measured.get("source", "")
                figures.setdefault(figure, []).append(Figure(value=value, kind="computed", source=source))
    return Row(corpus=name, figures=figures)


def _figures(*parts: BaseModel | None) -> dict[str, float]:
    """The compared figures of schema, question and SQL statistics, in that order."""
    schemas, *others = (part.model_dump() if part else {} for part in parts)
    found = _chosen(schemas, _OF_SCHEMAS)
    for part in others:
        found |= _chosen(part, _OF_QUERIES)
    return found


def _chosen(values: Mapping[str, Any], names: frozenset[str]) -> dict[str, float]:
    return {name: values[name] for name in FIGURES if name in names and isinstance(values.get(name), int | float)}


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.4f}".rstrip("0") if value < 1 else f"{value:,.2f}".rstrip("0").rstrip(".")
