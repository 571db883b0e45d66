"""The seven styles, each built anew from a question's parts. Choices come from the generator that is handed in.

Every style draws from several independent lists, so that a thousand questions do not share a skeleton.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from sqale_assets.llm.offline.restyling.compact import bare, capitalised, compact, fragment, no_command, uncapitalised
from sqale_assets.llm.offline.restyling.evidence import note
from sqale_assets.llm.offline.restyling.parts import Parts, take_apart
from sqale_assets.llm.offline.restyling.phrases import (
    clause_list,
    determined,
    is_one,
    is_singular,
    listing,
    things,
    wanted,
)
from sqale_assets.llm.offline.restyling.typos import misspell
from sqale_assets.relational.names import plural


@dataclass(frozen=True, slots=True)
class Request:
    """What the prompt says: the question, its values as (value, where), the tables in words."""

    question: str
    values: tuple[tuple[str, str], ...]
    subjects: tuple[str, ...]


def rewrite(request: Request, style: str, rng: Random) -> tuple[str, tuple[str, ...]]:
    """The question in `style`, and what it leaves out (only short_ambiguous leaves anything out)."""
    parts = take_apart(request.question)
    if style == "short_ambiguous":
        return _short_ambiguous(request, parts, rng)
    writers = {
        "evidence_supported": _evidence_supported,
        "structured": _structured,
        "requirements_list": _requirements_list,
        "short_high_level": _short_high_level,
        "casual": _casual,
        "spelling_grammar_mistakes": _spelling_grammar_mistakes,
    }
    return writers[style](request, parts, rng), ()


# --- evidence_supported -------------------------------------------------------------------------


def _evidence_supported(request: Request, parts: Parts, rng: Random) -> str:
    question = _turned(parts, rng) if parts.kind != "whole" else f"In short, {uncapitalised(compact(parts.entity))}"
    mark = "?" if re.match(r"(?:What|Which|Who|How|When|Where|In short)\b|.*, (?:what|which|how)\b", question) else ""
    return f"{question}{mark}, evidence: {note(request.question, request.values, request.subjects, rng)}"


def _turned(parts: Parts, rng: Random) -> str:
    """The request the other way round: what is wanted first where the question names the things first."""
    end = clause_list([*parts.order, *parts.notes], joiner=", ")
    end = f", {end}" if end else ""
    short = rng.random() < 0.6
    if parts.things_first:
        lead = rng.choice(
            ("", "", "Report ", "Get ", "Look up ", "Retrieve ", "What is " if is_one(parts) else "What are ")
        )
        text = f"{lead}{wanted(parts, articles=bool(lead.strip()) and not short)} {things(parts, 'of')}"
        return capitalised(compact(text, articles=not short)) + end
    lead = rng.choice(("Among", "For", "Given", "Out of", "Taking", "Looking at", "Considering"))
    asked = wanted(parts)
    middle = rng.choice(
        (f", what {'is' if is_one(parts) else 'are'} {asked}", f": {asked}", f", report {asked}", f", find {asked}")
    )
    return capitalised(compact(f"{lead} {things(parts)}", articles=not short)) + middle + end


# --- structured ---------------------------------------------------------------------------------

_START = (
    "Start with {}", "Take {}", "Look at {}", "Gather {}", "Begin from {}", "Select {}", "Find {}", "Collect {}",
    "Identify {}", "Consider {}", "Pull {}", "Locate {}",
)  # fmt: skip
_FILTER = (
    "Keep only those {}", "Restrict them to the ones {}", "Include just the ones {}", "Only count those {}",
    "Leave out everything else: only those {}", "Narrow this down to the ones {}", "They must be the ones {}",
    "Limit the scope to those {}", "Consider only the ones {}", "Filter for those {}",
)  # fmt: skip
_FINISH = (
    "Return {} as the answer", "Report {}", "Output {}", "Present {}", "Give back {}", "The result should hold {}",
    "Deliver {}", "Finally, show {}", "State {}", "Write down {}",
)  # fmt: skip
_SORT = (
    "Results {}",
    "Have the output {}",
    "The rows should be {}",
    "Present it {}",
    "Keep the list {}",
    "Show them {}",
)
_LABELS = (
    ("Subject", "Condition", "Also", "Sorting", "Output"), ("Topic", "Filter", "Include", "Order", "Result"),
    ("What", "Only if", "In addition", "Arranged", "Needed"), ("Looking for", "Where", "Plus", "Sort", "Deliverable"),
    ("Target", "Restriction", "Extra", "Ranking", "Expected"), ("Goal", "Criterion", "Addition", "Sequence", "Answer"),
    ("Scope", "Requirement", "With", "Ordering", "Return"),
)  # fmt: skip


def _structured(request: Request, parts: Parts, rng: Random) -> str:
    marker = rng.choice(("{n}. ", "{n}. ", "{n}) ", "- ", "- ", "* ", "• "))
    lines = _labelled(request, parts, rng) if rng.random() < 0.4 else _steps(request, parts, rng)
    return "\n".join(marker.format(n=number) + line for number, line in enumerate(lines, 1))


def _labelled(request: Request, parts: Parts, rng: Random) -> list[str]:
    subject, condition, extra, order, output = rng.choice(_LABELS)
    if parts.kind == "whole":
        return [
            f"{subject}: {_joined(request.subjects[:3])}",
            f"{output}: the answer to: {uncapitalised(parts.entity)}",
        ]
    lines = [f"{subject}: {parts.entity}"]
    lines += [f"{condition}: {fragment(each)}" for each in parts.conditions]
    lines += [f"{condition}: {each}" for each in parts.extras]
    lines += [f"{output}: {wanted(parts) or f'all matching {parts.entity}'}"]
    lines += [f"{order}: {each}" for each in parts.order]
    return lines + [f"{extra}: {each}" for each in parts.notes]


def _steps(request: Request, parts: Parts, rng: Random) -> list[str]:
    if parts.kind == "whole":
        lines = [rng.choice(_START).format(f"the records on {_joined(request.subjects[:3])}")]
        return [
            f"{line}." for line in [*lines, rng.choice(_FINISH).format(f"the answer to: {uncapitalised(parts.entity)}")]
        ]
    lines = [rng.choice(_START).format(determined(parts))]
    filters = rng.sample(_FILTER, k=len(_FILTER))
    lines += [template.format(each) for template, each in zip(filters, parts.conditions, strict=False)]
    lines += [rng.choice(("They must be {}", "They are {}", "Keep what is {}")).format(each) for each in parts.extras]
    if len(parts.what) > 2 and rng.random() < 0.4:
        lines += [rng.choice(_FINISH).format(part) for part in _halves(parts.what)]
    else:
        lines.append(rng.choice(_FINISH).format(wanted(parts) or "them"))
    lines += [rng.choice(_SORT).format(each) for each in parts.order]
    lines += [capitalised(each) for each in parts.notes]
    return [f"{line}." for line in lines]


def _halves(items: list[str]) -> list[str]:
    middle = len(items) // 2
    return [listing(items[:middle]), listing(items[middle:])]


# --- requirements_list --------------------------------------------------------------------------


#: Closing fragments, which ask for nothing that the question does not.
_COMPLETE = (
    "complete result", "every matching record", "nothing else", "no further columns", "all matches", "full result",
    "exact figures", "recorded data only", "no sampling", "current records",
)  # fmt: skip


def _requirements_list(request: Request, parts: Parts, rng: Random) -> str:
    if parts.kind == "whole":
        fragments = _chunks(request)
    else:
        conditions = [fragment(each) if rng.random() < 0.8 else each for each in parts.conditions] + parts.extras
        asked = _asked(parts, rng)
        entity = [rng.choice((parts.entity, f"{parts.entity} only", f"scope {parts.entity}", parts.entity))]
        order = rng.random()
        fragments = (
            [*entity, *conditions, *asked] if order < 0.5 else [*asked, *entity, *conditions] if order < 0.8
            else [*conditions, *entity, *asked]
        )  # fmt: skip
        fragments += parts.order + parts.notes
    if len(fragments) < 2 or rng.random() < 0.4:
        fragments.append(rng.choice(_COMPLETE))
    fragments = [no_command(compact(each.replace("?", ""), articles=rng.random() < 0.6)) for each in fragments]
    if rng.random() < 0.2:
        return "\n".join(f"- {each}" for each in fragments)
    return (capitalised if rng.random() < 0.7 else str)("; ".join(fragments))


def _asked(parts: Parts, rng: Random) -> list[str]:
    group = [rng.choice((f"one row per {bare(parts.group)}", f"per {bare(parts.group)}"))] if parts.group else []
    if parts.kind == "count":
        return [rng.choice(("their number", "total count", "number of them", "how many in total")), *group]
    return [bare(each) for each in parts.what] + group


#: Words that hold no requirement of their own: what stands between them is a fragment.
_GLUE = re.compile(
    r"^(?:how|many|much|what|which|who|when|where|did|do|does|is|are|was|were|the|a|an|of|to|that|by|for|in|on|at|with|and|please"
    r"|can|could|there|show|list|find|give|me|get|have|has|had|be|been|from|it|its|their)$",
    re.IGNORECASE,
)


def _chunks(request: Request) -> list[str]:
    """A question that could not be taken apart, as what stands between its small words; values stay whole."""
    tokens = re.findall(r'"[^"\n]*"|\'[^\'\n]*\'|[^\s]+', request.question.rstrip(" ?.!"))
    fragments: list[list[str]] = [[]]
    for token in tokens:
        if _GLUE.match(token.strip(",;")):
            fragments.append([])
        else:
            fragments[-1].append(token.strip(",;"))
            if token.endswith((",", ";")):
                fragments.append([])
    return [" ".join(words) for words in fragments if words]


# --- short styles -------------------------------------------------------------------------------

_LEADS = ("", "", "Show ", "List ", "Get ", "Find ", "I need ", "Overview: ", "Give ", "Looking for ", "Summarise ")


def _short_high_level(request: Request, parts: Parts, rng: Random) -> str:
    """The most of the question that is still clearly shorter than it."""
    words = len(request.question.split())
    room = max(3, int(words * rng.choice((0.5, 0.6, 0.7))))
    if parts.kind == "whole":
        kept = _chunks(request)
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


def _short_ambiguous(request: Request, parts: Parts, rng: Random) -> tuple[str, tuple[str, ...]]:
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


# --- casual -------------------------------------------------------------------------------------

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
    (r"\b(?:that|who) have\b(?! \w+ed\b)", "that've got"), (r"\bthe number of\b", "how many"),
    (r"\bgreater than\b", "over"), (r"(?<!no )\bless than\b", "under"), (r"\bat least one\b", "some"),
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


def _casual(request: Request, parts: Parts, rng: Random) -> str:
    if parts.kind == "whole":
        return rng.choice(_WHOLE_OPENERS) + uncapitalised(parts.entity) + "?" + rng.choice(_CLOSERS)
    of_them = things(parts)
    for formal, informal in _INFORMAL:
        if rng.random() < 0.6:
            of_them = re.sub(formal, informal, of_them, count=1)
    asked = wanted(parts)
    if parts.kind == "count":
        ask, phrase = rng.choice(_COUNT_ASKS), f"how many {re.sub('^(?:all|the|each) ', '', of_them)}"
        phrase += rng.choice((" we have", " there are", "")) if not parts.conditions else ""
        phrase += f" per {bare(parts.group)}" if parts.group else ""
    else:
        ask = rng.choice(_ASKS)
        phrase = f"{asked} for {of_them}" if asked else of_them
    opener, closer = rng.choice(_OPENERS), rng.choice(_CLOSERS)
    sentence = ask.format(phrase)
    if rest := [*parts.order, *parts.notes]:
        closer = f" {capitalised(rng.choice(_ALSO).format(clause_list(rest)))}.{closer}"
    elif asked and parts.conditions and rng.random() < 0.35:  # in two sentences, as one talks
        closer = f" {capitalised(rng.choice(_MEANING).format(of_them))}.{closer}"
        sentence = ask.format(f"{asked} for some {parts.entity if not is_singular(parts.entity) else 'records'}")
    return (opener + sentence if opener else capitalised(sentence)) + closer


_ALSO = (
    "ideally {}",
    "should be {}",
    "best if it's {}",
    "oh, and {}",
    "{} please",
    "I'd want that {}",
    "{} would be great",
)
_MEANING = ("I mean {}", "just {}", "only {}", "that's {}", "we're talking about {}", "specifically {}")


# --- spelling_grammar_mistakes ------------------------------------------------------------------


def _spelling_grammar_mistakes(request: Request, parts: Parts, rng: Random) -> str:
    text = request.question
    if parts.kind != "whole" and rng.random() < 0.5:
        lead = rng.choice(
            ("I want", "please give me", "can you show", "need to know", "pls list", "looking for", "show me")
        )
        asked = wanted(parts)
        phrase = f"{asked} of {things(parts)}" if asked else things(parts)
        end = clause_list([*parts.order, *parts.notes], joiner=", ")
        text = f"{capitalised(lead)} {phrase}{f', {end}' if end else ''}{rng.choice(('?', '.', ''))}"
    return misspell(text, rng, tuple(value for value, _ in request.values))


def _joined(names: tuple[str, ...]) -> str:
    return listing(list(names)) or "file"
