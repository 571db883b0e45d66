"""The extension stage, with the offline model over real schemas and with scripted replies over a small one."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest

from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.task import InvalidAnswer, Reply
from sqale_assets.records import DomainDescription, LlmUsage, SourceFile, SourceSchema
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.schemapile import read_schemapile
from sqale_assets.relational.sqlite import open_memory
from sqale_assets.settings import ExtensionSettings
from sqale_assets.stages.extension import BARREN_CALLS, REPAIRS, ProposedTables, extend_schema
from sqale_assets.stages.extension_context import MAX_DDL_CHARACTERS, Context, table_lines
from sqale_assets_tests.doubles import OfflineLlm
from sqale_assets_tests.shared import SLICE, needs_slice

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "sample").glob("*.sql"))
CLUB = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY AUTOINCREMENT, full_name VARCHAR(100) NOT NULL, joined_on DATE);
CREATE TABLE fees (fee_id INTEGER PRIMARY KEY AUTOINCREMENT, member_id INTEGER NOT NULL, amount DECIMAL(10,2) NOT NULL,
  FOREIGN KEY (member_id) REFERENCES members (member_id));
"""
GOOD = "CREATE TABLE {0}s ({0}_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL, {0}_name VARCHAR(100),\n" + (
    "FOREIGN KEY (member_id) REFERENCES members (member_id));"
)


def source_of(reading, schema_id="club") -> SourceSchema:
    file = SourceFile(schema_id=schema_id, name=schema_id, format="sql", sha256="0", bytes=1)
    return SourceSchema(
        schema_id=schema_id, source=file, definition=reading.schema, rows=reading.rows, fidelity=reading.fidelity
    )


def domain_of(source: SourceSchema, label="general", entities=()) -> DomainDescription:
    return DomainDescription(
        schema_id=source.schema_id, label=label, description="", entities=tuple(entities), evidence="schema"
    )


def extend(source, llm, *, label="general", entities=(), seed=0, **settings):
    domain = domain_of(source, label, entities)
    return asyncio.run(extend_schema(source, domain, llm, settings=ExtensionSettings(**settings), seed=seed))


def assert_sound(source: SourceSchema, extended) -> None:
    """Originals untouched, additions marked, everything creatable with keys that SQLite accepts at the first INSERT."""
    originals = len(source.definition.tables)
    assert extended.definition.tables[:originals] == source.definition.tables
    added = extended.definition.tables[originals:]
    assert {table.origin for table in added} <= {"added"}
    names = [table.name.lower() for table in extended.definition.tables]
    assert len(set(names)) == len(names)
    connection = open_memory(extended.definition)
    for table in added:
        assert table.primary_key
        connection.execute(f'EXPLAIN INSERT INTO "{table.name}" DEFAULT VALUES')
    connection.close()


class Script:
    """An `Llm` that answers with the given replies in turn, and keeps the tasks it was asked."""

    def __init__(self, *replies: str):
        self.replies, self.tasks = list(replies), []

    async def ask(self, task, *, sample=0):
        self.tasks.append(task)
        text = self.replies.pop(0) if self.replies else "Sorry, nothing more comes to mind."
        try:
            return Reply(parse_answer(task.answer, text), text, "script", False, 0, 0)
        except ValueError as error:
            raise InvalidAnswer(task.prompt, (str(error),), text) from error

    @property
    def usage(self):
        return LlmUsage(calls=len(self.tasks))


@pytest.fixture(scope="module")
def club() -> SourceSchema:
    return source_of(read_sql(CLUB.encode()))


# --- the offline model ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_grow_in_their_own_style(path):
    source = source_of(read_sql(path.read_bytes()), path.stem)
    extended = extend(source, OfflineLlm(), label=path.stem.replace("_", " "), extra_tables=25)
    assert_sound(source, extended)
    assert len(extended.definition.tables) == len(source.definition.tables) + 25
    assert extended.style_conformity >= 0.9
    assert extended.attached_share >= 0.95
    assert extended.connected_share >= 0.9
    assert extended.rejected == ()


