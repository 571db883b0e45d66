"""The judge: whether a query that passed the gates answers its question, with the reason in fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from sqale_assets.llm.task import Llm, Task
from sqale_assets.records import Verdict
from sqale_assets.sqlenv.database import QueryResult
from sqale_assets.sqlenv.tools import result_preview

#: Characters of the result that the judge sees.
PREVIEW_CHARACTERS = 3_000

Category = Literal[
    "", "wrong_filter", "wrong_join", "wrong_aggregate", "wrong_grain", "missing_column", "extra_column", "extra_rows",
    "missing_rows", "wrong_order", "ambiguous_question",
]  # fmt: skip


class Judgement(BaseModel):
    """The judge's answer. A rejection has a category and says what to mend."""

    model_config = ConfigDict(frozen=True)

    accepted: bool
    category: Category = ""
    reason: str = ""

    @model_validator(mode="after")
    def _says_why(self) -> Judgement:
        if not self.accepted and not (self.category and self.reason.strip()):
            raise ValueError("a rejection needs a category and a reason")
        return self


class JudgeAnswer(Task[Judgement]):
    """Whether `sql` answers `question`. `result` is a preview as JSON, `schema_ddl` the tables concerned.

    `swapped` shows the judge the data before the question, for a second opinion that is not swayed by the order.
    """

    prompt: ClassVar[str] = "judge_answer"
    answer: ClassVar[type[BaseModel]] = Judgement
    question: str
    sql: str
    result: str
    schema_ddl: str
    swapped: bool = False


def judge_task(
    question: str, sql: str, result: QueryResult, tables: Iterable[str], ddl: Mapping[str, str]
) -> JudgeAnswer:
    """What the judge is asked. Of `ddl` (table name -> CREATE TABLE) it sees `tables` only, in the order of `ddl`."""
    concerned = {name.lower() for name in tables}
    return JudgeAnswer(
        question=question,
        sql=sql,
        result=json.dumps(result_preview(result, PREVIEW_CHARACTERS), ensure_ascii=False),
        schema_ddl="\n".join(f"{statement};" for name, statement in ddl.items() if name.lower() in concerned),
    )


async def judge_query(task: JudgeAnswer, judge: Llm, *, second_opinion: bool = False) -> tuple[Verdict, ...]:
    """The verdicts in the order they were given; the last one counts.

    With a second opinion the judge is asked again with the parts swapped, and where the two differ a third decides.

    Raises:
        InvalidAnswer: the judge gave no readable verdict.
    """
    given = [await _ask(task, judge)]
    if second_opinion:
        given.append(await _ask(task.model_copy(update={"swapped": True}), judge))
        if given[0].accepted != given[1].accepted:
            given.append(await _ask(task, judge, sample=1))
    return tuple(given)


async def _ask(task: JudgeAnswer, judge: Llm, *, sample: int = 0) -> Verdict:
    judgement = (await judge.ask(task, sample=sample)).value
    if judgement.accepted:
        return Verdict(accepted=True)
    return Verdict(accepted=False, category=judgement.category, reason=judgement.reason)
