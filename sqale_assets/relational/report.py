"""The fidelity report for people: what was read from a file, what was lost and why, and the resulting DDL, coloured."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from sqale_assets.relational.fidelity import Loss, Reading
from sqale_assets.relational.reader import FOLDED_KINDS
from sqale_assets.relational.sqlite import create_statements


def fidelity_report(name: str, reading: Reading) -> RenderableType:
    """The report of one file: a summary, its statements by kind, every loss with its line, and the notes."""
    parts: list[RenderableType] = [_summary(name, reading), _kinds(reading)]
    fidelity = reading.fidelity
    if fidelity.losses:
        parts.append(_remarks(f"Lost ({len(fidelity.losses)})", fidelity.losses, "red"))
    else:
        parts.append(Text("Nothing lost.", style="green"))
    if fidelity.notes:
        parts.append(_remarks(f"Noted ({len(fidelity.notes)})", fidelity.notes, "yellow"))
    return Group(*parts)


def ddl(reading: Reading) -> RenderableType:
    """The schema as SQLite DDL, highlighted."""
    statements = create_statements(reading.schema).values()
    return Syntax(";\n\n".join(statements) + ";" if statements else "", "sql", background_color="default")


def _summary(name: str, reading: Reading) -> Table:
    fidelity, schema = reading.fidelity, reading.schema
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column()
    keys = sum(bool(table.primary_key) for table in schema.tables)
    unique = sum(len(table.unique) for table in schema.tables)
    checks = sum(len(table.checks) + sum(bool(c.enum) for c in table.columns) for table in schema.tables)
    comments = sum(bool(c.comment) for table in schema.tables for c in (table, *table.columns))
    rows = sum(map(len, reading.rows.values()))
    table.add_row("file", escape(name))
    table.add_row("read as", f"{fidelity.dialect or 'no dialect in particular'}, {fidelity.encoding or 'a record'}")
    table.add_row("statements", f"{fidelity.statements}: {fidelity.kept} kept, {fidelity.skipped} not")
    table.add_row("schema", f"{len(schema.tables)} tables, {schema.column_count} columns")
    table.add_row("", f"{keys} primary keys, {schema.foreign_key_count} foreign keys")
    table.add_row("", f"{unique} unique constraints, {checks} checks, {comments} comments")
    table.add_row("rows", f"{rows} in {len(reading.rows)} tables")
    if fidelity.gained_tables is not None:
        gained = f"{fidelity.gained_tables:+} tables, {fidelity.gained_foreign_keys:+} foreign keys"
        table.add_row("gained", f"{gained} over SchemaPile's record")
    return table


def _kinds(reading: Reading) -> Table:
    table = Table(title="Statements by kind", title_justify="left", box=None)
    table.add_column("kind")
    table.add_column("count", justify="right")
    table.add_column("")
    for kind, count in reading.fidelity.kinds.items():
        relevant = kind in FOLDED_KINDS
        table.add_row(kind, str(count), "" if relevant else "not relevant", style="" if relevant else "dim")
    return table


def _remarks(title: str, remarks: tuple[Loss, ...], style: str) -> Table:
    table = Table(title=title, title_justify="left", title_style=f"bold {style}", box=None)
    table.add_column("line", justify="right", style="cyan")
    table.add_column("reason", style=style)
    table.add_column("statement", style="dim", overflow="ellipsis", no_wrap=True)
    for remark in remarks:
        table.add_row(str(remark.line or ""), escape(remark.reason), escape(remark.statement))
    return table
