"""What is selected from a corpus, what never is, and the order in which it is trained on."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.evaluation.items import Corpus, CorpusError, Item
from sqale_assets.sqlenv.database import Database
from sqale_assets.training.curriculum import Curriculum, mean_lengths, order
from sqale_assets.training.environment import Databases
from sqale_assets.training.selection import Criteria, HeldOut, expected_tokens, select
from sqale_assets.training.tasks import TrainingTask, read_tasks, write_tasks
from sqale_assets_tests.training.conftest import make_shop

GOLDS = {
    "simple": [f"SELECT count(*) FROM customer WHERE city_id <> {n}" for n in range(1, 11)],
    "moderate": [
        f"SELECT c.name, count(*) FROM city c JOIN customer ON city_id = c.id AND c.id < {n} GROUP BY 1"
        for n in range(3, 9)
    ],
    "hard": [
        "SELECT note, avg(stars) FROM purchase JOIN review USING (customer_id, number) GROUP BY note",
        "SELECT count(*) FROM city",
    ],
}
FAILING = [
    "SELECT nonsense FROM city",
    "SELECT name FROM city WHERE id < 0",
    "SELECT mayor FROM city",
    "not SQL at all",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    files = {name: make_shop(folder / f"{name}.sqlite") for name in ("shop", "copy_of_shop")}
    with closing(sqlite3.connect(folder / "zoo.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE animal (id INTEGER PRIMARY KEY, species TEXT, weight REAL);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
            " INSERT INTO animal SELECT i, 'species ' || (i % 7), i * 1.5 FROM n;"
        )
    files["zoo"] = folder / "zoo.sqlite"

    def item(database: str, sql: str, difficulty: str | None) -> Item:
        phrasings = {"verbose": f"Long: {sql}", "casual": f"hey, {sql}"}
        return Item(
            question_id=f"{database}-{sql}", database_id=database, phrasings=phrasings, sql=sql, difficulty=difficulty
        )

    items = [item("shop", sql, level) for level, golds in GOLDS.items() for sql in golds]
    items += [item("shop", sql, "simple") for sql in FAILING]
    items += [item("zoo", f"SELECT species FROM animal WHERE weight < {n}", "simple") for n in (29, 39, 49)]
    items += [item("lost", "SELECT 1 FROM t", "simple")]

    def database(name: str) -> Path:
        if name not in files:
            raise CorpusError(f"no database {name}")
        return files[name]

    return Corpus("toy", "test", "train", tuple(items), database)


def held_out(corpus: Corpus, *names: str) -> HeldOut:
    items = tuple(
        Item(question_id=name, database_id=name, phrasings={"verbose": "?"}, sql="SELECT 1") for name in names
    )
    return HeldOut([Corpus("held out", "test", "test", items, corpus.database)])


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    with Databases(tmp_path_factory.mktemp("instances")) as databases:
        yield databases


def test_everything_left_out_is_counted_by_reason(corpus, pool):
    tasks, statistics = select(corpus, Criteria(), pool, held_out=HeldOut([]), seed=0)
    assert statistics.dropped == {
        "gold_empty": 1, "gold_fails": 1, "gold_not_read": 1, "gold_only_nulls": 1, "no_database": 1,
    }  # fmt: skip
    assert statistics.kept == len(tasks) == len(corpus.items) - 5
    assert statistics.difficulties == {"hard": 2, "moderate": 6, "simple": 13} and statistics.databases == 2
    assert all(task.telling for task in tasks)


def test_held_out_schemas_never_leak(corpus, pool):
    # A copy of the shop under another name is held out: the shop itself must go, the zoo may stay.
    tasks, statistics = select(corpus, Criteria(), pool, held_out=held_out(corpus, "copy_of_shop"), seed=0)
    assert {task.database_id for task in tasks} == {"zoo"}
    assert statistics.near_held_out == ("shop",) and statistics.dropped["held_out"] == 22
    tasks, statistics = select(corpus, Criteria(), pool, held_out=held_out(corpus, "zoo"), seed=0)
    assert {task.database_id for task in tasks} == {"shop"} and statistics.near_held_out == ()


def test_a_held_out_corpus_that_cannot_be_read_is_an_error(corpus):
    with pytest.raises(CorpusError, match="lost"):
        held_out(corpus, "lost")


def test_same_seed_same_tasks_and_another_seed_others(corpus, pool):
    first, again, other = (
        select(corpus, Criteria(count=8), pool, held_out=HeldOut([]), seed=seed)[0] for seed in (3, 3, 4)
    )
    assert first == again != other
    more = select(corpus, Criteria(count=12), pool, held_out=HeldOut([]), seed=3)[0]
    assert more[:8] == first  # a larger selection begins with the smaller one


def test_mixes_and_ranges(corpus, pool):
    criteria = Criteria(count=8, difficulties={"simple": 0.5, "moderate": 0.5}, styles={"casual": 1.0}, tables=(1, 2))
    tasks, statistics = select(corpus, criteria, pool, held_out=HeldOut([]), seed=0)
    assert statistics.difficulties == {"moderate": 4, "simple": 4} and statistics.styles == {"casual": 8}
    assert all(task.question.startswith("hey, ") for task in tasks)
    few, _ = select(corpus, Criteria(per_database=2), pool, held_out=HeldOut([]), seed=0)
    assert Counter(task.database_id for task in few) == {"shop": 2, "zoo": 2}
    none, statistics = select(corpus, Criteria(schema_tables=(100, None)), pool, held_out=HeldOut([]), seed=0)
    assert none == [] and statistics.dropped["schema_size"] == 25 and statistics.tokens is None
    one, _ = select(corpus, Criteria(tables=(2, None)), pool, held_out=HeldOut([]), seed=0)
    assert len(one) == 7


def test_style_mix_follows_the_weights(corpus, pool):
    criteria = Criteria(styles={"casual": 3.0, "verbose": 1.0})
    drawn = Counter()
    for seed in range(20):
        drawn += Counter(select(corpus, criteria, pool, held_out=HeldOut([]), seed=seed)[1].styles)
    assert 0.68 < drawn["casual"] / drawn.total() < 0.82


def test_weak_discrimination_is_left_out_where_the_corpus_publishes_it(corpus, pool):
    items = tuple(
        item.model_copy(update={"discrimination": 0.2 if "city_id <>" in item.sql else None}) for item in corpus.items
    )
    scored = replace(corpus, items=items)
    _, statistics = select(scored, Criteria(least_discrimination=0.5), pool, held_out=HeldOut([]), seed=0)
    assert statistics.dropped["weak_discrimination"] == 10


def test_questions_whose_answer_never_changes_can_be_copied_and_are_left_out(corpus, tmp_path):
    """With the only instance equal to the database, every answer can be read off the tools."""
    (tmp_path / "zoo.1.sqlite").write_bytes(corpus.database("zoo").read_bytes())
    zoo = Corpus("zoo", "test", "train", tuple(i for i in corpus.items if i.database_id == "zoo"), corpus.database)
    with Databases(tmp_path) as databases:
        databases.settings = databases.settings.model_copy(update={"instances": 1})
        tasks, statistics = select(zoo, Criteria(), databases, held_out=HeldOut([]), seed=0)
        assert tasks == [] and statistics.dropped == {"copyable": 3}
        tasks, statistics = select(zoo, Criteria(copyable=True), databases, held_out=HeldOut([]), seed=0)
        assert len(tasks) == 3 and statistics.telling == 0


def test_expected_length_grows_with_schema_tables_and_sql(corpus):
    with Database.open(corpus.database("shop")) as shop, Database.open(corpus.database("zoo")) as zoo:
        short = expected_tokens("?", "SELECT 1", zoo.schema, ["animal"])
        assert short < expected_tokens("?", "SELECT 1", shop.schema, ["city"])
        assert short < expected_tokens("?", "SELECT 1", zoo.schema, ["animal", "animal"])
        assert short < expected_tokens("?", "SELECT 1" * 20, zoo.schema, ["animal"])


def test_tasks_are_written_and_read(corpus, pool, tmp_path):
    tasks, _ = select(corpus, Criteria(count=5), pool, held_out=HeldOut([]), seed=0)
    write_tasks(tmp_path / "tasks.jsonl", tasks)
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks
    (tmp_path / "tasks.jsonl").write_text('{"question_id": 1}\n')
    with pytest.raises(ValueError, match="line 1"):
        read_tasks(tmp_path / "tasks.jsonl")


def toy(lengths: list[int]) -> list[TrainingTask]:
    return [
        TrainingTask(
            question_id=str(at), database_id="d", database=Path("d"), question="?", style="casual", sql="SELECT 1",
            tables=1, schema_tables=1, tokens=tokens,
        )
        for at, tokens in enumerate(lengths)
    ]  # fmt: skip


class TestCurriculum:
    def test_full_strength_rises_and_none_is_flat(self):
        tasks = toy([100 * (at % 17 + 1) for at in range(340)])
        risen = [task.tokens for task in order(tasks, 340, Curriculum(strength=1), seed=1)]
        assert risen == sorted(risen)
        flat = mean_lengths(order(tasks, 340, Curriculum(strength=0), seed=1))
        half = mean_lengths(order(tasks, 340, Curriculum(strength=0.5), seed=1))
        assert max(flat) - min(flat) < 400 < half[-1] - half[0] < 1600
        assert min(task.tokens for task in order(tasks, 340, Curriculum(strength=0.5), seed=1)[-100:]) < 900

    @given(
        st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 90), st.floats(0, 1), st.integers(0, 9)
    )
    def test_every_task_comes_equally_often(self, lengths, count, strength, seed):
        tasks = toy(lengths)
        ordered = order(tasks, count, Curriculum(strength=strength), seed=seed)
        met = Counter(task.question_id for task in ordered)
        assert len(ordered) == count
        assert max(met.values()) - min(met.get(task.question_id, 0) for task in tasks) <= 1
        assert ordered == order(tasks, count, Curriculum(strength=strength), seed=seed)

    def test_nothing_to_train_on_is_an_error(self):
        with pytest.raises(ValueError, match="selection is empty"):
            order([], 5, Curriculum(), seed=0)
