"""Splitting a SQL file into statements, with line numbers, under the lexical rules of its dialect.

A statement ends at `;`, at a `GO` or `/` line, at the client's DELIMITER, or where the next line starts a new
statement although nothing ended the last (T-SQL needs no terminator). Bodies of procedures and triggers stay
whole. Nothing here parses: a file of many megabytes is walked once by one regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from sqale_assets.relational.kinds import is_routine, kind_of
from sqale_assets.relational.lexical import open_version_comments, splitting_rules


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without its terminator. `line` is 1-based; `data` holds the lines of a COPY block.

    `versioned` is set where the whole statement stands in a MySQL version comment (`/*!50001 CREATE TABLE ... */`).
    """

    text: str
    line: int
    kind: str
    data: str | None = None
    versioned: bool = False


def split(text: str, dialect: str | None) -> Iterator[Statement]:
    """The statements of a file in order; comments between them are left out."""
    versioned: frozenset[int] = frozenset()
    if dialect in ("mysql", None) and ("/*!" in text or "/*M!" in text):
        text, versioned = open_version_comments(text)
    return _Splitter(text, dialect, versioned).run()


#: Statements up to an offset, and the offset to go on from.
_Passage = Generator[Statement, None, int]

_COPY = re.compile(r"COPY\b.*\bFROM\s+stdin\b", re.IGNORECASE | re.DOTALL)
_COPY_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_DELIMITER_LINE = re.compile(r"^[ \t]*(?:DELIMITER|SET[ \t]+TERM)[ \t]+\S", re.IGNORECASE | re.MULTILINE)
_BLOCK_WORD = re.compile(r"\b(BEGIN|CASE|END(?:\s+(?:IF|LOOP|WHILE|REPEAT|FOR))?)\b", re.IGNORECASE)
_DEFINITION = re.compile(r"(?:CREATE|ALTER)\s+TABLE\b|INSERT\s+INTO\b", re.IGNORECASE)
_DEFINITION_LINE = re.compile(r"^[ \t]*(?:CREATE|ALTER)\s+TABLE\s", re.IGNORECASE | re.MULTILINE)
_VERB = re.compile(
    r"CREATE|ALTER|INSERT|REPLACE|UPDATE|SELECT|EXEC|BEGIN|DECLARE|COMMENT|SET|CALL|DO|IF|MERGE", re.IGNORECASE
)
_LEADING = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/|\#[^\n]*)*", re.DOTALL)
#: A text with more dollar signs without a partner than this has no dollar quotes.
_MOST_UNCLOSED = 50
_SLASH_LINE = re.compile(r"^/\s*$", re.MULTILINE)


