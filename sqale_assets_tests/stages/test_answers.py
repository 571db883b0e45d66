from __future__ import annotations

import asyncio
import json

import pytest

from sqale_assets.llm.formats import answer_form, response_format
from sqale_assets.llm.parsing import parse_answer
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.llm.task import GatewayUnavailable, InvalidAnswer, Reply, Task
from sqale_assets.records import ExtendedSchema, LlmUsage, Question, Questions
from sqale_assets.settings import AnswerSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.answer_turns import AnswerQuestion, AnswerWithOneCall
from sqale_assets.stages.answers import answer_questions
from sqale_assets.stages.judging import JudgeAnswer, Judgement

SETTINGS = AnswerSettings(tool_turns=3, judge_retries=2, template_repeats=2)
ACCEPT = {"accepted": True}


def call(tool: str, **args: object) -> str:
    return json.dumps({"tool": tool, "args": args})


def submit(sql: str) -> str:
    return call("submit_sql", sql=sql)


class Script:
    """An `Llm` that gives each question its own replies in turn, and keeps what it was asked."""

    native_tools = False

    def __init__(self, replies: dict[str, list[object]]):
        self.replies = {question: list(each) for question, each in replies.items()}
        self.tasks: list[AnswerQuestion | JudgeAnswer] = []

    async def ask(self, task, *, sample=0):
        self.tasks.append(task)
        await asyncio.sleep(0.001 * (len(task.question) % 3))  # finish in another order than they began
        reply = self.replies[task.question].pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(task, JudgeAnswer):
            text = json.dumps(reply)
            value = Judgement.model_validate(reply)
        else:
            text, value = reply, parse_answer(task.answer, reply)
        return Reply(value=value, text=text, model="script", cached=False, tokens_in=1, tokens_out=1)

    @property
    def usage(self) -> LlmUsage:
        return LlmUsage(calls=len(self.tasks), models=("script",))


def run(*args, **kwargs):
    return asyncio.run(answer(*args, **kwargs))


async def answer(
    database: Database, asked: dict[str, tuple[str, ...]], agent: Script, judge: Script, settings=SETTINGS
):
    questions = Questions(
        schema_id="s1",
        questions=tuple(
            Question(question_id=f"s1_{at}", text=text, difficulty="simple", relevant_tables=tables)
            for at, (text, tables) in enumerate(asked.items())
        ),
    )
    extended = ExtendedSchema(schema_id="s1", definition=database.schema, target_tables=0, style_conformity=1.0)
    return await answer_questions(questions, extended, database, agent, judge, settings=settings)


def test_an_accepted_answer_carries_its_result_and_transcript(database):
    question = "Which employees work in the IT department?"
    sql = "SELECT e.first_name FROM employee e JOIN department d ON e.department_id = d.id WHERE d.d_name = 'IT'"
    agent = Script({question: [call("list_tables"), submit(sql + " ;")]})
    judge = Script({question: [ACCEPT]})
    gold = run(database, {question: ("employee", "department")}, agent, judge)
    (query,) = gold.queries
    assert query.sql == sql
    assert query.result == (("Ann",), ("Cy",), ("Di",))
    assert (query.row_count, query.columns, query.tables) == (3, ("first_name",), ("employee", "department"))
    assert (query.rounds, query.ordered, query.measured_difficulty) == (2, False, "simple")
    assert [message["role"] for message in query.transcript] == ["assistant", "user", "assistant"]
    assert gold.rejected == ()
    assert gold.usage.calls == 3


def test_the_agent_never_sees_schema_or_sql_and_the_judge_sees_only_what_concerns(database):
    question = "How many departments are there?"
    agent = Script({question: [submit("SELECT count(*) FROM department")]})
    judge = Script({question: [ACCEPT]})
    run(database, {question: ("department",)}, agent, judge)
    own = AnswerQuestion.model_fields.keys() - Task.model_fields.keys()
    assert own == {"question", "tool_turns", "single_calls", "native"}
    (task,) = judge.tasks
    assert "CREATE TABLE department" in task.schema_ddl
    assert "employee" not in task.schema_ddl
    assert json.loads(task.result) == {"columns": ["count(*)"], "rows": [[3]], "row_count": 1}


def test_tables_are_shown_first_where_settings_say_so(database):
    question = "How many departments are there?"
    agent = Script({question: [submit("SELECT count(*) FROM department")]})
    shown = SETTINGS.model_copy(update={"show_tables": True})
    gold = run(database, {question: ("department",)}, agent, Script({question: [ACCEPT]}), settings=shown)
    assert [message["role"] for message in gold.queries[0].transcript] == ["user", "assistant"]
    assert "describe_table department" in agent.tasks[0].turns[0]["content"]


