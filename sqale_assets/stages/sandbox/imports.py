"""Import statements of a generated function, pointed at what the prelude offers.

Monty has no `uuid`, `string` or `faker`, and calling out to the host costs 0.15 ms a value. So the
prelude defines them inside the sandbox, and imports of them become plain assignments. Line numbers stay
as the model wrote them, so that tracebacks point at its own lines.
"""

from __future__ import annotations

import ast
import re

from sqale_assets.stages.sandbox.syntax import parse

#: Importable name -> the prelude's object that stands for it.
MODULES = {
    "faker": "_faker",
    "uuid": "_uuid",
    "string": "_string",
    "calendar": "_calendar",
    "statistics": "_statistics",
    "secrets": "_secrets",
}
MENTIONED = re.compile(r"\b(?:" + "|".join(sorted(MODULES)) + r")\b")


def redirect_imports(source: str) -> str:
    """`source` with imports of `MODULES` as assignments. A source that does not parse is returned as it is."""
    tree = parse(source) if MENTIONED.search(source) else None
    if tree is None:
        return source
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and _concerns(node)]
    if not found:
        return source
    lines = source.encode().splitlines()  # ast counts columns in UTF-8 bytes
    for node in sorted(found, key=lambda node: node.lineno, reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        lines[first : last + 1] = [before + _assignments(node).encode() + after, *[b""] * (last - first)]
    return b"\n".join(lines).decode()


def _concerns(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module in MODULES and all(alias.name != "*" for alias in node.names)
    return any(alias.name in MODULES for alias in node.names)


def _assignments(node: ast.Import | ast.ImportFrom) -> str:
    if isinstance(node, ast.ImportFrom):
        owner = MODULES[node.module or ""]
        return "; ".join(f"{alias.asname or alias.name} = {owner}.{alias.name}" for alias in node.names)
    return "; ".join(
        f"{alias.asname or alias.name} = {MODULES[alias.name]}" if alias.name in MODULES else f"import {_plain(alias)}"
        for alias in node.names
    )


def _plain(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
