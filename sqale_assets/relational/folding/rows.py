"""INSERT and COPY: the rows a file carries, up to a limit per table.

The values of an INSERT are walked by one regular expression and stop at the limit, so that a statement of many
megabytes costs no more than its first rows. Values stay raw here; `values.typed` reads them by the column's kind.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from sqale_assets.relational.folding.draft import Draft, DraftTable
from sqale_assets.relational.statements import Statement
from sqale_assets.relational.tokens import Unreadable, clean_name
from sqale_assets.relational.values import UNKNOWN, evaluate, lexer, unquoted

_NAME = r'(?:`[^`]+`|"[^"]+"|\[[^\]]+\]|[\w$#@{}:&]+)'
_TARGET = rf"(?P<name>{_NAME}(?:\s*\.+\s*{_NAME})*)\s*(?:\((?P<columns>(?!\s*SELECT\b)[^()]*)\))?"
_GAP = r"(?:\s|/\*.*?\*/|--[^\n]*\n)"
_INSERT = re.compile(
    rf"(?:INSERT|REPLACE){_GAP}+(?:(?:LOW_PRIORITY|HIGH_PRIORITY|DELAYED|IGNORE|OR\s+\w+){_GAP}+)*(?:INTO\b{_GAP}*)?"
    rf"{_TARGET}{_GAP}*(?:OVERRIDING\s+\w+\s+VALUE\s+)?\(?\s*(?P<form>VALUES?|SELECT|SET|DEFAULT\s+VALUES)?\b",
    re.IGNORECASE | re.DOTALL,
)
_INSERT_ALL = re.compile(r"INSERT\s+(?:ALL|FIRST)\b", re.IGNORECASE)
_INTO = re.compile(rf"\bINTO\s+{_TARGET}\s*VALUES\b", re.IGNORECASE)
_COPY = re.compile(rf"COPY\s+(?:ONLY\s+)?{_TARGET}\s*FROM\s+stdin\s*(?P<options>[^;]*)", re.IGNORECASE)
_PART = re.compile(_NAME)
_SELECT_END = re.compile(r"FROM|WHERE|GROUP|ORDER|LIMIT|HAVING|JOIN", re.IGNORECASE)

Values = list[object]


def fold_insert(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Keep the rows of an INSERT or REPLACE whose table is known; False where it has none to keep.

    Raises:
        Unreadable: the table is not in the file, or its head cannot be understood.
    """
    text = statement.text
    if _INSERT_ALL.match(text):
        kept = False
        for match in _INTO.finditer(text):
            table = _table(match["name"], draft)
            kept |= table is not None and _keep(table, match["columns"], _tuples(text, match.end(), dialect), draft)
        return kept
    match = _INSERT.match(text)
    if match is None:
        raise Unreadable("an INSERT of unknown form")
    table = _table(match["name"], draft)
    if table is None:
        return False
    form = (match["form"] or "").upper()
    if form in ("VALUES", "VALUE"):
        rows = _tuples(text, match.end(), dialect)
    elif form == "SELECT":
        rows = _selected(text, match.end(), dialect)
    elif form == "SET":
        return _keep_assignments(table, text, match.end(), dialect, draft)
    else:
        return False
    return _keep(table, match["columns"], rows, draft)


def fold_copy(statement: Statement, draft: Draft, dialect: str | None) -> bool:
    """Keep the lines of a COPY block.

    Raises:
        Unreadable: the table is not in the file.
    """
    match = _COPY.match(statement.text)
    if match is None or statement.data is None:
        return False
    table = _table(match["name"], draft)
    if table is None:
        return False
    options = match["options"].upper()
    if "CSV" in options:
        lines = csv.reader(io.StringIO(statement.data))
        rows: Iterator[Values] = ([value if value != "" else None for value in line] for line in lines)
    else:
        rows = (_copied(line) for line in _lines(statement.data))
    return _keep(table, match["columns"], rows, draft)


def _table(name: str, draft: Draft) -> DraftTable | None:
    """The table of that name; None where it was left out on purpose.

    Raises:
        Unreadable: no such table is in the file.
    """
    parts = [clean_name(unquoted(part)) for part in _PART.findall(name)]
    table = draft.find(parts[-2] if len(parts) > 1 else None, parts[-1])
    known = parts[-1].lower() in draft.left_out or parts[-1].lower() in draft.views
    if table is None and not known and not parts[-1].lower().startswith("sqlite_"):
        raise Unreadable(f"rows for {parts[-1]}, which is not a table of the file")
    return table


