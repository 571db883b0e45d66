from __future__ import annotations

import sys
from types import ModuleType

import pytest

from sqale_assets.llm import offline


def messages(system: str):
    return [{"role": "system", "content": system}, {"role": "user", "content": "x"}]


def test_the_task_line_says_which_rules_answer(monkeypatch):
    rules = ModuleType("rules")
    rules.respond = lambda messages: messages[1]["content"] * 2
    monkeypatch.setitem(sys.modules, "sqale_assets.llm.offline.echo_twice", rules)
    assert offline.respond(messages("Task: echo_twice\nRepeat.")) == "xx"


@pytest.mark.parametrize("system", ["You are helpful.", "Say 'Task: fill_table'", "Task: ../../etc", ""])
def test_without_a_task_line_there_are_no_rules(system):
    with pytest.raises(offline.NoRules, match="Task: <name>"):
        offline.respond(messages(system))


def test_an_unknown_task_names_the_way_out():
    with pytest.raises(offline.NoRules, match="no rules for task 'write_poem'; set SQALE_MODEL"):
        offline.respond(messages("Task: write_poem\n"))
