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


class _Child(NamedTuple):
    """A column that may hold a key. `stem` is its name without what only says so, `table_stem` its table's name."""

    table: Table
    column: Column
    stem: tuple[str, ...]
    table_stem: tuple[str, ...]
    says_key: bool
    own_key: bool


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
    stems = _table_stems(schema)
    targets = [target for table in schema.tables for target in _targets(table, stems[table.name])]
    names = Counter(_plain(target.column.name) for target in targets)
    found: dict[str, tuple[ForeignKey, ...]] = {}
    for table in schema.tables:
        declared = {name.lower() for key in table.foreign_keys for name in key.columns}
        keys = []
        for position, column in enumerate(table.columns):
            if column.name.lower() in declared:
                continue
            child = _child(table, column, stems[table.name])
            candidates = [
                _Candidate(confidence, target)
                for target in targets
                if _types_agree(column, target.column)
                and (confidence := _confidence(child, target, names[_plain(target.column.name)] == 1))
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


def _targets(table: Table, stem: tuple[str, ...]) -> Iterator[_Target]:
    """The table's one-column keys; without any, an `id` that a careless schema did not declare as its key."""
    names = [key[0] for key in (table.primary_key, *table.unique) if len(key) == 1]
    if not names and not table.primary_key:
        names = [c.name for c in table.columns[:1] if c.name.lower() == "id" or _stem(c.name) == stem]
    for name in dict.fromkeys(names):
        column = table.column(name)
        if column is not None:
            yield _Target(table, column, stem, primary=name == names[0])


def _table_stems(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Each table's name in words, without affixes and the words that most tables begin with: `t_ds_user` gives user."""
    stems = {}
    for table in schema.tables:
        parts = tuple(singular(word) for word in words(table.name) if not word.isdigit())
        stems[table.name] = tuple(word for word in parts if word not in _AFFIXES) or parts
    while len(stems) >= 3:
        first, count = Counter(stem[0] for stem in stems.values() if stem).most_common(1)[0]
        if count <= len(stems) / 2:
            break
        shorter = {name: stem[1:] if stem[:1] == (first,) and len(stem) > 1 else stem for name, stem in stems.items()}
        if shorter == stems:
            break
        stems = shorter
    return stems


@lru_cache(maxsize=65536)
def _stem(name: str) -> tuple[str, ...]:
    """The words of a column without those that only say that it is a key: `fk_user_id` and `UserId` give user."""
    parts = [singular(word) for word in words(name) if not word.isdigit()]
    if len(parts) == 1 and len(parts[0]) > 4:  # userid, iduser
        word = parts[0]
        parts = [word[:-2]] if word.endswith("id") else [word[2:]] if word.startswith("id") else parts
    if "id" in parts[1:-1]:  # user_id_from: a role after the key
        parts = parts[: parts.index("id", 1)]
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
    return bool(parts) and (parts[-1] in _KEY_WORDS or parts[0] in ("id", "fk", "kode", "cod") or "id" in parts)


def _child(table: Table, column: Column, table_stem: tuple[str, ...]) -> _Child:
    own_key = tuple(key.lower() for key in table.primary_key) == (column.name.lower(),)
    return _Child(table, column, _stem(column.name), table_stem, _says_key(column.name), own_key)


def _confidence(child: _Child, target: _Target, alone: bool) -> float:
    """What the names say, 0 for nothing. `alone`: no other table has a key of the target column's name."""
    column, stem = child.column, child.stem
    name, target_name = _plain(column.name), _plain(target.column.name)
    if not stem or _KEY_WORDS.issuperset(stem):
        return 0.0
    if child.table.name == target.table.name:
        return 0.0 if child.own_key or name == target_name else _self_reference(child, target)
    same_name = name == target_name and name not in _GENERIC
    if not target.primary and not same_name and name != "".join(target.stem) + target_name:
        return 0.0
    named_after = stem == target.stem
    if child.own_key:  # a part of the other table's entity, kept apart
        return 0.95 if named_after and child.table_stem != stem else 0.0
    if (named_after and (child.says_key or same_name)) or (same_name and _ends(target.stem, stem)):
        return 0.95
    if child.says_key and (_ends(target.stem, stem) or _ends(stem, target.stem)):
        return 0.9
    if same_name and alone and (child.says_key or name.startswith("".join(target.stem))):
        return 0.85
    if child.says_key and _abbreviates(stem, target.stem):
        return 0.8
    if named_after and column.kind == target.column.kind and column.length == target.column.length:
        return 0.75 if column.kind == "integer" or column.length else 0.0
    return 0.0


def _self_reference(child: _Child, target: _Target) -> float:
    parts = words(child.column.name)
    if child.says_key and not _PARENT_WORDS.isdisjoint(child.stem) and len(child.stem) <= 3:
        return 0.85
    person = not _PEOPLE.isdisjoint(target.stem[-1:])
    if person and ((child.says_key and _SUPERIORS.issuperset(child.stem[-1:])) or parts[:2] == ("reports", "to")):
        return 0.85
    return 0.75 if len(parts) > 1 and parts[-1] == "of" and child.column.kind == target.column.kind else 0.0


def _abbreviates(stem: tuple[str, ...], target: tuple[str, ...]) -> bool:
    """`emp` abbreviates employee, and `dept` department."""
    if len(stem) != 1 or len(target) != 1 or len(stem[0]) < 3:
        return False
    short, long = stem[0], iter(target[0])
    return target[0].startswith(short) or (
        len(short) > 3 and target[0].startswith(short[:2]) and all(letter in long for letter in short)
    )


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
