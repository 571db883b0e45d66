from __future__ import annotations

import random
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.relational.model import Schema
from sqale_assets.stages.populating.arcs import arcs, bend
from sqale_assets.stages.populating.data import TableData
from sqale_assets.stages.populating.keys import repair_keys
from sqale_assets.stages.populating.links import Candidates, KeyStore, Popularity, grow_tree, repair_links, unique_sets
from sqale_assets.stages.populating.rules import table_rules
from sqale_assets_tests.stages.populating.schemas import key, table

PARENT = table("parent", "id, code TEXT")
CHILD = table("child", "id, parent_id INTEGER NOT NULL, line", "parent_id line", (key("parent_id", "parent"),))
PAIR = table("pair", "a, b", "a b", (key("a", "parent"), key("b", "parent")))
NAMED = table("named", "id, email VARCHAR(30), code VARCHAR(4)", unique=(("email",), ("code",)))


def _candidates(child, parents):
    store = KeyStore(Schema(tables=(PARENT, child)))
    store.keep(TableData(PARENT, {"id": parents, "code": [None] * len(parents)}))
    return Candidates(child, child.foreign_keys, store, table_rules(child))


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(-3, 12)), st.one_of(st.none(), st.integers(0, 3))), max_size=40)
)
def test_links_and_composite_keys_hold_after_repair(rows):
    parents = [1, 2, 3, 5, 8]
    data = TableData(
        CHILD, {"id": list(range(len(rows))), "parent_id": [r[0] for r in rows], "line": [r[1] for r in rows]}
    )
    candidates = _candidates(CHILD, parents)
    repair_links(data, CHILD.foreign_keys, candidates, unique_sets(CHILD), random.Random(0))
    repair_keys(data, table_rules(CHILD), candidates, random.Random(0))
    keys = data.key(("parent_id", "line"))
    assert len(set(keys)) == len(keys) == len(rows)  # a line number can always be found: nothing is dropped
    assert set(data.columns["parent_id"]) <= set(parents)
    assert all(line is not None for line in data.columns["line"])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=60))
def test_pairs_are_told_apart_by_other_parents_until_there_are_none(rows):
    data = TableData(PAIR, {"a": [r[0] for r in rows], "b": [r[1] for r in rows]})
    candidates = _candidates(PAIR, [1, 2, 3])
    repair_links(data, PAIR.foreign_keys, candidates, unique_sets(PAIR), random.Random(0))
    repair_keys(data, table_rules(PAIR), candidates, random.Random(0))
    pairs = data.key(("a", "b"))
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) <= set(product([1, 2, 3], repeat=2))
    assert len(pairs) + data.dropped == len(rows)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a@b.org", "c@d.org", None]), st.sampled_from(["A1", "ZZ99", "x", None])),
        max_size=40,
    )
)
def test_unique_text_varies_in_its_own_manner_and_length(rows):
    data = TableData(NAMED, {"id": [1] * len(rows), "email": [r[0] for r in rows], "code": [r[1] for r in rows]})
    repair_keys(data, table_rules(NAMED), _candidates(NAMED, []), random.Random(0))
    assert data.dropped == 0
    for name in ("id", "email", "code"):
        known = [value for value in data.columns[name] if value is not None]
        assert len(set(known)) == len(known)
    assert all(email.endswith((".org",)) and "@" in email for email in data.columns["email"] if email)
    assert all(len(code) <= 4 for code in data.columns["code"] if code)


def test_popularity_is_skewed_and_leaves_some_unused():
    drawn = Popularity(list(range(50)), random.Random(2)).draw(2000)
    counts = sorted((drawn.count(value) for value in range(50)), reverse=True)
    assert counts[0] > 4 * counts[25] > 0
    assert counts[-1] == 0


@given(st.integers(1, 40), st.booleans())
def test_a_self_reference_becomes_a_tree(count, optional):
    node = table("node", f"id, parent_id INTEGER{'' if optional else ' NOT NULL'}", keys=(key("parent_id", "node"),))
    data = TableData(node, {"id": list(range(1, count + 1)), "parent_id": [None] * count})
    grow_tree(data, node.foreign_keys[0], random.Random(count))
    parents = dict(zip(data.columns["id"], data.columns["parent_id"], strict=True))
    for child, parent in parents.items():
        assert (
            parent is None if (parent is None and optional) else (parent < child or (not optional and parent == child))
        )


def test_rows_are_bent_to_an_exclusive_arc():
    check = "(a IS NULL AND b IS NOT NULL) OR (a IS NOT NULL AND b IS NULL)"
    payment = table("payment", "id, a, b", checks=(check,))
    data = TableData(payment, {"id": [1, 2, 3, 4], "a": [1, None, 5, None], "b": [2, None, None, 7]})
    for arc in arcs(data, table_rules(payment)):
        bend(data, arc, random.Random(0))
    assert [(a is None) != (b is None) for a, b in zip(data.columns["a"], data.columns["b"], strict=True)] == [True] * 4
    assert data.repairs["arc"] == 2
