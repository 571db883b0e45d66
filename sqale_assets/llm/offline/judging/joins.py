"""Joins: every table that the question names is read, over the keys that it names, and tied to what it belongs to."""

from __future__ import annotations

import re

from sqlglot import exp

from sqale_assets.llm.offline.english import words
from sqale_assets.llm.offline.english.lexicon import links_of, noun_of, role_of
from sqale_assets.llm.offline.judging.case import Case, Objection, looks_out
from sqale_assets.relational.model import ForeignKey, Table
from sqale_assets.sqlenv.sqlfacts import base_tables

#: Stands before what rows share; a table named there need not be read.
_PEER = re.compile(r"\b(?:same|within each|for each|separately for each|for their|for its) ")


def things(case: Case) -> Objection | None:
    """Each table that the question names must be read, unless the words stand for something else as well."""
    read = {name.lower() for name in base_tables(case.tree)}
    peers = [text[match.end() : match.end() + 60] for text in [case.text] for match in _PEER.finditer(text)]
    for table in case.schema.tables:
        for link in (links := links_of(table)):
            if table.name.lower() in read and _owns(case, role_of(link, links)):
                parents = {other.parent.lower() for other in links if role_of(other, links) == role_of(link, links)}
                if not parents & read:
                    return (
                        "wrong_join",
                        f"The question is about the {role_of(link, links)}, and {link.parent} is not read.",
                    )
    for noun, tables in case.nouns.items():
        if read & set(tables):
            continue
        for form in (words.plural(noun), noun):
            for match in re.finditer(rf"\b{re.escape(form)}\b", case.text):
                if form in case.roles or noun in case.columns or any(peer.startswith(form) for peer in peers):
                    continue
                if not _inside_longer(case, match.start(), match.end()):
                    return (
                        "wrong_join",
                        f"The question is about {words.plural(noun)}, and the query does not read them.",
                    )
    return None


def _owns(case: Case, role: str) -> bool:
    """Whether the question speaks of something of what a key leads to: the site's name, but not the study site's."""
    return _says(case, role, "(?='s\\b)")


def _says(case: Case, phrase: str, after: str = r"\b") -> bool:
    """Whether the question says a phrase by itself, in either number, and not only as a part of a longer name."""
    forms = "|".join(map(re.escape, (words.plural(phrase), phrase)))
    matches = re.finditer(rf"\b(?:{forms}){after}", case.text)
    return any(not _inside_longer(case, match.start(), match.end()) for match in matches)


def _inside_longer(case: Case, start: int, end: int) -> bool:
    """Whether the words at that place are a part of a longer name."""
    for phrase in case.phrases:
        for match in re.finditer(rf"\b{re.escape(phrase)}\b", case.text):
            if match.start() <= start and end <= match.end() and match.end() - match.start() > end - start:
                return True
    return False


def keys(case: Case) -> Objection | None:
    """A key column is joined with what it leads to, and of two keys to one table it is the one that is named."""
    pairs = [
        (node.this, node.expression)
        for node in case.nodes(exp.EQ)
        if isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)
    ]
    for one, other in pairs:
        for mine, theirs in ((one, other), (other, one)):
            child, parent = _table(mine, case), _table(theirs, case)
            if child is None or parent is None or mine.table.lower() == theirs.table.lower():
                continue
            led = _keys_of(child, mine.name)
            if (
                not led
                or _connects(led, parent, mine.name, theirs.name)
                or _siblings(led, _keys_of(parent, theirs.name))
            ):
                continue
            if _connects(_keys_of(parent, theirs.name), child, theirs.name, mine.name):
                continue
            return "wrong_join", f"{child.name}.{mine.name} leads to {led[0].target_table}, not to {parent.name}."
    joined = {(table.name, column.name.lower()) for pair in pairs for column in pair if (table := _table(column, case))}
    return next((found for table in case.schema.tables if (found := _roles_used(case, table, joined))), None)


def _table(column: exp.Column, case: Case) -> Table | None:
    return case.schema.table(case.aliases.get(column.table.lower(), ""))


def _keys_of(table: Table, column: str) -> list[ForeignKey]:
    return [key for key in table.foreign_keys if column.lower() in (name.lower() for name in key.columns)]


def _connects(keys: list[ForeignKey], parent: Table, mine: str, theirs: str) -> bool:
    return any(
        (mine.lower(), theirs.lower())
        in {(one.lower(), other.lower()) for one, other in zip(key.columns, key.target_columns, strict=False)}
        for key in keys
        if key.target_table.lower() == parent.name.lower()
    )


def _siblings(one: list[ForeignKey], other: list[ForeignKey]) -> bool:
    """Whether two keys lead to the same table: what belongs to one thing may be joined without it."""
    return bool({key.target_table.lower() for key in one} & {key.target_table.lower() for key in other})


def _roles_used(case: Case, child: Table, joined: set[tuple[str, str]]) -> Objection | None:
    """Of the keys of `child` that lead to one table, those are joined over that the question names."""
    links = links_of(child)
    used = {link.columns[0] for link in links if (child.name, link.columns[0].lower()) in joined}
    for link in links:
        twins = [other.columns[0] for other in links if other.parent == link.parent and other is not link]
        role = role_of(link, links)
        instead = [name for name in twins if name in used]
        if not instead or link.columns[0] in used or role == noun_of(link.parent) or role in case.columns:
            continue
        if role not in case.nouns and _says(case, role):
            return "wrong_join", f"The question means the {role}, and the query joins over {instead[0]}."
    return None


def correlation(case: Case) -> Objection | None:
    """A subquery that asks whether something belongs to the row says to which row."""
    for node in case.nodes(exp.Exists):
        if isinstance(node.this, exp.Select) and not looks_out(node.this):
            return "wrong_filter", "EXISTS does not say to which row its rows belong, so it keeps all or none."
    tree = case.tree
    if isinstance(tree, exp.Select) and not tree.args.get("group"):
        plain = [each.unalias() for each in tree.selects]
        inner = [each.this for each in plain if isinstance(each, exp.Subquery) and isinstance(each.this, exp.Select)]
        if any(isinstance(each, exp.Column) for each in plain):
            for select in inner:
                if not looks_out(select) and not case.says("overall|all|average|mean"):
                    return "wrong_filter", "The figure beside each row is the same for every row."
    return None
