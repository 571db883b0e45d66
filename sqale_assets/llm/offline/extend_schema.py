"""Rules for `extend_schema`: new tables from a vocabulary of concepts, spelled in the prompt's style facts."""

from __future__ import annotations

import random

from sqale_assets.llm.offline.extension.choosing import Chooser
from sqale_assets.llm.offline.extension.drafting import Draft, create_statement
from sqale_assets.llm.offline.extension.request import read_request
from sqale_assets.llm.offline.extension.spelling import Speller
from sqale_assets.llm.task import Message


def respond(messages: list[Message]) -> str:
    """The reply: one fenced block of CREATE TABLE statements. Raises ValueError on a prompt it cannot read."""
    request = read_request(messages)
    speller = Speller(request.profile)
    rng = random.Random(f"{request.label}:{len(request.tables)}:{request.tables[0].name}:{len(request.refused)}")
    drafts = Chooser(request, speller, rng).choose()
    wanted = list(request.column_counts) or [5]
    statements = [create_statement(draft, speller, _size(draft, wanted), rng) for draft in drafts]
    return "```sql\n" + "\n\n".join(statements) + "\n```\n"


def _size(draft: Draft, wanted: list[int]) -> int:
    """The asked-for number of columns that is nearest to what the concept has by itself; each is used once."""
    natural = len(draft.concept.columns) + (draft.concept.shape != "junction")
    nearest = min(range(len(wanted)), key=lambda index: abs(wanted[index] - natural))
    return wanted.pop(nearest) if len(wanted) > 1 else wanted[nearest]
