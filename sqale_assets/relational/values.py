"""Values in INSERT statements: from SQL text to Python, and from there to what a column of a kind holds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from sqale_assets.relational.model import Kind, Value

#: A value that only a running database knows: a function call, a subquery, a variable.
UNKNOWN = object()
#: The time at which a row was inserted. The file does not tell it, so it is the same for all: `LOADED_AT`.
CLOCK = object()
LOADED_AT = "2020-01-01 00:00:00"

_CLOCK_WORDS = """
    NOW GETDATE GETUTCDATE SYSDATE SYSTIMESTAMP SYSDATETIME SYSUTCDATETIME CURRENT_TIMESTAMP CURRENT_DATE
    CURRENT_TIME CURDATE CURTIME LOCALTIMESTAMP LOCALTIME UTC_TIMESTAMP TRANSACTION_TIMESTAMP
"""
_CLOCKS = frozenset(_CLOCK_WORDS.split())

Token = re.Match[str]

_ESCAPE = re.compile(r"\\(.)|(['\"])\2", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "Z": "", "%": r"\%", "_": r"\_", "0": ""}


@lru_cache
def lexer(dialect: str | None) -> re.Pattern[str]:
    """The tokens of a list of values under the dialect's rules; every character belongs to one of them."""
    backslash = r"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'"
    prefix = r"(?:[nN]|_utf8(?:mb\d)?\s*|_binary\s*|_latin1\s*)?"
    if dialect == "mysql":
        double = backslash.replace("'", '"')
        strings = rf"(?P<escaped>{prefix}(?:{backslash}|{double}))"
    elif dialect in ("postgres", None):
        strings = rf"(?P<escaped>[eE]{backslash})|(?P<string>[nN]?'[^']*(?:''[^']*)*'|\$\$.*?\$\$)"
    else:
        strings = rf"(?P<string>{prefix}'[^']*(?:''[^']*)*')"
    return re.compile(
        rf"""(?P<hex>0x[0-9a-fA-F]*|[xX]'[0-9a-fA-F\s]*')(?![\w'])|(?P<bits>[bB]'[01]*')|{strings}
        |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
        |(?P<word>[^\W\d][\w$.@]*|@[\w$.@]*)|(?P<open>\()|(?P<close>\))|(?P<comma>,)
        |(?P<blank>\s+|--[^\n]*|/\*.*?\*/)|(?P<other>::|\|\||.)""",
        re.VERBOSE | re.DOTALL,
    )


def unquoted(name: str) -> str:
    """An identifier without its quotes of any dialect."""
    if len(name) > 1 and name[0] in '`"[':
        closing = "]" if name[0] == "[" else name[0]
        return name[1:-1].replace(closing * 2, closing)
    return name


def evaluate(parts: Sequence[Token]) -> object:
    """The Python value of the tokens of one SQL value: str, int, float, bool, bytes, None or UNKNOWN."""
    if len(parts) == 1:
        return _single(parts[0])
    return _expression(parts) if parts else UNKNOWN


def _single(token: Token) -> object:
    kind, text = token.lastgroup, token[0]
    if kind == "string":
        if text.startswith("$$"):
            return text[2:-2]
        return text[text.index("'") + 1 : -1].replace("''", "'")
    if kind == "escaped":
        body = text[re.search(r"['\"]", text).end() : -1]  # type: ignore[union-attr]
        return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]) if match[1] else match[2], body)
    if kind == "number":
        return _number(text)
    if kind == "word":
        word = text.upper()
        return CLOCK if word in _CLOCKS else {"NULL": None, "TRUE": True, "FALSE": False}.get(word, UNKNOWN)
    if kind == "hex":
        digits = re.sub(r"[^0-9a-fA-F]", "", text[2:])
        return bytes.fromhex(digits if len(digits) % 2 == 0 else "0" + digits)
    if kind == "bits":
        return int(text[2:-1] or "0", 2)
    return UNKNOWN


def _number(text: str) -> int | float:
    return int(text) if len(text) < 400 and text.lstrip("+-").isdigit() else float(text)