def test_a_failed_gate_goes_back_to_the_agent(database):
    question = "Who earns the most?"
    agent = Script({
        question: [
            submit("SELECT first_name FROM employee LIMIT 1"),
            submit("SELECT first_name FROM employee WHERE salary = (SELECT max(salary) FROM employee)"),
        ]
    })  # fmt: skip
    gold = run(database, {question: ("employee",)}, agent, Script({question: [ACCEPT]}))
    (query,) = gold.queries
    assert query.result == (("Ann",),)
    assert "[rejected] unstable_unordered_limit" in query.transcript[1]["content"]
    assert agent.tasks[1].turns[-1]["content"] == query.transcript[1]["content"]


def test_a_rejection_by_the_judge_goes_back_with_its_reason(database):
    question = "How many employees have a department?"
    wrong = {"accepted": False, "category": "extra_rows", "reason": "Ed has no department."}
    agent = Script({
        question: [
            submit("SELECT count(*) FROM employee"),
            call("run_query", sql="SELECT count(department_id) FROM employee"),
            submit("SELECT count(department_id) FROM employee"),
        ]
    })  # fmt: skip
    gold = run(database, {question: ("employee",)}, agent, Script({question: [wrong, ACCEPT]}))
    (query,) = gold.queries
    assert query.result == ((4,),)
    assert [verdict.accepted for verdict in query.verdicts] == [False, True]
    assert query.verdicts[0].category == "extra_rows"
    assert "judge_extra_rows: Ed has no department." in query.transcript[1]["content"]


@pytest.mark.parametrize(("third", "kept"), [(ACCEPT, 1), (None, 0)])
def test_a_second_opinion_sees_the_parts_swapped_and_a_third_verdict_decides(database, third, kept):
    question = "How many departments are there?"
    wrong = {"accepted": False, "category": "wrong_grain", "reason": "No."}
    agent = Script({question: [submit("SELECT count(*) FROM department")]})
    judge = Script({question: [ACCEPT, wrong, third or wrong]})
    settings = SETTINGS.model_copy(update={"second_opinion": True, "judge_retries": 0})
    gold = run(database, {question: ("department",)}, agent, judge, settings)
    assert [task.swapped for task in judge.tasks] == [False, True, False]
    assert len(gold.queries) == kept
    first, second = (load_prompt("judge_answer").render(task)[1]["content"] for task in judge.tasks[:2])
    assert first.startswith("```question\nHow many") and first.endswith(second.partition("\n\n```question")[0])
    assert sorted(first.split()) == sorted(second.split())


def test_a_query_whose_parts_the_data_does_not_test_is_flagged(database):
    question = "Distinct names of employees who earn more than 100?"
    agent = Script({question: [submit("SELECT DISTINCT first_name FROM employee WHERE salary > 100")]})
    gold = run(database, {question: ("employee",)}, agent, Script({question: [ACCEPT]}))
    (query,) = gold.queries
    assert query.discrimination == 0.0
    assert query.untested == ("distinct", "where: salary > 100")


def test_what_stays_wrong_is_kept_in_quarantine_with_reason_and_transcript(database):
    question = "How many employees are there?"
    wrong = {"accepted": False, "category": "wrong_grain", "reason": "No."}
    agent = Script({question: [submit("SELECT count(*) FROM employee")] * 3})
    gold = run(database, {question: ("employee",)}, agent, Script({question: [wrong] * 3}))
    assert gold.queries == ()
    (item,) = gold.rejected
    assert (item.stage, item.reason, item.item) == ("gold_queries", "judge_wrong_grain", question)
    assert "SELECT count(*) FROM employee" in item.evidence
    assert len(item.transcript) == 5  # three submissions, two rejections between them


def test_a_query_that_only_looked_around_does_not_become_gold(database):
    question = "Which cities?"
    look = call("run_query", sql="SELECT DISTINCT first_name FROM employee")
    agent = Script({question: [look, *["I cannot tell."] * 7]})
    settings = SETTINGS.model_copy(update={"judge_retries": 1})
    gold = run(database, {question: ("employee",)}, agent, Script({question: []}), settings)
    assert [item.reason for item in gold.rejected] == ["not_submitted"]
    # what was submitted and refused stays the answer when nothing better comes
    wrong = {"accepted": False, "category": "wrong_filter", "reason": "No."}
    agent = Script({question: [look + submit("SELECT last_name FROM employee"), "Hm.", "Hm.", "Hm."]})
    gold = run(database, {question: ("employee",)}, agent, Script({question: [wrong] * 2}), settings)
    assert [item.reason for item in gold.rejected] == ["judge_wrong_filter"]
    assert "SELECT last_name" in gold.rejected[0].evidence


