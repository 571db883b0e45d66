"""The offline model's functions: they run, they read nothing but the prompt, and their rows are of the right kind."""

from __future__ import annotations

import re

import pytest

from sqale_assets.llm.offline.fill_table import respond
from sqale_assets.llm.offline.filling.meanings import meaning_of
from sqale_assets.llm.offline.filling.vocabulary import choices, lines, naming, sentences, words_of
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.relational.names import words
from sqale_assets.relational.reader import read_sql
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets.stages.populating.task import GeneratorSource, fill_table
from sqale_assets.stages.sandbox import Sandbox


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def _messages(ddl: str, *, rows=(), parents=None, domain="A shop.", role="dimension", n=40, language="en_US"):
    schema = read_sql(ddl.encode()).schema
    table = schema.tables[-1]
    task = fill_table(
        table, schema, table_rules(table), ddl=ddl, domain=domain, role=role, language=language, count=n,
        originals=rows, parents=parents or {}, later=(),
    )  # fmt: skip
    return table, load_prompt("fill_table").render(task)


def _rows(sandbox, ddl: str, *, n=40, parents=None, **more):
    table, messages = _messages(ddl, n=n, parents=parents, **more)
    source = GeneratorSource.parse_text(respond(messages)).source
    names = [column.name for column in table.columns]
    columns = sandbox.run_now(source, columns=names, n=n, parents=parents or {}, seed="0")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_the_same_messages_give_the_same_function():
    _, messages = _messages("CREATE TABLE product (id INT PRIMARY KEY, name TEXT, price DECIMAL(8,2))")
    assert respond(messages) == respond([dict(message) for message in messages])


def test_a_row_is_consistent(sandbox):
    ddl = """CREATE TABLE employee (id INT PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
        email TEXT NOT NULL, gender VARCHAR(10), birth_date DATE NOT NULL, hired_on DATE NOT NULL,
        created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL)"""
    rows = _rows(sandbox, ddl)
    assert len({row["email"] for row in rows}) > 35
    places = {row["city"]: row["country"] for row in rows}
    for row in rows:
        assert row["last_name"].lower() in row["email"]
        assert row["birth_date"] < row["hired_on"]
        assert row["created_at"] < row["updated_at"]
        assert places[row["city"]] == row["country"]
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


def test_totals_are_the_sum_of_their_parts(sandbox):
    ddl = """CREATE TABLE invoice (id INT PRIMARY KEY, quantity INT NOT NULL, unit_price DECIMAL(8,2) NOT NULL,
        subtotal DECIMAL(8,2) NOT NULL, tax DECIMAL(8,2) NOT NULL, total DECIMAL(8,2) NOT NULL)"""
    for row in _rows(sandbox, ddl):
        assert row["subtotal"] == pytest.approx(row["quantity"] * row["unit_price"], abs=0.01)
        assert row["total"] == pytest.approx(row["subtotal"] + row["tax"], abs=0.02)


def test_names_are_distinct_and_fit_what_they_name(sandbox):
    products = [row["name"] for row in _rows(sandbox, "CREATE TABLE products (id INT PRIMARY KEY, name TEXT NOT NULL)")]
    assert len(set(products)) == len(products)
    assert {name.split(" ", 1)[-1] for name in products} & set(words_of("product"))
    artists = "CREATE TABLE artists (id INT PRIMARY KEY, name TEXT NOT NULL)"
    band = {row["name"] for row in _rows(sandbox, artists, domain="Albums of a record label.")}
    painter = {row["name"] for row in _rows(sandbox, artists, domain="A museum of modern art.")}
    assert band & set(words_of("band")) and not painter & set(words_of("band"))


def test_original_rows_set_the_manner(sandbox):
    ddl = (
        "CREATE TABLE t (id INT PRIMARY KEY, code VARCHAR(10) UNIQUE, kind TEXT, day TEXT, rate DECIMAL(6,2) NOT NULL)"
    )
    given = [(i, f"K-{i:03d}", "red" if i % 2 else "blue", f"0{i}/02/2024", 2.0 + i) for i in range(1, 9)]
    rows = _rows(sandbox, ddl, rows=given)
    assert [row["id"] for row in rows[:3]] == [9, 10, 11]
    assert [row["code"] for row in rows[:2]] == ["K-009", "K-010"]
    assert {row["kind"] for row in rows} - {None} == {"red", "blue"}
    assert all(re.fullmatch(r"\d\d/\d\d/\d{4}", row["day"]) for row in rows if row["day"])
    assert all(3.0 <= row["rate"] <= 10.0 for row in rows)


def test_keys_are_picked_from_the_parents_and_pairs_are_distinct(sandbox):
    ddl = """CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY);
        CREATE TABLE a_b (a_id INT REFERENCES a (id), b_id INT REFERENCES b (id), PRIMARY KEY (a_id, b_id))"""
    parents = {"a_id": [1, 1, 2, 3, 5], "b_id": [7, 8, 9, 9]}
    pairs = [(row["a_id"], row["b_id"]) for row in _rows(sandbox, ddl, parents=parents, n=9, role="junction")]
    assert len(set(pairs)) == len(pairs) >= 7
    assert all(a in parents["a_id"] and b in parents["b_id"] for a, b in pairs)


