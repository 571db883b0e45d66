"""Episodes as an environment: the same from one thread or many, by counted work, and paid once at the end."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sqale_assets.sqlenv.environment import Episode
from sqale_assets.training.environment import Databases, SqlEnvironment
from sqale_assets.training.reward import NoReference

GHENT = "SELECT count(*) FROM customer JOIN city ON city.id = city_id WHERE city.name = 'Ghent'"


def call(tool: str, **args) -> str:
    return json.dumps({"tool": tool, "args": args})


SCRIPTS = (
    [call("list_tables"), call("describe_table", table_name="customer"), call("submit_sql", sql=GHENT)],
    [call("run_query", sql="SELECT count(*) FROM customer") + call("sample_rows", table_name="city")] * 2
    + [call("submit_sql", sql="SELECT count(*) FROM customer")],
    ["no call at all"] * 6 + [f"```sql\n{GHENT}\n```"],
    [call("run_query", sql="SELECT nonsense")] * 4 + ["I give up"],
    [
        call("run_query", sql="SELECT count(*) FROM purchase a, purchase b, purchase c, purchase d"),
        call("submit_sql", sql=""),
    ],
    [call("submit_sql", sql="DELETE FROM customer")],
)


def play(environment: SqlEnvironment, task, script) -> list:
    """Every observation and reward of an episode, up to its end."""
    seen = [environment.reset(task)]
    for reply in script:
        step = environment.step(reply)
        seen.append(step)
        if step.done:
            break
    return [*seen, environment.figures if environment.done else None]


@pytest.mark.parametrize(
    ("script", "tier", "ended_by", "rounds"),
    [
        (SCRIPTS[0], "correct", "submit_sql", 3),
        (SCRIPTS[1], "executes", "submit_sql", 3),
        (SCRIPTS[2], "correct", "final_turn", 7),
        (SCRIPTS[3], "nothing", "no_answer", 5),
        (SCRIPTS[5], "nothing", "no_answer", 1),
    ],
)
def test_an_episode_pays_once_when_it_is_over(databases, task_of, script, tier, ended_by, rounds):
    environment = SqlEnvironment(databases)
    *steps, figures = play(environment, task_of(GHENT), script)
    assert (figures.tier, figures.ended_by, figures.rounds) == (tier, ended_by, rounds)
    assert all(step.reward == 0 and not step.done for step in steps[1:-1])
    assert steps[-1].done and steps[-1].observation is None
    with pytest.raises(RuntimeError, match="reset"):
        environment.step("more")


def test_it_says_what_the_episode_of_evaluation_says(databases, task_of):
    task = task_of(GHENT)
    environment = SqlEnvironment(databases)
    messages = environment.reset(task)
    assert [each["role"] for each in messages] == ["system", "user"] and task.question in messages[1]["content"]
    with databases.borrow(task.database) as database:
        episode = Episode(database, submission_ends=True)
        for reply in SCRIPTS[1]:
            assert environment.step(reply).observation == episode.step(reply)
    assert environment.messages == episode.transcript


def test_used_up_tokens_end_an_episode_with_the_last_query_that_ran(databases, task_of):
    environment = SqlEnvironment(databases)
    environment.reset(task_of(GHENT))
    environment.step(call("run_query", sql=GHENT))
    step = environment.cut_off()
    assert (step.done, step.reward) == (True, 1.0)
    assert environment.figures.ended_by == "token_limit"


def test_an_environment_can_be_used_again(databases, task_of):
    environment = SqlEnvironment(databases)
    first = play(environment, task_of(GHENT), SCRIPTS[0])
    play(environment, task_of("SELECT count(*) FROM city"), SCRIPTS[0])
    assert play(environment, task_of(GHENT), SCRIPTS[0]) == first


def test_a_task_without_a_reference_is_refused_at_once(databases, task_of):
    with pytest.raises(NoReference):
        SqlEnvironment(databases).reset(task_of("SELECT name FROM city WHERE id < 0"))


def test_hundreds_at_once_behave_as_one_after_the_other(databases, task_of, tmp_path):
    tasks = [task_of(GHENT), task_of("SELECT count(*) FROM customer"), task_of("SELECT name FROM city")]
    jobs = [(tasks[number % 3], SCRIPTS[number % len(SCRIPTS)]) for number in range(200)]
    alone = [play(SqlEnvironment(databases), task, script) for task, script in jobs[:18]]
    started = threading.Barrier(16)

    def together(number: int) -> list:
        if number < 16:
            started.wait(timeout=30)
        return play(SqlEnvironment(shared), *jobs[number])

    with Databases(tmp_path, databases.settings, kept=8) as shared, ThreadPoolExecutor(16) as pool:
        found = list(pool.map(together, range(200)))
        assert len(shared._idle) <= 8
    assert found == [alone[number % 18] for number in range(200)]


def test_episodes_may_be_interleaved_in_one_thread(databases, task_of):
    task = task_of(GHENT)
    environments = [SqlEnvironment(databases) for _ in range(200)]
    for environment in environments:
        environment.reset(task)
    for turn in range(3):
        steps = [environment.step(SCRIPTS[number % 2][turn]) for number, environment in enumerate(environments)]
    assert [step.reward for step in steps] == [1.0, 0.1] * 100
