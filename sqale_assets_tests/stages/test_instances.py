from __future__ import annotations

import asyncio

from sqale_assets.records import DomainDescription, ExtendedSchema, SourceFile
from sqale_assets.settings import PopulationSettings
from sqale_assets.sqlenv.mutation import discriminate
from sqale_assets.stages.instances import other_populations
from sqale_assets.stages.source import read_source
from sqale_assets_tests.doubles import OfflineLlm

DDL = b"""
CREATE TABLE genre (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE author (id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL);
CREATE TABLE book (id INTEGER PRIMARY KEY, title VARCHAR(80), pages INT, genre_id INT REFERENCES genre(id),
                   author_id INT REFERENCES author(id));
"""


def test_other_populations_have_the_same_tables_and_other_rows():
    file = SourceFile(schema_id="s", name="s.sql", format="sql", sha256="0", bytes=len(DDL))
    source = read_source(file, DDL, rows_per_table=10)
    extended = ExtendedSchema(schema_id="s", definition=source.definition, target_tables=3, style_conformity=1.0)
    domain = DomainDescription(
        schema_id="s", label="library", description="A library.", entities=("book",), evidence="schema"
    )
    llm = OfflineLlm()

    async def rows() -> list[tuple]:
        settings = PopulationSettings(median_rows=20)
        async with other_populations(source, extended, domain, llm, settings=settings, seed=0, count=2) as databases:
            assert [table.name for table in databases[0].schema.tables] == ["genre", "author", "book"]
            found = discriminate("SELECT count(*) FROM book WHERE pages > 0", databases[0], databases[1:])
            assert found.mutants == 1
            return [database.execute("SELECT * FROM book ORDER BY id").rows for database in databases]

    first, second = asyncio.run(rows())
    assert first and second and first != second
    assert len(llm.calls) == 3  # once per table, however many populations
    assert [first, second] == asyncio.run(rows())
