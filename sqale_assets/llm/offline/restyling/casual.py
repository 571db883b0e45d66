"""The casual style: as one asks a colleague in a chat."""

from __future__ import annotations

import re
from random import Random

from sqale_assets.llm.offline.english.words import plural
from sqale_assets.llm.offline.restyling.compact import capitalised, compact, uncapitalised
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.llm.offline.restyling.phrases import Request, clause_list, per_group, things, wanted

_OPENERS = (
    "Hey, ", "Hi! ", "Quick one: ", "Hey there, ", "Morning! ", "Sorry to bug you, but ", "So, ", "Ok so ", "Hiya, ",
    "One more thing: ", "When you get a sec, ", "Real quick, ", "", "", "", "Hey team, ", "Hmm, ", "By the way, ",
    "Just curious, ", "Before I forget, ", "Alright, ", "Yo, ",
)  # fmt: skip
_ASKS = (
    "can you pull up {}?", "could you get me {}?", "I need {}.", "I'm trying to find {}.", "can you dig up {}?",
    "mind checking {} for me?", "any chance you could send me {}?", "we're after {}.", "could you look up {}?",
    "help me out with {}?", "I'd love to see {}.", "can I get {}?", "I'm looking for {}.", "what's the story on {}?",
    "do you know {}?", "shoot me {}?", "let's see {}.", "I could really use {}.", "can we check {}?", "gimme {}?",
)  # fmt: skip
_CLOSERS = (
    "", "", "", "", " Thanks!", " No rush.", " Cheers!", " Need it for a meeting.", " Thx!", " Appreciate it!",
    " Just want to double-check something.", " That'd help a lot.", " My boss is asking.", " A rough look is fine.",
)  # fmt: skip
_INFORMAL = (
    (r"\b(?:that|who) have\b(?! (?:\w+ed|no|more)\b)", "that've got"), (r"\bthe number of\b", "how many"),
    (r"\bgreater than\b(?! or equal)", "over"), (r"(?<!no )\bless than\b(?! or equal)", "under"),
    (r"\bat least one\b", "some"),
    (r"\bthat (?:do|does) not have any\b", "with no"), (r"\bis not\b", "isn't"), (r"\bdo not\b", "don't"),
    (r"\balong with\b", "plus"),
    (r"^all\b", "all the"),
)  # fmt: skip
_COUNT_ASKS = (
    "can you tell me {}?", "any idea {}?", "do you know {}?", "I wonder {}.", "could you check {}?",
    "figure out {} for me?", "I'm not sure {}, can you look?", "remind me {}?", "I need to know {}.",
)  # fmt: skip
_WHOLE_OPENERS = (
    "Hey, quick question: ", "So I'm wondering, ", "Just curious: ", "Hey, do you know: ", "Can you tell me, ",
    "Hmm, any idea: ",
    "Hi, I've got one for you: ", "Ok, help me out here: ", "Quick check for my report: ", "Hey, my manager's asking: ",
)  # fmt: skip


def casual(request: Request, parts: Parts, rng: Random) -> str:
    if parts.kind == "whole":
        return rng.choice(_WHOLE_OPENERS) + uncapitalised(parts.entity) + "?" + rng.choice(_CLOSERS)
    of_them = things(parts)
    for formal, informal in _INFORMAL:
        if rng.random() < 0.6:
            of_them = re.sub(formal, informal, of_them, count=1)
    asked = wanted(parts)
    if parts.kind == "count":
        conditions = of_them.partition(parts.entity)[2]
        verb = rng.choice((" we have", " there are"))
        ask, phrase = rng.choice(_COUNT_ASKS), f"how many {parts.entity}{verb}{conditions}"
        phrase += per_group(parts)
    else:
        ask = rng.choice(_ASKS)
        phrase = (f"{asked} for {of_them}" if asked else of_them) + per_group(parts)
    if "casual" in request.refused:  # it was too much like another
        phrase = compact(phrase, articles=rng.random() < 0.5)
    opener, closer = rng.choice(_OPENERS), rng.choice(_CLOSERS)
    sentence = ask.format(phrase)
    if rest := [*parts.order, *("with ties" if note == "ties included" else note for note in parts.notes)]:
        closer = f" {capitalised(rng.choice(_ALSO).format(clause_list(rest)))}.{closer}"
    elif asked and parts.conditions and rng.random() < 0.35:  # in two sentences, as one talks
        closer = f" {capitalised(rng.choice(_MEANING).format(of_them))}.{closer}"
        sentence = ask.format(f"{asked} for some {plural(parts.entity)}{per_group(parts)}")
    return (opener + sentence if opener else capitalised(sentence)) + closer


_ALSO = (
    "ideally {}",
    "should be {}",
    "best if it's {}",
    "oh, and {}",
    "{} please",
    "I'd like it {}",
    "{} would be great",
)
_MEANING = ("I mean {}", "just {}", "only {}", "that's {}", "we're talking about {}", "specifically {}")
