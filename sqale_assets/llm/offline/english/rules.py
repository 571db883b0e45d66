"""The whole grammar of the controlled English; its start symbol is `request`."""

from __future__ import annotations

from sqale_assets.llm.offline.english.clauses import CLAUSES
from sqale_assets.llm.offline.english.grammar import Grammar
from sqale_assets.llm.offline.english.requests_groups import GROUPS
from sqale_assets.llm.offline.english.requests_rows import ROWS

GRAMMAR = Grammar.of([*CLAUSES, *ROWS, *GROUPS])
