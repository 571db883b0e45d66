"""Train and test: schemas that resemble each other stay on one side, so that the test set cannot leak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import sha256
from typing import Literal

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = ("train", "test")


def split_by_cluster(clusters: Mapping[str, str], *, test_share: float, seed: int) -> dict[str, Split]:
    """Assign each schema to train or test, whole clusters at a time.

    Clusters are taken for the test set in an order that depends on `seed` and their own name alone, as long as they
    fit into the share: adding schemas moves few others. With two clusters or more, neither split is empty.

    Args:
        clusters: schema id -> cluster name, for the schemas that are published.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for schema_id, cluster in clusters.items():
        members[cluster].append(schema_id)
    drawn = sorted(members, key=lambda cluster: (sha256(f"{seed}:split:{cluster}".encode()).digest(), cluster))
    room = max(1, round(test_share * len(clusters)))
    test: set[str] = set()
    for cluster in drawn:
        if len(members[cluster]) <= room:
            test.add(cluster)
            room -= len(members[cluster])
    if not test and len(members) > 1:  # every cluster is larger than the share: the smallest has to do
        test.add(min(drawn, key=lambda cluster: len(members[cluster])))
    if members and len(test) == len(members):
        test.discard(drawn[-1])
    return {schema_id: "test" if cluster in test else "train" for schema_id, cluster in sorted(clusters.items())}
