"""Text and meaning: what is said is read back as it was meant, and the SQL does what the words say."""

# ruff: noqa: E501 - a meaning reads best on one line

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sqale_assets.llm.offline.english.drafting.drafter import Drafter
from sqale_assets.llm.offline.english.meaning import (
    AboveAverageChildren,
    Aggregate,
    AverageChildren,
    BestPerPeer,
    Children,
    Combine,
    Compare,
    Count,
    CountDistinct,
    Day,
    Entity,
    Extreme,
    GroupBy,
    Has,
    Key,
    Listing,
    MostChildren,
    Order,
    PeerAverage,
    PerParent,
    Rank,
    Ref,
    Running,
    Share,
    Side,
    Top,
    VersusAverage,
)
from sqale_assets.llm.offline.english.picture import Picture
from sqale_assets.llm.offline.english.reading import read
from sqale_assets.llm.offline.english.sql import to_sql
from sqale_assets.llm.offline.english.sql_source import Findings
from sqale_assets.llm.offline.english.wording import say
from sqale_assets.settings import REPOSITORY
from sqale_assets.sqlenv.database import Database
from sqale_assets_tests.llm.english.shop import connect, prompt_parts

SHOP = Database.from_connection(connect())


def link(child: str, column: str):
    from sqale_assets.llm.offline.english.lexicon import Lexicon

    return next(each for each in Lexicon(SHOP.schema).links_out(child) if each.columns == (column,))


CUSTOMER, REGION = link("orders", "customer_id"), link("customers", "region_id")
SELLER, APPROVER, MANAGER = link("orders", "seller_id"), link("orders", "approver_id"), link("employees", "manager_id")
ORDER, PRODUCT = link("order_items", "order_id"), link("order_items", "product_id")
AMOUNT, ID, STATUS = Ref("total_amount"), Ref("id"), Ref("status")
PAID = Compare(STATUS, "=", "paid")

REQUESTS = [
    Listing((Ref("customer_name"), Ref("name", (REGION,))), Entity("customers", (Compare(Ref("city"), "=", "Rome"),))),
    Listing((AMOUNT, Ref("full_name", (APPROVER,))), Entity("orders")),
    Listing((ID,), Entity("orders", (PAID,)), order=Order(Key(AMOUNT, True), Key(ID))),
    Listing((Ref("city"),), Entity("customers"), distinct=True),
    Listing((Ref("qty"), Ref("name", (ORDER, CUSTOMER, REGION))), Entity("order_items", (Compare(Ref("qty"), ">", 5),))),
    Listing((Ref("full_name"), Ref("full_name", (MANAGER,))), Entity("employees")),
    Top(3, (ID, AMOUNT), Entity("orders"), AMOUNT, ID),
    Count(Entity("orders", (Compare(Ref("order_date"), "month", 2023, 4),))),
    Count(Entity("customers", (Has(Children(CUSTOMER), "none", 0), Compare(Ref("is_active"), "true")))),
    Count(Entity("employees", (Has(Children(SELLER, None, (PAID,))),))),
    Count(Entity("customers", (Has(Children(CUSTOMER), ">", 3),))),
    Count(Entity("orders", (Compare(Ref("order_date"), ">=", Day("2023-06-01")), VersusAverage("total_amount", ">", "orders")))),
    CountDistinct(Ref("city", (CUSTOMER,)), Entity("orders")),
    Aggregate("avg", AMOUNT, Entity("orders", (VersusAverage("total_amount", "<", "orders", Ref("", (CUSTOMER,))),))),
    Aggregate("min", AMOUNT, Entity("orders", (Compare(AMOUNT, "between", 10, 400),)), "max"),
    Share(Entity("orders", (Compare(Ref("city", (CUSTOMER,)), "in", "Bern", "Rome"),)), PAID),
    Extreme((ID,), Entity("orders", (PAID,)), "total_amount", False),
    GroupBy(Ref("city", (CUSTOMER,)), "sum", Entity("orders"), "total_amount", None, Order(Key(None, True), Key(Ref("city", (CUSTOMER,))))),
    GroupBy(STATUS, "count", Entity("orders"), None, 10),
    PerParent((Ref("customer_name"),), Entity("customers"), Children(CUSTOMER, None, (PAID,))),
    PerParent((Ref("full_name"),), Entity("employees"), Children(APPROVER)),
    PerParent((Ref("customer_name"),), Entity("customers"), Children(CUSTOMER), "max", "total_amount"),
    PerParent((Ref("customer_name"),), Entity("customers"), Children(CUSTOMER), "count", None, 4),
    MostChildren((Ref("customer_name"),), Entity("customers", (Compare(Ref("city"), "=", "Oslo"),)), Children(CUSTOMER)),
    AboveAverageChildren((Ref("product_name"),), Entity("products"), Children(PRODUCT)),
    AverageChildren(Entity("customers"), Children(CUSTOMER), "total_amount"),
    AverageChildren(Entity("employees"), Children(SELLER)),
    AboveAverageChildren((Ref("full_name"),), Entity("employees"), Children(SELLER)),
    Combine("minus", Side(Ref("city"), Entity("customers")), Side(Ref("city"), Entity("customers", (Has(Children(CUSTOMER)),)))),
    Rank((ID,), Entity("orders"), Ref("", (SELLER,)), "total_amount"),
    Running((ID,), Entity("orders", (PAID,)), "total_amount", Ref("order_date"), ID),
    PeerAverage((ID, AMOUNT), Entity("orders"), "total_amount", STATUS),
    BestPerPeer((Ref("full_name", (APPROVER,)), ID), Entity("orders"), Ref("", (APPROVER,)), "total_amount", False),
]  # fmt: skip


