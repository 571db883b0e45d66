"""A cursor over sqlglot's tokens of one statement: the vocabulary in which the folding reads DDL.

sqlglot's tokenizers know the quoting, escapes and comments of every dialect. Its DDL parser does not: on our
corpus it leaves a third of the ALTER TABLE statements as opaque commands or errors, and stops at CLUSTERED,
ROWGUIDCOL, ENABLE and other words that carry nothing. So the skeleton of DDL is read here from tokens, skipping
what does not matter, and sqlglot parses the expressions inside.
"""

from __future__ import annotations

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

_STRINGS = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
    }
)
_QUOTED = _STRINGS | {TokenType.IDENTIFIER}
_SCALARS = frozenset({TokenType.NUMBER, TokenType.BIT_STRING, TokenType.HEX_STRING})
_FALLBACKS = ("mysql", "postgres", "tsql", "sqlite", "oracle")


_PARENTHESES = {"(": 1, ")": -1}
_ANGLES = {"<": 1, ">": -1, ">>": -2}
_NESTING = _PARENTHESES | _ANGLES


class Unreadable(Exception):
    """The statement, or this part of it, cannot be read; the message is the loss's reason."""


def tokenize(text: str, dialect: str | None) -> list[Token]:
    """The tokens of a statement under its dialect, or under the first other one that accepts it.

    Raises:
        Unreadable: no dialect's tokenizer gets through (an unclosed string, say).
    """
    error: Exception | None = None
    for name in (dialect or "sqlite", *(other for other in _FALLBACKS if other != dialect)):
        try:
            return Dialect.get_or_raise(name).tokenize(text)
        except (SqlglotError, ValueError, IndexError) as caught:
            error = error or caught
    raise Unreadable(f"no dialect can tokenize it: {error}")


