"""Licence labels as sources spell them, and what they permit.

A label says no more than its source knows: in a repository, the licence file may be a framework's.
"""

from __future__ import annotations

import re

#: SPDX ids of the licences met in practice that permit reuse with no more than attribution.
PERMISSIVE = (
    "0BSD",
    "AFL-3.0",
    "Apache-2.0",
    "Artistic-2.0",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSD-3-Clause-Clear",
    "BSD-4-Clause",
    "BSL-1.0",
    "CC-BY-4.0",
    "CC0-1.0",
    "ECL-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MS-PL",
    "NCSA",
    "PostgreSQL",
    "Unicode-DFS-2016",
    "Unlicense",
    "UPL-1.0",
    "W3C",
    "WTFPL",
    "Zlib",
)
COPYLEFT_OR_CLOSED = re.compile(r"\b(A?GPL|LGPL|MPL|EPL|EUPL|OSL|CDDL|CC-BY-(?:NC|ND|SA)|SSPL|BUSL|proprietary)", re.I)
_SPELLINGS = {name.lower(): name for name in PERMISSIVE}


def spdx_id(label: str | None) -> str | None:
    """The label as SPDX spells it, where it is one of its ids; else as it is. `APACHE-2.0` gives `Apache-2.0`."""
    text = re.sub(r"\s*\(.*\)\s*\Z", "", label or "").strip()
    return _SPELLINGS.get(text.lower(), text) or None


def is_permissive(licence: str | None) -> bool | None:
    """Whether a licence, as `spdx_id` gives it, permits reuse with attribution alone; None where that is unknown."""
    if licence in PERMISSIVE:
        return True
    return False if licence and COPYLEFT_OR_CLOSED.search(licence) else None
