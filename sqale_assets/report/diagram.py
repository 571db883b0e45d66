"""A schema diagram: the relevant tables of a question as boxes, their foreign keys as lines, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sqale_assets.relational.model import Schema, Table

_WIDTH, _GAP_X, _GAP_Y, _LINE, _HEAD = 168, 56, 18, 15, 22
#: Columns shown per box: keys first, then as many as fit.
_COLUMNS = 6


def diagram(schema: Schema, relevant: Sequence[str], used: Sequence[str]) -> str:
    """Draw `relevant` tables; those that the gold query uses stand out. Tables lie in layers by their distance."""
    tables = [table for name in relevant if (table := schema.table(name))]
    in_use = {name.lower() for name in used}
    links = sorted(
        {
            (table.name.lower(), key.target_table.lower())
            for table in tables
            for key in table.foreign_keys
            if any(other.name.lower() == key.target_table.lower() for other in tables)
        }
    )
    places: dict[str, tuple[int, int, int]] = {}
    height = 0
    for column, layer in enumerate(_layers(tables, links, in_use)):
        y = 4
        for table in layer:
            box = _HEAD + _LINE * min(len(table.columns), _COLUMNS) + 8
            places[table.name.lower()] = (4 + column * (_WIDTH + _GAP_X), y, box)
            y += box + _GAP_Y
        height = max(height, y - _GAP_Y + 4)
    width = max((x for x, _, _ in places.values()), default=0) + _WIDTH + 4
    lines = "".join(_line(places[one], places[other], {one, other} <= in_use) for one, other in links if one != other)
    boxes = "".join(_box(table, places[table.name.lower()], table.name.lower() in in_use) for table in tables)
    return (
        f'<svg class="schema" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="Tables: {escape(", ".join(table.name for table in tables))}">{lines}{boxes}</svg>'
    )


def _layers(tables: Sequence[Table], links: Sequence[tuple[str, str]], first: set[str]) -> list[list[Table]]:
    """Tables by their distance from the first used one, at most six to a layer."""
    near: dict[str, set[str]] = {table.name.lower(): set() for table in tables}
    for one, other in links:
        near[one].add(other)
        near[other].add(one)
    waiting = sorted(tables, key=lambda table: (table.name.lower() not in first, -len(near[table.name.lower()])))
    layers: list[list[Table]] = []
    placed: set[str] = set()
    while len(placed) < len(waiting):
        here = [table for table in waiting if table.name.lower() not in placed]
        touching = [table for table in here if near[table.name.lower()] & placed] or here[:1]
        layer = touching[:6]
        layers.append(layer)
        placed |= {table.name.lower() for table in layer}
    return layers


def _box(table: Table, place: tuple[int, int, int], used: bool) -> str:
    x, y, height = place
    keys = {name.lower() for name in table.primary_key}
    references = {name.lower() for key in table.foreign_keys for name in key.columns}
    columns = sorted(table.columns, key=lambda column: column.name.lower() not in keys | references)
    shown = columns if len(columns) <= _COLUMNS else columns[: _COLUMNS - 1]
    texts = [
        f'<text x="{x + 10}" y="{y + _HEAD + 14 + number * _LINE}" '
        f'class="{_kind(column.name.lower(), keys, references)}">{escape(_short(column.name, 24))}</text>'
        for number, column in enumerate(shown)
    ]
    if len(columns) > len(shown):
        below = y + _HEAD + 14 + len(shown) * _LINE
        texts.append(f'<text x="{x + 10}" y="{below}" class="more">and {len(columns) - len(shown)} more</text>')
    return (
        f'<g class="{"used" if used else "other"}"><title>{escape(table.name)}</title>'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{height}" rx="4"/>'
        f'<text x="{x + 10}" y="{y + 16}" class="name">{escape(_short(table.name, 22))}</text>{"".join(texts)}</g>'
    )


def _line(one: tuple[int, int, int], other: tuple[int, int, int], used: bool) -> str:
    (x1, y1, h1), (x2, y2, h2) = one, other
    start_y, end_y = y1 + h1 / 2, y2 + h2 / 2
    if x1 == x2:
        start, end, bend = x1 + _WIDTH, x2 + _WIDTH, x1 + _WIDTH + _GAP_X / 2
        path = f"M{start},{start_y:g} C{bend},{start_y:g} {bend},{end_y:g} {end},{end_y:g}"
    else:
        start, end = (x1 + _WIDTH, x2) if x1 < x2 else (x1, x2 + _WIDTH)
        middle = (start + end) / 2
        path = f"M{start},{start_y:g} C{middle:g},{start_y:g} {middle:g},{end_y:g} {end},{end_y:g}"
    return f'<path class="{"used" if used else "other"}" d="{path}"/>'


def _kind(name: str, keys: set[str], references: set[str]) -> str:
    return "key" if name in keys else "reference" if name in references else "column"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
