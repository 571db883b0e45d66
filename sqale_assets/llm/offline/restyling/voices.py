"""The seven styles, each built anew from a question's parts. Choices come from the generator that is handed in.

Every style draws from several independent lists, so that a thousand questions do not share a skeleton.
"""

from __future__ import annotations

import re
from random import Random

from sqale_assets.llm.offline.restyling.casual import casual
from sqale_assets.llm.offline.restyling.compact import capitalised, compact, uncapitalised
from sqale_assets.llm.offline.restyling.evidence import note
from sqale_assets.llm.offline.restyling.lists import requirements_list, structured
from sqale_assets.llm.offline.restyling.parts import Parts, take_apart
from sqale_assets.llm.offline.restyling.phrases import Request, asked_of, clause_list, is_one, per_group, things, wanted
from sqale_assets.llm.offline.restyling.short import short_ambiguous, short_high_level
from sqale_assets.llm.offline.restyling.typos import misspell


def rewrite(request: Request, style: str, rng: Random) -> tuple[str, tuple[str, ...]]:
    """The question in `style`, and what it leaves out (only short_ambiguous leaves anything out)."""
    parts = take_apart(request.question)
    if style == "short_ambiguous":
        return short_ambiguous(request, parts, rng)
    writers = {
        "evidence_supported": _evidence_supported,
        "structured": structured,
        "requirements_list": requirements_list,
        "short_high_level": short_high_level,
        "casual": casual,
        "spelling_grammar_mistakes": _spelling_grammar_mistakes,
    }
    return writers[style](request, parts, rng), ()


def _evidence_supported(request: Request, parts: Parts, rng: Random) -> str:
    question = _turned(parts, rng) if parts.kind != "whole" else f"In short, {uncapitalised(compact(parts.entity))}"
    mark = "?" if re.match(r"(?:What|Which|Who|How|When|Where|In short)\b|.*, (?:what|which|how)\b", question) else ""
    return f"{question}{mark}, evidence: {note(request, parts, rng)}"


def _turned(parts: Parts, rng: Random) -> str:
    """The request the other way round: what is wanted first where the question names the things first."""
    end = clause_list([*parts.order, *parts.notes], joiner=", ")
    end = f", {end}" if end else ""
    short = rng.random() < 0.6
    if parts.things_first:
        lead = rng.choice(
            ("", "", "Report ", "Get ", "Look up ", "Retrieve ", "What is " if is_one(parts) else "What are ")
        )
        text = f"{lead}{asked_of(parts, articles=bool(lead.strip()) and not short)}"
        return capitalised(compact(text, articles=not short)) + end
    lead = rng.choice(("Among", "For", "Given", "Out of", "Taking", "Looking at", "Considering"))
    asked = (wanted(parts) or "the full records") + per_group(parts)
    middle = rng.choice(
        (f", what {'is' if is_one(parts) else 'are'} {asked}", f": {asked}", f", report {asked}", f", find {asked}")
    )
    return capitalised(compact(f"{lead} {things(parts)}", articles=not short)) + middle + end


def _spelling_grammar_mistakes(request: Request, parts: Parts, rng: Random) -> str:
    text = request.question
    if parts.kind != "whole" and rng.random() < 0.5:
        lead = rng.choice(
            ("I want", "please give me", "can you show", "need to know", "pls list", "looking for", "show me")
        )
        phrase = asked_of(parts)
        end = clause_list([*parts.order, *parts.notes], joiner=", ")
        text = f"{capitalised(lead)} {phrase}{f', {end}' if end else ''}{rng.choice(('?', '.', ''))}"
    return misspell(text, rng, tuple(value for value, _ in request.values))
