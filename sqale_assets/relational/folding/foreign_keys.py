"""Foreign keys of a draft: targets found, default columns filled in, parents given the key that SQLite wants."""

from __future__ import annotations

from sqale_assets.relational.fidelity import Loss
from sqale_assets.relational.folding.draft import Draft, DraftKey, DraftTable
from sqale_assets.relational.model import ForeignKey, Table
from sqale_assets.relational.tokens import Unreadable
from sqale_assets.relational.types import counted_column


def resolve_keys(draft: Draft, tables: dict[int, Table], names: dict[int, str]) -> None:
    """Give every table the keys that hold; their parents get the UNIQUE that SQLite wants, where it is true."""
    for source in draft.tables:
        keys: list[ForeignKey] = []
        for key in source.foreign_keys:
            try:
                keys.append(_resolved(key, source, draft, tables, names))
            except Unreadable as error:
                what = f"{source.name} ({', '.join(key.columns)}) REFERENCES {key.target}"
                draft.losses.append(Loss(line=key.line, statement=what[:120], reason=str(error)))
        table = tables[id(source)]
        counted = {name for key in keys for name in key.columns}
        columns = tuple(counted_column(column) if column.name in counted else column for column in table.columns)
        tables[id(source)] = table.model_copy(update={"foreign_keys": tuple(keys), "columns": columns})


def _resolved(
    key: DraftKey, source: DraftTable, draft: Draft, tables: dict[int, Table], names: dict[int, str]
) -> ForeignKey:
    target = draft.find(key.qualifier or source.qualifier, key.target)
    if target is None:
        raise Unreadable("a foreign key to a table that is not in the file")
    child, parent = tables[id(source)], tables[id(target)]
    target_columns = tuple(key.target_columns) or parent.primary_key
    if len(target_columns) != len(key.columns) or not target_columns:
        raise Unreadable("a foreign key whose columns do not match its target's")
    near = [child.column(name) for name in key.columns]
    far = [parent.column(name) for name in target_columns]
    if None in near or None in far:
        raise Unreadable("a foreign key over an unknown column")
    spelled = tuple(column.name for column in far if column is not None)
    if not _is_key(parent, spelled):
        if _repeat(target, parent, spelled):
            raise Unreadable("a foreign key to columns that repeat, which SQLite cannot enforce")
        tables[id(target)] = parent.model_copy(update={"unique": (*parent.unique, spelled)})
        if not _contains_key(parent, spelled):
            reason = f"UNIQUE ({', '.join(spelled)}) added to {parent.name}, as the foreign key implies"
            draft.notes.append(Loss(line=key.line, statement=f"{source.name} REFERENCES {parent.name}", reason=reason))
    return ForeignKey(
        columns=tuple(column.name for column in near if column is not None),
        target_table=names[id(target)],
        target_columns=spelled,
        name=key.name,
        on_delete=key.on_delete,
        on_update=key.on_update,
    )


def _keys(table: Table) -> list[set[str]]:
    return [{name.lower() for name in names} for names in (table.primary_key, *table.unique) if names]


def _is_key(table: Table, columns: tuple[str, ...]) -> bool:
    return {name.lower() for name in columns} in _keys(table)


def _repeat(source: DraftTable, table: Table, columns: tuple[str, ...]) -> bool:
    """Whether there is evidence that the columns repeat, so that UNIQUE over them would be untrue.

    A foreign key says that they identify a row: every database but MySQL and SQLite refuses it otherwise. Those two
    take it at DDL time, so look at what else the file says: a wider key that needs the other columns too, or rows.
    """
    wanted = {name.lower() for name in columns}
    if any(wanted < key for key in _keys(table)):
        return True
    seen = set()
    for names, values in source.rows:
        row = dict(zip((name.lower() for name in names), values, strict=True))
        value = tuple(row.get(name) for name in sorted(wanted))
        if None not in value and value in seen:
            return True
        seen.add(value)
    return False


def _contains_key(table: Table, columns: tuple[str, ...]) -> bool:
    wanted = {name.lower() for name in columns}
    return any(key <= wanted for key in _keys(table))
