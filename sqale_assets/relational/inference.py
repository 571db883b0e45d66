"""Foreign keys that a source never declared, inferred from names, types, key uniqueness and values.

Many real schemas declare none: MyISAM ignored them, frameworks keep them in code. A column is taken to reference a
table's key when its name says so (`user_id` and `sys_user.user_id`, `home_city_id` and `city.id`, `parent_id` and the
table itself), the types go together, the key is unique, and the rows at hand do not speak against it. Every inferred
key carries its confidence: about the precision measured for its kind of evidence by hiding declared keys
(`benchmarks/foreign_key_inference.py`). Composite keys are not inferred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sqale_assets.relational.model import Column, ForeignKey, Row, Schema, Table, Value
from sqale_assets.relational.names import singular, words

#: Below so many declared keys per table, a schema is taken to have left keys undeclared.
FEW_KEYS = 0.25
#: Confidence below which a key is not worth having.
LEAST_CONFIDENCE = 0.7
#: From so many rows on, a table's rows are taken to be a part of them, as readers keep so many at most.
COMPLETE_BELOW = 200


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEY_WORDS = _words("id ids no num nr number code cd key fk ref uuid guid oid pk sn")
_GENERIC = _KEY_WORDS | _words("name type status value title date rowid email")
_AFFIXES = _words("tbl tb tab t tr table mst ref dim fact cfg sys app dbo data info master")
_PARENT_WORDS = _words("parent pid superior predecessor ancestor previous")
_SUPERIORS = _words("manager supervisor mother father referrer mentor")
_PEOPLE = _words("user account employee staff person member customer student worker lecturer teacher")


class _Target(NamedTuple):
    """A key that could be referenced: one unique column of a table, with the table's name in words."""

    table: Table
    column: Column
    stem: tuple[str, ...]
    primary: bool


class _Candidate(NamedTuple):
    confidence: float
    target: _Target


def needs_inference(schema: Schema) -> bool:
    """Whether the schema declares so few keys that others are likely to be missing."""
    return schema.foreign_key_count < FEW_KEYS * len(schema.tables)


def with_inferred_keys(schema: Schema, rows: Mapping[str, tuple[Row, ...]]) -> Schema:
    """The schema with inferred keys added, where it needs them; else as it is."""
    if not needs_inference(schema):
        return schema
    found = infer_foreign_keys(schema, rows)
    tables = (
        table.model_copy(update={"foreign_keys": (*table.foreign_keys, *found.get(table.name, ()))})
        for table in schema.tables
    )
    return schema.model_copy(update={"tables": tuple(tables)})


def infer_foreign_keys(schema: Schema, rows: Mapping[str, tuple[Row, ...]]) -> dict[str, tuple[ForeignKey, ...]]:
    """Inferred keys by table name, for columns that have no declared one. `rows` are in column order."""
    targets = [target for table in schema.tables for target in _targets(table)]
    names = Counter(_plain(target.column.name) for target in targets)
    found: dict[str, tuple[ForeignKey, ...]] = {}
    for table in schema.tables:
        declared = {name.lower() for key in table.foreign_keys for name in key.columns}
        keys = []
        for position, column in enumerate(table.columns):
            if column.name.lower() in declared:
                continue
            candidates = [
                _Candidate(confidence, target)
                for target in targets
                if _types_agree(column, target.column)
                and (confidence := _confidence(table, column, target, names[_plain(target.column.name)] == 1))
            ]
            values = _values(rows.get(table.name, ()), position)
            best = _best(candidates, values, rows)
            if best is not None and best.confidence >= LEAST_CONFIDENCE:
                keys.append(_key(column, best))
        if keys:
            found[table.name] = tuple(keys)
    return found


def _key(column: Column, candidate: _Candidate) -> ForeignKey:
    return ForeignKey(
        columns=(column.name,),
        target_table=candidate.target.table.name,
        target_columns=(candidate.target.column.name,),
        origin="inferred",
        confidence=candidate.confidence,
    )


def _targets(table: Table) -> Iterator[_Target]:
    """The table's one-column keys; without any, an `id` that a careless schema did not declare as its key."""
    stem = _table_stem(table.name)
    names = [key[0] for key in (table.primary_key, *table.unique) if len(key) == 1]
    if not names and not table.primary_key:
        names = [c.name for c in table.columns[:1] if c.name.lower() == "id" or _stem(c.name) == stem]
    for name in dict.fromkeys(names):
        column = table.column(name)
        if column is not None:
            yield _Target(table, column, stem, primary=name == names[0])


@lru_cache(maxsize=65536)
def _table_stem(name: str) -> tuple[str, ...]:
    parts = tuple(singular(word) for word in words(name) if not word.isdigit())
    kept = tuple(word for word in parts if word not in _AFFIXES)
    return kept or parts