@needs_slice
@pytest.mark.parametrize("part", ["108721", "382346", "413175", "359146", "404912"])
def test_real_schemas_reach_their_target(part):
    records = json.loads(SLICE.read_text())
    key = next(key for key in records if part in key)
    source = source_of(read_schemapile(records[key]), key)
    extended = extend(source, OfflineLlm())
    assert_sound(source, extended)
    assert len(extended.definition.tables) == extended.target_tables
    assert extended.style_conformity >= 0.85
    assert extended.attached_share >= 0.95
    assert extended.usage.calls <= extended.target_tables / 8 + 2


def test_the_largest_target_has_no_repetition(club):
    """350 tables from two: no name twice, no suffix worn out, no numbered names."""
    llm = OfflineLlm()
    extended = extend(club, llm, label="sports club", extra_tables=348)
    assert_sound(club, extended)
    added = extended.definition.tables[2:]
    assert len(added) == 348
    assert not [table.name for table in added if any(character.isdigit() for character in table.name)]
    assert max(len(table.name) for table in added) <= 45
    endings = [table.name.rpartition("_")[2] for table in added]
    assert max(map(endings.count, set(endings))) <= 348 * 0.05
    assert extended.connected_share >= 0.95


def test_same_seed_same_schema(club):
    first = extend(club, OfflineLlm(), label="sports club", extra_tables=30)
    assert first == extend(club, OfflineLlm(), label="sports club", extra_tables=30)
    other = extend(club, OfflineLlm(), label="sports club", extra_tables=30, seed=1)
    assert {table.name for table in first.definition.tables} != {table.name for table in other.definition.tables}


def test_nothing_is_asked_where_nothing_lacks(club):
    llm = OfflineLlm()
    extended = extend(club, llm, extra_tables=0)
    assert extended.definition == club.definition
    assert llm.calls == []


# --- scripted replies ----------------------------------------------------------------------------


def fenced(*statements: str) -> str:
    return "Here you are:\n```sql\n" + "\n".join(statements) + "\n```\nAnything else?"


def test_refused_tables_go_back_with_their_errors(club):
    wrong = GOOD.format("medal").replace("members (member_id)", "members (id)")
    llm = Script(fenced(GOOD.format("course"), wrong), fenced(GOOD.format("medal")))
    extended = extend(club, llm, extra_tables=2)
    assert [table.name for table in extended.definition.tables[2:]] == ["courses", "medals"]
    assert extended.rejected == ()
    answer, complaint = llm.tasks[1].turns
    assert answer["role"] == "assistant" and wrong.splitlines()[0] in answer["content"]
    assert "medals" in complaint["content"] and "courses" not in complaint["content"]
    assert "Refused: 1" in complaint["content"]


def test_what_is_never_mended_is_counted_once(club):
    wrong = fenced(
        "CREATE TABLE trophies (trophy_id INTEGER PRIMARY KEY, won_on DATE, x INTEGER REFERENCES nowhere (id));"
    )
    llm = Script(*[wrong] * (REPAIRS + 1), fenced(GOOD.format("course")))
    extended = extend(club, llm, extra_tables=1)
    assert [(item.reason, item.stage) for item in extended.rejected] == [("unreadable", "extended_schema")]
    assert "nowhere" in extended.rejected[0].evidence
    assert extended.rejected[0].item.startswith("CREATE TABLE trophies")
    assert [table.name for table in extended.definition.tables[2:]] == ["courses"]


def test_a_model_with_nothing_to_say_is_given_up(club):
    llm = Script()
    extended = extend(club, llm, extra_tables=40)
    assert len(llm.tasks) == BARREN_CALLS
    assert [item.reason for item in extended.rejected] == ["invalid_answer"] * BARREN_CALLS
    assert extended.definition == club.definition
    assert extended.target_tables == 42


def test_tables_that_hang_on_nothing_are_sent_back(club):
    island = "CREATE TABLE seasons (season_id INTEGER PRIMARY KEY, name VARCHAR(100), starts_on DATE);"
    attached = (
        island
        + "\n"
        + GOOD.format("course").replace(
            "course_name VARCHAR(100),", "season_id INTEGER, FOREIGN KEY (season_id) REFERENCES seasons (season_id),"
        )
    )
    llm = Script(fenced(island), fenced(attached))
    extended = extend(club, llm, extra_tables=2)
    assert "no foreign key" in llm.tasks[1].turns[1]["content"]
    assert [table.name for table in extended.definition.tables[2:]] == ["seasons", "courses"]


