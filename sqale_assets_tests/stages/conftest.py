"""What the tests of several stages start from."""

import sqlite3

import pytest

from sqale_assets.sqlenv.database import Database
from sqale_assets_tests.sqlenv.conftest import COMPANY


@pytest.fixture
def database():
    """The company's database, in memory."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(COMPANY)
    with Database.from_connection(connection) as database:
        yield database