def children_in_role(request_) -> bool:
    """Whether the children need to be told by a role, which few wordings can do."""
    return isinstance(request_, AverageChildren | AboveAverageChildren) and request_.children.link == SELLER


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: type(each).__name__)
def test_every_wording_is_read_in_one_way_and_runs(request_, lexicon, shop):
    said = {say(request_, lexicon, Random(seed)) for seed in range(60)}
    assert len(said) >= (4 if not children_in_role(request_) else 1)
    for text in said:
        assert read(text, lexicon) == [request_], text
    shop.execute(to_sql(request_, shop.schema))


def rows(request_, findings=Findings()):  # noqa: B008 - frozen
    return SHOP.execute(to_sql(request_, SHOP.schema, findings)).rows


def table(sql: str):
    return SHOP.execute(sql).rows


NULLS = Findings(frozenset({("orders", "approver_id"), ("employees", "manager_id")}))


def test_rows_without_what_they_point_to_are_listed_all_the_same():
    found = rows(Listing((ID, Ref("full_name", (APPROVER,))), Entity("orders")), NULLS)
    assert len(found) == 120 and any(name is None for _, name in found)
    assert (
        len(
            rows(
                Listing(
                    (ID, Ref("title", (APPROVER,))),
                    Entity("orders", (Compare(Ref("title", (APPROVER,)), "=", "Clerk"),)),
                )
            )
        )
        < 120
    )


def test_counts_per_thing_include_things_without_any():
    found = dict(rows(PerParent((Ref("customer_id"),), Entity("customers"), Children(CUSTOMER))))
    orders = [customer for (customer,) in table("SELECT customer_id FROM orders")]
    assert found == {customer: orders.count(customer) for customer in range(1, 51)} and 0 in found.values()


def test_counts_of_children_with_conditions_keep_zeros_too():
    found = dict(rows(PerParent((Ref("customer_id"),), Entity("customers"), Children(CUSTOMER, None, (PAID,)))))
    paid = [customer for (customer,) in table("SELECT customer_id FROM orders WHERE status = 'paid'")]
    assert found == {customer: paid.count(customer) for customer in range(1, 51)}


def test_the_best_of_each_group_keeps_ties_and_leaves_out_those_without_group():
    found = rows(BestPerPeer((ID,), Entity("orders"), Ref("", (APPROVER,)), "total_amount"), NULLS)
    orders = table("SELECT id, approver_id, total_amount FROM orders WHERE approver_id IS NOT NULL")
    best = {}
    for _, approver, amount in orders:
        best[approver] = max(best.get(approver, 0), amount)
    assert sorted(found) == sorted((number,) for number, approver, amount in orders if amount == best[approver])


