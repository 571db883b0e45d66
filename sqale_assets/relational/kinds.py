"""What a statement is, by its first words: "create_table", "alter_table", "insert", "set", ..."""

from __future__ import annotations

import re

_WORD = re.compile(r"--[^\n]*|/\*.*?\*/|([A-Za-z_]\w*)|[`\"\[\]'@=.(#]", re.DOTALL)

_OBJECTS = frozenset(
    {
        "TABLE", "INDEX", "VIEW", "SEQUENCE", "TYPE", "DOMAIN", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE",
        "EVENT", "SCHEMA", "DATABASE", "USER", "ROLE", "EXTENSION", "RULE", "SYNONYM", "CAST", "OPERATOR", "AGGREGATE",
        "LANGUAGE", "LOGIN", "POLICY", "TABLESPACE", "SERVER", "COLLATION", "STATISTICS", "LIBRARY", "DIRECTORY",
    }
)  # fmt: skip

_ROUTINES = frozenset(
    {"create_procedure", "create_proc", "create_function", "create_trigger", "create_package", "create_event"}
)


def kind_of(text: str) -> str:
    """The kind of a statement in lower case, "unknown" where it does not start with a word."""
    first = next((match[1].upper() for match in _WORD.finditer(text) if match[1]), None)
    if first is None:
        return "unknown"
    if first in ("INSERT", "REPLACE"):
        return "insert"
    if first in ("EXEC", "EXECUTE") or first.startswith("SP_"):
        return "exec"
    if first not in ("CREATE", "ALTER", "DROP", "COMMENT"):
        return first.lower()
    words = _words(text)
    if first in ("CREATE", "ALTER", "DROP"):
        # DEFINER = x SQL SECURITY y may stand before the object.
        thing = next((word for word in words[1:] if word in _OBJECTS), None)
        if thing is None:
            return first.lower()
        if first == "CREATE" and thing == "INDEX" and "UNIQUE" in words[: words.index("INDEX")]:
            return "create_unique_index"
        if first == "CREATE" and thing == "TYPE" and "BODY" in words[:5]:
            return "create_package"
        return f"{first}_{thing}".lower()
    return "comment_on" if words[1:2] == ["ON"] else "comment"


def is_routine(text: str, dialect: str | None) -> bool:
    """Whether the statement that starts `text` has a body of statements of its own."""
    kind = kind_of(text)
    if kind in _ROUTINES:
        return dialect != "postgres" or ("$" not in text and re.search(r"\bBEGIN\s+ATOMIC\b", text, re.I) is not None)
    if dialect == "oracle" and kind in ("begin", "declare"):
        return re.match(r"BEGIN\s*(;|TRAN|WORK|$)", text.lstrip(), re.IGNORECASE) is None
    return False


def _words(text: str, most: int = 14) -> list[str]:
    words: list[str] = []
    for match in _WORD.finditer(text[:600]):
        word = match[1]
        if word is None:
            if match[0] == "(" or (match[0] in '`"[' and words and words[-1] in _OBJECTS):
                break
            continue
        words.append(word.upper())
        if len(words) == most:
            break
    return words
