"""The report is one file that needs nothing else, shows what it should, and works in a browser."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from sqale_assets.corpus.card import Release
from sqale_assets.corpus.leaks import find_leaks
from sqale_assets.corpus.publish import PublishedDataset
from sqale_assets.records import DIFFICULTIES
from sqale_assets.report.diagram import diagram
from sqale_assets.report.examples import highlighted, merged_samples, sample_examples
from sqale_assets.report.page import report
from sqale_assets.settings import REPOSITORY
from sqale_assets.stages.calibration import JudgeCalibration
from sqale_assets.statistics.comparison import compare, load_reference
from sqale_assets.statistics.corpus import corpus_statistics
from sqale_assets_tests.corpus.conftest import make_member
from sqale_assets_tests.report.browser import browse, needs_chromium


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    folder = tmp_path_factory.mktemp("members")
    return [make_member(folder, f"s{number}", subject="<b>& </script> ") for number in range(3)]


@pytest.fixture(scope="module")
def page(members) -> str:
    statistics = corpus_statistics(members)
    release = Release(name="A <test> corpus", datasets={"queries": PublishedDataset(name="queries", files=())},
                      statistics=statistics, models=("offline/rules",),
                      held_out={"BIRD dev": find_leaks([], [])})  # fmt: skip
    comparison = compare(statistics, load_reference(REPOSITORY / "quality" / "reference_statistics.json"))
    judge = JudgeCalibration(
        model="offline/rules", pairs=40, unreadable=0, accuracy=0.9, precision=0.95, recall=0.85, caught=0.93,
        kappa=0.8, kappa_low=0.6, kappa_high=0.9, caught_by_category={},
    )  # fmt: skip
    # Every domain, difficulty and size in a combination of its own.
    kinds = list(zip(("Shop", "Law", "Shop"), DIFFICULTIES, (12, 45, 200), strict=True))
    examples = [
        example.model_copy(update={"domain": domain, "difficulty": difficulty, "schema_tables": size})
        for example, (domain, difficulty, size) in zip(sample_examples(members), [*kinds, *kinds], strict=True)
    ]
    return report(release, comparison, examples, calibration={"bird dev": judge}, date="2026-01-01")


def test_the_page_loads_nothing_from_anywhere(page):
    class Loads(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found = []

        def handle_starttag(self, tag, attributes):
            for name, value in attributes:
                if name in ("src", "srcset", "data", "poster") or (name.endswith("href") and not value.startswith("#")):
                    self.found.append((tag, name, value))

    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest", page)


def test_what_data_says_is_text_not_markup(page):
    assert "<title>A &lt;test&gt; corpus</title>" in page
    payload = re.search(r'<script type="application/json" id="records">(.*?)</script>', page, re.DOTALL)[1]
    records = json.loads(payload)
    assert "<b>& </script> have" in records[0]["phrasings"]["verbose"]


def test_the_figures_of_the_corpus_and_of_others_are_there(page):
    assert "6 questions over 3 databases" in page
    for text in (
        "SynSQL-2.5M",
        "1,196,078",
        "5 figures with their definitions",
        "rows that nine in ten populated tables do not exceed",
        "<code>offline/rules</code>",
        "BIRD dev</th>",
        "deterministic rules",
        "no answer 3",
        "bird dev",
        "0.60 to 0.90",
        "86.2%",
    ):
        assert text in page
    assert page.count("<figure") == 11


def test_the_sample_is_small_spread_and_stable(members):
    sample = sample_examples(members, count=6)
    assert len(sample) == 2, "two per level, and the test's questions are all simple"
    assert sample == sample_examples(reversed(members), count=6)
    parts = [sample_examples([member], count=6) for member in members]
    assert merged_samples(parts, count=6) == sample, "whether in one pass or in parts"
    (first, *_) = sample_examples(members)
    assert first.rows == [["Ann", 2], ["Zoë; or 'x'", 1]] and first.verdicts == ["wrong: no", "accepted"]


def test_sql_is_laid_out_and_escaped():
    markup = highlighted("SELECT a FROM t WHERE b < 'x'")
    assert '<span class="k">SELECT</span>' in markup and "&lt;" in markup
    assert "not &lt; sql" in re.sub("<[^>]*>", "", highlighted("not < sql ("))


def test_the_diagram_draws_relevant_tables_and_marks_the_used_ones(members):
    drawing = diagram(members[0].extended.definition, ["customers", "orders", "nowhere"], ["orders"])
    assert drawing.count("<rect") == 2 and drawing.count('<g class="used">') == 1
    assert drawing.count("<path") == 1


@needs_chromium
def test_the_browser_renders_filters_and_has_no_errors(page, tmp_path):
    script = """
        const form = document.getElementById("filters");
        const seen = {};
        const set = (filters) => {
            for (const name of ["domain", "difficulty", "size"]) form.elements[name].value = filters[name] ?? "";
            form.dispatchEvent(new Event("input"));
            const small = [...document.querySelectorAll("#list small")].map((each) => each.textContent);
            seen[Object.values(filters).join(" ")] = [small.length, [...new Set(small)].sort().join(", ")];
        };
        set({}); set({domain: "Law"}); set({domain: "Shop"}); set({difficulty: "hard"}); set({size: "0-20"});
        set({size: "121-9999"}); set({domain: "Shop", size: "121-9999"}); set({domain: "Law", difficulty: "hard"});
        seen.none = document.getElementById("record").textContent;
        set({difficulty: "simple"}); seen.count = document.getElementById("count").textContent;
        seen.options = [...form.elements.domain.options].map((option) => option.value);
        const second = document.querySelectorAll("#list button")[1];
        second.click();
        seen.chosen = document.querySelector("#record h3").textContent === second.firstChild.textContent;
        document.getElementById("theme").click(); seen.theme = document.documentElement.dataset.theme;
        document.body.dataset.seen = JSON.stringify(seen);
    """
    dom, console = browse(page, tmp_path, script)
    assert console == ""
    assert json.loads(unescape(re.search(r'data-seen="(.*?)"', dom)[1])) == {
        "": [6, "hard · Shop, moderate · Law, simple · Shop"],
        "Law": [2, "moderate · Law"],
        "Shop": [4, "hard · Shop, simple · Shop"],
        "hard": [2, "hard · Shop"],
        "0-20": [2, "simple · Shop"],
        "121-9999": [2, "hard · Shop"],
        "Shop 121-9999": [2, "hard · Shop"],
        "Law hard": [0, ""],
        "none": "No sampled record is like that.",
        "simple": [2, "simple · Shop"],
        "count": "2 of 6 sampled records",
        "options": ["", "Law", "Shop"],
        "chosen": True,
        "theme": "dark",
    }
    assert "How the agent got there: 1 messages, judge: wrong: no → accepted" in dom
    assert "have, question" in dom and "<b>&amp; " not in dom.split('id="records"')[0]


@needs_chromium
def test_nothing_is_wider_than_a_phone(page, tmp_path):
    script = """
        if (self === top) {  // in a frame, since the browser's own window is never so narrow
            const frame = document.createElement("iframe");
            Object.assign(frame, {width: 390, height: 800, srcdoc: document.documentElement.outerHTML});
            frame.addEventListener("load", () => {
                const {scrollWidth, clientWidth} = frame.contentDocument.documentElement;
                document.body.dataset.widths = [scrollWidth, clientWidth];
            });
            document.body.append(frame);
        }
    """
    dom, _ = browse(page, tmp_path, script)
    widest, shown = map(int, re.search(r'data-widths="(\d+),(\d+)"', dom).groups())
    assert widest <= shown <= 390
