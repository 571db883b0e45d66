"""verifiers loads the exported taskset and environment; a scripted agent plays two episodes, right and wrong."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])
import verifiers.v1 as vf
from verifiers.v1.utils.loaders import environment_class, taskset_class

from sqale_assets.training.verifiers_env import SqlEnvConfig

taskset = taskset_class("sqale")(vf.TasksetConfig(id="sqale"))
tasks = list(taskset)
environment = environment_class("sqale")(SqlEnvConfig(taskset={"id": "sqale"}))


class Agent:
    """Says what it was given; records what it is told and paid."""

    def __init__(self, *replies):
        self.replies, self.told, self.rewards, self.metrics = iter(replies), [], {}, {}

    @asynccontextmanager
    async def interaction(self, task):
        yield SimpleNamespace(turn=self.turn, trace=self)

    async def turn(self, message=None):
        self.told.append(message)
        reply = next(self.replies, None)
        return SimpleNamespace(terminated=reply is None, last_reply=reply)

    def record_reward(self, name, value, weight):
        self.rewards[name] = value * weight

    def record_metrics(self, metrics):
        self.metrics |= metrics


def played(task, *replies):
    agent = Agent(*replies)
    asyncio.run(environment.run(task, SimpleNamespace(solver=agent)))
    return agent


task = tasks[0]
listed = json.dumps({"tool": "list_tables", "args": {}})
right = played(task, listed, json.dumps({"tool": "submit_sql", "args": {"sql": task.training_task.sql}}))
wrong = played(task, listed, json.dumps({"tool": "submit_sql", "args": {"sql": "SELECT 1"}}))
gone = played(task, listed)
print(json.dumps({
    "ids": [each.data.id for each in tasks],
    "in_order": [each.data.idx for each in tasks] == list(range(len(tasks))), "told": right.told[1],
    "rewards": [each.rewards["answer"] for each in (right, wrong, gone)], "metrics": right.metrics,
}))  # fmt: skip
