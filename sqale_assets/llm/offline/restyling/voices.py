"""The seven styles, each built anew from a question's parts. Choices come from the generator that is handed in.

Every style draws from several independent lists, so that a thousand questions do not share a skeleton.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from sqale_assets.llm.offline.restyling.compact import bare, capitalised, compact, fragment, uncapitalised
from sqale_assets.llm.offline.restyling.evidence import note
from sqale_assets.llm.offline.restyling.parts import Parts, take_apart
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
    if parts.kind == "whole":
        question = compact(request.question.rstrip(" ?.!"))
        question = question if question != request.question.rstrip(" ?.!") else f"In short: {uncapitalised(question)}"
    else:
        phrase = compact(parts.phrase, articles=rng.random() < 0.5)
        plural = re.search(r"^(?:the )?\w+s\b|\band\b", phrase.partition(" of ")[0]) and parts.kind == "list"
        asked = "What are" if plural else "What is"
        lead = rng.choice((asked, asked, "Return", "Report", "Get", "Look up", "Work out", "Find", "State", "Retrieve"))
        question = f"{lead} {phrase}"
    mark = "?" if re.match(r"(?:What|Which|Who|How|When|Where|In short)\b", question) else ""
    return f"{question}{mark}, evidence: {note(request.question, request.values, request.subjects, rng)}"


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
    what, where = _what_of(parts, request)
    what = f"all matching {bare(where)}" if what == "them" else what
    lines = [f"{subject}: {where}"]
    lines += [f"{condition}: {fragment(each)}" for each in parts.conditions]
    lines += [f"{extra}: {_without_joiner(each)}" for each in parts.extras]
    lines += [f"{order}: {each}" for each in parts.order]
    return [*lines, f"{output}: {what}"]


def _steps(request: Request, parts: Parts, rng: Random) -> list[str]:
    what, where = _what_of(parts, request)
    lines = [rng.choice(_START).format(where)]
    for template, each in zip(rng.sample(_FILTER, k=len(_FILTER)), parts.conditions, strict=False):
        lines.append(template.format(each))
    lines.append(rng.choice(_FINISH).format(what))
    lines += [f"Add {_without_joiner(each)}" for each in parts.extras]
    for each in parts.order:
        sort = rng.choice(_SORT)
        lines.append(sort.format(each) if re.match(r"\w+(?:ed|t)\b", each) else capitalised(each))
    return [f"{line}." for line in lines]


def _what_of(parts: Parts, request: Request) -> tuple[str, str]:
    """What is to be returned, and the things it is about: ("the names", "the customers")."""
    if parts.kind == "whole":
        return f"the answer to this: {uncapitalised(parts.head)}", f"the records on {_joined(request.subjects[:3])}"
    scope = f" for {parts.scope}" if parts.scope else ""
    if match := re.match(r"the (?:total )?number of (?P<noun>.+)$", parts.head):
        return f"their number{scope}", match["noun"]
    what, _, where = parts.head.partition(" of ")
    return (f"{what}{scope}", where) if where else (f"them{scope}", parts.head)


_JOINER = re.compile(
    r"^(?:along with|together with|as well as|in addition to|plus|show|give|include|return|list|report|state|determine"
    r"|identify|find|calculate|compute)\s+"
)


def _without_joiner(extra: str) -> str:
    return _JOINER.sub("", extra)


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
        wanted = _named(parts, rng)
        conditions = [fragment(each) if rng.random() < 0.8 else each for each in parts.conditions]
        fragments = [*conditions, *wanted] if rng.random() < 0.3 else [*wanted, *conditions]
        fragments += [_without_joiner(each) for each in parts.extras] + parts.order
    if len(fragments) < 2 or rng.random() < 0.4:
        fragments.append(rng.choice(_COMPLETE))
    fragments = [compact(each, articles=rng.random() < 0.6) for each in fragments]
    fragments = [_no_command(each) for each in fragments]
    if rng.random() < 0.2:
        return "\n".join(f"- {each}" for each in fragments)
    return (capitalised if rng.random() < 0.7 else str)("; ".join(fragments))


def _named(parts: Parts, rng: Random) -> list[str]:
    scope = [rng.choice((f"one row per {bare(parts.scope)}", f"per {bare(parts.scope)}"))] if parts.scope else []
    if match := re.match(r"the (?:total )?number of (?P<noun>.+)$", parts.head):
        noun = bare(match["noun"])
        head = rng.choice(([noun, "their number"], [f"number of {noun}"], [noun, "total count"], [f"{noun} count"]))
        return [*head, *scope]
    what, _, where = parts.head.partition(" of ")
    if where and rng.random() < 0.6:
        pair = [bare(where), bare(what)]
        return [*(pair if rng.random() < 0.5 else pair[::-1]), *scope]
    return [bare(parts.head), *scope]


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


def _no_command(text: str) -> str:
    return re.sub(r"^(?:show|list|find|give|count|sort|order|rank|what|which|who|how|make)\s+(?:the\s+)?", "", text)


# --- short styles -------------------------------------------------------------------------------


def _short_high_level(request: Request, parts: Parts, rng: Random) -> str:
    """The most of the question that is still clearly shorter than it."""
    words = len(request.question.split())
    room = max(3, int(words * rng.choice((0.6, 0.7, 0.8))))
    if parts.kind == "whole":
        kept = _chunks(request)
        while len(" ".join(kept).split()) > room and len(kept) > 1:
            kept.pop()
        return capitalised(", ".join(kept)) + rng.choice(
            ("?", "?", " please.", " - what do we have?")[: 2 + (words > 9)]
        )
    head = compact(bare(parts.head) if rng.random() < 0.6 else parts.head, articles=rng.random() < 0.4)
    pieces = [head] + ([f"per {bare(parts.scope)}"] if parts.scope else [])
    for piece in [*parts.conditions, *parts.order, *parts.extras]:
        shorter = compact(piece, articles=rng.random() < 0.5)
        if len(" ".join([*pieces, shorter]).split()) <= room:
            pieces.append(shorter)
    text = " ".join(pieces)
    leads = (
        "",
        "",
        "Show",
        "List",
        "Get",
        "Find",
        "I need",
        "Overview:",
        "Give",
        "Looking for",
        "Tell me",
        "Summarise",
    )
    fitting = [lead for lead in leads if len(f"{lead} {text}".split()) < words]
    lead = rng.choice(fitting or [""])
    return capitalised(f"{lead} {text}".strip()) + rng.choice((".", "?", ".") if not lead else (".",))


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
    what = _what_of(parts, request)[0]
    return text, tuple(left_out or [what if what != "them" else "which of them"])


def _entity(request: Request, parts: Parts) -> str:
    """The things a question is about, in at most three words."""
    if parts.kind == "whole":
        return request.subjects[0] if request.subjects else "the records"
    noun = re.sub(r"^the (?:total )?number of ", "", parts.head)
    noun = bare(noun.rpartition(" of ")[2])
    *first, last = noun.split()[:3]
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
    (r"\bgreater than\b", "over"), (r"\bless than\b", "under"), (r"\bthat (?:do|does) not have any\b", "with no"),
    (r"\bat least one\b", "some"), (r"\bis not\b", "isn't"), (r"\bdo not\b", "don't"), (r"\balong with\b", "plus"),
    (r"\ball\b", "all the"),
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
        return rng.choice(_WHOLE_OPENERS) + uncapitalised(request.question.rstrip(" .?")) + "?" + rng.choice(_CLOSERS)
    phrase = parts.phrase
    for formal, informal in _INFORMAL:
        if rng.random() < 0.6:
            phrase = re.sub(formal, informal, phrase, count=1)
    if phrase.startswith("how many"):
        ask = rng.choice(
            (
                "can you tell me {}?",
                "any idea {}?",
                "do you know {}?",
                "I wonder {}.",
                "could you check {}?",
                "figure out {} for me?",
            )
        )
        tail = rng.choice((" we have", " there are", ""))
        noun, _, rest = phrase.partition(" that")
        phrase = f"{noun}{tail} that{rest}" if rest and tail else phrase + tail
    else:
        ask = rng.choice(_ASKS)
    opener = rng.choice(_OPENERS)
    sentence = ask.format(phrase)
    return (opener + sentence if opener else capitalised(sentence)) + rng.choice(_CLOSERS)


# --- spelling_grammar_mistakes ------------------------------------------------------------------


def _spelling_grammar_mistakes(request: Request, parts: Parts, rng: Random) -> str:
    text = request.question
    if parts.kind != "whole" and rng.random() < 0.5:
        lead = rng.choice(
            ("I want", "please give me", "can you show", "need to know", "pls list", "looking for", "show me")
        )
        text = f"{capitalised(lead)} {parts.phrase}{rng.choice(('?', '.', ''))}"
    return misspell(text, rng, tuple(value for value, _ in request.values))


def _joined(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "file"