def test_most_children_among_those_that_meet_the_conditions():
    request_ = MostChildren(
        (Ref("customer_id"),), Entity("customers", (Compare(Ref("city"), "=", "Oslo"),)), Children(CUSTOMER)
    )
    counts = table(
        "SELECT c.customer_id, count(*) FROM customers c JOIN orders o USING (customer_id) WHERE city = 'Oslo' GROUP BY 1"
    )
    most = max(count for _, count in counts)
    assert sorted(rows(request_)) == sorted((customer,) for customer, count in counts if count == most)


def test_average_of_totals_covers_only_things_that_have_some():
    totals = table("SELECT sum(total_amount) FROM orders GROUP BY customer_id")
    (found,) = rows(AverageChildren(Entity("customers"), Children(CUSTOMER), "total_amount"))[0]
    assert found == pytest.approx(sum(total for (total,) in totals) / len(totals))


def test_share_and_flags_as_they_are_stored():
    stored = Findings(flags={("customers", "is_active"): (1, 0)})
    active = sum(1 for (flag,) in table("SELECT is_active FROM customers") if flag)
    assert rows(Share(Entity("customers"), Compare(Ref("is_active"), "true")), stored) == ((100.0 * active / 50,),)
    words = Findings(flags={("customers", "is_active"): ("Y", "N")})
    assert "is_active = 'N'" in to_sql(
        Count(Entity("customers", (Compare(Ref("is_active"), "false"),))), SHOP.schema, words
    )


def test_values_on_one_side_only_leave_out_nulls():
    findings = Findings(frozenset({("customers", "city")}))
    sql = to_sql(
        Combine("either", Side(Ref("city"), Entity("customers")), Side(Ref("city"), Entity("customers"))),
        SHOP.schema,
        findings,
    )
    assert sql.count("IS NOT NULL") == 2


def test_quotes_and_names_are_data(shop):
    sql = to_sql(Count(Entity("customers", (Compare(Ref("city"), "=", "L'Aquila; DROP TABLE x"),))), shop.schema)
    assert shop.execute(sql).rows == ((0,),)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("How many orders are there?", 1),
        ("How many invoices are there?", 0),  # no such table
        ("How many orders are there whose colour is \"red\"?", 0),  # no such column
        ("How many employees are there that have at least one order?", 0),  # as seller or as approver?
        ("Show me something nice.", 0),
        ("", 0),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text, readings, lexicon):
    assert len(read(text, lexicon)) == readings


def test_two_tables_of_one_name_make_two_readings():
    import sqlite3

    from sqale_assets.llm.offline.english.lexicon import Lexicon
    from sqale_assets.sqlenv.introspect import read_schema

    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE user (id INT, city TEXT); CREATE TABLE users (id INT, city TEXT, age INT)")
    both = Lexicon(read_schema(connection))
    assert len(read('How many users are there whose city is "Rome"?', both)) == 2
    assert len(read("What is the average age of all users?", both)) == 1  # only one has an age


PICTURES = [
    Picture(**prompt_parts(SHOP, tables, seed))
    for seed, tables in enumerate(
        [
            ["regions", "customers", "orders"],
            ["employees", "orders", "order_items", "products"],
            ["regions", "customers", "employees", "orders", "products", "order_items", "reviews"],
            ["products"],
        ]
    )
]
FEATURES = [
    "filter", "join", "multi_join", "five_tables", "nested", "aggregate", "group", "having", "order", "top",
    "distinct", "set_operation", "window", "cte", "percentage", "period", "self_join",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@example(picture=PICTURES[0], wanted=frozenset({"multi_join", "group", "having", "order"}), difficulty="simple", seed=0)
@given(
    picture=st.sampled_from(PICTURES),
    wanted=st.frozensets(st.sampled_from(FEATURES), max_size=4),
    difficulty=st.sampled_from(["simple", "moderate", "hard"]),
    seed=st.integers(0, 10_000),
)
def test_whatever_is_drafted_runs_and_keeps_its_meaning(picture, wanted, difficulty, seed):
    rng = Random(seed)
    request_ = Drafter(picture, wanted, difficulty, rng).draft()
    if request_ is None:
        return
    SHOP.execute(to_sql(request_, picture.schema))
    text = say(request_, picture.lexicon, rng)
    assert request_ in read(text, picture.lexicon), text


def test_rules_name_no_table():
    """The grammar knows nothing of any schema: no word of the shop stands in it as a constant."""
    text = (REPOSITORY / "sqale_assets/llm/offline/english/requests_rows.py").read_text()
    assert "customer" not in text.lower()
