"""What the model is asked for each table: the prompt's variables, and the reading of its answer."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from pydantic import BaseModel

from sqale_assets.llm.task import Task
from sqale_assets.relational.model import Column, ForeignKey, Row, Schema, Table, Value
from sqale_assets.stages.populating.links import is_self, lowered
from sqale_assets.stages.populating.rules import ColumnRule, TableRules
from sqale_assets.stages.sandbox.runner import ENTRY
from sqale_assets.stages.sandbox.syntax import parse

SAMPLE_ROWS = 4
SAMPLE_PARENTS = 6
_LONGEST_VALUE = 90
#: An unindented line that begins an import, a constant or a definition, and no call.
_DEFINES = re.compile(r"(?:(?:import|from|def|class) |@|\w+ = )[^;]*$")
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<body>.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


class GeneratorSource(BaseModel):
    """The answer: Python source that defines the function."""

    source: str

    @classmethod
    def parse_text(cls, text: str) -> Self:
        """The fenced block that defines the function, or the text itself. Raises ValueError when there is none."""
        blocks = [match["body"] for match in _FENCE.finditer(text)] or [text]
        for block in blocks:
            if re.search(rf"^def {ENTRY}\(", block, re.MULTILINE):
                return cls(source=_without_calls(block.strip("\n")) + "\n")
        raise ValueError(
            "The reply does not define the function. Answer with one ```python block that holds "
            f"`def {ENTRY}(rng, n, parents):`."
        )


def _without_calls(source: str) -> str:
    """`source` cut before what follows its definitions: models like to add an example call, which is not wanted."""
    tree = None if _only_definitions(source) else parse(source)
    if tree is None:
        return source
    at = next(i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef) and node.name == ENTRY)
    last = max([at, *(i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef | ast.ClassDef))])
    kept = [node for i, node in enumerate(tree.body) if i <= last and not isinstance(node, ast.Expr | ast.If)]
    if len(kept) == len(tree.body):
        return source
    lines = source.splitlines()
    for node in reversed(tree.body):
        if node not in kept:
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "\n".join(lines).rstrip()


def _only_definitions(source: str) -> bool:
    """Whether one sees without a syntax tree, which takes a millisecond, that nothing follows the definitions."""
    outer = [line for line in source.splitlines() if line[:1] not in ("", " ", "\t", "#", ")", "]", "}")]
    return outer[-1].startswith(("def ", "class ")) and all(map(_DEFINES.match, outer))


class FillTable(Task[GeneratorSource]):
    """Asks for the function of one table. Every field is text or a number, shown as it is."""

    prompt: ClassVar[str] = "fill_table"
    answer: ClassVar[type[BaseModel]] = GeneratorSource

    domain: str
    table: str
    role: str
    ddl: str
    columns: str
    rows: str
    parents: str
    language: str
    count: int


def fill_table(
    table: Table,
    schema: Schema,
    rules: TableRules,
    *,
    ddl: str,
    domain: str,
    role: str,
    language: str,
    count: int,
    originals: Sequence[Row],
    parents: dict[str, list[Any]],
    later: Sequence[ForeignKey],
) -> FillTable:
    """The task for `table`. `later` lists keys that are closed afterwards, `parents` the candidates per key."""
    left_out = {
        name for key in table.foreign_keys if is_self(table, key) or key in later for name in lowered(key.columns)
    }
    left_out -= {name for text in parents for name in lowered(text.split(", "))} | set(lowered(table.primary_key))
    return FillTable(
        domain=domain,
        table=table.name,
        role=role,
        ddl=ddl,
        columns="\n".join(_column_line(table, column, rules, originals, parents, left_out) for column in table.columns),
        rows="\n".join(json.dumps(_shown(table, row), ensure_ascii=False) for row in _sampled(originals)),
        parents="\n".join(_parent_line(name, values) for name, values in parents.items()),
        language=language,
        count=count,
    )


def _column_line(
    table: Table,
    column: Column,
    rules: TableRules,
    originals: Sequence[Row],
    parents: dict[str, list[Any]],
    left_out: set[str],
) -> str:
    """`name | kind | notes`: what holds for the column after keys and checks were understood."""
    name = column.name.lower()
    rule = rules.columns[name]
    notes = []
    linked = next((text for text in parents if name in lowered(text.split(", "))), None)
    if lowered(table.primary_key) == (name,):
        notes.append("primary key")
        if (column.kind == "integer" or (column.kind == "decimal" and not column.scale)) and linked is None:
            notes.append(f"numbered upwards from {next_number(table, column, originals)}")
    elif name in lowered(table.primary_key):
        notes.append("part of the primary key")
    if (name,) in {lowered(names) for names in table.unique}:
        notes.append("unique")
    if linked is not None:
        place = "" if ", " not in linked else f", item {lowered(linked.split(', ')).index(name)} of the tuple"
        notes.append(f'foreign key: pick from parents["{linked}"]{place}')
        notes.append("may be None" if rule.nullable else "required")
    elif name in left_out:
        notes.append("leave None, it is filled in afterwards")
    elif not rule.nullable:
        notes.append("required")
    else:
        notes.append("may be None")
    if _is_long(column, table):
        notes.append("long text")
    notes += _limits(rule)
    if linked is None and name not in lowered(table.primary_key):
        notes += _seen([row[table.columns.index(column)] for row in originals])
    if column.comment:
        notes.append(f"comment: {' '.join(column.comment.split())[:80]}")
    return f"{column.name} | {column.kind} | {'; '.join(notes)}"


def _is_long(column: Column, table: Table) -> bool:
    """Whether the type is one for running text: TEXT says so only beside columns of a shorter type."""
    declared = column.declared_type.upper()
    if "CLOB" in declared or declared in ("LONGTEXT", "MEDIUMTEXT", "NTEXT"):
        return True
    return declared == "TEXT" and any("CHAR" in other.declared_type.upper() for other in table.columns)


def _limits(rule: ColumnRule) -> list[str]:
    notes = []
    if rule.allowed:
        notes.append("one of " + json.dumps(list(rule.allowed)[:40], ensure_ascii=False))
    if rule.globs:
        notes.append("matches " + " or ".join(f"GLOB '{pattern}'" for pattern in rule.globs[:6]))
    if rule.max_length is not None and rule.max_length < 1000:
        notes.append(f"at most {rule.max_length} characters")
    if rule.column.kind == "decimal":
        notes.append(f"{rule.column.scale if rule.column.scale is not None else 2} decimals")
    if rule.low is not None and rule.low > -100:
        notes.append(f"at least {rule.low:g}")
    if rule.high is not None and rule.high < 100_000_000:
        notes.append(f"at most {rule.high:.12g}")
    return notes


def _seen(values: Sequence[Value]) -> list[str]:
    """What the original rows hold: their vocabulary where values recur, else their range where they are numbers."""
    known = [value for value in values if value is not None]
    distinct = list(dict.fromkeys(known))
    if len(known) >= 4 and len(distinct) <= min(12, 0.6 * len(known)) and all(len(str(v)) <= 40 for v in distinct):
        ranked = sorted(distinct, key=lambda value: -known.count(value))
        return ["original values " + json.dumps(ranked, ensure_ascii=False)]
    if len(known) >= 2 and all(isinstance(value, int | float) for value in known):
        return [f"original range {json.dumps([min(known), max(known)])}"]  # type: ignore[type-var]
    return []


def next_number(table: Table, column: Column, originals: Sequence[Row]) -> int:
    """The number after the highest one that the original rows hold in `column`; 1 without any."""
    at = table.columns.index(column)
    return max((row[at] for row in originals if isinstance(row[at], int)), default=0) + 1


def _sampled(originals: Sequence[Row]) -> list[Row]:
    """A few rows from begin, middle and end."""
    if len(originals) <= SAMPLE_ROWS:
        return list(originals)
    step = (len(originals) - 1) / (SAMPLE_ROWS - 1)
    return [originals[round(at * step)] for at in range(SAMPLE_ROWS)]


def _shown(table: Table, row: Row) -> dict[str, Value]:
    return {column.name: _short(value) for column, value in zip(table.columns, row, strict=True)}


def _short(value: Value) -> Value:
    return value[: _LONGEST_VALUE - 1] + "…" if isinstance(value, str) and len(value) > _LONGEST_VALUE else value


def _parent_line(name: str, values: list[Any]) -> str:
    sample = json.dumps(list(dict.fromkeys(values))[:SAMPLE_PARENTS], ensure_ascii=False)
    return f'parents["{name}"]: a list of {"tuples" if ", " in name else "values"} such as {sample}'