def _expression(parts: Sequence[Token]) -> object:
    """What can be known of an expression without a database: casts, date literals, concatenation."""
    first, last = parts[0], parts[-1]
    for index, part in enumerate(parts):
        if part[0] == "::" and _depth(parts[:index]) == 0:
            return evaluate(parts[:index])
    if first.lastgroup == "open" and last.lastgroup == "close" and _encloses(parts):
        inside = parts[1:-1]
        # A value wrapped deeper than people write is no value.
        return UNKNOWN if inside and inside[0].lastgroup == "open" and len(parts) > _LONGEST else evaluate(inside)
    if first[0] in "+-" and len(parts) == 2:
        value = evaluate(parts[1:])
        negative = first[0] == "-" and isinstance(value, int | float)
        return -value if negative else value  # type: ignore[operator]
    word = first[0].upper()
    if first.lastgroup == "word" and parts[1].lastgroup == "open" and last.lastgroup == "close":
        return _call(word, parts[2:-1])
    if word in ("DATE", "TIMESTAMP", "TIME", "DATETIME") and len(parts) == 2:
        return _single(parts[1])
    if len(parts) > 2 and parts[1][0].upper() == "COLLATE":
        return _single(first)
    operands = _split(parts, ("||", "+"))
    if len(operands) == 1:
        return UNKNOWN
    joined = [evaluate(operand) for operand in operands]
    return "".join(map(str, joined)) if all(isinstance(part, str) for part in joined) else UNKNOWN


_LONGEST = 400


def _encloses(parts: Sequence[Token]) -> bool:
    """Whether the first parenthesis is the one that the last closes."""
    depth = 0
    for part in parts[:-1]:
        depth += (part.lastgroup == "open") - (part.lastgroup == "close")
        if depth == 0:
            return False
    return True


def _depth(parts: Sequence[Token]) -> int:
    return sum((part.lastgroup == "open") - (part.lastgroup == "close") for part in parts)


def _split(parts: Sequence[Token], marks: tuple[str, ...]) -> list[Sequence[Token]]:
    """The tokens between `marks` outside parentheses."""
    pieces: list[Sequence[Token]] = []
    depth = begin = 0
    for index, part in enumerate(parts):
        depth += (part.lastgroup == "open") - (part.lastgroup == "close")
        if depth == 0 and part[0].upper() in marks and part.lastgroup not in ("string", "escaped"):
            pieces.append(parts[begin:index])
            begin = index + 1
    pieces.append(parts[begin:])
    return pieces


def _call(function: str, inside: Sequence[Token]) -> object:
    if function in _CLOCKS:
        return CLOCK
    if function in ("CAST", "TRY_CAST"):
        value, *rest = _split(inside, ("AS",))
        known = evaluate(value)
        return _tsql_datetime(known) if isinstance(known, bytes) and rest and "DATE" in rest[0][0][0].upper() else known
    arguments = [evaluate(argument) for argument in _split(inside, (",", "USING"))]
    if function in ("TO_DATE", "TO_TIMESTAMP", "STR_TO_DATE") and len(arguments) == 2:
        text, pattern = arguments
        return _dated(text, pattern) if isinstance(text, str) and isinstance(pattern, str) else UNKNOWN
    if function in ("CONVERT", "TO_DATE", "TO_TIMESTAMP", "DATE", "TIMESTAMP", "JSON", "TO_CLOB", "TO_NUMBER", "LOWER"):
        return next((value for value in arguments if value is not UNKNOWN), UNKNOWN)
    if function == "CONCAT" and all(isinstance(value, str) for value in arguments):
        return "".join(map(str, arguments))
    if function in ("EMPTY_BLOB", "UNHEX", "HEXTORAW", "FROM_BASE64"):
        return b""
    return UNKNOWN


