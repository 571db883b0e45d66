"""Our row stands beside the references, with sources, and claims that our rule does not confirm are shown."""

from __future__ import annotations

import json

import pytest

from sqale_assets.settings import REPOSITORY, LocalCorpus
from sqale_assets.statistics.comparison import FIGURE_3, compare, load_reference
from sqale_assets.statistics.corpus import corpus_statistics
from sqale_assets.statistics.local import measure
from sqale_assets.statistics.process import FunnelStep
from sqale_assets_tests.corpus.conftest import database_file, make_member

REFERENCE = load_reference(REPOSITORY / "quality" / "reference_statistics.json")


@pytest.fixture
def ours(tmp_path):
    members = [make_member(tmp_path, "s1"), make_member(tmp_path, "s2"), make_member(tmp_path, "s3", questions=0)]
    return corpus_statistics(members, [FunnelStep(stage="source_schema", unit="schema", entered=5, passed=3)])


def test_the_figures_of_a_corpus_are_counted_from_its_records(ours):
    assert (ours.records, ours.phrasings, ours.placeholder_phrasings) == (4, 32, 0)
    assert (ours.schemas.schemas, ours.schemas.tables_median, ours.schemas.fk_total) == (2, 3, 2)
    assert (ours.schemas.rows_total, ours.schemas.rows_per_table_median) == (12, 3)
    assert (ours.schemas.tables_populated_pct, ours.schemas.fk_cells_valid_pct) == (66.67, 100.0)
    assert ours.schemas.degree_histogram == {0: 2, 1: 4}
    assert (ours.sql.n, ours.sql.join_pct, ours.sql.tables_mean, ours.sql.unique_sql_pct) == (4, 100.0, 2.0, 25.0)
    assert (ours.licences, ours.relevant_tables_median) == ({"MIT": 2}, 2)
    assert (ours.grounded_literals_pct, ours.literals_per_question) == (100.0, 1.0)


def test_the_process_is_a_funnel_with_reasons_and_costs(ours):
    steps = {step.stage: (step.entered, step.passed, step.rejected) for step in ours.process.funnel}
    assert steps["source_schema"] == (5, 3, {})
    assert steps["questions"] == (10, 7, {"ungrounded": 3})
    assert steps["gold_queries"] == (7, 4, {"no_answer": 3})
    assert ours.process.costs["questions"].tokens_in == 300
    assert ours.process.tokens_per_record == 3 * 6 * 120 / 4
    assert ours.process.verdicts == {"wrong": 4, "accepted": 4}
    assert ours.process.difficulty_measured == {"simple": 0, "moderate": 4, "hard": 0}


def test_figure_3_has_our_row_and_the_published_ones(ours):
    table = compare(ours, REFERENCE).markdown(FIGURE_3)
    header, _, *lines = (line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines())
    assert header[:2] == ["Figure", "ours"] and header[-1] == "Definition"
    columns = {corpus: [line[number].strip() for line in lines] for number, corpus in enumerate(header)}
    assert columns["ours"] == ["2", "3", "3", "2", "3"]
    assert columns["SQaLe"] == ["9,259", "113", "538", "1,196,078", "69"]
    assert columns["BIRD"] == ["80 / 11*", "5 / 7*", "39 / 64*", "526 / 102*", "3,738"]
    assert columns["Definition"][0] == "number of databases"
    assert "- SQaLe: SQaLe project page" in table and "- BIRD, computed*: " in table


def test_claims_that_do_not_hold_under_our_rule_are_shown(ours):
    found = {(each.corpus, each.figure): each for each in compare(ours, REFERENCE).disagreements()}
    claim = found["EHRSQL", "tables_max"]  # "no EHRSQL query touches more than four"
    assert (claim.published.value, claim.computed.value) == (4, 5)
    assert "SQaLe project page" in claim.published.source and "glee4810" in claim.computed.source


def test_a_local_copy_is_measured_and_takes_the_place_of_the_reference(ours, tmp_path):
    pairs = tmp_path / "dev.json"
    pairs.write_text(json.dumps([{"question": "How many?", "SQL": "SELECT COUNT(*) FROM t"}] * 3))
    lines = tmp_path / "data.jsonl"
    lines.write_text('{"question": "Who?", "sql": "SELECT a FROM t JOIN u ON t.i = u.i"}\n' * 2)
    bird = measure(LocalCorpus(name="BIRD", pairs=pairs))
    other = measure(LocalCorpus(name="Mine", pairs=lines))
    rows = {row.corpus: row for row in compare(ours, REFERENCE, [bird, other]).rows}
    assert rows["BIRD"].cell("nested_pct") == "7.7 / 0*"
    assert rows["BIRD"].figures["nested_pct"][1].source == "local copy: dev.json"
    assert rows["Mine"].cell("tables_mean") == "2*"


@pytest.mark.parametrize(
    ("text", "message"), [("{}", "no question and SQL"), ("[1", "not a JSON list"), ("nope", "not a JSON list")]
)
def test_a_file_of_another_form_is_a_clear_error(tmp_path, text, message):
    path = tmp_path / "dev.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        measure(LocalCorpus(name="x", pairs=path))


def test_our_own_parquet_can_be_measured_like_any_other(tmp_path):
    from sqale_assets.corpus.publish import publish_queries, publish_schemas

    members, out = [make_member(tmp_path, "s1")], tmp_path / "out"
    publish_queries(members, {"s1": "train"}, out)
    publish_schemas(members, {"s1": "train"}, out)
    measured = measure(LocalCorpus(name="SQaLe", queries=out / "queries", schemas=out / "schemas"))
    assert (measured.sql.n, measured.questions.n) == (2, 2)
    found = measured.schemas
    assert (found.tables_median, found.columns_median, found.fk_total, found.rows_total) == (3, 9, 1, 6)
    assert (found.rows_per_table_median, found.tables_populated_pct, found.null_cells_pct) == (3, 66.67, 9.52)


def test_rows_are_counted_in_the_databases_of_a_copy(tmp_path):
    entry = {
        "db_id": "shop",
        "table_names_original": ["customers", "orders", "empty_log"],
        "column_names_original": [[-1, "*"], [0, "id"], [1, "id"], [2, "id"]],
        "foreign_keys": [[2, 1]],
    }
    tables, databases = tmp_path / "tables.json", tmp_path / "databases"
    tables.write_text(json.dumps([entry]))
    (databases / "shop").mkdir(parents=True)
    database_file(databases / "shop" / "shop.sqlite")
    found = measure(LocalCorpus(name="BIRD", tables=tables, databases=databases)).schemas
    assert (found.rows_total, found.rows_per_table_median, found.tables_populated_pct) == (6, 3, 66.67)
    (databases / "shop" / "shop.sqlite").unlink()
    with pytest.raises(ValueError, match=r"cannot be read: .*shop\.sqlite"):
        measure(LocalCorpus(name="BIRD", tables=tables, databases=databases))