class Cursor:
    """A position among tokens. `words` holds the upper-case text of each bare token, "" for quoted ones."""

    __slots__ = ("end", "index", "start", "text", "tokens", "words")

    def __init__(
        self, text: str, tokens: list[Token], words: list[str] | None = None, start: int = 0, end: int | None = None
    ):
        self.text, self.tokens = text, tokens
        self.words = (
            ["" if token.token_type in _QUOTED else token.text.upper() for token in tokens] if words is None else words
        )
        self.start = self.index = start
        self.end = len(tokens) if end is None else end

    def part(self, start: int, end: int) -> Cursor:
        """A cursor over some of the same tokens."""
        return Cursor(self.text, self.tokens, self.words, start, end)

    @property
    def done(self) -> bool:
        return self.index >= self.end

    def word(self, ahead: int = 0) -> str:
        """The bare word `ahead` tokens on, in upper case; "" at the end or where a quoted token stands."""
        index = self.index + ahead
        return self.words[index] if index < self.end else ""

    def advance(self, count: int = 1) -> None:
        self.index = min(self.end, self.index + count)

    def accept(self, *words: str) -> bool:
        """Step over `words` if they come next, all of them in this order."""
        for ahead, word in enumerate(words):
            if self.word(ahead) != word:
                return False
        self.index += len(words)
        return True

    def accept_any(self, *words: str) -> str:
        """Step over one word if it is among `words`; the word, or ""."""
        word = self.word()
        if word and word in words:
            self.index += 1
            return word
        return ""

    def seek(self, *words: str) -> bool:
        """Move to the next of `words` outside parentheses; False (and at the end) where there is none."""
        while not self.done:
            if self.word() in words:
                return True
            self.skip()
        return False

    def skip(self) -> None:
        """Step over one token, or over a whole parenthesis."""
        if self.word() == "(":
            self.index = self.closing() + 1
        else:
            self.index += 1

    def closing(self) -> int:
        """The index of the parenthesis that closes the one at the cursor; the end where none does."""
        depth = 0
        words = self.words
        for index in range(self.index, self.end):
            if words[index] == "(":
                depth += 1
            elif words[index] == ")":
                depth -= 1
                if depth == 0:
                    return index
        return self.end

    def parenthesis(self) -> Cursor | None:
        """The inside of the parenthesis at the cursor, stepping over it; None where none opens here."""
        if self.word() != "(":
            return None
        begin, close = self.index + 1, self.closing()
        self.index = min(self.end, close + 1)
        return self.part(begin, close)

    def elements(self) -> list[Cursor]:
        """The rest, split at commas outside parentheses and `MAP<TEXT, INT>`; empty elements are left out."""
        parts: list[Cursor] = []
        begin, words = self.index, self.words
        depth = 0
        steps = _NESTING if self._has_type_parameters() else _PARENTHESES
        for index in range(self.index, self.end):
            word = words[index]
            if word in steps:
                depth += steps[word]
            elif word == "," and depth <= 0:
                if index > begin:
                    parts.append(self.part(begin, index))
                begin = index + 1
        if begin < self.end:
            parts.append(self.part(begin, self.end))
        self.index = self.end
        return parts

    def _has_type_parameters(self) -> bool:
        """Whether a type with parameters in angle brackets stands here, whose brackets all close."""
        words = self.words[self.index : self.end]
        if "<" not in words or not {"ARRAY", "MAP", "STRUCT"}.intersection(words):
            return False
        return sum(_ANGLES.get(word, 0) for word in words) == 0

    def is_string(self, ahead: int = 0) -> bool:
        index = self.index + ahead
        return index < self.end and self.tokens[index].token_type in _STRINGS

    def is_scalar(self, ahead: int = 0) -> bool:
        """Whether a number, bit string or hex string stands there."""
        index = self.index + ahead
        return index < self.end and self.tokens[index].token_type in _SCALARS

    def string(self) -> str | None:
        """The value of the string literal at the cursor, stepping over it."""
        if not self.is_string():
            return None
        self.index += 1
        return self.tokens[self.index - 1].text

    def name(self) -> str:
        """The identifier at the cursor (quoted, bare, or a string where a dialect quotes names so).

        Raises:
            Unreadable: something else stands there.
        """
        if self.done:
            raise Unreadable("a name is missing")
        token = self.tokens[self.index]
        if token.token_type in _SCALARS or not (
            token.token_type in _QUOTED or token.text[:1].isalnum() or token.text[:1] in "_#@$"
        ):
            digits = self._digits()
            if digits is None:
                raise Unreadable(f"a name was expected, not {token.text[:20]!r}")
            return digits
        self.index += 1
        name = clean_name(token.text)
        if not name:
            raise Unreadable("a name is empty")
        return name

    def _digits(self) -> str | None:
        """A name such as `2fa_code`, which tokenizers cut behind the digits."""
        token = self.tokens[self.index]
        following = self.tokens[self.index + 1] if self.index + 1 < self.end else None
        if token.token_type is TokenType.NUMBER and following is not None and following.start == token.end + 1:
            self.index += 2
            return clean_name(token.text + following.text)
        return None

    def qualified_name(self) -> tuple[str | None, str]:
        """A table's qualifier (None without one) and name. Placeholders for a schema count as no qualifier."""
        if self.word() in ("@", ":", "&", "{", "$", "%", "<"):
            self._placeholder()
        parts = [self.name()]
        while self.word() == ".":
            while self.word() == ".":  # T-SQL's db..table, SQL*Plus's &schema..table
                self.advance()
            parts.append(self.name())
        qualifier = parts[-2] if len(parts) > 1 else None
        if qualifier and qualifier[0] in "@$#{&:<":
            qualifier = None
        return qualifier, parts[-1]

    def _placeholder(self) -> None:
        """Step over `@schema.`, `${schema}.`, `:schema.`, `{{ schema }}.`, `&schema..` where a table's name follows."""
        index = self.index
        while index < min(self.end, self.index + 8):
            if self.words[index] == ".":
                while index < self.end and self.words[index] == ".":
                    index += 1
                self.index = index
                return
            index += 1
        self.advance()

    def source(self, start: int | None = None, end: int | None = None) -> str:
        """The source text of tokens `start` to `end` (exclusive), by default of all that this cursor covers."""
        start = self.start if start is None else start
        end = self.end if end is None else end
        if start >= end:
            return ""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end + 1]

    def offset(self) -> int:
        """The offset in the statement's text of this cursor's first token."""
        return self.tokens[self.start].start if self.start < len(self.tokens) else 0

    def trailing_comment(self) -> str | None:
        """The remark that ends the line of this element, before its comma or behind it."""
        if self.end <= self.start:
            return None
        remarks = list(self.tokens[self.end - 1].comments)
        if self.end < len(self.tokens) and self.words[self.end] == ",":
            remarks += self.tokens[self.end].comments
        text = " ".join(" ".join(remarks).split())
        return text if any(character.isalnum() for character in text) else None


def clean_name(name: str) -> str:
    """An identifier without what the published loader or SQLite would choke on: semicolons, line breaks."""
    if name.isidentifier():
        return name
    return " ".join(name.replace(";", "_").split())
