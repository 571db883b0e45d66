"""A grammar of templates that runs in both directions: from a node to text, and from text to nodes.

A template is words with alternatives and slots:

    "(Show|List) the {refs:ref,} of every {entity:entity.one}"

`(a|b|)` offers alternatives (an empty one makes it optional); `{field:symbol}` is a field of the node in the words
of another symbol, and a comma after the symbol makes it a list (a, b and c). Rendering picks among the
alternatives; parsing accepts all of them and returns every reading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from random import Random
from typing import Any

Fields = dict[str, Any]
#: Reads a terminal symbol at a position: every (value, next position).
Terminal = Callable[["Sequence[Token]", int], list[tuple[Any, int]]]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, quoted text or mark. `text` is lower case; `raw` as written, without quotes for "text"."""

    kind: str
    text: str
    raw: str


_TOKEN = re.compile(
    r"""\s*(?:"(?P<text>[^"]*)"|(?P<day>\d{4}-\d{2}-\d{2})(?!\w)|(?P<number>-?\d+(?:\.\d+)?)(?!\w)"""
    r"""|(?P<s>['’]s)(?!\w)|(?P<word>\w+)|(?P<mark>\S))"""
)


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of an English text."""
    return tuple(
        Token(match.lastgroup or "mark", "'s" if match["s"] else match[match.lastgroup].lower(), match[match.lastgroup])
        for match in _TOKEN.finditer(text)
        if match.lastgroup
    )


# --- templates ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    field: str
    symbol: str
    many: bool


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[tuple[Any, ...], ...]


#: A template compiled: words (str), `Slot`s and `Choice`s in order.
Sequenced = tuple[Any, ...]

_PART = re.compile(r"\{(\w+):([\w.]+)(,?)\}|('s|\w+|[^\s\w])")


def compile_template(template: str) -> Sequenced:
    parts = [Slot(match[1], match[2], bool(match[3])) if match[1] else match[4] for match in _PART.finditer(template)]
    sequence, end = _sequence(parts, 0)
    if end != len(parts):
        raise ValueError(f"unbalanced parentheses in template: {template}")
    return sequence


def _sequence(parts: list[Any], start: int) -> tuple[Sequenced, int]:
    found: list[Any] = []
    position = start
    while position < len(parts) and parts[position] not in ("|", ")"):
        if parts[position] == "(":
            options = []
            while parts[position] != ")":
                option, position = _sequence(parts, position + 1)
                options.append(option)
            found.append(Choice(tuple(options)))
        else:
            found.append(parts[position])
        position += 1
    return tuple(found), position


def _slots(sequence: Sequenced) -> set[str]:
    names: set[str] = set()
    for part in sequence:
        if isinstance(part, Slot):
            names.add(part.field)
        elif isinstance(part, Choice):
            names.update(*(_slots(option) for option in part.options))
    return names


# --- productions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Production:
    """One way to say a node. `build` makes the node of the slots' values; `parts` the values of a node, or None."""

    symbol: str
    sequence: Sequenced
    build: Callable[[Fields], Any]
    parts: Callable[[Any], Fields | None]


def production(symbol: str, node: type, template: str, **constants: Any) -> Production:
    """A production for a node class: slots are its fields, `constants` the fields that the wording fixes."""
    sequence = compile_template(template)
    slots = _slots(sequence)
    fixed = {
        field.name: constants.get(field.name, field.default)
        for field in fields(node)
        if field.name not in slots and (field.name in constants or field.default is not MISSING)
    }
    missing = {field.name for field in fields(node)} - slots - set(fixed)
    if missing or set(constants) - set(fixed):
        raise ValueError(f"{node.__name__}: {missing or set(constants) - set(fixed)} not settled by: {template}")

    def parts(value: Any) -> Fields | None:
        if type(value) is not node or any(getattr(value, name) != fixed[name] for name in fixed):
            return None
        found = {name: getattr(value, name) for name in slots}
        return None if any(part is None or part == () for part in found.values()) else found

    return Production(symbol, sequence, lambda found: node(**fixed, **found), parts)


def only_when(each: Production, fits: Callable[[Fields], bool]) -> Production:
    """The production where its slots' values fit the wording; it is still read wherever it stands."""

    def parts(value: Any) -> Fields | None:
        found = each.parts(value)
        return found if found is not None and fits(found) else None

    return replace(each, parts=parts)


