"""What the splitter must know of a dialect's lexical rules: strings, comments, and where a line starts a statement."""

from __future__ import annotations

import re
from functools import lru_cache

#: A string in which a backslash escapes, and one in which only a doubled quote does (as two strings in a row).
ESCAPED = r"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'"
PLAIN = r"'[^']*'"
_DOUBLE_ESCAPED = ESCAPED.replace("'", '"')

#: Oracle's q'[it's]' with each of its bracket pairs, or any one character around.
_ORACLE_QUOTE = r"\b[nN]?[qQ]'(?:\[.*?\]'|\(.*?\)'|\{.*?\}'|<.*?>'|(?P<mark>[^\s\w\[({<]).*?(?P=mark)')"

_HEADS = r"""
    CREATE\s+(?!INDEX\b|UNIQUE\b)\w | CREATE\s+(?:UNIQUE\s+|CLUSTERED\s+|NONCLUSTERED\s+|BITMAP\s+)*INDEX\b
    | ALTER\s+TABLE\b | DROP\s+(?:TABLE|VIEW|INDEX)\b | COMMENT\s+ON\s+(?:TABLE|COLUMN)\b
    | (?:INSERT|REPLACE)\s+INTO\b | EXEC(?:UTE)?\s+\[?(?:sys\W+|dbo\W+)?sp_
    | COPY\s+[\w."]+\s*(?:\([^)]*\)\s*)?FROM\s+stdin
"""
#: T-SQL's INSERT needs no INTO; elsewhere a line may well start with INSERT in the midst of a statement.
_TSQL_HEADS = r"""
    | INSERT\s+[\[\w] | GRANT\s | PRINT\b | USE\s | SET\s+\w+\s+(?:ON|OFF)\b | IF\s+(?:NOT\s+)?(?:EXISTS|OBJECT_ID)
"""
#: Lines that are for the client program (SQL*Plus, psql, sqlite3, sqlcmd), not the server.
_CLIENT_LINES = {
    "oracle": r"""(?:rem(?:ark)?|prompt|set|spool|define|undefine|column|whenever|conn(?:ect)?|show|accept|pause|exit
        |quit|host|clear|ttitle|btitle|var(?:iable)?|start|@@?)(?![\w(])""",
    "sqlite": r"\.\w+",
    "tsql": r":\w+",
    "postgres": r"\\\w+",
}
_BACKSLASHES_ON = re.compile(r"standard_conforming_strings\s*(?:=|to)\s*'?off", re.IGNORECASE)


def splitting_rules(text: str, dialect: str | None) -> re.Pattern[str]:
    """The pattern whose matches matter to the splitter in this text; its groups name what was found."""
    escaping = dialect == "mysql" or (dialect == "postgres" and _BACKSLASHES_ON.search(text) is not None)
    return _rules(dialect, escaping)


@lru_cache
def _rules(dialect: str | None, escaping: bool) -> re.Pattern[str]:
    quoted = [ESCAPED if escaping else PLAIN, _DOUBLE_ESCAPED if dialect == "mysql" else r'"[^"]*"']
    if dialect in ("mysql", "sqlite", None):
        quoted.append(r"`[^`]*`")
    if dialect in ("tsql", "sqlite"):
        quoted.append(r"\[[^\]\n]*\]")
    if dialect == "oracle":
        quoted.insert(0, _ORACLE_QUOTE)
    if dialect == "postgres":
        quoted.insert(0, r"\b[eE]" + ESCAPED)
    comment = r"--[^\n]*|/\*.*?(?:\*/|\Z)" + (r"|\#[^\n]*" if dialect == "mysql" else "")
    client = _CLIENT_LINES.get(dialect or "", r"[.\\]\w+")
    heads = _HEADS + (_TSQL_HEADS if dialect in ("tsql", None) else "")
    return re.compile(
        rf"""(?P<comment>{comment}) | (?P<quoted>{"|".join(quoted)}) | (?P<dollar>\$\w*\$)
        | (?P<open>\() | (?P<close>\)) | (?P<end>;)
        | ^[ \t]*(?: (?P<batch>(?:GO(?:[ \t]+\d+)?|/)[ \t]*;?[ \t]*$)
          | (?P<delimiter>(?:DELIMITER|SET[ \t]+TERM)[ \t]+\S+) | (?P<client>{client}) | (?P<head>{heads}) )""",
        re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE,
    )


_VERSIONED = re.compile(
    rf"(?P<enter>/\*M?!\d*)|(?P<leave>\*/)|--[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z)|{ESCAPED}|{_DOUBLE_ESCAPED}|`[^`]*`",
    re.DOTALL,
)


def open_version_comments(text: str) -> tuple[str, frozenset[int]]:
    """MySQL's version comments opened: `/*!50100 PARTITION ... */` runs on every server of today.

    Returns the text with blanks in place of the marks, so that offsets stay, and the offsets just behind them.
    """
    starts: set[int] = set()
    inside = False

    def blank(match: re.Match[str]) -> str:
        nonlocal inside
        if match["enter"]:
            inside = True
            starts.add(match.end())
        elif match["leave"] and inside:
            inside = False
        else:
            return match[0]
        return " " * len(match[0])

    return _VERSIONED.sub(blank, text), frozenset(starts)
