"""What the pages are made of: templates, files that go inside them, data, and charts as drawings."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sqale_assets.statistics.charts import render

if TYPE_CHECKING:
    import altair
    import jinja2


@lru_cache(maxsize=4)
def template(name: str) -> jinja2.Template:
    """A page's template. Values are escaped; a variable that is not given is an error."""
    import jinja2
    from markupsafe import Markup, escape

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": lambda value: f"{value:,}",
        "words": lambda text: str(text).replace("_", " "),
        "code": lambda text: Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text)))),
    }
    return environment.from_string(asset(name))


def asset(name: str) -> str:
    """A file beside this module, as text."""
    return files("sqale_assets.report").joinpath(name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Data as JSON inside a script element, which a tag in it could end."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def drawing(chart: altair.Chart) -> str:
    """A chart as SVG that takes its text colour from the page, so that it reads on light and dark ground."""
    svg = render(chart.properties(background="transparent"), "svg").decode()
    svg = re.sub(r'(fill|stroke)="(?:#000|#000000|black|#888|rgb\(0,0,0\))"', r'\1="currentColor"', svg)
    return re.sub(r'(<svg[^>]*?) width="([\d.]+)" height="[\d.]+"', r'\1 style="max-width:\2px"', svg, count=1)
