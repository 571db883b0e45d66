"""The records that flow between stages: one type per arrow of the asset graph (DESIGN section 2).

Follow a `schema_id` from source file to published row by reading this module from top to bottom. Each
record is written to the store as JSON under its asset's name. Raise a record's `version` when its
meaning changes: the version is part of the stage's fingerprint, so that old artefacts are rebuilt.

A stage that finds a schema unfit raises `Rejected`; that is data, kept with its evidence. Any other
exception is a failure of the machinery and leaves the partition failed.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.relational.model import Model, Row, Schema

Difficulty = Literal["simple", "moderate", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("simple", "moderate", "hard")

#: The eight phrasings, in the order of the published struct (seed, "Fields of ...-Queries").
STYLES = (
    "verbose",
    "evidence_supported",
    "structured",
    "requirements_list",
    "short_ambiguous",
    "short_high_level",
    "casual",
    "spelling_grammar_mistakes",
)


class Rejected(Exception):
    """A stage's decision that a schema is unfit for the corpus: data, not a failure.

    `reason` is a short stable code for counting ("no_tables"); `evidence` says what was seen.
    """

    def __init__(self, reason: str, evidence: str):
        super().__init__(f"{reason}: {evidence}")
        self.reason, self.evidence = reason, evidence


class Record(Model):
    """Base of what the store keeps: belongs to one schema, has a version."""

    version: ClassVar[int] = 1
    schema_id: str


class RejectedItem(Model):
    """One question, table or query that a gate refused, kept for the quarantine.

    `item` is the refused thing itself (a question's text, a statement), `evidence` what the gate saw.
    """

    stage: str
    reason: str
    evidence: str
    item: str
    transcript: tuple[dict[str, Any], ...] = ()


class LlmUsage(Model):
    """What a record cost: sums over its calls. `cost` is in US dollars, `seconds` is time spent waiting."""

    calls: int = 0
    cached_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    models: tuple[str, ...] = ()
    #: task name -> version and hash of the prompt file, e.g. {"extend_schema": "1@3f2a9c10"}
    prompts: dict[str, str] = Field(default_factory=dict)


# --- schema_catalog -----------------------------------------------------------------------------


class FoundSource(Model):
    """A schema as its source holds it: content and origin, before the catalogue has looked at it.

    `path` lies within `repository`. `record_tables` and `record_foreign_keys` are set where a raw file stands in for
    a SchemaPile record: what that record holds, so that the gain can be told.
    """

    name: str
    format: Literal["sql", "schemapile"]
    content: bytes
    repository: str | None = None
    path: str | None = None
    commit: str | None = None
    url: str | None = None
    licence: str | None = None
    permissive: bool | None = None
    record_tables: int | None = None
    record_foreign_keys: int | None = None


class SourceFile(Record):
    """A catalogue entry: one schema of the source, with its origin. `accepted` False keeps `reason`."""

    name: str
    format: Literal["sql", "schemapile"]
    sha256: str
    bytes: int
    repository: str | None = None
    path: str | None = None
    url: str | None = None
    commit: str | None = None
    licence: str | None = None
    permissive: bool | None = None
    record_tables: int | None = None
    record_foreign_keys: int | None = None
    accepted: bool = True
    reason: str | None = None


# --- source_schema ------------------------------------------------------------------------------


class SourceSchema(Record):
    """A source read into the schema model, with the rows it carried (in column order of the table)."""

    source: SourceFile
    definition: Schema
    rows: dict[str, tuple[Row, ...]] = Field(default_factory=dict)
    fidelity: Fidelity


# --- domain_description -------------------------------------------------------------------------


class DomainDescription(Record):
    """What the database is about. `evidence` says what the annotation was read from."""

    label: str
    description: str
    entities: tuple[str, ...]
    evidence: Literal["repository", "github", "schema"]
    usage: LlmUsage = LlmUsage()


# --- extended_schema ----------------------------------------------------------------------------


class ExtendedSchema(Record):
    """The source schema plus added tables (`Table.origin == "added"`); originals are unchanged.

    `style_conformity` is the mean score (0 to 1) of the added tables against the source's style profile,
    `attached_share` the share of them with a foreign key in or out, `connected_share` the share of all tables
    that the largest component of the foreign-key graph holds.
    """

    definition: Schema
    target_tables: int
    style_conformity: float
    attached_share: float = 1.0
    connected_share: float = 1.0
    rejected: tuple[RejectedItem, ...] = ()
    usage: LlmUsage = LlmUsage()


# --- populated_database -------------------------------------------------------------------------


class TablePopulation(Model):
    """How one table was filled. Repairs and drops count cells (NULLs, FKs) or rows (keys, checks).

    `foreign_key_cells` and the `invalid_*` figures count non-NULL foreign-key values, before and after repair.
    """

    table: str
    role: Literal["lookup", "dimension", "fact", "junction", "log"]
    planned_rows: int
    original_rows: int
    rows: int
    attempts: int
    repairs: dict[str, int] = Field(default_factory=dict)
    dropped_rows: int = 0
    #: NULLs among the cells of `rows`; None in records of before they were counted.
    null_cells: int | None = None
    foreign_key_cells: int = 0
    invalid_foreign_keys_before: int = 0
    invalid_foreign_keys_after: int = 0
    duplicate_keys_before: int = 0
    duplicate_keys_after: int = 0
    #: What still looks degenerate after the table was asked again, one line per column.
    degenerate: tuple[str, ...] = ()
    error: str | None = None


class PopulatedDatabase(Record):
    """The filled database; the SQLite file is the artefact `database.sqlite` beside this record.

    `ddl` maps table name to its CREATE TABLE statement, in creation order.
    """

    ddl: dict[str, str]
    tables: tuple[TablePopulation, ...]
    usage: LlmUsage = LlmUsage()

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


# --- questions ----------------------------------------------------------------------------------


class LiteralProof(Model):
    """Why a literal of a question is grounded: found in `table`.`column`, or derived as `how` says."""

    literal: str
    table: str | None
    column: str | None
    how: Literal["exact", "contained", "range", "period", "count", "limit"]


class Question(Model):
    """A question over a connected subgraph (`relevant_tables`, FK-connected, 1 to 20 tables).

    `intent` names the SQL features that the call asked for (e.g. ("aggregate", "nested")).
    """

    question_id: str
    text: str
    difficulty: Difficulty
    relevant_tables: tuple[str, ...]
    literals: tuple[LiteralProof, ...] = ()
    intent: tuple[str, ...] = ()


class Questions(Record):
    """Questions that passed the gates, and those that did not. `asked` = accepted + rejected."""

    questions: tuple[Question, ...]
    rejected: tuple[RejectedItem, ...] = ()
    usage: LlmUsage = LlmUsage()


# --- styled_questions ---------------------------------------------------------------------------


class StyledQuestion(Model):
    """A question in eight phrasings: keys are exactly `STYLES`. `left_out` is what `short_ambiguous` does not say."""

    question_id: str
    phrasings: dict[str, str]
    left_out: tuple[str, ...] = ()


class StyledQuestions(Record):
    questions: tuple[StyledQuestion, ...]
    rejected: tuple[RejectedItem, ...] = ()
    usage: LlmUsage = LlmUsage()


# --- gold_queries -------------------------------------------------------------------------------


class Verdict(Model):
    """A judge's answer. `reason` is empty when accepted."""

    accepted: bool
    category: str = ""
    reason: str = ""


class GoldQuery(Model):
    """An accepted answer. `result` holds at most 50 rows, `row_count` all of them.

    `measured_difficulty` is recomputed from the SQL; `Question.difficulty` is what was asked for.
    `transcript` is the agent's conversation as messages; `rounds` counts its tool turns.
    """

    question_id: str
    sql: str
    columns: tuple[str, ...]
    result: tuple[Row, ...]
    row_count: int
    ordered: bool
    tables: tuple[str, ...]
    measured_difficulty: Difficulty
    rounds: int
    verdicts: tuple[Verdict, ...]
    transcript: tuple[dict[str, Any], ...] = ()
    #: Share of the query's parts that the data tells apart from their mutants; the parts that it does not.
    discrimination: float | None = None
    untested: tuple[str, ...] = ()
    #: Parts that only another population of the schema tells apart: equal by accident on this one.
    accidental: tuple[str, ...] = ()


class GoldQueries(Record):
    queries: tuple[GoldQuery, ...]
    rejected: tuple[RejectedItem, ...] = ()
    usage: LlmUsage = LlmUsage()
