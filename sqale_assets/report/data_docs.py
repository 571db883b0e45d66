"""Great Expectations' Data Docs made to open offline.

As rendered they load Bootstrap, jQuery, Vega and a logo from seven hosts and are unreadable without them. Here every
page loses what it would load, gets a small stylesheet and script of ours, and the index is a table of ours.
"""

from __future__ import annotations

import re
import shutil
from html import escape
from pathlib import Path

from sqale_assets.corpus.expectations import ExpectationResult, QualityRun
from sqale_assets.report.parts import asset

_LOADS = re.compile(
    r"""<script[^>]*\ssrc=[^>]*>\s*</script>|<link[^>]*>|background:\s*url\([^)]*\)[^;]*;|<footer>.*?</footer>""",
    re.DOTALL,
)
#: Scripts that speak to jQuery; ours does what is left of their work.
_JQUERY = re.compile(r"<script>(?:(?!</script>).)*\$\((?:(?!</script>).)*</script>", re.DOTALL)
_LOGO = re.compile(r"<img[^>]*>", re.DOTALL)


def offline(docs: Path, run: QualityRun) -> None:
    """Rewrite the pages in the folder `docs`, which `run` rendered, so that they load nothing from anywhere."""
    style, script = asset("data_docs.css"), asset("data_docs.js")
    for path in sorted(docs.rglob("*.html")):
        page = _JQUERY.sub("", _LOADS.sub("", path.read_text(encoding="utf-8")))
        page = _LOGO.sub("Data Docs", page)
        page = page.replace("</head>", f"<style>{style}</style></head>", 1)
        path.write_text(page.replace("</body>", f"<script>{script}</script></body>", 1), encoding="utf-8")
    (docs / "index.html").write_text(_index(docs, run, style), encoding="utf-8")
    shutil.rmtree(docs / "static", ignore_errors=True)


def _index(docs: Path, run: QualityRun, style: str) -> str:
    suites: dict[str, list[ExpectationResult]] = {}
    for result in run.results:
        suites.setdefault(result.suite, []).append(result)
    pages = {path.relative_to(docs).parts[1]: path for path in docs.glob("validations/**/*.html")}
    rows = "".join(_row(suite, results, pages[suite].relative_to(docs)) for suite, results in sorted(suites.items()))
    outcome = "Everything that blocks publication passed." if run.passed else "Publication is blocked."
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data Docs</title><style>{style}</style></head>
<body><div class="container-fluid"><h4>Data Docs</h4><p class="lead">{outcome}</p>
<table class="table"><thead><tr><th>Suite</th><th>Outcome</th><th>Expectations</th><th>Failed</th>
<th>Of them blocking</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></body></html>
"""


def _row(suite: str, results: list[ExpectationResult], page: Path) -> str:
    failed = [result for result in results if not result.passed]
    icon = "fa-times text-danger" if failed else "fa-check-circle text-success"
    name = escape(suite)
    return (
        f'<tr><td><a href="{escape(page.as_posix())}">{name}</a></td><td><i class="fas {icon}"></i> '
        f"{'failed' if failed else 'passed'}</td><td>{len(results)}</td><td>{len(failed)}</td>"
        f'<td>{sum(result.blocking for result in failed)}</td><td><a href="expectations/{name}.html">what is expected'
        "</a></td></tr>"
    )