def test_too_many_tables_are_cut_at_the_target(club):
    llm = Script(fenced(*(GOOD.format(name) for name in ("course", "medal", "trip", "coach"))))
    extended = extend(club, llm, extra_tables=2)
    assert len(extended.definition.tables) == 4


def test_existing_tables_cannot_be_altered(club):
    llm = Script(fenced("DROP TABLE fees;", "ALTER TABLE members ADD COLUMN x TEXT;", GOOD.format("course")))
    extended = extend(club, llm, extra_tables=1)
    assert_sound(club, extended)


@pytest.mark.parametrize(
    "text",
    [
        "```sql\nCREATE TABLE a (id INT);\n```",
        "```\nCREATE TABLE a (id INT);\n```",
        "Sure.\nCREATE TABLE a (id INT);",
        "```sql\nCREATE TABLE a (id INT);",
        "```text\nplan\n```\n```sql\ncreate table a (id INT);\n```",
    ],
)
def test_sql_is_found_in_the_reply(text):
    assert "a (id INT)" in parse_answer(ProposedTables, text).sql


def test_a_reply_that_was_cut_off_keeps_its_whole_statements():
    text = "```sql\nCREATE TABLE a (id INT);\nCREATE TABLE b (id INT, nam"
    assert parse_answer(ProposedTables, text).sql == "CREATE TABLE a (id INT);"


def test_a_reply_without_tables_is_invalid():
    with pytest.raises(ValueError, match="no CREATE TABLE"):
        parse_answer(ProposedTables, "I cannot do that.")


# --- what the prompt shows -----------------------------------------------------------------------


def test_the_view_is_bounded_and_turns_round(club):
    extended = extend(club, OfflineLlm(), label="sports club", extra_tables=150)
    context = Context(domain_of(club), random.Random(0))
    seen = set()
    for _ in range(60):
        ddl = context.attach(extended.definition)
        assert len(ddl) <= MAX_DDL_CHARACTERS + 500
        assert "CREATE TABLE members" in ddl, "the hub is always shown"
        seen |= {line.split()[2] for line in ddl.splitlines() if line.startswith("CREATE TABLE")}
    assert len(seen) > 100


def test_lacking_entities_come_first(club):
    context = Context(domain_of(club, entities=("member", "tournament")), random.Random(0))
    assert context.lacks(club.definition)[0] == "tournament"


def test_lines_name_the_key_only_where_there_is_one():
    schema = read_sql(b'CREATE TABLE "odd name" ("a b" INT PRIMARY KEY); CREATE TABLE log (x INT);').schema
    assert table_lines(schema.tables) == ('"odd name"("a b" INT)', "log")


@pytest.mark.parametrize(
    "sql",
    [
        'CREATE TABLE "order" ("group" INT PRIMARY KEY, "select" TEXT, "from" INT REFERENCES "order" ("group"));',
        "CREATE TABLE a (x INT, y TEXT);",
        'CREATE TABLE "Order Details" ("Order ID" INT PRIMARY KEY, "Unit Price" REAL);'
        ' CREATE TABLE "Sales Staff" ("Staff ID" INT PRIMARY KEY, "Order ID" INT,'
        ' FOREIGN KEY ("Order ID") REFERENCES "Order Details" ("Order ID"));',
        "CREATE TABLE müşteri (müşteri_no INT PRIMARY KEY, şehir TEXT);"
        " CREATE TABLE 顧客 (番号 INT PRIMARY KEY, 名前 TEXT);",
        "CREATE TABLE t1 (c1 INT, c2 INT, PRIMARY KEY (c1, c2)); CREATE TABLE t2 (c1 INT, c2 INT, FOREIGN KEY (c1, c2) "
        "REFERENCES t1 (c1, c2));",
        "CREATE TABLE users (id VARCHAR(36) PRIMARY KEY, a_b INT, aB INT, AB2 INT);",
        'CREATE TABLE "it""s" ("a""b" INT PRIMARY KEY);',
    ],
)
def test_odd_schemas_grow_soundly(sql):
    """Reserved and quoted names, names of other scripts, no key at all, composite keys only."""
    source = source_of(read_sql(sql.encode()), "odd")
    extended = extend(source, OfflineLlm(), extra_tables=30)
    assert_sound(source, extended)
    assert len(extended.definition.tables) == len(source.definition.tables) + 30
    assert extended.attached_share >= 0.95
