"""Where settings come from, and who wins."""

import pytest
from pydantic import ValidationError

from sqale_assets import settings as module
from sqale_assets.cli.app import UserError, read_settings
from sqale_assets.settings import Settings


@pytest.fixture(autouse=True)
def no_settings_file(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "SETTINGS_FILE", tmp_path / "none" / "sqale.yaml")
    for name in ("SQALE_SOURCE", "SQALE_STORE"):
        monkeypatch.delenv(name, raising=False)


def test_a_source_carries_its_own_settings_and_the_environment_wins(tmp_path, monkeypatch):
    (tmp_path / "sqale.yaml").write_text("extension: {extra_tables: 3}\nseed: 5\n")
    carried = Settings(source=tmp_path)
    assert carried.extension.extra_tables == 3 and carried.seed == 5
    assert carried.extension.max_tables == 350  # the rest keeps its defaults
    monkeypatch.setenv("SQALE_EXTENSION__EXTRA_TABLES", "7")
    assert Settings(source=tmp_path).extension.extra_tables == 7


def test_the_store_is_named_after_the_source(tmp_path):
    assert Settings(source=tmp_path / "slice.json.gz").store.endswith("data/slice")
    assert Settings(source=tmp_path, store="s3://bucket/x").store == "s3://bucket/x"


def test_an_unknown_setting_is_named(tmp_path):
    (tmp_path / "sqale.yaml").write_text("extention: {}\n")
    with pytest.raises(ValidationError, match="extention"):
        Settings(source=tmp_path)


def test_a_wrong_setting_is_told_without_those_that_depend_on_it(monkeypatch):
    monkeypatch.setenv("SQALE_CONCURRENCY", "many")
    with pytest.raises(UserError, match=r"settings: concurrency: [^;]*\. They come from") as told:
        read_settings()
    assert "schemas_in_flight" not in str(told.value)
