"""Which dialect SQL text is written in, by the words that give it away.

A file's dialect is guessed from its whole text, a statement's from its own, so that a file may mix.
"""

from __future__ import annotations

import re

#: Cue and weight by sqlglot dialect name. Weight 3 is all but proof, 1 a habit that others share; 60 decides.
_CUES: dict[str, tuple[tuple[str, int], ...]] = {
    "mysql": (
        (r"`[^`\n]+`", 3),
        (r"\bENGINE\s*=\s*\w+", 3),
        (r"\bAUTO_INCREMENT\b", 3),
        (r"/\*!\d{5}", 3),
        (r"^\s*DELIMITER\s", 3),
        (r"\b(un)?lock\s+tables\b", 3),
        (r"\b(medium|long)(text|blob|int)\b|\btinyint\(\d+\)|\bint\(\d+\)", 2),
        (r"\bunsigned\b", 2),
        (r"\bCOMMENT\s+'", 2),
        (r"\bCHARACTER\s+SET\s+\w+|\bCHARSET\b", 1),
    ),
    "postgres": (
        (r"^COPY\s.*\bFROM\s+stdin", 3),
        (r"\bOWNER\s+TO\b", 3),
        (r"'::\w+|\bnextval\s*\(", 3),
        (r"\bALTER\s+TABLE\s+ONLY\b", 3),
        (r"\$\w*\$", 2),
        (r"\b(big|small)?serial\b", 2),
        (r"\bcharacter\s+varying\b|\bwith(out)?\s+time\s+zone\b", 2),
        (r"\b(bytea|jsonb|timestamptz|int4|int8|citext|tsvector|inet)\b|\w\[\]", 2),
        (r"\bCREATE\s+EXTENSION\b|\bSET\s+search_path\b|\bplpgsql\b", 3),
        (r"\bCREATE\s+TYPE\s+\S+\s+AS\s+ENUM\b", 3),
    ),
    "tsql": (
        (r"^\s*GO\s*;?\s*$", 3),
        (r"\[\w+\]\.\[\w+\]|\]\s+\[(int|nvarchar|varchar|bit|datetime|char)\]", 3),
        (r"\[\w+\]", 1),
        (r"\bIDENTITY\s*\(\s*\d+\s*,", 3),
        (r"\bIDENTITY\b", 1),
        (r"\bN'", 1),
        (r"\b(uniqueidentifier|datetime2|smalldatetime|nvarchar\s*\(\s*max\s*\)|rowversion|hierarchyid)\b", 3),
        (r"\b(NON)?CLUSTERED\b|\bSET\s+(ANSI_NULLS|QUOTED_IDENTIFIER|NOCOUNT)\b", 3),
        (r"\bsp_\w+|\bgetdate\s*\(\s*\)|\bTEXTIMAGE_ON\b|\bOBJECT_ID\s*\(", 3),
        (r"\bnvarchar\b|\bmoney\b", 1),
    ),
    "oracle": (
        (r"\bN?VARCHAR2\b", 3),
        (r"\bNUMBER\s*\(", 2),
        (r"\bNUMBER\b", 1),
        (r"^\s*(rem|prompt)\b", 2),
        (r"^/\s*$", 2),
        (r"\bSYSDATE\b|\bTO_DATE\s*\(|\bSYSTIMESTAMP\b|\bFROM\s+dual\b", 2),
        (r"\bTABLESPACE\b|\bPCTFREE\b|\bNOCACHE\b|\bUSING\s+INDEX\b", 2),
        (r"\(\d+\s+(CHAR|BYTE)\)", 3),
    ),
    "sqlite": (
        (r"\bAUTOINCREMENT\b", 3),
        (r"^\s*PRAGMA\s+\w+", 60),
        (r"\bWITHOUT\s+ROWID\b|\bsqlite_\w+", 3),
        (r"^\s*BEGIN\s+TRANSACTION\s*;", 2),
        (r"[\]\"]\s+(INTEGER|TEXT|REAL|BLOB|NUMERIC)\b|\bINTEGER\s+(NOT\s+NULL\s+)?PRIMARY\s+KEY\b", 2),
        (r"\b(DROP\s+TABLE\s+IF\s+EXISTS\s+\[)|\[\w+\]", 1),
    ),
}

_COMPILED = {
    dialect: tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), weight) for pattern, weight in cues)
    for dialect, cues in _CUES.items()
}

#: Enough of a file to tell; the rest of a long dump is rows.
_SAMPLE = 40_000
_MOST = 20


def detect(text: str) -> str | None:
    """The sqlglot dialect name of a file, or None where nothing tells."""
    scores = _scores(text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + text[-_SAMPLE:])
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] else None


def of_statement(text: str, file_dialect: str | None) -> str | None:
    """The dialect of one statement of a file: the file's own unless the statement proves another."""
    if file_dialect is None:  # no cue in all of the file
        return None
    if ("`" in text and file_dialect not in ("mysql", "sqlite")) or _FOREIGN.search(text):
        scores = _scores(text)
        best = max(scores, key=scores.__getitem__)
        if scores[best] >= 3 and not scores[file_dialect]:
            return best
    return file_dialect


# Spellings that only one dialect has: worth a closer look at the statement.
_FOREIGN = re.compile(
    r"\[\w+\]\.\[|\bIDENTITY\(|\bAUTO_INCREMENT\b|\bAUTOINCREMENT\b|\bVARCHAR2\b|ENGINE=", re.IGNORECASE
)


def _scores(text: str) -> dict[str, int]:
    """Weighted cues, each counted a bounded number of times, so that one habit does not outvote the proofs."""
    return {
        dialect: sum(weight * min(_MOST, _count(pattern, text)) for pattern, weight in cues)
        for dialect, cues in _COMPILED.items()
    }


def _count(pattern: re.Pattern[str], text: str) -> int:
    count = 0
    for count, _ in zip(range(1, _MOST + 1), pattern.finditer(text), strict=False):  # noqa: B007
        pass
    return count