@dataclass(frozen=True)
class Grammar:
    """Productions by symbol. Symbols without productions are terminals, read and worded by the caller."""

    productions: Mapping[str, tuple[Production, ...]]

    @classmethod
    def of(cls, productions: Sequence[Production]) -> Grammar:
        grouped: dict[str, list[Production]] = defaultdict(list)
        for each in productions:
            grouped[each.symbol].append(each)
        return cls({symbol: tuple(each) for symbol, each in grouped.items()})

    def parse(self, symbol: str, text: str, terminals: Mapping[str, Terminal], *, terse: bool = False) -> list[Any]:
        """Every node that the whole of `text` can be read as, each once. A `terse` text may lack its articles."""
        read = tokens(text)
        parser = _Parser(self, read, terminals, _ARTICLES if terse else frozenset())
        return list(dict.fromkeys(value for value, end in parser.symbol(symbol, 0) if end == len(read)))

    def render(self, symbol: str, node: Any, terminals: Mapping[str, Callable[[Any], str]], rng: Random) -> str:
        """One wording of `node`. Raises LookupError when no production fits it."""
        return _join(self._words(symbol, node, terminals, rng))

    def _words(self, symbol: str, node: Any, terminals: Mapping[str, Callable[[Any], str]], rng: Random) -> list[str]:
        if symbol not in self.productions:
            return [terminals[symbol](node)]
        fitting = [(each, found) for each in self.productions[symbol] if (found := each.parts(node)) is not None]
        while fitting:
            chosen, found = fitting.pop(rng.randrange(len(fitting)))
            try:
                return self._spoken(chosen.sequence, found, terminals, rng)
            except LookupError:  # the part has no wording in this symbol; another production may have one
                continue
        raise LookupError(f"no wording of {node!r} as {symbol}")

    def _spoken(
        self, sequence: Sequenced, found: Fields, terminals: Mapping[str, Callable[[Any], str]], rng: Random
    ) -> list[str]:
        words: list[str] = []
        for part in sequence:
            if isinstance(part, str):
                words.append(part)
            elif isinstance(part, Choice):
                words += self._spoken(rng.choice(part.options), found, terminals, rng)
            elif part.many:
                items = [self._words(part.symbol, item, terminals, rng) for item in found[part.field]]
                for index, item in enumerate(items):
                    if index:
                        words.append("and" if index == len(items) - 1 else ",")
                    words += item
            else:
                words += self._words(part.symbol, found[part.field], terminals, rng)
        return words


_ARTICLES = frozenset(("a", "the", "all"))


class _Parser:
    """A chart over one text: each symbol is read once at each position."""

    def __init__(
        self, grammar: Grammar, read: Sequence[Token], terminals: Mapping[str, Terminal], optional: frozenset[str]
    ):
        self.grammar, self.read, self.terminals, self.optional = grammar, read, terminals, optional
        self.chart: dict[tuple[str, int], list[tuple[Any, int]]] = {}

    def symbol(self, symbol: str, start: int) -> list[tuple[Any, int]]:
        key = (symbol, start)
        if key not in self.chart:
            found: dict[tuple[Any, int], None] = {}
            if symbol in self.grammar.productions:
                for each in self.grammar.productions[symbol]:
                    for end, slots in self.sequence(each.sequence, 0, start, {}):
                        found[each.build(slots), end] = None
            else:
                found.update(dict.fromkeys(self.terminals[symbol](self.read, start)))
            self.chart[key] = list(found)
        return self.chart[key]

    def sequence(self, parts: Sequenced, index: int, start: int, slots: Fields) -> Iterator[tuple[int, Fields]]:
        if index == len(parts):
            yield start, slots
            return
        part = parts[index]
        if isinstance(part, str):
            if start < len(self.read) and _same(part, self.read[start]):
                yield from self.sequence(parts, index + 1, start + 1, slots)
            elif part in self.optional:
                yield from self.sequence(parts, index + 1, start, slots)
        elif isinstance(part, Choice):
            for option in part.options:
                for end, filled in self.sequence(option, 0, start, slots):
                    yield from self.sequence(parts, index + 1, end, filled)
        else:
            readings = self.items(part.symbol, start) if part.many else self.symbol(part.symbol, start)
            for value, end in readings:
                if part.field in slots and slots[part.field] != value:
                    continue  # said twice, and differently
                yield from self.sequence(parts, index + 1, end, {**slots, part.field: value})

    def items(self, symbol: str, start: int) -> list[tuple[Any, int]]:
        """Lists of one or more: a; a and b; a, b and c (with or without the comma before "and")."""
        key = (f"{symbol},", start)
        if key not in self.chart:
            found: list[tuple[Any, int]] = []
            for value, end in self.symbol(symbol, start):
                found.append(((value,), end))
                found += [
                    ((value, *rest), last) for after in self.separators(end) for rest, last in self.items(symbol, after)
                ]
            self.chart[key] = found
        return self.chart[key]

    def separators(self, start: int) -> list[int]:
        words = [token.text for token in self.read[start : start + 2]]
        if words[:2] == [",", "and"]:
            return [start + 2]
        return [start + 1] if words and words[0] in (",", "and") else []


def _same(word: str, token: Token) -> bool:
    if token.kind in ("text", "number", "day"):
        return False
    return token.text == word.lower() or (word == "a" and token.text == "an")


def _join(words: list[str]) -> str:
    """Words set as text: marks close up, sentences begin with a capital, a becomes an."""
    text = ""
    for position, word in enumerate(words):
        if word == "a" and position + 1 < len(words) and _VOWEL.match(words[position + 1]):
            word = "an"
        if not text or text[-1] in ".?":
            word = word[:1].upper() + word[1:]
        text += word if not text or word in _CLOSE_UP else f" {word}"
    return text


_CLOSE_UP = frozenset([",", ".", "?", ";", ":", "'s"])
_VOWEL = re.compile(r"(?!uni|use|user|one|eu)[aeiou]|hour|honou?r", re.IGNORECASE)
