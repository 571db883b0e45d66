"""Splitting a SQL file into statements, with line numbers, under the lexical rules of its dialect.

A statement ends at `;`, at a `GO` or `/` line, at the client's DELIMITER, or where the next line starts a new
statement although nothing ended the last (T-SQL needs no terminator). Bodies of procedures and triggers stay
whole. Nothing here parses: a file of many megabytes is walked once by one regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sqale_assets.relational.kinds import is_routine, kind_of


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
    """The statements of a file in order. Comments before a statement belong to it; blank ones are left out."""
    versioned: frozenset[int] = frozenset()
    if "/*!" in text or "/*M!" in text:
        text, versioned = _unwrap(text, dialect)
    yield from _Splitter(text, dialect, versioned).run()


# --- lexical rules --------------------------------------------------------------------------------

_BACKSLASH = r"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'"
_PLAIN = r"'[^']*'"
_HEADS = r"""
    CREATE\s+(?!INDEX\b|UNIQUE\b)\w | CREATE\s+(?:UNIQUE\s+|CLUSTERED\s+|NONCLUSTERED\s+|BITMAP\s+)*INDEX\b
    | ALTER\s+TABLE\b | DROP\s+(?:TABLE|VIEW|INDEX)\b | COMMENT\s+ON\s+(?:TABLE|COLUMN)\b
    | (?:INSERT|REPLACE)\s+INTO\b | EXEC(?:UTE)?\s+\[?(?:sys\W+|dbo\W+)?sp_ | COPY\s+[\w."]+\s*(?:\([^)]*\)\s*)?FROM\s+stdin
"""
# T-SQL's INSERT needs no INTO; elsewhere a line may well start with INSERT in the midst of a statement.
_TSQL_HEADS = (
    r" | INSERT\s+[\[\w] | GRANT\s | PRINT\b | USE\s | SET\s+\w+\s+(?:ON|OFF)\b | IF\s+(?:NOT\s+)?(?:EXISTS|OBJECT_ID)"
)
_CLIENT_LINES = {
    "oracle": r"(?:rem(?:ark)?|prompt|set|spool|define|undefine|column|whenever|conn(?:ect)?|show|accept|pause|exit|quit"
    r"|host|clear|ttitle|btitle|var(?:iable)?|start|@@?)(?![\w(])",
    "sqlite": r"\.\w+",
    "tsql": r":\w+",
    "postgres": r"\\\w+",
}


@lru_cache
def _rules(dialect: str | None, backslashes: bool) -> re.Pattern[str]:
    """One alternation of everything that matters to the splitter; all else is skipped at C speed."""
    quoted = [_BACKSLASH if backslashes else _PLAIN]
    if dialect == "mysql":
        quoted.append(_BACKSLASH.replace("'", '"'))
    else:
        quoted.append(r'"[^"]*"')
    if dialect in ("mysql", "sqlite", None):
        quoted.append(r"`[^`]*`")
    if dialect in ("tsql", "sqlite"):
        quoted.append(r"\[[^\]\n]*\]")
    if dialect == "oracle":
        quoted.insert(
            0,
            r"\b[nN]?[qQ]'(?:\[.*?\]'|\(.*?\)'|\{.*?\}'|<.*?>'|([^\s\w])(?:.*?)\1')".replace("([", "(?P<q>[").replace(
                r"\1", "(?P=q)"
            ),
        )
    if dialect == "postgres":
        quoted.insert(0, r"\b[eE]" + _BACKSLASH)
    comment = r"--[^\n]*|/\*.*?(?:\*/|\Z)" + (r"|\#[^\n]*" if dialect == "mysql" else "")
    client = _CLIENT_LINES.get(dialect or "", r"[.\\]\w+")
    heads = _HEADS + (_TSQL_HEADS if dialect in ("tsql", None) else "")
    return re.compile(
        rf"""(?P<comment>{comment}) | (?P<quoted>{"|".join(quoted)}) | (?P<dollar>\$\w*\$)
        | (?P<open>\() | (?P<close>\)) | (?P<end>;)
        | ^[ \t]*(?: (?P<batch>(?:GO(?:[ \t]+\d+)?|/)[ \t]*;?[ \t]*$) | (?P<delimiter>DELIMITER[ \t]+\S+)
          | (?P<client>{client}) | (?P<head>{heads}) )""",
        re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE,
    )


def _unwrap(text: str, dialect: str | None) -> tuple[str, frozenset[int]]:
    """Version comments opened: `/*!50100 PARTITION ... */` runs on every server of today. Offsets stay as they are.

    Returns the text and the offsets behind which a version comment started.
    """
    starts: set[int] = set()
    inside = False

    def blank(match: re.Match[str]) -> str:
        nonlocal inside
        token = match[0]
        if match["enter"]:
            inside = True
            starts.add(match.end())
            return " " * len(token)
        if match["leave"]:
            if inside:
                inside = False
                return "  "
            return token
        return token

    pattern = re.compile(
        rf"(?P<enter>/\*M?!\d*)|(?P<leave>\*/)|--[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z)|{_BACKSLASH}|{_BACKSLASH.replace(chr(39), chr(34))}|`[^`]*`",
        re.DOTALL,
    )
    return pattern.sub(blank, text), frozenset(starts)


_COPY = re.compile(r"\s*COPY\b.*\bFROM\s+stdin\b", re.IGNORECASE | re.DOTALL)
_COPY_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_DELIMITER_LINE = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_BLOCK_WORD = re.compile(r"\b(BEGIN|CASE|END(?:\s+(?:IF|LOOP|WHILE|REPEAT|FOR))?)\b", re.IGNORECASE)
_DEFINITION_LINE = re.compile(r"^[ \t]*(?:CREATE|ALTER)\s+TABLE\s", re.IGNORECASE | re.MULTILINE)
_VERB = re.compile(
    r"(?:CREATE|ALTER|INSERT|REPLACE|UPDATE|SELECT|EXEC|BEGIN|DECLARE|COMMENT|SET|CALL|DO|IF|MERGE)", re.I
)
_LEADING = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/|\#[^\n]*)*", re.DOTALL)


@dataclass(slots=True)
class _Splitter:
    text: str
    dialect: str | None
    versioned: frozenset[int]
    start: int = 0
    #: Offset of the statement's first character of code; None while only blanks and comments were seen.
    code: int | None = None
    depth: int = 0
    routine: bool | None = None
    nesting: int = 0
    scanned: int = 0
    line: int = 1
    counted: int = 0
    slashes: bool = False
    rules: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        text = self.text
        backslashes = self.dialect == "mysql" or bool(
            self.dialect == "postgres"
            and re.search(r"standard_conforming_strings\s*(?:=|to)\s*'?off", text, re.IGNORECASE)
        )
        self.rules = _rules(self.dialect, backslashes)
        self.slashes = self.dialect == "oracle" and re.search(r"^/\s*$", text, re.MULTILINE) is not None

    def run(self) -> Iterator[Statement]:
        text, position = self.text, 0
        search = self.rules.search
        while (match := search(text, position)) is not None:
            token = match.lastgroup
            if token == "q":
                token = "quoted"
            if (self.code is None and token != "comment") or self.code is None:
                gap = text[position : match.start()]
                if stripped := gap.lstrip():
                    self._begin(match.start() - len(stripped))
            position = match.end()
            if token == "comment":
                continue
            if token == "client":
                if self.code is None:
                    position = self._line_end(position)
                    yield self._statement(match.start(), position, "client_command")
                    self._reset(position)
                else:
                    position = match.start(token) + 1
                continue
            if token == "delimiter":
                yield from self._emit(match.start())
                position = yield from self._region(match)
                continue
            if token == "batch":
                yield from self._emit(match.start())
                self._reset(position)
                continue
            if token == "head":
                head = match.start(token)
                if self.code is None:
                    self._begin(head)
                elif (self.depth == 0 or self._is_definition(head)) and not self._in_routine(head):
                    yield from self._emit(head)
                    self._reset(head)
                    self._begin(head)
                position = head + 1
                continue
            if self.code is None and token != "end":
                self._begin(match.start())
            if token == "quoted" and self._is_stray(match[0]):
                position = match.start() + 1
                continue
            if token == "open":
                self.depth += 1
            elif token == "close":
                self.depth = max(0, self.depth - 1)
            elif token == "dollar":
                if self.dialect in ("postgres", None):
                    close = text.find(match[0], position)
                    position = close + len(match[0]) if close >= 0 else position
            elif token == "end" and not self._in_routine(match.start()):
                copied = self.code is not None and _COPY.match(text, self.code, match.start())
                if copied:
                    position = yield from self._copy(match.start(), position)
                else:
                    yield from self._emit(match.start())
                self._reset(position)
        if self.code is None and (rest := text[position:].lstrip()):
            self._begin(len(text) - len(rest))
        yield from self._emit(len(text))

    def _begin(self, code: int) -> None:
        self.code = self.scanned = code

    def _reset(self, start: int) -> None:
        self.start, self.code, self.depth, self.routine, self.nesting = start, None, 0, None, 0

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def _is_definition(self, head: int) -> bool:
        """Whether the line can only start a statement of its own, though a parenthesis was left open before it."""
        return (
            re.match(r"(CREATE|ALTER)\s+TABLE\b|INSERT\s+INTO\b", self.text[head : head + 40], re.IGNORECASE)
            is not None
        )

    def _is_stray(self, quoted: str) -> bool:
        """Whether the quote is an apostrophe in prose (or a shell script) that would swallow the statements behind it."""
        assert self.code is not None
        if "\n" not in quoted or _DEFINITION_LINE.search(quoted) is None:
            return False
        return _VERB.match(self.text, self.code) is None

    def _in_routine(self, position: int) -> bool:
        """Whether `position` lies inside the body of a procedure, function, trigger or block."""
        assert self.code is not None or self.routine is None
        if self.code is None:
            return False
        if self.routine is None:
            self.routine = is_routine(self.text[self.code : self.code + 400], self.dialect)
        if not self.routine:
            return False
        if self.dialect == "tsql" or self.slashes:  # they end with their batch
            return True
        for word in _BLOCK_WORD.finditer(self.text, self.scanned, position):
            opened = word[1].upper()
            if opened in ("BEGIN", "CASE"):
                self.nesting += 1
            elif opened == "END":
                self.nesting -= 1
        self.scanned = position
        return self.nesting > 0

    def _emit(self, end: int) -> Iterator[Statement]:
        if self.code is not None and self.code < end:
            body = self.text[self.code : end]
            yield self._statement(self.code, end, kind_of(body))

    def _statement(self, start: int, end: int, kind: str, data: str | None = None) -> Statement:
        self.line += self.text.count("\n", self.counted, start)
        self.counted = start
        versioned = bool(self.versioned) and any(
            offset in self.versioned for offset in range(max(0, start - 3), start + 1)
        )
        return Statement(self.text[start:end].rstrip(), self.line, kind, data, versioned)

    def _copy(self, end: int, position: int) -> Iterator[Statement]:
        """A COPY statement with its lines, up to the line `\\.`; returns where to go on."""
        begin = self._line_end(position) + 1
        closing = _COPY_END.search(self.text, min(begin, len(self.text)))
        stop, after = (closing.start(), closing.end()) if closing else (len(self.text), len(self.text))
        assert self.code is not None
        yield self._statement(self.code, end, "copy", self.text[begin:stop])
        return after

    def _region(self, match: re.Match[str]) -> Iterator[Statement]:
        """Statements under a DELIMITER of the client's; returns where the region ends."""
        mark = match["delimiter"].split()[-1]
        begin = self._line_end(match.end())
        if mark == ";":
            self._reset(begin)
            return begin
        following = _DELIMITER_LINE.search(self.text, begin)
        stop = following.start() if following else len(self.text)
        offset = begin
        for part in self.text[begin:stop].split(mark):
            code = _LEADING.match(self.text, offset, offset + len(part)).end()  # type: ignore[union-attr]
            if code < offset + len(part):
                body = self.text[code : offset + len(part)]
                yield self._statement(code, offset + len(part), kind_of(body))
            offset += len(part) + len(mark)
        self._reset(stop)
        return stop
