"""The split is by cluster, deterministic, close to its share and never without a test set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqale_assets.corpus.split import split_by_cluster

clusters = st.dictionaries(st.text("abcdef0123", min_size=1, max_size=6), st.sampled_from("ABCDEFGH"), min_size=1)


@given(clusters, st.integers(0, 5), st.floats(0.01, 0.5))
def test_whole_clusters_and_never_an_empty_split(assigned, seed, share):
    split = split_by_cluster(assigned, test_share=share, seed=seed)
    assert split.keys() == assigned.keys()
    for cluster in set(assigned.values()):
        assert len({split[schema] for schema, name in assigned.items() if name == cluster}) == 1
    if len(set(assigned.values())) > 1:
        assert set(split.values()) == {"train", "test"}
    else:
        assert set(split.values()) == {"train"}
    shuffled = dict(sorted(assigned.items(), reverse=True))
    assert split_by_cluster(shuffled, test_share=share, seed=seed) == split


def test_the_share_is_met():
    assigned = {f"s{number}": f"c{number // 3}" for number in range(1000)}
    tested = sum(side == "test" for side in split_by_cluster(assigned, test_share=0.05, seed=0).values())
    assert 47 <= tested <= 50


def test_adding_schemas_moves_few_others():
    assigned = {f"s{number}": f"s{number}" for number in range(400)}
    before = split_by_cluster(assigned, test_share=0.05, seed=0)
    after = split_by_cluster(assigned | {f"t{number}": f"t{number}" for number in range(20)}, test_share=0.05, seed=0)
    assert sum(before[schema] != after[schema] for schema in before) <= 3


def test_no_schema_no_split():
    assert split_by_cluster({}, test_share=0.05, seed=0) == {}