@lru_cache(maxsize=65536)
def _stem(name: str) -> tuple[str, ...]:
    """The words of a column without those that only say that it is a key: `fk_user_id` and `UserId` give user."""
    parts = [singular(word) for word in words(name) if not word.isdigit()]
    if len(parts) == 1 and len(parts[0]) > 4:  # userid, iduser
        word = parts[0]
        parts = [word[:-2]] if word.endswith("id") else [word[2:]] if word.startswith("id") else parts
    while len(parts) > 1 and parts[-1] in _KEY_WORDS:
        parts.pop()
    while len(parts) > 1 and parts[0] in _KEY_WORDS:
        parts.pop(0)
    return tuple(parts)


def _says_key(name: str) -> bool:
    """Whether the column's name itself says that it is a key."""
    parts = words(name)
    if len(parts) == 1:
        return len(parts[0]) > 4 and parts[0].endswith("id")
    return bool(parts) and (parts[-1] in _KEY_WORDS or parts[0] in ("id", "fk", "kode", "cod"))


def _confidence(table: Table, column: Column, target: _Target, alone: bool) -> float:
    """What the names say, 0 for nothing. `alone`: no other table has a key of the target column's name."""
    stem, says_key = _stem(column.name), _says_key(column.name)
    name, target_name = _plain(column.name), _plain(target.column.name)
    own_key = tuple(key.lower() for key in table.primary_key) == (column.name.lower(),)
    if not stem or _KEY_WORDS.issuperset(stem):
        return 0.0
    if table.name == target.table.name:
        return 0.0 if own_key or name == target_name else _self_reference(column, target, stem, says_key)
    same_name = name == target_name and name not in _GENERIC
    if not target.primary and not same_name and name != "".join(target.stem) + target_name:
        return 0.0
    named_after = stem == target.stem
    if own_key:  # a part of the other table's entity, kept apart
        return 0.95 if named_after and _table_stem(table.name) != stem else 0.0
    if (named_after and (says_key or same_name)) or (same_name and _ends(target.stem, stem)):
        return 0.95
    if says_key and (_ends(target.stem, stem) or _ends(stem, target.stem)):
        return 0.9
    if same_name and alone and (says_key or name.startswith("".join(target.stem))):
        return 0.85
    if named_after and column.kind == target.column.kind and column.length == target.column.length:
        return 0.75 if column.kind == "integer" or column.length else 0.0
    return 0.0


def _self_reference(column: Column, target: _Target, stem: tuple[str, ...], says_key: bool) -> float:
    parts = words(column.name)
    if says_key and not _PARENT_WORDS.isdisjoint(stem) and len(stem) <= 3:
        return 0.85
    person = not _PEOPLE.isdisjoint(target.stem[-1:])
    if person and ((says_key and _SUPERIORS.issuperset(stem[-1:])) or parts[:2] == ("reports", "to")):
        return 0.85
    return 0.75 if len(parts) > 1 and parts[-1] == "of" and column.kind == target.column.kind else 0.0


def _ends(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    return 0 < len(shorter) < len(longer) and longer[-len(shorter) :] == shorter


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _types_agree(column: Column, target: Column) -> bool:
    if column.kind == target.kind:
        return True
    numbers, texts = ("integer", "decimal"), ("text", "uuid", "enum")
    return any(column.kind in group and target.kind in group for group in (numbers, texts))


def _values(rows: tuple[Row, ...], position: int) -> set[Value]:
    """The values of a column; 0 and the empty string stand for none where no key is declared."""
    return {row[position] for row in rows if row[position] not in (None, 0, "", "0")}


def _best(candidates: list[_Candidate], values: set[Value], rows: Mapping[str, tuple[Row, ...]]) -> _Candidate | None:
    """The likeliest target. Values that a target's rows hold speak for it, values that they lack against."""
    weighed = [_Candidate(_weigh(candidate, values, rows), candidate.target) for candidate in candidates]
    weighed.sort(key=lambda candidate: (-candidate.confidence, len(candidate.target.stem), candidate.target.table.name))
    return weighed[0] if weighed else None


def _weigh(candidate: _Candidate, values: set[Value], rows: Mapping[str, tuple[Row, ...]]) -> float:
    table, column = candidate.target.table, candidate.target.column
    position = next(index for index, other in enumerate(table.columns) if other.name == column.name)
    known = _values(rows.get(table.name, ()), position)
    if not values or not known:
        return candidate.confidence
    held = len(values & known) / len(values)
    if held < 1 and len(rows[table.name]) >= COMPLETE_BELOW:
        return candidate.confidence
    if held == 1:
        return candidate.confidence + (1 - candidate.confidence) / 2
    return candidate.confidence * (0.5 + 0.5 * held)
