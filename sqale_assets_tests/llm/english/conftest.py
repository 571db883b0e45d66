from __future__ import annotations

import pytest

from sqale_assets.llm.offline.english.lexicon import Lexicon
from sqale_assets.sqlenv.database import Database
from sqale_assets_tests.llm.english.shop import connect


@pytest.fixture(scope="session")
def shop() -> Database:
    return Database.from_connection(connect())


@pytest.fixture(scope="session")
def lexicon(shop: Database) -> Lexicon:
    return Lexicon(shop.schema)
