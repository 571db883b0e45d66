"""Where the UI leads to the documentation: every asset's section of `docs/assets.md`, linked and readable there."""

import re
from pathlib import Path

import dagster as dg

from sqale_assets.settings import REPOSITORY, Settings

PAGE = Path("docs") / "assets.md"
#: The metadata that holds the section itself: a browser may refuse to leave the UI for a file.
DOCUMENTATION = "documentation"
_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((\w+\.md)\)")


def documented(assets: list[dg.AssetsDefinition], settings: Settings) -> list[dg.AssetsDefinition]:
    """The assets, each with a link to its section in its description, and the section in its metadata."""
    base = f"{(settings.docs_url or REPOSITORY.as_uri()).rstrip('/')}/{PAGE.parent}"
    sections = dict(_SECTION.findall((REPOSITORY / PAGE).read_text(encoding="utf-8")))

    def with_documentation(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.to_user_string()
        text = _LINK.sub(rf"]({base}/\1)", sections.get(name, "")).strip()
        link = f"[{PAGE}#{name}]({base}/{PAGE.name}#{name})"
        return spec.replace_attributes(
            description=f"{spec.description}\n\nDocumentation: {link}",
            metadata={**spec.metadata, DOCUMENTATION: dg.MetadataValue.md(text)},
        )

    return list(dg.map_asset_specs(with_documentation, assets))
