"""Declared types: from any dialect's spelling, or a SchemaPile AST name, to what a column holds.

`column_type` is the one door. The type name it gives is close to the source's, and always one whose SQLite
affinity suits the values: SQLite would make integers of `POINT` and `INTERVAL`, and numbers of `STRING`.
Reading the given name again gives the same answer, so a schema survives being written and read back.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqale_assets.relational.model import Affinity, Column, Kind, Model


class ColumnType(Model):
    """What a declared type means; the fields carry over to `Column`. `length` is in characters or bytes."""

    declared_type: str
    kind: Kind
    affinity: Affinity
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    enum: tuple[str, ...] = ()
    autoincrement: bool = False


def counted_column(column: Column) -> Column:
    """Oracle's bare NUMBER as a key, which in practice counts."""
    if column.declared_type.upper() == "NUMBER" and column.kind == "decimal":
        return column.model_copy(update={"kind": "integer", "declared_type": "INTEGER", "affinity": "INTEGER"})
    return column


#: The name used where a source's own name would have an affinity that does not suit the kind.
PLAIN_NAMES: dict[Kind, str] = {
    "integer": "INTEGER",
    "decimal": "NUMERIC",
    "real": "REAL",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "enum": "TEXT",
    "date": "DATE",
    "time": "TIME",
    "datetime": "DATETIME",
    "json": "JSON",
    "uuid": "UUID",
    "binary": "BLOB",
}

_SUITABLE: dict[Kind, tuple[Affinity, ...]] = {
    "integer": ("INTEGER", "NUMERIC"),
    "decimal": ("NUMERIC",),
    "real": ("REAL",),
    "boolean": ("INTEGER", "NUMERIC"),
    "text": ("TEXT",),
    "enum": ("TEXT",),
    "date": ("NUMERIC", "TEXT"),
    "time": ("NUMERIC", "TEXT"),
    "datetime": ("NUMERIC", "TEXT"),
    "json": ("NUMERIC", "TEXT"),
    "uuid": ("NUMERIC", "TEXT"),
    "binary": ("BLOB",),
}

# Names by kind, spelled without blanks (as the lookup does); a name after a colon replaces the source's.
_NAMES: dict[Kind, str] = {
    "integer": """int integer tinyint smallint mediumint bigint int1:tinyint int2 int3:mediumint int4 int8
        middleint:mediumint longint:bigint long_integer:bigint int16:smallint int32:int int64:bigint uint8:tinyint
        uint16:smallint uint32:int uint64:bigint hugeint:bigint year oid:bigint pls_integer:integer signed:integer
        binary_integer:integer simple_integer:integer""",
    "decimal": """decimal dec:decimal numeric number fixed:decimal money smallmoney currency:money decimal128:decimal
        bigdecimal:decimal bignumeric:numeric""",
    "real": """real float double doubleprecision float4:float float8:double float32:float float64:double
        binary_float:float binary_double:double""",
    "boolean": "boolean bool logical:boolean yesno:boolean",
    "text": """char character:char nchar nationalcharacter:nchar nationalchar:nchar varchar varchar2 nvarchar nvarchar2
        charactervarying:varchar charvarying:varchar nationalcharactervarying:nvarchar nationalvarchar:nvarchar
        ncharvarying:nvarchar bpchar:char varcharacter:varchar text tinytext mediumtext longtext ntext clob nclob
        characterlargeobject:clob charlargeobject:clob dbclob:clob citext string:text long:text longvarchar:text
        memo:text xml:text xmltype:text sysname:nvarchar(128) name:text set:text interval:text inet:text cidr:text
        macaddr:text macaddr8:text tsvector:text tsquery:text ltree:text hierarchyid:text sql_variant:text hstore:text
        regclass:text geometry:text geography:text point:text linestring:text polygon:text multipoint:text
        multilinestring:text multipolygon:text geometrycollection:text line:text lseg:text box:text path:text
        circle:text sdo_geometry:text int4range:text int8range:text numrange:text tsrange:text tstzrange:text
        daterange:text bitvarying:text varbit:text vector:text rowid:text urowid:text array:text pg_lsn:text
        txid_snapshot:text any:text""",
    "date": "date date32:date smalldate:date",
    "time": "time timetz:time timewithtimezone:time timewithouttimezone:time",
    "datetime": """datetime timestamp datetime2 smalldatetime datetimeoffset timestamptz datetime64:datetime
        timestampwithtimezone:timestamptz timestampwithouttimezone:timestamp timestampwithlocaltimezone:timestamptz
        timestamp_ntz:timestamp timestamp_ltz:timestamptz timestamp_tz:timestamptz timestampntz:timestamp""",
    "json": "json jsonb",
    "uuid": "uuid uniqueidentifier guid:uuid",
    "binary": """blob tinyblob mediumblob longblob bytea:blob binary:blob varbinary:blob binaryvarying:blob raw:blob
        longraw:blob image:blob bfile:blob rowversion:blob binarylargeobject:blob bytes:blob longvarbinary:blob""",
}

