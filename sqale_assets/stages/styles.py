"""Stage styled_questions: each question in eight phrasings, the original and seven rewrites (seed, "Style variation").

One structured call asks for all seven, or for as many as the settings say; each is checked on its own, and only the
styles that failed are asked again, with what was wrong. A question that does not reach eight usable phrasings is
rejected whole.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from random import Random
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from sqale_assets.llm.task import InvalidAnswer, Llm, Task
from sqale_assets.records import (
    STYLES,
    LiteralProof,
    Question,
    Questions,
    RejectedItem,
    StyledQuestion,
    StyledQuestions,
)
from sqale_assets.relational.model import Schema
from sqale_assets.settings import StyleSettings
from sqale_assets.stages.literals import literals
from sqale_assets.stages.mentions import column_words, mentions, thing
from sqale_assets.stages.slips import with_slips
from sqale_assets.stages.style_checks import faults, labelled, tidied, unlabelled
from sqale_assets.stages.style_fidelity import told_figures

REWRITES = STYLES[1:]

#: Who is asking: one is drawn per question, so that phrasings vary with any model.
VOICES = (
    "a support engineer in a hurry", "an analyst preparing a board meeting", "a new colleague", "a project manager",
    "an accountant closing the month", "a teacher", "a shop owner", "a nurse between two shifts", "a sales manager",
    "a student writing a thesis", "an auditor", "a journalist checking a fact", "a logistics coordinator",
    "a product owner", "a volunteer who helps out", "a marketing assistant", "a regional director", "a librarian",
    "a data scientist", "a customer on the phone", "a civil servant", "a restaurant owner", "a recruiter",
    "a software developer", "a laboratory technician", "a travel agent", "a researcher", "a quality inspector",
)  # fmt: skip


#: A rewrite; null is none.
_Rewrite = Annotated[str, BeforeValidator(lambda text: text or "")]


@lru_cache(maxsize=256)
def answer_in(styles: tuple[str, ...]) -> type[BaseModel]:
    """The answer's type: a string per style of `styles`, and behind `short_ambiguous` what it leaves implicit.

    Under its JSON schema nothing else can be written: asked for one style again, a model does not write all seven.
    """
    fields: dict[str, Any] = {}
    for style in styles:
        fields[style] = (_Rewrite, "")
        if style == "short_ambiguous":
            fields["left_out"] = (tuple[str, ...], Field(default=(), max_length=20))
    return create_model("Phrasings", **fields)


class RestyleQuestion(Task[BaseModel]):
    """What to rewrite, and what must not get lost: `values`, and `keep`, words that say what is computed.

    `faults` maps a style that is asked again to what was wrong. The text is not shown: weak models copy it.
    """

    prompt: ClassVar[str] = "restyle_question"
    answer: ClassVar[type[BaseModel]] = answer_in(REWRITES)

    question: str
    values: tuple[dict[str, str], ...]
    keep: tuple[str, ...]
    terms: tuple[dict[str, str], ...]
    subjects: tuple[str, ...]
    voice: str
    styles: tuple[str, ...]
    faults: dict[str, str]


@lru_cache(maxsize=256)
def restyling(styles: tuple[str, ...]) -> type[RestyleQuestion]:
    """The task whose answer holds `styles` only."""
    return type("RestyleQuestion", (RestyleQuestion,), {"__module__": __name__, "answer": answer_in(styles)})


async def restyle(
    questions: Questions, schema: Schema, llm: Llm, *, settings: StyleSettings, seed: int
) -> StyledQuestions:
    """Rewrite every question in seven styles, all questions at once; the order of the questions is kept.

    `schema` is the one that the questions are about: it says what their terms mean.
    """
    outcomes = await asyncio.gather(*(_restyle(each, schema, llm, settings, seed) for each in questions.questions))
    return StyledQuestions(
        schema_id=questions.schema_id,
        questions=tuple(outcome for outcome in outcomes if isinstance(outcome, StyledQuestion)),
        rejected=tuple(outcome for outcome in outcomes if isinstance(outcome, RejectedItem)),
        usage=llm.usage,
    )


async def _restyle(
    question: Question, schema: Schema, llm: Llm, settings: StyleSettings, seed: int
) -> StyledQuestion | RejectedItem:
    accepted = {"verbose": question.text}
    refused: dict[str, tuple[str, list[str]]] = {}
    left_out: tuple[str, ...] = ()
    found = literals(question.text)
    voice = Random(f"{seed}:{question.question_id}:voice").choice(VOICES)
    for attempt in range(settings.attempts):
        missing = tuple(style for style in REWRITES if style not in accepted)
        tasks = [
            restyling(styles)(
                question=question.text,
                values=tuple(_value(proof) for proof in question.literals),
                keep=told_figures(question.text),
                terms=mentions(question.text, question.relevant_tables, schema),
                subjects=tuple(thing(table) for table in question.relevant_tables),
                voice=voice,
                styles=styles,
                faults={style: "; ".join(refused[style][1]) for style in styles if style in refused},
            )
            for styles in (missing[at : at + settings.per_call] for at in range(0, len(missing), settings.per_call))
        ]
        try:
            # The same fault twice makes the same prompt: `sample` keeps the cache from giving the refused text again.
            replies = await asyncio.gather(*(llm.ask(task, sample=attempt) for task in tasks))
        except InvalidAnswer as error:
            return _rejected(question, "invalid_answer", str(error))
        answers = {style: reply.value for task, reply in zip(tasks, replies, strict=True) for style in task.styles}
        refused = {}
        for style, answer in answers.items():
            text = tidied(style, getattr(answer, style))
            wrong = faults(style, text, question.text, found, accepted)
            if wrong and attempt and style == "spelling_grammar_mistakes":  # it was told, and spells all right again
                text = with_slips(text, question.text)
                wrong = faults(style, text, question.text, found, accepted)
            if style == "short_ambiguous":
                left_out = labelled(text, question.text, answer.left_out, found)
                wrong += unlabelled(text, left_out, found)
            if wrong:
                refused[style] = text, wrong
            else:
                accepted[style] = text
        if not refused:
            phrasings = {style: accepted[style] for style in STYLES}
            return StyledQuestion(question_id=question.question_id, phrasings=phrasings, left_out=left_out)
    evidence = "; ".join(f"{style}: {'; '.join(wrong)} ({text!r})" for style, (text, wrong) in refused.items())
    return _rejected(question, "unusable_phrasing", evidence)


#: How a literal relates to the column that proves it, before "price of products".
_RELATIONS = {"exact": "", "contained": "part of the ", "range": "bound on the ", "period": "period of the "}


def _value(proof: LiteralProof) -> dict[str, str]:
    """A literal as the prompt shows it, with its place in words instead of identifiers."""
    if proof.table is None or proof.column is None:
        return {"value": proof.literal, "is": proof.how}
    place = f"{column_words(proof.column)} of {thing(proof.table)}"
    return {"value": proof.literal, "is": _RELATIONS.get(proof.how, "") + place}


def _rejected(question: Question, reason: str, evidence: str) -> RejectedItem:
    return RejectedItem(stage="styled_questions", reason=reason, evidence=evidence, item=question.text)