class _Splitter:
    """One walk over a text. `code` is where the current statement starts, None while only blanks were seen."""

    def __init__(self, text: str, dialect: str | None, versioned: frozenset[int]) -> None:
        self.text, self.dialect, self.versioned = text, dialect, versioned
        self.rules = splitting_rules(text, dialect)
        #: Oracle's routines end at a slash line, where the file has such lines.
        self.slashes = dialect == "oracle" and _SLASH_LINE.search(text) is not None
        self.line, self.counted = 1, 0
        self.unclosed = 0
        self._reset()

    def _reset(self) -> None:
        self.code: int | None = None
        self.depth = 0
        #: Whether the statement has a body of statements; None until somebody needs to know.
        self.routine: bool | None = None
        self.nesting = self.scanned = 0

    def run(self) -> Iterator[Statement]:
        text, position = self.text, 0
        search = self.rules.search
        while (match := search(text, position)) is not None:
            token = match.lastgroup
            if self.code is None:
                self._begin_in(position, match.start())
            position = match.end()
            if token == "comment":
                continue
            if token == "client":
                position = yield from self._client_line(match)
            elif token == "delimiter":
                yield from self._emit(match.start())
                position = yield from self._region(match)
            elif token == "batch":
                yield from self._emit(match.start())
            elif token == "head":
                position = yield from self._head(match.start("head"))
            elif token == "end":
                if not self._in_routine(match.start()):
                    position = yield from self._terminator(match.start(), position)
            else:
                if self.code is None:
                    self.code = match.start()
                position = self._inside(token, match)
        if self.code is None:
            self._begin_in(position, len(text))
        yield from self._emit(len(text))

    def _inside(self, token: str | None, match: re.Match[str]) -> int:
        """Step over what belongs to the current statement: a parenthesis, a string, a dollar-quoted body."""
        if token == "open":
            self.depth += 1
        elif token == "close":
            self.depth = max(0, self.depth - 1)
        elif token == "dollar" and self.dialect in ("postgres", None) and self.unclosed < _MOST_UNCLOSED:
            close = self.text.find(match[0], match.end())
            if close >= 0:
                return close + len(match[0])
            self.unclosed += 1
        elif token == "quoted" and self._is_stray(match[0]):
            return match.start() + 1
        return match.end()

    def _begin_in(self, start: int, end: int) -> None:
        """Begin a statement at the first character of code between two offsets, if there is one."""
        rest = self.text[start:end].lstrip()
        if rest:
            self.code = end - len(rest)

    def _client_line(self, match: re.Match[str]) -> _Passage:
        if self.code is not None:  # inside a statement, the word is no command
            return match.start("client") + 1
        end = self._line_end(match.end())
        yield self._statement(match.start("client"), end, "client_command")
        return end

    def _head(self, start: int) -> _Passage:
        """A line that starts like a statement does, and maybe ends the one before it."""
        if self.code is None:
            self.code = start
        elif (self.depth == 0 or _DEFINITION.match(self.text, start)) and not self._in_routine(start):
            yield from self._emit(start)
            self.code = start
        return start + 1

    def _terminator(self, end: int, after: int) -> _Passage:
        if self.code is not None and _COPY.match(self.text, self.code, end):
            return (yield from self._copy(end, after))
        yield from self._emit(end)
        return after

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def _is_stray(self, quoted: str) -> bool:
        """Whether the quote is an apostrophe in prose or a shell script, which would swallow the DDL behind it."""
        assert self.code is not None
        if "\n" not in quoted or _DEFINITION_LINE.search(quoted) is None:
            return False
        return _VERB.match(self.text, self.code) is None

    def _in_routine(self, position: int) -> bool:
        """Whether `position` lies inside the body of a procedure, function, trigger or block."""
        if self.code is None:
            return False
        if self.routine is None:
            self.routine = is_routine(self.text[self.code : self.code + 400], self.dialect)
            self.scanned = self.code
        if not self.routine:
            return False
        if self.dialect == "tsql" or self.slashes:  # they end with their batch
            return True
        for word in _BLOCK_WORD.finditer(self.text, self.scanned, position):
            opened = word[1].upper()
            self.nesting += (opened in ("BEGIN", "CASE")) - (opened == "END")
        self.scanned = position
        return self.nesting > 0

    def _emit(self, end: int) -> Iterator[Statement]:
        """The current statement, if there is one, up to `end`; the next begins afresh."""
        if self.code is not None and self.code < end:
            yield self._statement(self.code, end, kind_of(self.text[self.code : self.code + 600]))
        self._reset()

    def _statement(self, start: int, end: int, kind: str, data: str | None = None) -> Statement:
        self.line += self.text.count("\n", self.counted, start)
        self.counted = start
        near = range(max(0, start - 3), start + 1)
        versioned = bool(self.versioned) and any(offset in self.versioned for offset in near)
        return Statement(self.text[start:end].rstrip(), self.line, kind, data, versioned)

    def _copy(self, end: int, position: int) -> _Passage:
        r"""A COPY statement with its lines, up to the line `\.`."""
        assert self.code is not None
        begin = min(self._line_end(position) + 1, len(self.text))
        closing = _COPY_END.search(self.text, begin)
        stop, after = (closing.start(), closing.end()) if closing else (len(self.text), len(self.text))
        yield self._statement(self.code, end, "copy", self.text[begin:stop])
        self._reset()
        return after

    def _region(self, match: re.Match[str]) -> _Passage:
        """The statements under a DELIMITER of the client's, up to the next such line (Firebird's is SET TERM)."""
        mark = match["delimiter"].split()[-1]
        begin = self._line_end(match.end())
        if mark == ";":
            return begin
        following = _DELIMITER_LINE.search(self.text, begin)
        stop = following.start() if following else len(self.text)
        offset = begin
        for part in self.text[begin:stop].split(mark):
            end = offset + len(part)
            leading = _LEADING.match(self.text, offset, end)
            code = leading.end() if leading else offset
            if code < end:
                yield self._statement(code, end, kind_of(self.text[code : min(end, code + 600)]))
            offset = end + len(mark)
        return stop
