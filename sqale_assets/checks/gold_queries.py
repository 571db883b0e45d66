"""Checks of gold_queries: each query runs again on the database and gives the recorded result, which has rows."""

from sqale_assets.records import GoldQueries
from sqale_assets.sqlenv.database import Database, QueryError
from sqale_assets.store import CheckOutcome

CHECKS = (
    ("gold_executes", "Gold queries that give another result than the recorded one when run again (bound: 0)"),
    ("gold_returns_rows", "Gold queries without a row that is not only NULLs (bound: 0)"),
)


def evaluate(record: GoldQueries, database: Database) -> tuple[CheckOutcome, ...]:
    differing, empty = [], []
    for query in record.queries:
        try:
            result = database.execute(query.sql)
        except QueryError as error:
            differing.append(f"{query.question_id}: {error}")
            continue
        if tuple(result.rows[: len(query.result)]) != query.result or len(result.rows) != query.row_count:
            differing.append(f"{query.question_id}: another result than recorded")
        if not any(value is not None for row in result.rows for value in row):
            empty.append(query.question_id)
    total = len(record.queries)
    return (
        CheckOutcome(
            name="gold_executes",
            passed=not differing,
            metadata={"queries": total, "differing": len(differing), "bound": 0, "which": differing[:20]},
        ),
        CheckOutcome(
            name="gold_returns_rows",
            passed=not empty,
            metadata={"queries": total, "empty": len(empty), "bound": 0, "which": empty[:20]},
        ),
    )