def _keep(table: DraftTable, columns: str | None, rows: Iterator[Values], draft: Draft) -> bool:
    written = tuple(column.name for column in table.columns.values() if not column.computed)
    counted = tuple(column.name for column in table.columns.values() if not (column.computed or column.autoincrement))
    if columns is not None and columns.strip():
        written = counted = tuple(clean_name(unquoted(name)) for name in _PART.findall(columns))
    kept = False
    while len(table.rows) < draft.rows_per_table:
        row = next(rows, None)
        if row is None:
            break
        # Without a list of columns, T-SQL leaves out those that it counts itself.
        names = written if len(row) == len(written) else counted
        if len(row) != len(names) or all(value is UNKNOWN for value in row):
            continue
        table.rows.append((names, row))
        kept = True
    return kept or len(table.rows) >= draft.rows_per_table


def _tuples(text: str, position: int, dialect: str | None) -> Iterator[Values]:
    """The parenthesised rows from `position` on, as long as commas join them."""
    tokens = lexer(dialect).finditer(text, position)
    for token in tokens:
        if token.lastgroup == "open":
            yield list(_values(tokens))
        elif token.lastgroup in ("comma", "blank") or (token.lastgroup == "word" and token[0].upper() == "ROW"):
            continue
        else:
            return


def _values(tokens: Iterator[re.Match[str]]) -> Iterator[object]:
    """The values up to the parenthesis that closes the row."""
    depth = 0
    parts: list[re.Match[str]] = []
    for token in tokens:
        kind = token.lastgroup
        if kind == "blank":
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            if depth == 0:
                if parts:
                    yield evaluate(parts)
                return
            depth -= 1
        elif kind == "comma" and depth == 0:
            yield evaluate(parts)
            parts = []
            continue
        parts.append(token)


def _selected(text: str, position: int, dialect: str | None) -> Iterator[Values]:
    """The rows of `SELECT 1, 'a' FROM dual UNION ALL SELECT ...`; a SELECT from real tables has none."""
    row: Values = []
    parts: list[re.Match[str]] = []
    depth = 0
    aliased = False
    #: What follows the values; only DUAL is no real table.
    words: list[str] = []

    def finished() -> Values | None:
        constant = not words or words == ["FROM", "DUAL"]
        return [*row, evaluate(parts)] if constant and parts else None

    for token in lexer(dialect).finditer(text, position):
        kind, word = token.lastgroup, token[0].upper()
        if kind == "blank":
            continue
        depth += (kind == "open") - (kind == "close")
        if kind == "word" and depth <= 0 and word in ("UNION", "ALL", "SELECT"):
            if word == "SELECT":
                if (values := finished()) is not None:
                    yield values
                row, parts, words, depth, aliased = [], [], [], 0, False
            continue
        if words or (kind == "word" and depth <= 0 and _SELECT_END.fullmatch(word)):
            words.append(word)
        elif kind == "comma" and depth == 0:
            row.append(evaluate(parts))
            parts, aliased = [], False
        elif kind == "word" and word == "AS" and depth == 0:
            aliased = True
        elif not aliased:
            parts.append(token)
    if (values := finished()) is not None:
        yield values


def _keep_assignments(table: DraftTable, text: str, position: int, dialect: str | None, draft: Draft) -> bool:
    """MySQL's `INSERT INTO t SET a = 1, b = 'x'`."""
    names, row = [], []
    for match in re.finditer(rf"({_NAME})\s*=\s*", text[position:]):
        parts = []
        for token in lexer(dialect).finditer(text, position + match.end()):
            if token.lastgroup == "comma":
                break
            if token.lastgroup != "blank":
                parts.append(token)
        names.append(match[1])
        row.append(evaluate(parts))
    return bool(names) and _keep(table, ",".join(names), iter([row]), draft)


_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _lines(data: str) -> Iterator[str]:
    start = 0
    while start < len(data):
        end = data.find("\n", start)
        end = len(data) if end < 0 else end
        yield data[start:end]
        start = end + 1


def _copied(line: str) -> Values:
    r"""A line of COPY's text format: tabs between values, `\N` for NULL, backslash escapes."""
    return [None if value == r"\N" else _unescape(value) for value in line.split("\t")]


def _unescape(value: str) -> str:
    if "\\" not in value:
        return value

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 8))
        if match[2]:
            return chr(int(match[2], 16))
        return _ESCAPED.get(match[3], match[3])

    return _ESCAPE.sub(character, value)