_SERIAL = {
    "serial": "INTEGER",
    "serial4": "INTEGER",
    "bigserial": "BIGINT",
    "serial8": "BIGINT",
    "smallserial": "SMALLINT",
    "serial2": "SMALLINT",
    "autonumber": "INTEGER",
    "counter": "INTEGER",
    "identity": "INTEGER",
}


def _table() -> dict[str, tuple[Kind, str]]:
    table: dict[str, tuple[Kind, str]] = {}
    for kind, names in _NAMES.items():
        for entry in names.split():
            name, _, replacement = entry.partition(":")
            table[name] = (kind, (replacement or name).upper())
    table["doubleprecision"] = ("real", "DOUBLE PRECISION")
    return table


_TYPES = _table()

# Words inside the name of a user's own type (a domain, an alias type) that give its meaning away; first match wins.
_HINTS: tuple[tuple[str, Kind], ...] = (
    (r"time_?stamp|date_?time", "datetime"),
    (r"uuid|guid", "uuid"),
    (r"json", "json"),
    (r"char|text|string|str\b|clob|label|name|title|descr|code|mail|phone|url|path", "text"),
    (r"bool|flag", "boolean"),
    (r"money|amount|price|decimal|numeric|number|currency|percent", "decimal"),
    (r"float|double|real\b", "real"),
    (r"blob|binary|bytes", "binary"),
    (r"int\b|integer|int\d|serial|count\b|(^|_)id$|ident", "integer"),
    (r"date", "date"),
    (r"(^|_)time", "time"),
)

_DECLARED = re.compile(r"\s*(?P<name>[^()\[\]]*)(?:\((?P<arguments>.*?)\)(?P<rest>[^()]*))?(?P<array>.*)", re.DOTALL)
_BRACKETED = re.compile(r"\[(\w*[A-Za-z_]\w*)\]")  # T-SQL's [int], not PostgreSQL's int[] or int[3]
_TEXT_BLOB = re.compile(r"\bsub_type\s+(text|1)\b")  # Firebird's text, binary elsewhere in name only
_CAMEL = re.compile(r"(?:[A-Z][a-z0-9]+){2,}")
_NOISE = re.compile(
    r"\b(unsigned|signed|zerofill|binary|ascii|unicode|(character\s+set|charset|collate|sub_type)\s+\S+)", re.IGNORECASE
)
_LITERAL = re.compile(r"N?'((?:[^'\\]|''|\\.)*)'|\"((?:[^\"\\]|\"\"|\\.)*)\"", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"-?\d+|max|\*", re.IGNORECASE)


def affinity(declared_type: str) -> Affinity:
    """The affinity that SQLite gives a declared type (sqlite.org/datatype3.html, section 3.1)."""
    name = declared_type.upper()
    if "INT" in name:
        return "INTEGER"
    if "CHAR" in name or "CLOB" in name or "TEXT" in name:
        return "TEXT"
    if "BLOB" in name or not name.strip():
        return "BLOB"
    if "REAL" in name or "FLOA" in name or "DOUB" in name:
        return "REAL"
    return "NUMERIC"


@lru_cache(maxsize=8192)
def column_type(declared: str) -> ColumnType:
    """Read a declared type: `int(11) unsigned`, `NVARCHAR(MAX)`, `enum('a','b')`, `UnsignedBigInt`, `text[]`.

    Never fails: a name that no dialect knows is a user's own type, understood by the words in it, else text.
    An empty declaration (SQLite allows it) is text as well.
    """
    match = _DECLARED.match(_BRACKETED.sub(r"\1", declared))
    assert match is not None  # every part of the pattern is optional
    name, arguments = match["name"], match["arguments"] or ""
    rest = match["rest"] or ""
    if "[" in match["array"] or re.search(r"\barray\b|<", f"{name} {rest}", re.IGNORECASE):
        return _typed("text", "TEXT")
    if _CAMEL.fullmatch(name.strip()):
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = f"{name} {rest}".strip().strip('"`[]').lower()
    unsigned = "unsigned" in words
    key = "text" if _TEXT_BLOB.search(words) else _key(words)

    if key in _SERIAL:
        return _typed("integer", _SERIAL[key]).model_copy(update={"autoincrement": True})
    if key == "enum":
        return _enum(arguments)
    if key in ("bit", "tinyint"):
        return _small(key, _NUMBER.findall(arguments), unsigned)
    if key not in _TYPES:
        key = _leading_type(words)
    if key not in _TYPES:
        return _own_type(words)
    kind, spelling = _TYPES[key]
    return _sized(kind, spelling, _NUMBER.findall(arguments), unsigned)


