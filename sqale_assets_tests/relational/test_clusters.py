"""Clusters: the same application in two dialects is one, unrelated schemas are none."""

from sqale_assets.relational.clusters import clusters, is_near, names
from sqale_assets.relational.reader import read_sql
from sqale_assets.relational.schemapile import read_schemapile
from sqale_assets.relational.schemapile_file import iter_records
from sqale_assets_tests.shared import SLICE, corpus_readings, needs_corpus, needs_slice

SHOP = """
    CREATE TABLE {p}Order_Item (Order_Id int, Sku int, Qty int);
    CREATE TABLE {p}Product (Sku int, Title text);
    CREATE TABLE {p}note (id int, body text);
"""


def schema(sql: str):
    return read_sql(sql.encode()).schema


def test_case_separators_and_prefix_do_not_matter():
    prefixed = SHOP.format(p="tbl_")
    plain = SHOP.format(p="").lower()
    assert names(schema(prefixed)) == names(schema(plain.replace("order_item", "orderitem")))


def test_framework_tables_do_not_make_relatives():
    common = "CREATE TABLE migrations (id int, migration text, batch int, a int, b int, c int);"
    one, other = schema(common + "CREATE TABLE farm (a int);"), schema(common + "CREATE TABLE song (b int);")
    assert clusters({"one": one, "other": other}) == {"one": "one", "other": "other"}


def test_a_part_of_a_large_schema_is_near_it_and_a_small_one_is_not():
    tables = [f"CREATE TABLE t{n} ({', '.join(f'c{n}_{i} int' for i in range(6))});" for n in range(20)]
    whole, part, small = (schema("".join(tables[:count])) for count in (20, 4, 1))
    assert is_near(names(part), names(whole))
    assert not is_near(names(small), names(whole))


def test_the_order_of_schemas_does_not_matter():
    one, other = schema(SHOP.format(p="")), schema(SHOP.format(p="app_"))
    assert clusters({"b": one, "a": other}) == clusters({"a": other, "b": one}) == {"a": "a", "b": "a"}
    assert clusters({}) == {}


@needs_corpus
def test_one_application_in_two_dialects_is_one_cluster():
    found = clusters({name: reading.schema for name, reading in corpus_readings().items()})
    groups = {}
    for name, cluster in found.items():
        groups.setdefault(cluster, set()).add(name.rsplit("__", 1)[-1])
    several = sorted(sorted(group) for group in groups.values() if len(group) > 1)
    assert several == [
        ["Chinook_SqlServer.sql", "Chinook_Sqlite.sql"],
        ["create.sql", "northwind.sql"],
        ["mysql.sql", "postgres.sql"],
    ]


@needs_slice
def test_the_slice_holds_two_families_and_no_chain():
    found = clusters({name: read_schemapile(record).schema for name, record in iter_records(SLICE)})
    groups = {}
    for name, cluster in found.items():
        groups.setdefault(cluster, []).append(name)
    assert sorted(sorted(group) for group in groups.values() if len(group) > 1) == [
        ["185805_V_63__create_sec.sql", "541715_V_47__create_sec.sql"],
        ["324917_schema-044.sql", "504701_schema-037.sql", "626494_schema-111.sql"],
    ]
