"""What each phrasing must be to count as its style. Every check answers with what to mend, in words for the model.

The checks know nothing of who wrote the phrasing. They are lenient where styles are a matter of taste, and strict
where the corpus' users would complain: placeholders, lost values, two styles with the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from sqale_assets.records import STYLES
from sqale_assets.stages.literals import NUMBER_WORDS, QuestionLiteral
from sqale_assets.stages.literals import literals as literals_of
from sqale_assets.stages.placeholders import placeholder_reason
from sqale_assets.stages.slips import slips
from sqale_assets.stages.style_fidelity import LEAVES_OUT, drops_a_figure, kept, losses, naming_words, told_figures

#: Separates an evidence-supported question from its note (seed, "Fields of ...-Queries").
EVIDENCE = ", evidence: "
#: Two phrasings alike beyond this (ratio of matching words) are the same phrasing twice. Styles that keep the words
#: and change the form have more room; a note makes even the same question another phrasing.
MAX_LIKENESS = {
    "evidence_supported": 1.0,
    "structured": 0.97,
    "requirements_list": 0.97,
    "spelling_grammar_mistakes": 0.999,
}
_MAX_LIKENESS = 0.9

#: A question of so few words may be one fragment: "copies in the main branch".
ONE_FRAGMENT_WORDS = 14

_MARK = re.compile(r"[,;.]?\s+\(?evidence:\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ITEM = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}[.)]|[-*•–])\s+\S")
#: A verb that commands something, not one that names it ("count of orders", "display name"), or a question word.
_COMMAND = re.compile(
    r"\s*(?:\d{1,2}[.)]\s+|[-*•]\s+)?(?:(?:show|list|find|give|get|tell|identify|display|return|retrieve|provide|determine|calculate|compute|count"
    r"|make|sort|include|exclude|keep|report)\s+(?:the|an?|all|every|each|any|me|us|their|its|only|more|those|these"
    r"|how|which|what|by|them|it|\d+)\b|(?:what|which|who|how|when|where|please|i|we|can|could)\b)",
    re.IGNORECASE,
)
_CASUAL = re.compile(
    r"['’](?:s|re|m|ve|d|ll|t)\b|\b(?:hey|hi|hiya|yo|quick|just|can you|could you|i|me|my|we|us|you|any|got|gonna|wanna"
    r"|gimme|thanks|thx|pls|please|so|ok|okay|btw|folks|guys|peeps|stuff|kinda|curious|wondering)\b",
    re.IGNORECASE,
)
_SQL = re.compile(
    r"\b(?:SELECT|JOIN|WHERE|GROUP BY|HAVING|ORDER BY|INNER|COUNT\(|SUM\(|AVG\()|\w+_\w+\s*=|==|\w\.\w+_\w+"
)
_IDENTIFIER = re.compile(r"\b[a-z]+_[a-z_]+\b")


def tidied(style: str, phrasing: str) -> str:
    """The phrasing as its style separates question and note, however the model put the mark."""
    return _MARK.sub(EVIDENCE, phrasing.strip(), count=1) if style == "evidence_supported" else phrasing.strip()


def faults(
    style: str,
    phrasing: str | None,
    original: str,
    literals: Sequence[QuestionLiteral],
    others: Mapping[str, str],
) -> list[str]:
    """What keeps `phrasing` from being `original` in `style`; empty when it is usable.

    `others` are the phrasings accepted so far by style, the original among them as "verbose".
    """
    if reason := placeholder_reason(phrasing):
        return [reason]
    assert phrasing is not None
    found = [
        *_SHAPES[style](phrasing, original),
        *_language(style, phrasing, literals),
        *_length(style, phrasing, original),
    ]
    found += lost(style, phrasing, original, literals)
    if twin := next((other for other, text in others.items() if _alike(style, phrasing, text)), None):
        found.append(f"it is the same as the {twin} version; change its form, not only words")
    return found


def lost(style: str, phrasing: str, original: str, literals: Sequence[QuestionLiteral]) -> list[str]:
    """What `phrasing` does not keep of what `original` asks; the two short styles may leave things out."""
    asked = phrasing.partition(EVIDENCE)[0] if style == "evidence_supported" else phrasing
    found = losses(style, asked, original, literals)
    if style not in LEAVES_OUT:
        found += [f"it lost the value {literal.text!r}" for literal in literals if not _keeps(phrasing, literal)]
    return found


def labelled(
    phrasing: str, original: str, left_out: Sequence[str], literals: Sequence[QuestionLiteral]
) -> tuple[str, ...]:
    """The label of an ambiguous phrasing: what its writer says it leaves out, mended where the texts tell better.

    What it says all the same is dropped, and a value that it lost is added. Where nothing is left of the label, the
    words of `original` are it that the phrasing has no more.
    """
    said = f" {' '.join(words(phrasing))} "
    kept_labels = [label.strip() for label in left_out if words(label) and f" {' '.join(words(label))} " not in said]
    named = " ; ".join(kept_labels)
    lost_values = [each.text for each in literals if not _keeps(phrasing, each) and not _keeps(named, each)]
    label = dict.fromkeys((*kept_labels, *lost_values)) or dict.fromkeys(_dropped(phrasing, original))
    return tuple(label)


def _dropped(phrasing: str, original: str) -> list[str]:
    """The words of a question for things and figures that a phrasing does not say."""
    things = naming_words(original)
    said = {*kept(things, phrasing), *words(phrasing)}
    return [word for word in (*things, *told_figures(original)) if word not in said]


def unlabelled(phrasing: str, left_out: Sequence[str], literals: Sequence[QuestionLiteral]) -> list[str]:
    """What is wrong with the label of an ambiguous phrasing, which must name what it leaves out, and only that."""
    if not any(label.strip() for label in left_out):
        return ["name in `left_out` what it leaves out"]
    said = " ".join(words(phrasing))
    found = [f"{label!r} is not left out" for label in left_out if f" {' '.join(words(label))} " in f" {said} "]
    named = " ; ".join(left_out)
    found += [
        f"it leaves out {literal.text!r}; name that in `left_out`"
        for literal in literals
        if not _keeps(phrasing, literal) and not _keeps(named, literal)
    ]
    return found


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [word.lower() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Its words without those that only hold English together."""
    return [word for word in words(text) if word not in _FUNCTION_WORDS]


