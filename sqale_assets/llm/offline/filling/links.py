"""Foreign keys and primary keys: picks from the offered parents, distinct combinations, line numbers."""

from __future__ import annotations

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script, identifier, literal

#: Two keys of a row that must not point at the same thing.
_PAIRS = """
    from/to home/away source/target source/destination sender/recipient sender/receiver follower/followed
    follower/following origin/destination buyer/seller parent/child winner/loser departure/arrival reviewer/reviewee
    mentor/mentee user1/user2 first/second lender/borrower
"""
_OPPOSITES = tuple(frozenset(pair.split("/")) for pair in _PAIRS.split())
_MISSING = 0.08


def write_keys(script: Script) -> None:
    """Cells of all key columns; primary keys made of several columns get combinations that differ."""
    columns = script.table.columns
    linked: dict[str, list[ColumnFacts]] = {}
    for column in columns:
        if column.left_out:
            script.cells[column.name] = "None"
        elif column.parents is not None:
            linked.setdefault(column.parents, []).append(column)
        elif column.first_number is None and _is_own_id(column, script):
            script.cells[column.name] = f"{max((v for v in column.seen if isinstance(v, int)), default=0) + 1} + i"
        elif column.first_number is not None:
            script.cells[column.name] = f"{column.first_number} + i" if column.first_number else "i"
    primary = [column for column in columns if column.primary]
    combined = len(primary) > 1 and all(column.name in script.cells or column.parents for column in primary)
    picks = []
    for key, members in linked.items():
        alone = len(members) == 1 and (members[0].unique or (members[0].primary and len(primary) == 1))
        if alone:
            _one_to_one(script, key, members[0])
        else:
            picks += _picked(script, key, members)
    if combined:
        _distinct(script, picks, primary)
    else:
        script.body += [f"{variable} = {expression}" for variable, expression in picks]
        _line_number(script, primary)
    _differ(script, linked)


def _is_own_id(column: ColumnFacts, script: Script) -> bool:
    """An id that the source forgot to declare as the key: the table's first column, named id or after the table."""
    if column is not script.table.columns[0] or column.kind != "integer" or "id" not in column.words:
        return False
    return set(column.words) - {"id"} <= set(script.table.words) | set(script.table.entity)


def _one_to_one(script: Script, key: str, column: ColumnFacts) -> None:
    variable = script.free(f"free_{column.name}")
    script.setup.append(f"{variable} = parents[{literal(key)}]")
    script.limits.append(f"n = min(n, len({variable}))")
    script.cells[column.name] = f"{variable}[i]"


def _picked(script: Script, key: str, members: list[ColumnFacts]) -> list[tuple[str, str]]:
    """(variable, expression) of one key; fills the cells of its columns."""
    variable = script.free(identifier("_".join(column.name for column in members)))
    pick = f"rng.choice(parents[{literal(key)}])"
    composite = ", " in key
    optional = [column for column in members if not column.required and not column.primary]
    if optional and not composite:
        pick = f"{pick} if rng.random() > {_MISSING} else None"
    for column in members:
        script.cells[column.name] = f"{variable}[{column.at}]" if composite else variable
    script.variables[f"key {members[0].name}"] = variable
    return [(variable, pick)]


def _distinct(script: Script, picks: list[tuple[str, str]], primary: list[ColumnFacts]) -> None:
    if not picks:
        return
    script.setup.append("seen = set()")
    script.body.append("for attempt in range(25):")
    script.body += [f"    {variable} = {expression}" for variable, expression in picks]
    key = ", ".join(script.cells[column.name] for column in primary)
    script.body += [
        f"    if ({key}) not in seen:",
        "        break",
        f"if ({key}) in seen:",
        "    continue",
        f"seen.add(({key}))",
    ]


def _line_number(script: Script, primary: list[ColumnFacts]) -> None:
    """PRIMARY KEY (order_id, line_no): lines are counted within their parent."""
    parents = [column for column in primary if column.parents]
    free = [column for column in primary if column.name not in script.cells and column.kind == "integer"]
    if parents and len(free) == 1:
        key = ", ".join(script.cells[column.name] for column in parents)
        script.setup.append("lines = {}")
        script.body.append(f"lines[({key},)] = lines.get(({key},), 0) + 1")
        script.cells[free[0].name] = f"lines[({key},)]"


def _differ(script: Script, linked: dict[str, list[ColumnFacts]]) -> None:
    singles = [
        (members[0], script.variables.get(f"key {members[0].name}")) for members in linked.values() if len(members) == 1
    ]
    for at, (first, first_variable) in enumerate(singles):
        for second, second_variable in singles[at + 1 :]:
            if not first_variable or not second_variable or second.primary:
                continue
            if frozenset(set(first.words) ^ set(second.words)) in _OPPOSITES:
                script.body += [
                    "for attempt in range(10):",
                    f"    if {second_variable} != {first_variable}:",
                    "        break",
                    f"    {second_variable} = rng.choice(parents[{literal(second.parents or '')}])",
                ]
