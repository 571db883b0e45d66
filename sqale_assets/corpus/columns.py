"""The three data sets' columns. `schemas` and `queries` are exactly the published SQaLe's (seed, "Fields of ...").

Each column has its Arrow type and a sentence that the dataset card and the Croissant metadata repeat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqale_assets.records import STYLES

if TYPE_CHECKING:
    import pyarrow as pa


class Field(NamedTuple):
    """A column: `kind` is string, int, float, bool, a list of one of them ("string[]"), or a struct's name."""

    name: str
    kind: str
    description: str


SCHEMAS = (
    Field("schema_id", "string", "join key into the queries"),
    Field("full_schema", "string", "the DDL: every `CREATE TABLE` statement of the database in one string"),
    Field(
        "schema_content",
        "string",
        'JSON object mapping each populated table to a list of row objects (`{"column": value, ...}`); '
        "unpopulated tables are absent",
    ),
    Field("number_of_tables", "int", "number of `CREATE TABLE` statements in `full_schema`"),
)
QUERIES = (
    Field("question_id", "string", "unique id of the question record"),
    Field("schema_id", "string", "join key into the schemas"),
    Field("sql", "string", "the gold SQL query (SQLite)"),
    Field("difficulty", "string", "`simple`, `moderate` or `hard`, the target level the question was generated for"),
    Field("questions", "phrasings", "the question in eight phrasings"),
    Field("relevant_tables", "string", "JSON list of the tables in the subschema the question was generated from"),
    Field("number_of_relevant_tables", "int", "length of `relevant_tables`"),
    Field(
        "execution_result",
        "string",
        "JSON list of up to the first 50 result rows of the gold SQL on the populated database",
    ),
)
PROVENANCE = (
    Field("question_id", "string", "join key into the queries"),
    Field("schema_id", "string", "join key into the schemas"),
    Field("split", "string", "`train` or `test`"),
    Field("cluster", "string", "group of similar schemas, which are all in the same split"),
    Field("source_name", "string", "file name in the source"),
    Field("source_url", "string", "where the schema was published"),
    Field("source_repository", "string", "repository of the source file"),
    Field("source_commit", "string", "commit of the source file"),
    Field("source_sha256", "string", "hash of the source file"),
    Field("licence", "string", "licence of the source repository"),
    Field("permissive", "bool", "whether SchemaPile counts the licence as permissive"),
    Field("dialect", "string", "SQL dialect of the source file"),
    Field("domain", "string", "what the database is about, in a few words"),
    Field("domain_description", "string", "what the database is about"),
    Field("domain_evidence", "string", "what the domain was read from: `repository`, `github` or `schema`"),
    Field("table_origins", "string", "JSON object: table -> `original` or `added`"),
    Field(
        "inferred_foreign_keys", "string", "JSON list: foreign keys that the source left undeclared, with confidence"
    ),
    Field("original_tables", "int", "tables of the source file"),
    Field("added_tables", "int", "tables that the extension stage added"),
    Field("relevant_added_tables", "int", "how many of the relevant tables were added"),
    Field("measured_difficulty", "string", "difficulty recomputed from the gold SQL"),
    Field("intent", "string[]", "SQL features that the question was asked to need"),
    Field("gold_tables", "string[]", "tables that the gold SQL uses"),
    Field("row_count", "int", "number of rows of the gold SQL's whole result"),
    Field("ordered", "bool", "whether the gold SQL orders its result"),
    Field(
        "discrimination", "float", "share of the gold SQL's parts that the data tells apart from a query without them"
    ),
    Field("accidental", "string[]", "parts of the gold SQL that only another population of the schema tells apart"),
    Field("literals", "literals", "each literal of the question and where the data proves it"),
    Field("left_out", "string[]", "what the `short_ambiguous` phrasing leaves implicit"),
    Field("rounds", "int", "tool turns that the answering agent took"),
    Field("verdicts", "verdicts", "the judge's verdicts in order; the last one accepts"),
    Field("transcript", "string", "JSON list: the answering agent's conversation"),
    Field("models", "string[]", "models that had a part in this schema"),
    Field("prompts", "string", "JSON object: task -> version and hash of the prompt file"),
    Field("usage", "string", "JSON object: stage -> calls, tokens and cost, for the whole schema"),
    Field("schema_tokens", "int", "tokens in and out of all calls for the whole schema, the same on all its rows"),
    Field("schema_cost", "float", "US dollars of all calls for the whole schema, the same on all its rows"),
)
DATASETS: dict[str, tuple[Field, ...]] = {"schemas": SCHEMAS, "queries": QUERIES, "provenance": PROVENANCE}


def arrow_schema(dataset: str) -> pa.Schema:
    """The Arrow schema of a data set."""
    import pyarrow as pa

    kinds: dict[str, pa.DataType] = {
        "string": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "string[]": pa.list_(pa.string()),
        "phrasings": pa.struct([(style, pa.string()) for style in STYLES]),
        "literals": pa.list_(pa.struct([(name, pa.string()) for name in ("literal", "table", "column", "how")])),
        "verdicts": pa.list_(pa.struct([("accepted", pa.bool_()), ("category", pa.string()), ("reason", pa.string())])),
    }
    return pa.schema([pa.field(field.name, kinds[field.kind]) for field in DATASETS[dataset]])