def _keeps(phrasing: str, literal: QuestionLiteral) -> bool:
    lowered, wanted = " ".join(phrasing.lower().split()), " ".join(literal.text.lower().split())
    if re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", lowered):
        return True
    if literal.kind != "number" or literal.number is None:
        return literal.role == "pattern" and wanted in lowered
    plain = f"{literal.number:g}"
    spelled = next((word for word, number in NUMBER_WORDS.items() if number == literal.number), plain)
    if literal.number == 1 and literal.role in ("bound", "count", "limit"):  # "more than one" is "several"
        return True
    return bool(re.search(rf"(?<![\w.])(?:{re.escape(plain)}|{spelled})(?![\w.]*\d)", lowered.replace(",", "")))


def _language(style: str, phrasing: str, literals: Sequence[QuestionLiteral]) -> Iterable[str]:
    text = phrasing
    for literal in literals:
        text = text.replace(literal.text, "")
    letters = [character for character in text if character.isalpha()]
    if letters and sum(character.isascii() for character in letters) < 0.9 * len(letters):
        yield "it is not in English"
    elif (
        style != "requirements_list"
        and len(words(text)) >= 8
        and not any(word in _FUNCTION_WORDS for word in words(text))
    ):
        yield "it does not read as English"


def _length(style: str, phrasing: str, original: str) -> Iterable[str]:
    count, most = len(words(phrasing)), len(words(original))
    if style in LEAVES_OUT and count >= max(most, 4):
        yield f"it has {count} words, the question has {most}; make it shorter"
    if count > 2 * most + 40:
        yield f"it has {count} words, far more than the question's {most}"


def _alike(style: str, phrasing: str, other: str) -> bool:
    bound = MAX_LIKENESS.get(style, _MAX_LIKENESS)
    ours, theirs = words(phrasing.partition(EVIDENCE)[0]), words(other.partition(EVIDENCE)[0])
    matcher = SequenceMatcher(a=ours, b=theirs, autojunk=False)
    return matcher.real_quick_ratio() > bound and matcher.quick_ratio() > bound and matcher.ratio() > bound


def _evidence_supported(phrasing: str, original: str) -> Iterable[str]:
    question, separator, note = phrasing.partition(EVIDENCE)
    if not separator:
        yield f"it needs the question, then {EVIDENCE!r}, then a note"
    elif len(words(question)) < 3:
        yield "the question before the evidence is missing"
    elif len(words(note)) < 4:
        yield "the evidence note is too short to say anything"
    elif gives_away(note):
        yield "the evidence note gives SQL or identifiers away; explain in plain words"
    elif not _speaks_of(note, original):
        yield "the evidence note speaks of nothing in the question; say what one of its terms or values means"


def gives_away(note: str) -> bool:
    """Whether a note says the answer in SQL, or an identifier."""
    return bool(_SQL.search(note) or _IDENTIFIER.search(note))


