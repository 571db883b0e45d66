"""Spelling and grammar mistakes as people make them; quoted text and numbers are spared.

Slips of the finger follow the keyboard (QWERTY), misspellings follow the usual confusions, grammar mistakes
drop or swap small words. The first letter of a word stays, which keeps the text readable.
"""

from __future__ import annotations

import re
from random import Random

_NEIGHBOURS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry",
    "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
_CONFUSIONS = (
    ("which", "wich"), ("their", "thier"), ("there", "ther"), ("receiv", "reciev"), ("separate", "seperate"),
    ("address", "adress"), ("highest", "higest"), ("average", "avrage"), ("number", "numbr"), ("customer", "custmer"),
    ("employee", "employe"), ("category", "catagory"), ("quantity", "quantaty"), ("department", "deparment"),
    ("different", "diffrent"), ("description", "discription"), ("price", "prise"), ("least", "leest"),
    ("the", "teh"), ("with", "wiht"), ("between", "beetween"), ("whose", "who's"), ("amount", "ammount"),
    ("total", "totall"), ("many", "meny"), ("what", "waht"), ("each", "eech"), ("name", "nmae"), ("where", "were"),
    ("than", "then"), ("more", "mor"), ("date", "daet"), ("record", "recrod"), ("list", "lsit"), ("show", "shwo"),
    ("value", "valeu"), ("order", "odrer"), ("status", "staus"), ("payment", "paymant"), ("product", "prodcut"),
)  # fmt: skip
_GRAMMAR = (
    (r"\bthe (?=[a-z])", ""), (r"\bare\b", "is"), (r"\bis\b", "are"), (r"\bhave\b", "has"), (r"\bhas\b", "have"),
    (r"\bdoes\b", "do"), (r"\ban? (?=[a-z])", ""), (r"\bwho\b", "that"), (r"\bfrom\b", "form"), (r"\bof the\b", "of"),
    (r"\bwere\b", "was"), (r"\bis not\b", "isnt"), (r"\bdo not\b", "dont"), (r"\bfor each\b", "for eech"),
)  # fmt: skip
_PROTECTED = re.compile(r'("[^"\n]*"|(?<!\w)\'(?:[^\'\n]|\'(?=\w))+\'(?!\w)|“[^”\n]*”|\S*[\d_]\S*)')


def misspell(text: str, rng: Random, keep: tuple[str, ...]) -> str:
    """`text` with two to five mistakes, more in longer texts. The strings of `keep` are spared, quoted or not."""
    spared = re.compile("|".join([_PROTECTED.pattern, *(rf"({re.escape(value)})" for value in keep if value.strip())]))
    pieces = [(piece, bool(spared.fullmatch(piece))) for piece in _pieces(text, spared)]
    words = [
        (index, match)
        for index, (piece, safe) in enumerate(pieces)
        if not safe
        for match in re.finditer(r"[A-Za-z]{3,}", piece)
    ]
    wanted = min(max(2, len(words) // 6), 5)
    chosen = sorted(rng.sample(range(len(words)), min(wanted, len(words))), reverse=True)
    spoiled = [piece for piece, _ in pieces]
    for number in chosen:
        index, match = words[number]
        piece = spoiled[index]
        spoiled[index] = piece[: match.start()] + _spoil(match.group(), rng) + piece[match.end() :]
    editable = [index for index, (piece, safe) in enumerate(pieces) if not safe and piece.strip()]
    for pattern, replacement in rng.sample(_GRAMMAR, k=len(_GRAMMAR)):
        if not editable or not wanted:
            break
        index = rng.choice(editable)
        changed = re.sub(pattern, replacement, spoiled[index], count=1)
        if changed != spoiled[index]:
            spoiled[index] = changed
            break
    return _casing("".join(spoiled), rng)


def _pieces(text: str, spared: re.Pattern[str]) -> list[str]:
    pieces, end = [], 0
    for match in spared.finditer(text):
        pieces += [text[end : match.start()], match.group()]
        end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]


def _spoil(word: str, rng: Random) -> str:
    lowered = word.lower()
    for right, wrong in _CONFUSIONS:
        if right in lowered and rng.random() < 0.7:
            spoiled = lowered.replace(right, wrong, 1)
            return spoiled.capitalize() if word[0].isupper() else spoiled
    position = rng.randrange(1, len(word))
    letter = word[position].lower()
    slip = rng.choice(("swap", "drop", "double", "neighbour", "swap", "drop")) if len(word) > 3 else "double"
    if slip == "swap" and position + 1 < len(word) and word[position] != word[position + 1]:
        return word[:position] + word[position + 1] + word[position] + word[position + 2 :]
    if slip == "drop":
        return word[:position] + word[position + 1 :]
    if slip == "neighbour":
        return word[:position] + rng.choice(_NEIGHBOURS.get(letter, letter)) + word[position + 1 :]
    return word[: position + 1] + letter + word[position + 1 :]


def _casing(text: str, rng: Random) -> str:
    """Sometimes without the capital at the start, sometimes without the mark at the end."""
    if rng.random() < 0.5:
        text = text[0].lower() + text[1:]
    return text.rstrip("?.") if rng.random() < 0.5 else text