def _leading_type(words: str) -> str:
    """The name before words that say nothing of it: INTERVAL DAY TO SECOND, INT SPARSE; "" where there is none."""
    parts = words.split()
    keys = (_key(" ".join(parts[:count])) for count in range(len(parts) - 1, 0, -1))
    return next((key for key in keys if key in _TYPES), "")


def is_known_type(name: str) -> bool:
    """Whether a bare word is the name of a type in some dialect."""
    return name.lower() in _TYPES or name.lower() in _SERIAL or name.lower() in ("enum", "bit")


def _key(words: str) -> str:
    """The lookup name: without blanks, schema qualifier, and words that do not change what is stored."""
    bare = _NOISE.sub(" ", words)
    joined = "".join((bare if bare.strip() else words).split()).replace('"', "").replace("[", "").replace("]", "")
    last = joined.rsplit(".", 1)[-1]
    return last.removeprefix("unsigned") or last


def _typed(kind: Kind, spelling: str) -> ColumnType:
    """The type under that spelling, or under the kind's plain name where SQLite would mistake the spelling."""
    if affinity(spelling) not in _SUITABLE[kind]:
        spelling = PLAIN_NAMES[kind]
    return ColumnType(declared_type=spelling, kind=kind, affinity=affinity(spelling))


def _sized(kind: Kind, spelling: str, sizes: list[str], unsigned: bool) -> ColumnType:
    if spelling.endswith(")"):  # an alias with its size, as T-SQL's sysname
        return column_type(spelling)
    numbers = [int(size) for size in sizes if size.lstrip("-").isdigit()]
    typed = _typed(kind, spelling)
    if kind == "text" and "CHAR" in spelling:
        if not numbers:
            return _typed("text", "TEXT") if sizes else typed  # varchar(max)
        return typed.model_copy(update={"declared_type": f"{spelling}({numbers[0]})", "length": numbers[0]})
    if kind == "decimal" and (numbers or "*" in sizes):
        return _decimal(spelling, sizes, numbers)
    if kind == "real" and len(numbers) == 2:
        declared = f"{spelling}({numbers[0]},{numbers[1]})"
        return typed.model_copy(update={"declared_type": declared, "precision": numbers[0], "scale": numbers[1]})
    if kind == "integer" and unsigned and typed.affinity == "INTEGER":
        return typed.model_copy(update={"declared_type": f"{typed.declared_type} UNSIGNED"})
    return typed


def _decimal(spelling: str, sizes: list[str], numbers: list[int]) -> ColumnType:
    if sizes[0] == "*":  # Oracle's NUMBER(*,s)
        scale = numbers[0] if numbers else 0
        return _decimal(spelling, ["38", str(scale)], [38, scale])
    precision, scale = numbers[0], numbers[1] if len(numbers) > 1 else 0
    declared = f"{spelling}({precision},{scale})" if len(numbers) > 1 else f"{spelling}({precision})"
    kind: Kind = "decimal" if scale > 0 else "integer"
    return _typed(kind, declared).model_copy(update={"precision": precision, "scale": scale})


def _small(key: str, sizes: list[str], unsigned: bool) -> ColumnType:
    """`bit` and `tinyint(1)` are the booleans of T-SQL and MySQL; wider ones are numbers."""
    width = int(sizes[0]) if sizes and sizes[0].isdigit() else None
    if key == "bit":
        return _typed("boolean", "BIT") if width in (None, 1) else _typed("integer", f"BIT({width})")
    if width == 1:
        return _typed("boolean", "TINYINT(1)")
    return _typed("integer", "TINYINT UNSIGNED" if unsigned else "TINYINT")


def _enum(arguments: str) -> ColumnType:
    values = []
    for single, double in _LITERAL.findall(arguments):
        text = single.replace("''", "'") if single else double.replace('""', '"')
        values.append(re.sub(r"\\(.)", r"\1", text))
    enum = tuple(dict.fromkeys(values))
    return _typed("enum" if enum else "text", "TEXT").model_copy(update={"enum": enum})


def _own_type(words: str) -> ColumnType:
    name = "_".join(words.split())
    for pattern, kind in _HINTS:
        if re.search(pattern, name):
            return _typed(kind, PLAIN_NAMES[kind])
    # SQLite's own rule for names nobody knows, unless it says nothing.
    return _typed("integer", "INTEGER") if "int" in name else _typed("text", "TEXT")
