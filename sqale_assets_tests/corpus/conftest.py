"""A small corpus of hand-made records over real SQLite files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sqale_assets.corpus.members import Member
from sqale_assets.records import (
    STYLES,
    DomainDescription,
    ExtendedSchema,
    GoldQueries,
    GoldQuery,
    LiteralProof,
    LlmUsage,
    PopulatedDatabase,
    Question,
    Questions,
    RejectedItem,
    SourceFile,
    SourceSchema,
    StyledQuestion,
    StyledQuestions,
    TablePopulation,
    Verdict,
)
from sqale_assets.relational.fidelity import Fidelity
from sqale_assets.relational.model import Column, ForeignKey, Schema, Table
from sqale_assets.sqlenv.database import Database

DDL = {
    "customers": "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL)",
    "orders": "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), note TEXT, "
    "amount NUMERIC)",
    "empty_log": "CREATE TABLE empty_log (id INTEGER PRIMARY KEY, message TEXT)",
}
ROWS = {
    "customers": [(1, "Ann", 1.0), (2, 'Bob "the" O\'Neil', None), (3, "Zoë; or 'x'", 2.5)],
    "orders": [(1, 1, "first;\nsecond line", 10), (2, 1, None, 0.1), (3, 3, "naïve – ünïcode", 7)],
}
SQL = "SELECT c.name, COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.name ORDER BY c.name"


def database_file(path: Path, ddl: dict[str, str] = DDL, rows: dict[str, list[tuple]] = ROWS) -> Path:
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    for statement in ddl.values():
        connection.execute(statement)
    for table, lines in rows.items():
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(lines[0]))})", lines)
    connection.commit()
    connection.close()
    return path


def phrasings(text: str) -> dict[str, str]:
    said = {style: f"{text} Said in style {number}." for number, style in enumerate(STYLES)}
    return said | {"verbose": text, "evidence_supported": f"{text}, evidence: orders belong to customers"}


def make_member(
    path: Path,
    schema_id: str,
    *,
    ddl: dict[str, str] = DDL,
    rows: dict[str, list[tuple]] = ROWS,
    sql: str = SQL,
    questions: int = 2,
    subject: str = "",
) -> Member:
    file = database_file(path / f"{schema_id}.sqlite", ddl, rows)
    with Database.open(file) as database:
        result = database.execute(sql)
    usage = LlmUsage(
        calls=2, tokens_in=100, tokens_out=20, cost=0.01, models=("offline/rules",), prompts={"task": "1@ab"}
    )
    text = Column(name="name", declared_type="TEXT", kind="text", affinity="TEXT")
    key = ForeignKey(columns=("customer_id",), target_table="customers", target_columns=("id",))
    definition = Schema(
        dialect="mysql",
        tables=tuple(
            Table(
                name=name,
                columns=(text,),
                foreign_keys=(key,) if name == "orders" else (),
                origin="added" if name == "empty_log" else "original",
            )
            for name in ddl
        ),
    )
    asked = [
        Question(
            question_id=f"{schema_id}_q{number}",
            text=f"How many orders does each customer {subject}have, question {number}?",
            difficulty="simple",
            relevant_tables=("customers", "orders"),
            literals=(LiteralProof(literal=str(number), table=None, column=None, how="count"),),
            intent=("aggregate",),
        )
        for number in range(questions + 1)
    ]
    # The last question was asked and restyled, but nobody could answer it.
    gold = [
        GoldQuery(
            question_id=question.question_id, sql=sql, columns=result.columns, result=result.rows[:50],
            row_count=len(result.rows), ordered=True, tables=("orders", "customers"), measured_difficulty="moderate",
            rounds=3, verdicts=(Verdict(accepted=False, category="wrong", reason="no"), Verdict(accepted=True)),
            transcript=({"role": "user", "content": question.text},),
        )
        for question in asked[:-1]
    ]  # fmt: skip
    return Member(
        source=SourceSchema(
            schema_id=schema_id,
            source=SourceFile(
                schema_id=schema_id, name="shop.sql", format="sql", sha256="0" * 64, bytes=10,
                repository="owner/shop", url="https://example.org/shop.sql", commit="c0ffee", licence="MIT",
                permissive=True,
            ),
            definition=definition,
            fidelity=Fidelity(dialect="mysql", encoding="utf-8", statements=3, kept=3, skipped=0),
        ),
        domain=DomainDescription(
            schema_id=schema_id, label="Shop", description="Sells.", entities=("order",), evidence="schema", usage=usage
        ),
        extended=ExtendedSchema(
            schema_id=schema_id, definition=definition, target_tables=3, style_conformity=0.9, usage=usage
        ),
        populated=PopulatedDatabase(
            schema_id=schema_id,
            ddl=ddl,
            tables=tuple(
                TablePopulation(
                    table=name, role="fact", planned_rows=3, original_rows=0, rows=len(rows.get(name, ())), attempts=1,
                    foreign_key_cells=3 if name == "orders" else 0,
                )
                for name in ddl
            ),
            usage=usage,
        ),
        questions=Questions(
            schema_id=schema_id,
            questions=tuple(asked),
            rejected=(RejectedItem(stage="questions", reason="ungrounded", evidence="'x'", item="Which x?"),),
            usage=usage,
        ),
        styled=StyledQuestions(
            schema_id=schema_id,
            questions=tuple(StyledQuestion(question_id=q.question_id, phrasings=phrasings(q.text)) for q in asked),
            usage=usage,
        ),
        gold=GoldQueries(
            schema_id=schema_id,
            queries=tuple(gold),
            rejected=(RejectedItem(stage="gold_queries", reason="no_answer", evidence="gave up", item=asked[-1].text),),
            usage=usage,
        ),
        open_database=lambda: Database.open(file),
    )  # fmt: skip


@pytest.fixture
def member(tmp_path: Path) -> Callable[..., Member]:
    """Makes members whose databases lie in the test's folder."""
    return lambda schema_id, **changes: make_member(tmp_path, schema_id, **changes)
