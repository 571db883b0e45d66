import pytest

from sqale_assets.relational.licences import is_permissive, spdx_id


@pytest.mark.parametrize(
    ("label", "licence", "permissive"),
    [
        ("APACHE-2.0", "Apache-2.0", True),
        ("MIT (SchemaPile)", "MIT", True),
        ("GPL-3.0", "GPL-3.0", False),
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0", False),
        ("MIT-style", "MIT-style", None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_labels(label, licence, permissive):
    assert spdx_id(label) == licence
    assert is_permissive(licence) is permissive