def _tsql_datetime(value: bytes) -> object:
    """SQL Server scripts datetimes as bytes: days since 1900 and 1/300 seconds."""
    if len(value) != 8:
        return UNKNOWN
    days, ticks = int.from_bytes(value[:4], "big", signed=True), int.from_bytes(value[4:], "big")
    try:
        moment = datetime(1900, 1, 1) + timedelta(days=days, seconds=ticks // 300)
    except OverflowError:
        return UNKNOWN
    return moment.isoformat(sep=" ")


_ORACLE_FORMAT = (
    ("YYYY", "%Y"), ("RRRR", "%Y"), ("YY", "%y"), ("RR", "%y"), ("MONTH", "%B"), ("MON", "%b"), ("MM", "%m"),
    ("DDD", "%j"), ("DD", "%d"), ("HH24", "%H"), ("HH12", "%I"), ("HH", "%I"), ("MI", "%M"), ("SS", "%S"),
    ("FF", "%f"), ("AM", "%p"), ("PM", "%p"), ("FM", ""),
)  # fmt: skip
_ORACLE_WORD = re.compile("|".join(name for name, _ in _ORACLE_FORMAT))


def _dated(text: str, pattern: str) -> object:
    """A date under a format of Oracle's or MySQL's, in ISO form; the text itself where the format does not fit."""
    if "%" in pattern:
        python = pattern.replace("%i", "%M").replace("%s", "%S").replace("%c", "%m").replace("%e", "%d")
    else:
        names = dict(_ORACLE_FORMAT)
        python = _ORACLE_WORD.sub(lambda match: names[match[0]], pattern.upper())
        python = re.sub(r"%f\d", "%f", python)
    try:
        moment = datetime.strptime(text.strip(), python)
    except ValueError:
        return text
    timed = any(mark in python for mark in ("%H", "%I"))
    return moment.isoformat(sep=" ", timespec="seconds") if timed else moment.date().isoformat()


# --- by kind --------------------------------------------------------------------------------------

_WIDEST = 2**63
_TRUE = frozenset({"1", "t", "true", "y", "yes", "on"})
_FALSE = frozenset({"0", "f", "false", "n", "no", "off", "", "\0"})
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}:\d{2}.*))?$")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?: +(\d{1,2}:\d{2}.*))?$")
#: Other spellings in dumps, unambiguous ones first; slashes are read as T-SQL's default does: month first.
_DATES = ("%d-%b-%Y", "%d-%b-%y", "%d-%B-%Y", "%b %d %Y", "%m/%d/%Y", "%m/%d/%y", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y")


def typed(value: object, kind: Kind) -> Value:
    """The value as a column of that kind holds it; None where it cannot (binary data, unknown, out of range)."""
    if value is CLOCK:
        return {"date": LOADED_AT[:10], "time": LOADED_AT[11:], "datetime": LOADED_AT, "text": LOADED_AT}.get(kind)
    if value is None or value is UNKNOWN or kind == "binary":
        return None
    if isinstance(value, bytes):
        if kind in ("integer", "boolean"):
            return int.from_bytes(value, "big") if len(value) <= 7 else None
        return value.hex() if kind in ("text", "uuid") else None
    if kind == "integer":
        return _integer(value)
    if kind in ("decimal", "real"):
        return _float(value)
    if kind == "boolean":
        text = str(value).strip().lower()
        return 1 if text in _TRUE else 0 if text in _FALSE else _integer(value)
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if kind in ("date", "datetime"):
        return _moment(text, kind)
    return text


def _integer(value: object) -> Value:
    number = _float(value)
    if number is None or not number.is_integer():
        return number
    exact = int(value) if isinstance(value, int | str) and str(value).strip().lstrip("+-").isdigit() else int(number)
    return exact if -_WIDEST <= exact < _WIDEST else float(exact)


def _float(value: object) -> float | None:
    try:
        number = float(str(value).replace(",", "").lstrip("$€£ ") if isinstance(value, str) else value)  # type: ignore[arg-type]
    except (ValueError, OverflowError, TypeError):
        return None
    return number if math.isfinite(number) else None


def _moment(text: str, kind: Kind) -> Value:
    """ISO text; None for MySQL's zero dates, the text itself where no spelling fits."""
    text = text.strip()
    match = _ISO.match(text) or _COMPACT.match(text)
    if match is not None:
        year, month, day, time = match.groups()
        if int(month) == 0 or int(day) == 0:
            return None
        date = f"{year}-{int(month):02}-{int(day):02}"
        return date if kind == "date" or time is None else f"{date} {time}"
    if text.startswith("0000"):
        return None
    for pattern in _DATES:
        words = text.split(" ")
        for length in {len(words), len(pattern.split(" "))}:
            try:
                moment = datetime.strptime(" ".join(words[:length]).title(), pattern)
            except ValueError:
                continue
            time = " ".join(words[length:])
            date = moment.date().isoformat()
            return f"{date} {time}" if time and kind == "datetime" else date
    return text or None
