"""A small corpus in every form that evaluation reads, and a model of scripted replies behind a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqale_assets.corpus.publish import write_dataset
from sqale_assets.evaluation.log import Evaluated
from sqale_assets.records import STYLES
from sqale_assets.settings import Settings
from sqale_assets_tests.llm.server import FakeProvider, Request
from sqale_assets_tests.sqlenv.conftest import COMPANY, company, company_file  # noqa: F401 - fixtures

#: question -> (gold SQL, difficulty). The texts of conditions are stored in the company's tables.
QUESTIONS = {
    "How many employees are there?": ("SELECT count(*) FROM employee", "simple"),
    "Who works in IT?": (
        "SELECT e.first_name FROM employee e JOIN department d ON e.department_id = d.id WHERE d.d_name = 'IT'",
        "moderate",
    ),
    "Salaries from high to low?": ("SELECT salary FROM employee ORDER BY salary DESC", "simple"),
    "Which projects begin with Atlas?": ("SELECT DISTINCT title FROM project WHERE title LIKE 'Atlas%'", "hard"),
}
GOLD = {question: sql for question, (sql, _) in QUESTIONS.items()}


def call(tool: str, **args: Any) -> str:
    return json.dumps({"tool": tool, "args": args})


def question_of(request: Request) -> str:
    """The question that a request is about, without its evidence; from a chat as from a raw prompt."""
    text = request.body.get("prompt") or request.body["messages"][1]["content"]
    return re.search(r"```question\n(.*?)\n```", text, re.DOTALL)[1].partition(", evidence: ")[0]


def gold(request: Request) -> str:
    """A model that knows every answer."""
    return call("submit_sql", sql=GOLD[question_of(request)])


@pytest.fixture
def bird(tmp_path: Path, company_file: Path) -> Path:  # noqa: F811
    """The corpus in BIRD's form."""
    folder = tmp_path / "bird"
    place = folder / "dev_databases" / "company"
    place.mkdir(parents=True)
    (place / "company.sqlite").write_bytes(company_file.read_bytes())
    records = [
        {
            "question_id": number,
            "db_id": "company",
            "question": question,
            "evidence": "IT is a department" if "IT" in question else "",
            "difficulty": {"hard": "challenging"}.get(level, level),
            "SQL": sql,
        }
        for number, (question, (sql, level)) in enumerate(QUESTIONS.items())
    ]
    (folder / "dev.json").write_text(json.dumps(records))
    tables = [{"db_id": "company", "table_names_original": ["employee", "department", "project"]}]
    (folder / "dev_tables.json").write_text(json.dumps(tables))
    return folder


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The corpus in SQaLe's parquet form, in a test split."""
    folder = tmp_path / "published"
    ddl = [each for each in COMPANY.split(";") if "CREATE" in each]
    content = {
        "department": [{"id": 1, "d_name": "IT", "budget": 1000.5}, {"id": 2, "d_name": "HR", "budget": 200}],
        "employee": [
            {"id": at, "first_name": name, "last_name": "L", "salary": pay, "hired": None, "department_id": 1 + at % 2,
             "manager_id": None}
            for at, (name, pay) in enumerate([("Ann", 5000), ("Bo", 4000), ("Cy", 4000)], start=1)
        ],
        "project": [{"code": "A", "year": 2020, "title": "Atlas"}, {"code": "B", "year": 2020, "title": "Beacon"}],
    }  # fmt: skip
    schema = {
        "schema_id": "company_1", "full_schema": ";\n\n".join(ddl) + ";", "schema_content": json.dumps(content),
        "number_of_tables": len(ddl),
    }  # fmt: skip
    queries = [
        {
            "question_id": f"company_1_q{number}", "schema_id": "company_1", "sql": sql, "difficulty": level,
            "questions": dict.fromkeys(STYLES, question) | {"casual": "..."}, "relevant_tables": "[]",
            "number_of_relevant_tables": 0, "execution_result": "[]",
        }
        for number, (question, (sql, level)) in enumerate(QUESTIONS.items())
    ]  # fmt: skip
    write_dataset("schemas", [("test", schema)], folder)
    write_dataset("queries", [("test", row) for row in queries], folder)
    return folder


class Silent:
    """A watch that keeps what it is told."""

    def __init__(self) -> None:
        self.episodes: list[Any] = []
        self.recorded: tuple[Any, ...] = ()
        self.problems: tuple[Any, ...] = ()

    def sampled(self, corpus, questions):
        self.remarks = corpus.remarks

    def checked(self):
        pass

    def prepared(self, ready, problems, recorded, left):
        self.problems, self.recorded = tuple(problems), recorded

    def ended(self, episode):
        self.episodes.append(episode)

    def refused(self, problem):
        self.refusals = [*getattr(self, "refusals", []), problem]


Measure = Callable[..., tuple[Evaluated, Silent, FakeProvider]]


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Evaluate a model that answers with `reply` on the corpus at `path`; returns the run, the watch, the server."""
    import asyncio

    from sqale_assets.evaluation.corpora import open_corpus
    from sqale_assets.evaluation.evaluate import evaluate
    from sqale_assets.llm.gateway import Gateway

    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def run(
        path: Path, reply: Callable[[Request], str], split: str = "dev", *, model: str = "openai/m-2b", **chosen: Any
    ):
        route, faults = chosen.pop("route", {}), chosen.pop("faults", None)
        settings = Settings(store=str(tmp_path / "store"), evaluation={"tables": ("full",), **chosen})

        async def go():
            async with FakeProvider(reply) as provider:
                provider.faults = faults or provider.faults
                reached = {"api_base": provider.base_url, **route}
                evaluation = settings.evaluation.model_copy(
                    update={"route": settings.evaluation.route.model_copy(update=reached)}
                )
                here = settings.model_copy(update={"evaluation": evaluation})
                gateway, watch = Gateway(here), Silent()
                try:
                    corpus = open_corpus(path, split, tmp_path / "databases")
                    return await evaluate(corpus, here, gateway, tmp_path / "runs", watch, model=model), watch, provider
                finally:
                    await gateway.aclose()

        return asyncio.run(go())

    return run
