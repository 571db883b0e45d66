"""The short styles: the intent alone, or less than that."""

from __future__ import annotations

from random import Random

from sqale_assets.llm.offline.restyling.compact import bare, capitalised, compact, fragment
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.llm.offline.restyling.phrases import Request, chunks, things, wanted
from sqale_assets.relational.names import plural

_LEADS = ("", "", "Show ", "List ", "Get ", "Find ", "I need ", "Overview: ", "Give ", "Looking for ", "Summarise ")


def short_high_level(request: Request, parts: Parts, rng: Random) -> str:
    """The most of the question that is still clearly shorter than it."""
    words = len(request.question.split())
    # A version that was refused was too much like another: say less.
    shares = (0.3, 0.4) if "short_high_level" in request.refused else (0.5, 0.6, 0.7)
    room = max(3, int(words * rng.choice(shares)))
    if parts.kind == "whole":
        kept = chunks(request)
        while len(" ".join(kept).split()) > room and len(kept) > 1:
            kept.pop()
        return capitalised(", ".join(kept)) + rng.choice(("?", ", please.") if words > 9 else ("?",))
    kept = Parts(parts.kind, parts.entity, what=parts.what[:2], group=parts.group)
    articles, turned = rng.random() < 0.4, rng.random() < 0.4
    for name in ("conditions", "extras", "what", "order"):
        for each in getattr(parts, name):
            if each in getattr(kept, name):
                continue
            getattr(kept, name).append(each)
            if len(_said_shortly(kept, articles, turned).split()) > room:
                getattr(kept, name).remove(each)
    text = _said_shortly(kept, articles, turned)
    if len(text.split()) >= words:
        text = bare(parts.entity)
    fitting = [lead for lead in _LEADS if len(f"{lead}{text}".split()) < words and not (":" in lead and turned)]
    lead = rng.choice(fitting or [""])
    return capitalised(f"{lead}{text}") + ("." if lead else rng.choice((".", "?")))


def _said_shortly(parts: Parts, articles: bool, turned: bool) -> str:
    asked = wanted(parts, articles=articles)
    if asked and turned:
        text = f"{things(parts)}: {asked}"
    else:
        text = f"{asked} {things(parts, 'of')}" if asked else things(parts)
    return compact(" ".join([text, *parts.order]), articles=articles)


_VAGUE = (
    "How do things stand with {}?", "What about {}?", "Can you check on {}?", "Which {} matter here?",
    "{} at a glance.",
    "What do we have on {}?", "Let me see {}.", "Where are we with {}?", "The relevant {}, please.", "Pick out {}.",
    "Anything on {}?", "Which {} fit?", "Bring up {}.", "Sort out {} for me.", "What is going on with {}?",
    "Give me the picture for {}.", "Check {}.", "Track down {}.", "Run the usual on {}.", "Which {} stand out?",
    "Map out {}.", "Narrow down {}.", "What should I know about {}?", "Those {} again, please.", "Look into {}.",
    "The figures on {}?", "Update me on {}.", "How does it look for {}?",
)  # fmt: skip


def short_ambiguous(request: Request, parts: Parts, rng: Random) -> tuple[str, tuple[str, ...]]:
    entity = _entity(request, parts)
    values = [
        value
        for value, where in request.values
        if value in request.question and not where.startswith(("limit", "count"))
    ]
    hint = f" and {rng.choice(values)}" if values and rng.random() < 0.35 else ""
    topic = entity + hint
    words = len(request.question.split())
    fitting = [template for template in _VAGUE if len(template.format(topic).split()) < max(words, 4)]
    text = capitalised(rng.choice(fitting or ["Check {}."]).format(topic))
    left_out = [fragment(each) for each in [*parts.conditions, *parts.extras, *parts.order] if each not in text]
    return text, tuple(left_out or [wanted(parts) or "which of them"])


def _entity(request: Request, parts: Parts) -> str:
    """The things a question is about, in at most three words."""
    if parts.kind == "whole":
        return request.subjects[0] if request.subjects else "the records"
    *first, last = parts.entity.split()[-3:]
    return " ".join([*first, plural(last) if last.islower() else last])
