"""The offline model's vocabulary, and its rules for `extend_schema`."""

from __future__ import annotations

import pytest

from sqale_assets.llm.offline.extend_schema import respond
from sqale_assets.llm.offline.extension.concepts import (
    BASE,
    business,
    classes,
    clients,
    dependents,
    domains,
    every_concept,
    kind_of,
    read_concept,
    synonyms,
)
from sqale_assets.llm.offline.extension.request import read_request
from sqale_assets.relational.names import plural, singular

SYSTEM = {"role": "system", "content": "Task: extend_schema\n..."}
PROMPT = """The domain:
```domain
library
A library with books and readers.
```
```style
table names: PascalCase (100% of 2; e.g. Book, Reader)
table name pattern: * (100% of 2; e.g. Book, Reader)
table names are in the: singular (100% of 2; e.g. Book, Reader)
column names: camelCase (100% of 9; e.g. readerId)
primary key column: <table> id (100% of 2; e.g. bookId, readerId)
primary key type: INT UNSIGNED (100% of 2; e.g. bookId)
foreign key column: <key> (100% of 9; e.g. readerId)
type of text columns: NVARCHAR(200) (90% of 9; e.g. title)
columns per table: 3 to 6, median 5
foreign keys per table: 0.5
share of tables that declare foreign keys: 50%
share of lookup tables: 0%
```
```tables
Book(bookId INT UNSIGNED)
Reader(readerId INT UNSIGNED)
"odd name"("odd key" DECIMAL(10, 2))
Shelving(bookId INT UNSIGNED, shelf INT)
Protocol
```
```sql
CREATE TABLE Book (
    bookId INT UNSIGNED NOT NULL PRIMARY KEY,
    title NVARCHAR(200)
);
```
```lacks
authors
```
```request
tables: 6
columns: 5 4 6 5 3 5
```
"""


def messages(prompt=PROMPT, *turns):
    return [SYSTEM, {"role": "user", "content": prompt}, *turns]


def every():
    yield from business()
    for domain in domains().values():
        yield from domain.concepts
    for concepts in dependents().values():
        yield from concepts


# --- vocabulary ----------------------------------------------------------------------------------


def test_the_vocabulary_is_rich():
    assert len(domains()) >= 40
    assert all(len(domain.concepts) >= 20 for domain in domains().values())
    assert all(set(domain.related) <= set(domains()) for domain in domains().values())


def test_no_domain_names_a_concept_twice():
    for domain in domains().values():
        names = [concept.name for concept in domain.concepts]
        assert len(set(names)) == len(names), domain.name


def test_every_reference_can_be_resolved():
    """A reference names a concept, a part that synonyms describe, or the table itself."""
    known = {*every_concept(), *synonyms(), "self", BASE}
    unknown = {
        (concept.name, c.reference) for concept in every() for c in concept.references if c.reference not in known
    }
    assert unknown == set()


def test_concepts_are_sensible_tables():
    for concept in every():
        columns = [(column.words, column.reference) for column in concept.columns]
        assert len(set(columns)) == len(columns), concept.name
        if concept.shape == "junction":
            assert len(concept.references) >= 2, concept.name
        assert all(len(column.enum) != 1 for column in concept.columns), concept.name
        assert singular(plural(concept.words[-1])) == concept.words[-1], concept.name


def test_dependents_hang_on_their_base():
    for concepts in dependents().values():
        for concept in concepts:
            assert concept.words[0] == BASE
            assert concept.columns[0].reference == BASE
    assert set(dependents()) - {"any", "named", "worker", "consumer"} <= set(classes().values())
    assert (
        clients()
        <= {noun for noun, name in classes().items() if name == "person"} | {"colonist", "follower"} | clients()
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("paid_on", "date"),
        ("created_at", "datetime"),
        ("unit_price", "decimal"),
        ("line_number", "integer"),
        ("invoice_number", "text"),
        ("is_active", "boolean"),
        ("body", "long"),
        ("setting_value", "text"),
        ("market_value", "decimal"),
        ("latitude", "real"),
        ("valid_to", "date"),
        ("salary_to", "decimal"),
        ("opens_time", "time"),
    ],
)
def test_kinds_follow_from_names(name, kind):
    assert kind_of(tuple(name.split("_"))) == kind


def test_notation():
    concept = read_concept("&order line: @order approved_by@staff? code* size=S|M|L? quantity amount:int")
    order, approver, code, size, quantity, amount = concept.columns
    assert (concept.shape, concept.words) == ("junction", ("order", "line"))
    assert (order.reference, order.nullable) == ("order", False)
    assert (approver.reference, approver.words, approver.nullable) == ("staff", ("approved", "by"), True)
    assert code.unique and not code.nullable
    assert (size.kind, size.enum, size.nullable) == ("enum", ("S", "M", "L"), True)
    assert (quantity.kind, amount.kind) == ("integer", "integer")
    for wrong in ("no columns", "thing: what!", "thing: a:colour"):
        with pytest.raises(ValueError, match=r"not a|no columns"):
            read_concept(wrong)


# --- rules ---------------------------------------------------------------------------------------


def test_the_prompt_is_read_as_written():
    request = read_request(messages())
    assert request.label == "library"
    assert [(table.name, table.key, table.key_type) for table in request.tables] == [
        ("Book", "bookId", "INT UNSIGNED"),
        ("Reader", "readerId", "INT UNSIGNED"),
        ("odd name", "odd key", "DECIMAL(10, 2)"),
        ("Shelving", None, None),
        ("Protocol", None, None),
    ]
    assert request.attach == ("Book",)
    assert request.count == 6
    assert request.column_counts == (5, 4, 6, 5, 3, 5)


def test_a_prompt_without_its_parts_is_refused():
    with pytest.raises(ValueError, match="style"):
        read_request(messages(PROMPT.replace("```style", "```facts")))


def test_the_answer_is_spelled_in_the_style_of_the_facts():
    sql = respond(messages())
    assert sql.startswith("```sql\n")
    assert sql.count("CREATE TABLE") >= 6
    assert "FOREIGN KEY (bookId) REFERENCES Book (bookId)" in sql
    assert "Id INT UNSIGNED NOT NULL PRIMARY KEY" in sql
    assert "NVARCHAR(200)" in sql
    assert "REFERENCES Shelving" not in sql and "REFERENCES Protocol" not in sql


def test_the_same_messages_give_the_same_reply_and_others_another():
    assert respond(messages()) == respond(messages())
    assert respond(messages()) != respond(messages(PROMPT.replace("library", "football club")))


def test_what_was_refused_is_not_said_again():
    first = respond(messages())
    complaint = "Refused: 2 of these tables; the others are in the database now.\n- X: no.\n"
    again = respond(messages(PROMPT, {"role": "assistant", "content": first}, {"role": "user", "content": complaint}))
    names = {line for line in first.splitlines() if line.startswith("CREATE TABLE")}
    repeated = {line for line in again.splitlines() if line.startswith("CREATE TABLE")}
    assert 2 <= len(repeated) <= 4
    assert not names & repeated


def test_small_precisions_are_not_taken_for_amounts_and_counts():
    facts = "type of decimal columns: NUMBER(4,2) (80% of 5)\ntype of integer columns: NUMBER(1,0) (80% of 5)\n"
    varied = PROMPT.replace("NVARCHAR(200) (90% of 9; e.g. title)\n", "NVARCHAR(n) (90% of 9)\n" + facts)
    sql = respond(messages(varied))
    assert "NUMBER(4,2)" not in sql and "NUMBER(1,0)" not in sql
    assert "(n)" not in sql and "NVARCHAR(100)" in sql
