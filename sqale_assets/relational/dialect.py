"""Which dialect SQL text is written in, by the words that give it away.

A file's dialect is guessed from its whole text; a statement that proves another one is read as that, so a file may mix.
"""

from __future__ import annotations

import re

#: Cues (in lower case) and weights by sqlglot dialect name. Weight 3 is all but proof, 1 a habit that others share;
#: 1000 decides. A pattern that starts with plain letters is found many times faster than one that starts with `\b`.
_CUES: dict[str, tuple[tuple[str, int], ...]] = {
    "mysql": (
        (r"`[^`\n]+`", 3),
        (r"engine\s*=\s*\w", 3),
        (r"auto_increment\b", 3),
        (r"/\*!\d{5}", 3),
        (r"^delimiter\s", 3),
        (r"lock\s+tables\b", 3),
        (r"mediumtext|longtext|mediumblob|longblob|mediumint|tinyint\(\d+\)", 2),
        (r"\bint\(\d+\)", 2),
        (r"unsigned\b", 2),
        (r"comment\s+'", 2),
        (r"charset\b|character\s+set\s+\w", 1),
    ),
    "postgres": (
        (r"^copy\s.*\sfrom\s+stdin", 3),
        (r"owner\s+to\b", 3),
        (r"'::\w", 3),
        (r"nextval\s*\(", 3),
        (r"alter\s+table\s+only\b", 3),
        (r"\$\w*\$", 2),
        (r"serial\b", 2),
        (r"character\s+varying\b", 2),
        (r"with(?:out)?\s+time\s+zone\b", 2),
        (r"bytea\b|jsonb\b|timestamptz\b|citext\b|tsvector\b", 2),
        (r"int4\b|int8\b|\w\[\]", 2),
        (r"create\s+extension\b|search_path\b|plpgsql\b", 3),
        (r"as\s+enum\b", 3),
    ),
    "tsql": (
        (r"^go\s*;?[ \t]*$", 3),
        (r"\]\.\[\w", 3),
        (r"\]\s+\[(?:int|nvarchar|varchar|bit|datetime|char)\]", 3),
        (r"\[\w+\]", 1),
        (r"identity\s*\(\s*\d+\s*,", 3),
        (r"[\s(,=]n'", 1),
        (r"uniqueidentifier|datetime2|smalldatetime|rowversion\b|hierarchyid\b", 3),
        (r"nvarchar\s*\(\s*max\s*\)", 3),
        (r"clustered\b", 3),
        (r"ansi_nulls|quoted_identifier|set\s+nocount", 3),
        (r"getdate\s*\(\s*\)|textimage_on\b|object_id\s*\(|sp_addextendedproperty", 3),
        (r"nvarchar\b|money\b", 1),
    ),
    "oracle": (
        (r"varchar2\b", 3),
        (r"number\s*\(", 2),
        (r"\bnumber\b", 1),
        (r"^(?:rem|prompt)\s", 2),
        (r"^/[ \t]*$", 2),
        (r"sysdate\b|systimestamp\b|to_date\s*\(|from\s+dual\b", 2),
        (r"tablespace\b|pctfree\b|nocache\b|using\s+index\b", 2),
        (r"\(\d+\s+(?:char|byte)\)", 3),
    ),
    "sqlite": (
        (r"autoincrement\b", 3),
        (r"^pragma\s+\w", 1000),
        (r"without\s+rowid\b|sqlite_\w", 3),
        (r"^begin\s+transaction\s*;", 2),
        (r"[\]\"]\s+(?:integer|text|real|blob|numeric)\b", 2),
        (r"integer\s+(?:not\s+null\s+)?primary\s+key\b", 2),
        (r"drop\s+table\s+if\s+exists\s+\[", 1),
        (r"\[\w+\]", 1),
    ),
}

_COMPILED = {
    dialect: tuple((re.compile(pattern, re.MULTILINE), weight) for pattern, weight in cues)
    for dialect, cues in _CUES.items()
}

#: Enough of a file to tell, from its start and its end; the middle of a long dump is rows.
_SAMPLE = 40_000
#: A cue counts so many times at most, lest one habit outvote the proofs.
_MOST = 20

_PROOF = re.compile(
    r"(?P<mysql>\bAUTO_INCREMENT\b|\bENGINE\s*=|`[^`\n]+`)|(?P<oracle>\bN?VARCHAR2\b)|(?P<sqlite>\bAUTOINCREMENT\b)"
    r"|(?P<tsql>\]\.\[|\bIDENTITY\s*\(\s*\d+\s*,)",
    re.IGNORECASE,
)


def detect(text: str) -> str | None:
    """The sqlglot dialect name of a file, or None where nothing tells."""
    sample = (text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + text[-_SAMPLE:]).lower()
    sample = re.sub(r"^[ \t]+", "", sample, flags=re.MULTILINE)
    scores = {
        dialect: sum(weight * _count(pattern, sample) for pattern, weight in cues)
        for dialect, cues in _COMPILED.items()
    }
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] else None


def of_statement(text: str, file_dialect: str | None) -> str | None:
    """The dialect of one statement of a file: the file's own unless the statement proves another."""
    if file_dialect in (None, "sqlite"):  # no cue in all of the file; SQLite takes every quote and type name
        return file_dialect
    found = {match.lastgroup for match in _PROOF.finditer(text)}
    if not found or file_dialect in found:
        return file_dialect
    return next(dialect for dialect in _CUES if dialect in found)


def _count(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.finditer(text)
    return sum(1 for _ in zip(range(_MOST), found, strict=False))