def test_lines_are_numbered_within_their_parent(sandbox):
    ddl = """CREATE TABLE orders (id INT PRIMARY KEY); CREATE TABLE line (
        order_id INT REFERENCES orders (id), line_no INT, note TEXT, PRIMARY KEY (order_id, line_no))"""
    rows = _rows(sandbox, ddl, parents={"order_id": [4, 4, 6]}, role="fact")
    for order in (4, 6):
        numbers = [row["line_no"] for row in rows if row["order_id"] == order]
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    ("column", "kind", "meaning"),
    [
        ("created_at", "datetime", "date.created"),
        ("VALID_UNTIL_TIMESTAMP", "datetime", "date.end"),
        ("dateOfBirth", "date", "date.birth"),
        ("is_active", "integer", "flag"),
        ("unit_price", "decimal", "money.unit"),
        ("total", "real", "money.total"),
        ("Apellido2", "text", "name.last"),
        ("nama", "text", "name"),
        ("country_code", "text", "address.country_code"),
        ("qty", "integer", "number.quantity"),
        ("StarRating", "text", "number.rating"),
        ("ip_address", "text", "ip"),
        ("xyzzy", "text", ""),
    ],
)
def test_meaning_of_a_column(column, kind, meaning):
    assert meaning_of(words(column), kind) == meaning


def test_every_slot_of_the_vocabularies_has_a_list():
    patterns = [line.partition(" = ")[2] for file in ("names.txt", "texts.txt") for line in lines(file)]
    slots = {slot for pattern in patterns for slot in re.findall(r"\{(\w+)\}", pattern)}
    assert slots
    for slot in sorted(slots):
        assert len(words_of(slot)) >= 3, slot
    assert naming(("order", "items")) is not None and naming(("zzz",)) is None
    assert choices("status", ("orders",))[0][0] == "pending"
    assert sentences("comment", ("reviews",)) != sentences("comment", ("patients",))


LANGUAGES = ("de_DE", "es_ES", "fr_FR", "id_ID", "pt_BR", "zh_CN")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_speaks_of_products_and_people_and_every_slot_has_a_list(sandbox, language):
    patterns = [line.partition(" = ")[2] for file in ("names.txt", "texts.txt") for line in lines(file, language)]
    slots = {slot for pattern in patterns for slot in re.findall(r"\{(\w+)\}", pattern)} - {"entity"}
    assert slots and all(len(words_of(slot, language)) >= 2 for slot in slots)
    ddl = """CREATE TABLE product (id INT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, gender TEXT,
        status TEXT NOT NULL, remarks TEXT NOT NULL)"""
    rows, english = (_rows(sandbox, ddl, language=spoken) for spoken in (language, "en_US"))
    for column in ("name", "description", "status", "remarks"):
        assert not {row[column] for row in rows} & {row[column] for row in english}, column


def test_a_moment_of_a_meeting_ends_the_same_day_and_a_lease_months_later(sandbox):
    ddl = "CREATE TABLE {} (id INT PRIMARY KEY, starts_at DATETIME NOT NULL, ends_at DATETIME NOT NULL)"
    hours = [row["ends_at"] > row["starts_at"] for row in _rows(sandbox, ddl.format("meeting"))]
    assert all(hours)
    same = [row["ends_at"][:10] == row["starts_at"][:10] for row in _rows(sandbox, ddl.format("meeting"))]
    assert sum(same) > 30
    lease = "CREATE TABLE lease (id INT PRIMARY KEY, starts_on DATE NOT NULL, ends_on DATE NOT NULL)"
    assert all(row["ends_on"][:7] > row["starts_on"][:7] for row in _rows(sandbox, lease) if row["ends_on"])


def test_what_belongs_to_a_country_is_that_countrys(sandbox):
    ddl = """CREATE TABLE country (id INT PRIMARY KEY, name TEXT NOT NULL, iso_code VARCHAR(2) NOT NULL,
        phone_prefix TEXT NOT NULL, currency_code VARCHAR(3) NOT NULL)"""
    known = {row["name"]: row for row in _rows(sandbox, ddl, role="lookup")}
    france = known["France"]
    assert (france["iso_code"], france["phone_prefix"], france["currency_code"]) == ("FR", "+33", "EUR")


_NAMES = """
    email login first_name phone gender company city country zip_code lat ip_addr host url photo_url file_name
    mime_type cron_expression payload version currency locale time_zone isbn iban plate colour sku slug status
    priority weekday role description comment body message bio reason subject question answer title year month
    age rating percent quantity price tax discount subtotal total salary stock view_count duration weight
    height distance temperature score position file_size token password setting_value notes speciality
    frequency blood_type job_title uuid street user_agent
"""
_WORDS = _NAMES.split()


@pytest.mark.parametrize(
    "declared", ["TEXT", "VARCHAR(3)", "CHAR(1)", "INT", "TINYINT", "DECIMAL(5,2)", "DATETIME", "DATE"]
)
def test_a_column_of_every_meaning_gets_values_in_any_type(sandbox, declared):
    ddl = f"CREATE TABLE thing (id INT PRIMARY KEY, {', '.join(f'{word} {declared} NOT NULL' for word in _WORDS)})"
    rows = _rows(sandbox, ddl, n=12)
    assert len(rows) == 12
    assert all(value is not None and value != "" for row in rows for value in row.values())
