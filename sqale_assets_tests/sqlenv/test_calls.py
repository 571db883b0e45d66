from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.sqlenv.calls import Call, fenced_sql, find_calls, strip_thoughts

LIST = Call("list_tables", {})


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "list_tables", "args": {}}',
        'First I look.\n{"tool": "list_tables", "args": {}} and then?',
        '```json\n{"tool": "list_tables", "args": {}}\n```',
        '[{"tool": "list_tables", "args": {}}]',
        '<tool_call>\n{"name": "list_tables", "arguments": {}}\n</tool_call>',
        '{"name": "list_tables", "arguments": "{}"}',
        '{"tool": "list_tables"}',
        '{"thought": "look", "call": {"tool": "list_tables", "args": {}}}',
        'a set {1, 2} then {"tool": "list_tables", "args": null}',
        '{"plan": "look", "x": {}} {"tool": " list_tables ", "args": {}}',
    ],
)
def test_finds_a_call(text):
    assert find_calls(text) == ([LIST], None)


def test_finds_all_calls_in_order_with_their_arguments():
    text = (
        '{"tool": "describe_table", "args": {"table_name": "a"}}{"tool": "run_query", "args": {"sql": "SELECT\n1"}}\n'
        '{"tool": "run_query", "sql": "SELECT \\"x\\" FROM {t}"}'
    )
    calls, broken = find_calls(text)
    assert [call.tool for call in calls] == ["describe_table", "run_query", "run_query"]
    assert [call.args for call in calls] == [{"table_name": "a"}, {"sql": "SELECT\n1"}, {"sql": 'SELECT "x" FROM {t}'}]
    assert broken is None


@pytest.mark.parametrize(
    "text",
    ['{"tool": "run_query", "args": {"sql": "SELECT "x" FROM t"}}', '{"tool": "run_query", "args": {"sql": "SELECT'],
)
def test_says_what_is_wrong_with_a_call_that_cannot_be_read(text):
    calls, broken = find_calls(text)
    assert calls == []
    assert broken


@pytest.mark.parametrize("text", ["", "no call", "{}", '{"args": {}}', '{"tool": 3}', "{{{{", '{"a": {"tool": "x"}}'])
def test_is_not_misled(text):
    assert find_calls(text)[0] == []


def test_thoughts_are_not_acted_upon():
    call = '{"tool": "list_tables", "args": {}}'
    assert strip_thoughts(f'<think>{{"tool": "x"}}</think>\n{call}') == call
    assert strip_thoughts(f"opened in the prompt</think> {call}") == call
    assert strip_thoughts(f"{call} <think>never closed {call}") == call
    assert strip_thoughts("<think>a</think>b<think>c</think>d") == "bd"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("The answer:\n```\nWITH a AS (SELECT 1) SELECT * FROM a\n```\nDone.", "WITH a AS (SELECT 1) SELECT * FROM a"),
        ("```sql\nSELECT 1\n```\nbetter:\n```SQLite\nSELECT 2;\n```", "SELECT 2;"),
        ("```sql\nSELECT 1", "SELECT 1"),
        ("Final answer:\nselect a\nfrom b", "select a\nfrom b"),
        ("I cannot select anything", None),
        ("", None),
    ],
)
def test_sql_as_text(text, sql):
    assert fenced_sql(text) == sql


@pytest.mark.parametrize("piece", ['{"a":', "{", '{"tool":', "<think>", "```sql\n", "<think></think>{"])
def test_long_replies_take_no_longer_than_they_are(piece):
    started = time.process_time()
    text = strip_thoughts(piece * 20_000)
    find_calls(text)
    fenced_sql(text)
    assert time.process_time() - started < 1


@given(st.text())
def test_never_fails_on_any_text(text):
    find_calls(text)
    fenced_sql(strip_thoughts(text))


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_reads_back_any_call(name, args):
    text = f"so {json.dumps({'tool': name, 'args': args})} and"
    assert find_calls(text)[0] == [Call(name.strip(), args)]