def _speaks_of(note: str, original: str) -> bool:
    """Whether a note says one of the question's values, or some of its words that name things."""
    shared = kept(tuple(dict.fromkeys(content_words(original))), note)
    return bool(kept(naming_words(original), note)) or len(shared) > 1 or any(
        _keeps(note, each) for each in literals_of(original)
    )  # fmt: skip


def _structured(phrasing: str, original: str) -> Iterable[str]:
    if len(_ITEM.findall(phrasing)) < 2:
        yield "it needs at least two numbered or bulleted items"


def _requirements_list(phrasing: str, original: str) -> Iterable[str]:
    fragments = [part for part in re.split(r"[;\n]", phrasing) if part.strip(" -*•")]
    if len(fragments) < 2 and len(words(original)) > ONE_FRAGMENT_WORDS:
        yield "it needs at least two fragments, separated by semicolons: what is wanted, then each condition"
    if "?" in re.sub(r"(['\"]).*?\1", "", phrasing):
        yield "fragments only, no question"
    if sentence := next((part.strip() for part in fragments if _COMMAND.match(part)), None):
        yield f"{sentence!r} is a sentence, not a fragment that names what is wanted"


def _short_ambiguous(phrasing: str, original: str) -> Iterable[str]:
    said = set(content_words(phrasing))
    if all(word in said for word in content_words(original)) and not drops_a_figure(phrasing, original):
        yield "it leaves nothing implicit"


def _short_high_level(phrasing: str, original: str) -> Iterable[str]:
    if len(re.findall(r"[.?!](?=\s+[A-Z])", phrasing)) > 1:
        yield "it has more than two sentences"


def _casual(phrasing: str, original: str) -> Iterable[str]:
    if not _CASUAL.search(phrasing):
        yield "nothing in it is casual; write as in a chat"


def _spelling_grammar_mistakes(phrasing: str, original: str) -> Iterable[str]:
    known = set(words(original)) | _FUNCTION_WORDS
    unknown = [word for word in words(phrasing) if word not in known and not word.isdigit()]
    wrong = [word for word in unknown if word in _MISSPELT or any(_misspells(word, right) for right in known)]
    if not wrong and not re.search(
        r"\b(?:dont|cant|whats|whos|isnt|doesnt|havent|im|ive|thats|lets)\b", phrasing, re.I
    ):
        made = " and ".join(f"{slip} for {word}" for word, slip in slips(original).items())
        yield f"it has no spelling mistake; write {made} for instance"
    elif len(wrong) > 0.6 * len(words(phrasing)):
        yield "it is not readable any more; make fewer mistakes"


def _misspells(word: str, right: str) -> bool:
    """Whether `word` is `right` with a slip of the finger: not another form of it, such as its plural."""
    if min(len(word), len(right)) < 3 or abs(len(word) - len(right)) > 2:
        return False
    if len(set(word) & set(right)) < 0.6 * len(set(word)):  # cannot be alike enough; saves most of the time
        return False
    stem, longer = sorted((word, right), key=len)
    if longer in (stem + "s", stem + "es", stem + "d", stem + "ed", stem + "ing", stem + "ly", stem + "r", stem + "er"):
        return False
    return SequenceMatcher(a=word, b=right, autojunk=False).ratio() >= 0.74


_SHAPES = {
    "evidence_supported": _evidence_supported,
    "structured": _structured,
    "requirements_list": _requirements_list,
    "short_ambiguous": _short_ambiguous,
    "short_high_level": _short_high_level,
    "casual": _casual,
    "spelling_grammar_mistakes": _spelling_grammar_mistakes,
}
assert set(_SHAPES) | {"verbose"} == set(STYLES)

_FUNCTION_WORDS = frozenset(
    """a about above after all along also am among an and any are as at be because been before being below between both
    but by can could did do does during each every for from had has have her here him his how i if in into is it its
    just many may me more most much my no not of off on once only or other our out over own per same she should show so
    some such than that the their them then there these they this those through to too under until up was we were
    what when where which while who whom whose why will with without would you your list find give please each least
    get tell me need needs want""".split()  # noqa: SIM905 - prose is easier to read than a list of strings
)
_MISSPELT = frozenset(
    """wich whch wat waht teh hte adn thier ther alot recieve recieved seperate definately occured untill tommorow
    beleive acheive accross adress begining buisness calender catagory comittee employes goverment enviroment
    lenght managment neccessary occurence ordred payed persue posession prefered priviledge publically recomend
    refered relevent sucess suprise truely wierd writting custmer custmers costumers shiped totl amout avrage""".split()  # noqa: SIM905
)
