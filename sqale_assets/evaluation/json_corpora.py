"""Corpora in the form of BIRD and Spider: a JSON list of questions, and a folder of SQLite files per database.

    dev.json   dev_tables.json or tables.json   dev_databases/<db_id>/<db_id>.sqlite        BIRD
    dev.json   tables.json                      database/<db_id>/<db_id>.sqlite             Spider

BIRD's evidence goes where SQaLe's does: `<question>, evidence: <evidence>`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqale_assets.evaluation.items import Corpus, CorpusError, Item
from sqale_assets.records import DIFFICULTIES
from sqale_assets.sqlenv.sqlfacts import NotASelect, sql_facts

#: The names under which corpora keep the gold SQL.
_SQL = ("SQL", "sql", "query")
#: BIRD's word for our "hard".
_LEVELS = {**{name: name for name in DIFFICULTIES}, "challenging": "hard"}


def open_json(path: Path, split: str) -> Corpus:
    """The split of a folder in BIRD's or Spider's form.

    Raises:
        CorpusError: the file of the split or the databases are missing, or it holds something else.
    """
    records = _records(_questions_file(path, split))
    folder = _databases(path, split)
    bird = any("evidence" in record for record in records)
    items = tuple(_item(record, number) for number, record in enumerate(records))
    return Corpus(
        name=path.resolve().name,
        form="bird" if bird else "spider",
        split=split,
        items=items,
        database=lambda name: _file(folder, name),
        remarks=tuple(_remarks(path, split, folder, {item.database_id for item in items})),
    )


def _questions_file(path: Path, split: str) -> Path:
    names = (f"{split}.json", f"{split}_spider.json", f"mini_{split}_sqlite.json")
    for name in names:
        if (path / name).is_file():
            return path / name
    found = ", ".join(sorted(file.name for file in path.glob("*.json"))) or "no .json file"
    raise CorpusError(f"{path}: no questions of the split {split!r} ({' or '.join(names)}); found {found}")


def _records(file: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{file}: cannot be read as JSON: {error}") from None
    if not isinstance(records, list) or not records or not all(isinstance(record, dict) for record in records):
        raise CorpusError(f"{file}: expected a JSON list of questions")
    return records


def _item(record: dict[str, Any], number: int) -> Item:
    sql = next((record[name] for name in _SQL if isinstance(record.get(name), str)), None)
    question, database = record.get("question"), record.get("db_id")
    if sql is None or not isinstance(question, str) or not isinstance(database, str):
        raise CorpusError(f"question {number} has no question, db_id and SQL; it has {', '.join(sorted(record))}")
    evidence = str(record.get("evidence") or "").strip()
    supported = f"{question}, evidence: {evidence}" if evidence else question
    return Item(
        question_id=str(record.get("question_id", number)),
        database_id=database.strip(),
        phrasings={"verbose": question, "evidence_supported": supported},
        sql=sql,
        difficulty=_LEVELS.get(str(record.get("difficulty"))) or _measured(sql),
    )


def _measured(sql: str) -> Any:
    """Spider says nothing of difficulty: measured on the SQL, by our rules."""
    try:
        return sql_facts(sql).difficulty
    except NotASelect:
        return None


def _databases(path: Path, split: str) -> Path:
    names = (f"{split}_databases", "databases", "database", f"{split}_database")
    for name in names:
        if (path / name).is_dir():
            return path / name
    raise CorpusError(f"{path}: no folder of databases ({', '.join(names)}), each as <db_id>/<db_id>.sqlite")


def _file(folder: Path, name: str) -> Path:
    for path in (folder / name / f"{name}.sqlite", folder / name / f"{name}.db", folder / f"{name}.sqlite"):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            return path
    raise CorpusError(f"{folder}: no database {name!r} ({name}/{name}.sqlite)")


def _remarks(path: Path, split: str, folder: Path, used: Iterable[str]) -> Iterable[str]:
    """What the tables file says that the databases do not bear out."""
    file = next((path / name for name in (f"{split}_tables.json", "tables.json") if (path / name).is_file()), None)
    if file is None:
        yield f"{path}: no tables file, so the databases could not be compared with it"
        return
    described = {entry.get("db_id"): entry.get("table_names_original", ()) for entry in _records(file)}
    from sqale_assets.sqlenv.database import Database
    from sqale_assets.sqlenv.errors import QueryError

    for name in sorted(used):
        if name not in described:
            yield f"{file.name} does not describe the database {name}"
            continue
        try:
            with Database.open(_file(folder, name)) as database:
                present = {table.name.lower() for table in database.schema.tables}
        except (CorpusError, QueryError):
            continue  # what cannot be opened is counted question by question
        if missing := [table for table in described[name] if table.lower() not in present]:
            yield f"the database {name} lacks tables that {file.name} names: {', '.join(missing[:5])}"
