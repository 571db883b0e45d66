"""Stage questions: a connected part of the database and rows of it in, questions at three difficulties out.

A call asks for a few questions of one difficulty over one subgraph, each with the SQL features that the schema's
questions still lack (`asking.steering`). What the gates refuse goes back with the reason; what stays bad is
kept as rejected. The model never writes SQL here.
"""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from sqale_assets.llm.task import InvalidAnswer, Llm, Message, Task
from sqale_assets.records import (
    Difficulty,
    DomainDescription,
    ExtendedSchema,
    LiteralProof,
    Question,
    Questions,
    Rejected,
    RejectedItem,
)
from sqale_assets.relational.model import Schema
from sqale_assets.relational.sqlite import create_table
from sqale_assets.settings import QuestionSettings
from sqale_assets.sqlenv.database import Database
from sqale_assets.stages.asking import gates
from sqale_assets.stages.asking.facts import Facts, Story, ideas, stories
from sqale_assets.stages.asking.steering import Chooser, Features, Steering, difficulties, steering
from sqale_assets.stages.asking.subgraph import Sampler
from sqale_assets.stages.grounding import GroundingIndex, ground

STAGE = "questions"
#: Questions asked for in one call: they share a subgraph and a difficulty.
PER_CALL = 3
#: How often what the gates refused goes back within one call.
RETRIES = 2
#: Earlier questions shown, so that they are not asked again.
SHOWN = 6


class WrittenQuestion(BaseModel):
    """One question as the model wrote it. `number` is that of the request it fulfils, from 1."""

    model_config = ConfigDict(frozen=True)

    question: str
    number: int = 0
    difficulty: str = ""
    literals: tuple[str | int | float, ...] = ()


class WrittenQuestions(BaseModel):
    questions: tuple[WrittenQuestion, ...]


class WriteQuestions(Task[WrittenQuestions]):
    """A call: what to write about, and the features that each question should need."""

    prompt: ClassVar[str] = "write_questions"
    answer: ClassVar[type[BaseModel]] = WrittenQuestions

    domain: str
    ddl: str
    facts: dict[str, Any]
    stories: tuple[Story, ...]
    difficulty: Difficulty
    contract: str
    requests: tuple[Features, ...]
    avoid: tuple[str, ...] = ()


Refusal = tuple[str, gates.Fault]


async def ask_questions(
    extended: ExtendedSchema,
    domain: DomainDescription,
    database: Database,
    llm: Llm,
    *,
    settings: QuestionSettings,
    seed: int,
    index: GroundingIndex | None = None,
) -> Questions:
    """Ask for `settings.per_schema` questions, one call after the other, so that each knows what is still lacking.

    `index` is that of the database, where the caller has one.

    Raises:
        Rejected: no table holds a row, so that there is nothing to ask about.
    """
    return await _Interview(extended, domain, database, llm, settings, seed, index or GroundingIndex(database)).run()