def test_an_ambiguous_question_is_not_tried_again(database):
    question = "Which one?"
    wrong = {"accepted": False, "category": "ambiguous_question", "reason": "Of what?"}
    agent = Script({question: [submit("SELECT id FROM employee WHERE id = 1")]})
    gold = run(database, {question: ("employee",)}, agent, Script({question: [wrong]}))
    assert [item.reason for item in gold.rejected] == ["judge_ambiguous_question"]


def test_an_unreadable_judge_costs_one_item_not_the_schema(database):
    one, two = "How many employees?", "How many departments are there?"
    agent = Script({one: [submit("SELECT count(*) FROM employee")], two: [submit("SELECT count(*) FROM department")]})
    judge = Script({one: [InvalidAnswer("judge_answer", ("not JSON",), "?")], two: [ACCEPT]})
    gold = run(database, {one: ("employee",), two: ("department",)}, agent, judge)
    assert [query.question_id for query in gold.queries] == ["s1_1"]
    assert [item.reason for item in gold.rejected] == ["invalid_answer"]


def test_weak_models_write_one_call_per_turn_under_a_schema(database):
    question = "How many departments are there?"
    replies = [
        f'{{"thought": "so", "call": {each}}}'
        for each in (call("list_tables"), submit("SELECT count(*) FROM department"))
    ]
    agent = Script({question: replies})
    settings = SETTINGS.model_copy(update={"single_calls": True})
    gold = run(database, {question: ("department",)}, agent, Script({question: [ACCEPT]}), settings)
    assert gold.queries[0].result == ((3,),)
    system = load_prompt("answer_question").render(agent.tasks[0])[0]["content"]
    assert "one tool call:" in system and "any number" not in system
    schema = response_format(answer_form(AnswerWithOneCall.answer), "json_schema")["json_schema"]
    assert schema["strict"] and "oneOf" not in json.dumps(schema) and "discriminator" not in json.dumps(schema)


@pytest.mark.parametrize(
    "broken",
    [
        {"thought": "x", "call": {"tool": "list_tables"}},
        {"thought": "x", "call": {"tool": "drop_table", "args": {}}},
        {"thought": "x", "call": {"tool": "run_query", "args": {"query": "SELECT 1"}}},
        {"tool": "list_tables", "args": {}},
    ],
)
def test_one_call_is_checked_against_the_tools(broken):
    with pytest.raises(ValueError):
        parse_answer(AnswerWithOneCall.answer, json.dumps(broken))


def test_when_the_gateway_is_down_no_question_is_worked_on_any_more(database):
    down, other = "Which?", "How many departments are there?"
    agent = Script({down: [GatewayUnavailable("no")], other: [call("list_tables")] * 7})

    async def both() -> int:
        with pytest.raises(GatewayUnavailable):
            await answer(database, dict.fromkeys((down, other), ("employee",)), agent, Script({}))
        asked = len(agent.tasks)
        await asyncio.sleep(0.05)
        return len(agent.tasks) - asked

    assert asyncio.run(both()) == 0
    assert len(agent.tasks) < 7


def test_no_answer_at_all(database):
    question = "Hm?"
    agent = Script({question: ["I do not know."] * 12})
    gold = run(database, {question: ("employee",)}, agent, Script({}))
    assert [item.reason for item in gold.rejected] == ["no_answer"]


def test_order_is_that_of_the_questions_and_repeats_are_limited(database):
    asked = {
        f"How many employees have id {number}{'?' * number}": ("employee",) for number in (1, 2, 3)
    } | {"How many employees have id 1 then?": ("employee",), "How many departments?": ("department",)}  # fmt: skip
    sqls = [f"SELECT count(*) FROM employee WHERE id = {number}" for number in (1, 2, 3)]
    sqls += [
        "select COUNT(*) from Employee e where e.id=1".replace("e.", "").replace(" e ", " "),
        "SELECT count(*) FROM department",
    ]
    agent = Script({question: [submit(sql)] for question, sql in zip(asked, sqls, strict=True)})
    gold = run(database, asked, agent, Script({question: [ACCEPT] for question in asked}))
    assert [query.question_id for query in gold.queries] == ["s1_0", "s1_1", "s1_4"]
    assert [item.reason for item in gold.rejected] == ["duplicate_sql", "duplicate_sql"]
    assert "differ in constants only" in gold.rejected[0].evidence
    assert "the same query" in gold.rejected[1].evidence


@pytest.mark.parametrize(
    "broken", [{"accepted": False}, {"accepted": False, "category": "wrong_filter"}, {"category": "no_such"}]
)
def test_a_rejection_without_reason_is_no_verdict(broken):
    with pytest.raises(ValueError):
        Judgement.model_validate({"accepted": False, **broken})
