"""Every chart draws, without network, and holds the figures that it should."""

from __future__ import annotations

import struct

import pytest

from sqale_assets.settings import REPOSITORY
from sqale_assets.statistics.charts import charts, render
from sqale_assets.statistics.comparison import compare, load_reference
from sqale_assets.statistics.corpus import corpus_statistics
from sqale_assets_tests.corpus.conftest import make_member


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    ours = corpus_statistics([make_member(tmp_path_factory.mktemp("db"), "s1")])
    comparison = compare(ours, load_reference(REPOSITORY / "quality" / "reference_statistics.json"))
    return charts(ours, comparison)


def test_every_chart_renders_as_a_picture(drawn):
    for name, chart in drawn.items():
        picture = render(chart, scale=1)
        width, height = struct.unpack(">II", picture[16:24])
        assert picture.startswith(b"\x89PNG") and width > 200 and height > 50, name


def test_a_chart_shows_the_corpora_in_order_with_the_published_value(drawn):
    drawing = render(drawn["schema_size"], "svg").decode()
    assert "<svg" in drawing and "Median tables" in drawing
    assert drawing.index("ours") < drawing.index("BIRD") < drawing.index("SQaLe")


def test_charts_of_an_empty_corpus_render_too():
    ours = corpus_statistics([])
    comparison = compare(ours, load_reference(REPOSITORY / "quality" / "reference_statistics.json"))
    assert all(render(chart, "svg") for chart in charts(ours, comparison).values())