class _Interview:
    """The calls of one schema."""

    def __init__(
        self,
        extended: ExtendedSchema,
        domain: DomainDescription,
        database: Database,
        llm: Llm,
        settings: QuestionSettings,
        seed: int,
        index: GroundingIndex,
    ):
        self.schema: Schema = database.schema
        self.schema_id, self.domain, self.database, self.llm, self.settings = (
            extended.schema_id, domain, database, llm, settings,
        )  # fmt: skip
        self.rng = Random(f"{seed}:{extended.schema_id}:questions")
        self.facts = Facts(database)
        rows = {table.name: self.facts.rows(table.name) for table in self.schema.tables}
        if not any(rows.values()):
            raise Rejected("no_rows", f"none of {len(rows)} tables holds a row")
        self.sampler = Sampler(self.schema, rows, self.rng, largest=settings.max_relevant_tables)
        self.plan: Steering = steering()
        self.chooser = Chooser(
            self.plan,
            self.rng,
            tables=sum(1 for count in rows.values() if count),
            self_references=any(
                key.target_table == table.name for table in self.schema.tables for key in table.foreign_keys
            ),
        )
        self.index = index
        self.known = gates.Known()
        self.accepted: list[Question] = []
        self.rejected: list[RejectedItem] = []

    async def run(self) -> Questions:
        calls = -(-self.settings.per_schema // PER_CALL)
        for call, difficulty in enumerate(difficulties(calls, self.rng)):
            await self._call(difficulty, min(PER_CALL, self.settings.per_schema - call * PER_CALL))
        return Questions(
            schema_id=self.schema_id,
            questions=tuple(self.accepted),
            rejected=tuple(self.rejected),
            usage=self.llm.usage,
        )

    async def _call(self, difficulty: Difficulty, count: int) -> None:
        """One subgraph, `count` questions; what is refused is asked again in the same conversation."""
        open_ = dict(enumerate((self.chooser.choose(difficulty) for _ in range(count)), start=1))
        tables = self.sampler.draw(deep=max(self.plan.tables_for(features) for features in open_.values()))
        task = self._task(tables, difficulty, tuple(open_.values()))
        turns: list[Message] = []
        refused: dict[int, Refusal] = {}
        others = ideas(task.stories, task.facts)
        Random(f"{self.schema_id}:{tables}").shuffle(others)
        for _ in range(RETRIES + 1):
            try:
                reply = await self.llm.ask(task.model_copy(update={"turns": tuple(turns)}))
            except InvalidAnswer as invalid:
                refused |= {number: (invalid.text, gates.Fault("invalid_answer", str(invalid))) for number in open_}
                break
            refused = {}
            for number, written in _numbered(reply.value, open_).items():
                fault, proofs = self._fault(written, tables)
                if fault is None:
                    self._accept(written, difficulty, tables, open_.pop(number), proofs)
                else:
                    refused[number] = (written, fault)
            if not open_:
                return
            turns += [
                Message(role="assistant", content=reply.text),
                Message(role="user", content=_complaint(open_, refused, others)),
            ]
        for number, features in open_.items():
            text, fault = refused.get(number, ("", gates.Fault("not_written", "no question came back for the request")))
            self.chooser.missed(features)
            self.rejected.append(
                RejectedItem(
                    stage=STAGE,
                    reason=fault.reason,
                    evidence=fault.evidence,
                    item=text or f"request: {', '.join(features)}",
                )
            )

    def _task(self, tables: tuple[str, ...], difficulty: Difficulty, requests: tuple[Features, ...]) -> WriteQuestions:
        return WriteQuestions(
            domain=f"{self.domain.label}. {self.domain.description}",
            # With their keys to tables that are not shown: those columns are keys all the same.
            ddl=";\n\n".join(create_table(table) for table in self.schema.tables if table.name in tables) + ";",
            facts={name: self.facts.of(name) for name in tables},
            stories=tuple(stories(self.database, tables, self.rng)),
            difficulty=difficulty,
            contract=self.plan.contracts[difficulty],
            requests=requests,
            avoid=tuple(self.known.texts[-SHOWN:]),
        )

    def _fault(self, question: str, tables: tuple[str, ...]) -> tuple[gates.Fault | None, tuple[LiteralProof, ...]]:
        if found := gates.faults(question, self.schema):
            return gates.Fault(found[0].reason, gates.told(found)), ()
        if (earlier := self.known.like(question)) is not None:
            return gates.Fault("near_duplicate", f"it says nearly the same as: {earlier}"), ()
        proofs, ungrounded = ground(question, tables, self.index)
        if ungrounded:
            return gates.Fault("ungrounded", "; ".join(map(str, ungrounded))), ()
        return None, proofs

    def _accept(
        self,
        text: str,
        difficulty: Difficulty,
        tables: tuple[str, ...],
        features: Features,
        proofs: tuple[LiteralProof, ...],
    ) -> None:
        self.known.add(text)
        name = f"{self.schema_id}:{len(self.accepted)}:{text}"
        self.accepted.append(
            Question(
                question_id=f"{self.schema_id}_q{hashlib.sha256(name.encode()).hexdigest()[:10]}",
                text=text,
                difficulty=difficulty,
                relevant_tables=tables,
                literals=proofs,
                intent=features,
            )
        )


def _numbered(written: WrittenQuestions, open_: dict[int, Features]) -> dict[int, str]:
    """Questions by the number of their request. Where a model does not number, the order decides."""
    texts = [" ".join(each.question.split()) for each in written.questions]
    numbers = [each.number for each in written.questions]
    if len(set(numbers)) == len(numbers) and set(numbers) <= set(open_):
        return dict(zip(numbers, texts, strict=True))
    return dict(zip(open_, texts, strict=False))


def _complaint(open_: dict[int, Features], refused: dict[int, Refusal], others: list[str]) -> str:
    """What goes back to the model: the requests still open, each with what was wrong.

    `others` are things to ask about, used up from the end. Without one, weak models write what was refused once more.
    """
    lines = ["Some requests are still open. Write another question for each of them, with its number:"]
    for number, features in open_.items():
        line = f"{number}. {', '.join(features)}."
        if number in refused:
            text, fault = refused[number]
            line += f" Refused: {json.dumps(text)}: {fault.evidence}."
            if fault.reason in ("near_duplicate", "ungrounded") and others:
                line += f" Ask about something else, for instance the {others.pop()}."
        lines.append(line)
    return "\n".join(lines)
