"""The dataset card: what a user of the published corpus must know, computed from the data.

One card describes the whole release, with a configuration per data set, so that
`load_dataset(folder, "queries")` finds train and test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from sqale_assets.corpus.columns import DATASETS
from sqale_assets.corpus.leaks import LeakReport
from sqale_assets.corpus.publish import PublishedDataset
from sqale_assets.corpus.split import SPLITS
from sqale_assets.corpus.verify import Verification
from sqale_assets.records import STYLES
from sqale_assets.relational.model import Model
from sqale_assets.statistics.corpus import CorpusStatistics

#: Hugging Face's names for sizes: fewer rows than this.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_ABOUT = {
    "schemas": "the DDL and every row of each database",
    "queries": "questions in eight phrasings, the gold SQL and its result",
    "provenance": "where each question comes from, and how it was made",
}
_STYLES = {
    "verbose": "the original, fully specified question",
    "evidence_supported": "a compact question, `, evidence: ` and a note that maps it onto the data",
    "structured": "the requirements as numbered or bulleted lines",
    "requirements_list": "only fragments that name what is wanted",
    "short_ambiguous": "a short version that leaves part implicit (`left_out` in the provenance says what)",
    "short_high_level": "a short paraphrase of the intent",
    "casual": "as in a chat",
    "spelling_grammar_mistakes": "with typing and grammar errors",
}

CITATION = """@article{wolff2026sqale,
  title   = {SQaLe: A Large Realistic Dataset to Empower Small Specialised Text-to-SQL Models},
  author  = {Wolff, Cornelius and Gomm, Daniel and Hulsebos, Madelon},
  journal = {arXiv preprint},
  year    = {2026}
}"""


class Release(Model):
    """What a card is written from. `licence` is the licence of the release, as Hugging Face names it.

    `leaks` compares train with test, `held_out` the whole corpus with test sets of others, by their names.
    """

    name: str
    datasets: dict[str, PublishedDataset]
    statistics: CorpusStatistics
    verification: Verification | None = None
    leaks: LeakReport | None = None
    held_out: Mapping[str, LeakReport] = {}
    licence: str = "mit"
    models: tuple[str, ...] = ()
    schemas_rejected: Mapping[str, int] = {}


def dataset_card(release: Release) -> str:
    """The card as Markdown with YAML front matter."""
    front = yaml.safe_dump(_front_matter(release), sort_keys=False, allow_unicode=True)
    sections = (
        _summary(release), _load(release), _contents(release), _fields(), _figures(release), _licences(release),
        _known_issues(release), f"## Citation\n\nThe corpus follows the design of SQaLe:\n\n```bibtex\n{CITATION}\n```",
    )  # fmt: skip
    return f"---\n{front}---\n\n# {release.name}\n\n" + "\n\n".join(sections) + "\n"


def known_issues(release: Release) -> list[str]:
    """What a user should be warned of, each with its figure."""
    return list(_issues(release))


def _front_matter(release: Release) -> dict[str, object]:
    return {
        "pretty_name": release.name,
        "license": release.licence,
        "language": ["en"],
        "task_categories": ["text-generation", "table-question-answering"],
        "tags": ["text-to-sql", "sqlite", "synthetic"],
        "size_categories": [_size(release.datasets["queries"].rows())],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == "queries" else {}),
                "data_files": [{"split": split, "path": f"{name}/data/{split}-*.parquet"} for split in SPLITS],
            }
            for name in release.datasets
        ],
        "dataset_info": [
            {
                "config_name": name,
                "splits": [
                    {"name": split, "num_bytes": dataset.arrow_bytes(split), "num_examples": dataset.rows(split)}
                    for split in SPLITS
                ],
                "download_size": dataset.bytes,
                "dataset_size": dataset.arrow_bytes(),
            }
            for name, dataset in release.datasets.items()
        ],
    }


def _summary(release: Release) -> str:
    figures = release.statistics
    schemas = figures.schemas
    return (
        f"{figures.records:,} questions with gold SQL over {schemas.schemas:,} databases that extend real-world "
        f"schemas. Each question comes in {len(STYLES)} phrasings ({figures.phrasings:,} in all) that share one SQL "
        "query; each query was run on the populated database, and its result is part of the record. The databases "
        f"have a median of {schemas.tables_median:g} tables and {schemas.columns_median:g} columns, and hold "
        f"{schemas.rows_total or 0:,} rows. Train and test share no schema and no near-duplicate of one."
    )


def _load(release: Release) -> str:
    return """## Loading

```python
from datasets import load_dataset

queries = load_dataset(".", "queries", split="test")  # this folder, or its name on the hub
schemas = load_dataset(".", "schemas", split="test")
```

The authors' library reads the two folders unchanged (`pip install SQaLe`):

