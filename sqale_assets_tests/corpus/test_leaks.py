"""Near duplicates across the split are found, with the nearest one; different questions are not."""

from __future__ import annotations

from sqale_assets.corpus.leaks import LeakItem, find_leaks

QUESTION = "Which customers in the northern region placed more than three orders in the year 2023 and paid by card"
SQL = "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id WHERE c.region = 'north' GROUP BY c.name"


def item(number: str, question: str, sql: str) -> LeakItem:
    return LeakItem(number, question, sql)


def test_near_duplicates_are_found_with_their_nearest():
    test = [
        item("t1", QUESTION + "?", SQL),
        item(
            "t2", "How many flights leave Oslo every Monday morning during the winter season of each year?", "SELECT 1"
        ),
    ]
    train = [
        item("a", QUESTION + " please", SQL + " ORDER BY 1"),
        item("b", QUESTION.upper() + "?", "SELECT COUNT(*) FROM boats WHERE length > 20 AND colour = 'red'"),
        item("c", "List all boats with a red hull that are longer than twenty metres and built in Norway.", "SELECT 2"),
    ]
    report = find_leaks(train, test)
    assert (report.test_items, report.train_items) == (2, 3)
    assert (report.leaked_questions, report.leaked_sql, report.leaked_both) == (1, 1, 1)
    nearest = {leak.what: (leak.test_id, leak.train_id) for leak in report.leaks}
    assert nearest == {"question": ("t1", "b"), "sql": ("t1", "a")}
    assert report.leaks[0].similarity == 1.0


def test_the_report_does_not_depend_on_the_order():
    test = [item(f"t{n}", f"{QUESTION} in city number {n % 3}", SQL) for n in range(6)]
    train = [item(f"a{n}", f"{QUESTION} in city number {n}", SQL) for n in range(4)]
    assert find_leaks(train, test) == find_leaks(reversed(train), test)


def test_an_empty_side_leaks_nothing():
    assert find_leaks([], [item("t", QUESTION, SQL)]).leaked_questions == 0
    assert find_leaks([item("a", QUESTION, SQL)], []).leaks == ()
