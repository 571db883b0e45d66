"""Near-duplicate schemas, whatever their dialect: clusters by MinHash over table and column names.

A schema is the set of its names, as features of one table each: the table, and every column within its table.
Letters are compared without case and separators, and without the prefix that most tables share, so that the MySQL
and the PostgreSQL dump of one application look alike. Two schemas are near when their sets overlap by `SIMILAR`
(Jaccard), or when nearly all of one's tables are in the other (a version, a part of it). Framework tables, which
unrelated applications share, do not count.

Clusters are the connected components of that relation, so that no near-duplicate can stand on the other side of a
split. What keeps components from chaining is that small schemas are near only by Jaccard, and framework tables are
left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import networkx as nx

from sqale_assets.relational.model import Schema, Table

SIMILAR = 0.5
CONTAINED = 0.8
_LARGE_ENOUGH = 20  # names that the smaller schema must have to count as a part of the larger
_PERMUTATIONS = 128
_LSH_THRESHOLD = 0.3  # candidates only; the exact overlap decides
_WIDELY_SHARED = 50  # a table that more schemas than this share is `users`, and says nothing

_FRAMEWORK = re.compile(
    r"(schema)?migrations?|(flyway)?schemaversion|flywayschemahistory|alembicversion|databasechangelog(lock)?"
    r"|failedjobs|passwordresets?(tokens)?|personalaccesstokens|(ci)?sessions?|jobbatches|qrtz\w+|django\w+"
    r"|auth(group|permission|grouppermissions|user|usergroups|useruserpermissions)|sqlitesequence|oauth\w+"
    r"|arinternalmetadata|cache(locks)?|act(re|ru|hi|ge|id)\w+"
)


def clusters(schemas: Mapping[str, Schema]) -> dict[str, str]:
    """Cluster id by schema id: the smallest id of the cluster's schemas, so that a schema alone is its own cluster.

    Deterministic, and independent of the order of `schemas`.
    """
    return grouped({schema_id: names(schema) for schema_id, schema in schemas.items()})


def grouped(features: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """As `clusters`, from the schemas' `names`: all that need be in memory of tens of thousands of schemas."""
    features = {schema_id: features[schema_id] for schema_id in sorted(features)}
    graph = nx.Graph()
    graph.add_nodes_from(features)
    for schema_id, others in _candidates(features).items():
        graph.add_edges_from(
            (schema_id, other)
            for other in others
            if other > schema_id and is_near(features[schema_id], features[other])
        )
    return {schema_id: min(group) for group in nx.connected_components(graph) for schema_id in group}


def names(schema: Schema) -> frozenset[str]:
    """The schema's features: `orders` for a table, `orders.customerid` for a column."""
    prefix = _shared_prefix([table.name for table in schema.tables])
    return frozenset(feature for table in schema.tables for feature in _table_names(table, prefix))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity, or the share of the smaller set where that is nearly whole and not small."""
    common = len(one & other)
    if not common:
        return 0.0
    jaccard = common / len(one | other)
    smaller = min(len(one), len(other))
    contained = common / smaller
    return contained if contained >= CONTAINED and smaller >= _LARGE_ENOUGH else jaccard


def is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    return overlap(one, other) >= SIMILAR


def _table_names(table: Table, prefix: str) -> Iterable[str]:
    name = _plain(table.name.lower().removeprefix(prefix))
    if _FRAMEWORK.fullmatch(_plain(table.name)):
        return
    yield name
    for column in table.columns:
        yield f"{name}.{_plain(column.name)}"


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower()) or name


def _shared_prefix(table_names: list[str]) -> str:
    """The prefix up to an underscore that more than half of three or more tables have: `tbl_`, `wp_`."""
    prefixes = Counter(match[0] for name in table_names if (match := re.match(r"[a-z0-9]+_", name.lower())))
    prefix, count = prefixes.most_common(1)[0] if prefixes else ("", 0)
    return prefix if count >= 3 and count > len(table_names) / 2 else ""


def _candidates(features: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    """Pairs worth comparing: alike by MinHash, or sharing enough rare tables that one may lie within the other."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=_LSH_THRESHOLD, num_perm=_PERMUTATIONS)
    hashes = {}
    for schema_id, found in features.items():
        hashes[schema_id] = MinHash(num_perm=_PERMUTATIONS, seed=1)
        hashes[schema_id].update_batch([feature.encode() for feature in sorted(found)])
        index.insert(schema_id, hashes[schema_id])
    pairs = {schema_id: set(index.query(hashes[schema_id])) - {schema_id} for schema_id in features}
    for group in _sharing_a_table(features):
        for schema_id in group:
            pairs[schema_id].update(other for other in group if other != schema_id)
    return pairs


def _sharing_a_table(features: dict[str, frozenset[str]]) -> Iterable[list[str]]:
    """Groups of schemas that have a table of the same name and the same columns."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for schema_id, found in features.items():
        columns: dict[str, list[str]] = {}
        for feature in sorted(found):
            table, _, column = feature.partition(".")
            columns.setdefault(table, []).append(column)
        for table, own in columns.items():
            if len(own) > 3:
                tables.setdefault((table, *own), []).append(schema_id)
    return [group for _, group in sorted(tables.items()) if 1 < len(group) <= _WIDELY_SHARED]