```python
from sqale import deserialize_sqale, load_questions

questions = load_questions("queries", split="test")
databases = deserialize_sqale("schemas", output_dir="dbs", split="test")
```"""


def _contents(release: Release) -> str:
    rows = [
        f"| `{name}` | {_ABOUT[name]} | {data.rows('train'):,} | {data.rows('test'):,} | {data.bytes / 1e6:,.1f} |"
        for name, data in release.datasets.items()
    ]
    return "\n".join(["## Contents", "", "| Data set | Contents | Train | Test | MB |", "|---|---|--:|--:|--:|", *rows])


def _fields() -> str:
    parts = ["## Fields"]
    for name, fields in DATASETS.items():
        parts += [f"### {name}", "\n".join(["| Column | Type | Content |", "|---|---|---|"] + [
            f"| `{field.name}` | {_type(field.kind)} | {field.description} |" for field in fields
        ])]  # fmt: skip
        if name == "queries":
            parts.append("The phrasings in `questions`:")
            parts.append("\n".join(f"- `{style}`: {_STYLES[style]}" for style in STYLES))
    return "\n\n".join(parts)


def _figures(release: Release) -> str:
    figures = release.statistics
    difficulty = ", ".join(f"{name} {count:,}" for name, count in figures.process.difficulty_asked.items())
    sql, questions = figures.sql, figures.questions
    lines = [
        f"- difficulty asked for: {difficulty}",
        f"- {sql.nested_pct}% of the queries are nested, {sql.multi_join_of_join_pct}% of those that join have several "
        f"joins, {sql.tables_ge5_pct}% use five tables or more, at most {sql.tables_max}",
        f"- {sql.cte_pct}% use a CTE, {sql.window_pct}% a window, {sql.setop_pct}% a set operation, {sql.agg_pct}% an "
        f"aggregate; {sql.functions} functions occur",
        f"- {sql.unique_sql_pct}% of the queries are distinct, {sql.unique_skeleton_pct}% by their skeleton",
        f"- questions were made from a median of {figures.relevant_tables_median:g} connected tables",
        f"- verbose questions have {questions.q_words_mean} words and a distinct-2 of {questions.q_distinct2}",
    ]
    if check := release.verification:
        lines.append(
            f"- verified by rebuilding all {check.schemas:,} databases with {check.loader}: {check.rows:,} rows "
            f"compared, {check.questions:,} gold queries run again, score of the gold queries {check.gold_score:.3f}, "
            f"{check.difference_count} differences"
        )
    return "\n".join(["## Figures", "", *lines])


def _licences(release: Release) -> str:
    rows = [f"| {licence} | {count:,} |" for licence, count in release.statistics.licences.items()]
    return "\n".join(
        [
            "## Licences",
            "",
            "The schemas come from public repositories under these licences; `source_url`, `source_commit` and "
            "`licence` in the provenance name the source of each. A licence label can be that of a framework in the "
            "repository.",
            "",
            "| Licence of the source | Schemas |",
            "|---|--:|",
            *rows,
        ]
    )


def _known_issues(release: Release) -> str:
    return "\n".join(["## Known issues", "", *(f"- {issue}" for issue in _issues(release))])


def _issues(release: Release) -> Iterator[str]:
    figures = release.statistics
    if release.models and all(model.startswith("offline/") for model in release.models):
        yield "Everything was written by deterministic rules (`offline/rules`), not by a language model."
    elif release.models:
        yield f"Tables, rows, questions and SQL were written by language models ({', '.join(release.models)})."
    yield f"{figures.placeholder_phrasings:,} of {figures.phrasings:,} phrasings are placeholders."
    populated = figures.schemas.tables_populated_pct
    if populated is not None and populated < 100:
        yield f"{100 - populated:.1f}% of the tables are empty; they are absent from `schema_content`."
    valid = figures.schemas.fk_cells_valid_pct
    if valid is not None and valid < 100:
        yield f"{100 - valid:.2f}% of the non-NULL foreign-key values point to no row."
    if figures.grounded_literals_pct < 100:
        yield f"{100 - figures.grounded_literals_pct:.2f}% of the literals in questions have no stored proof."
    asked, measured = figures.process.difficulty_asked, figures.process.difficulty_measured
    moved = sum(abs(asked[name] - measured[name]) for name in asked) // 2
    if moved:
        yield (
            f"`difficulty` is what was asked for; measured on the SQL, at least {moved:,} of {figures.records:,} "
            "questions are of another level (`measured_difficulty` in the provenance)."
        )
    rare = {"cte_pct": "a CTE", "window_pct": "a window function", "setop_pct": "a set operation"}
    if absent := [name for figure, name in rare.items() if getattr(figures.sql, figure) == 0]:
        yield f"No query has {', '.join(absent)}."
    if leaks := release.leaks:
        yield (
            f"{leaks.leaked_questions:,} of {leaks.test_items:,} test questions and {leaks.leaked_sql:,} test queries "
            f"have a near duplicate in train (Jaccard over word triples of at least {leaks.threshold:g}), although no "
            f"schema does; {leaks.leaked_both:,} in both."
        )
    for name, leaks in release.held_out.items():
        yield (
            f"Of the {leaks.test_items:,} records of {name}, {leaks.leaked_questions:,} questions and "
            f"{leaks.leaked_sql:,} queries have a near duplicate in this corpus; {leaks.leaked_both:,} in both."
        )
    if release.schemas_rejected:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in release.schemas_rejected.items())
        yield f"Source schemas that are not in the release: {reasons}."
    if figures.licences.get("unknown"):
        yield f"{figures.licences['unknown']:,} schemas have no known licence."
    yield "Rows are generated, apart from those that the source files carried; they describe nobody."
    yield "The SQL is SQLite's, and all questions are in English."


def _type(kind: str) -> str:
    structs = {"phrasings": "struct", "literals": "list of structs", "verdicts": "list of structs"}
    return structs.get(kind) or (f"list of {kind.removesuffix('[]')}" if kind.endswith("[]") else kind)


def _size(rows: int) -> str:
    return next((name for bound, name in _SIZES if rows < bound), "1M<n<10M")
