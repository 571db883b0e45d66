"""`sqale settings`, and the page in docs that is written by it."""

from sqale_assets.cli.configuration import markdown_table, walk
from sqale_assets.settings import REPOSITORY, Settings


def test_the_page_lists_every_setting_with_its_default():
    page = (REPOSITORY / "docs" / "settings.md").read_text()
    assert page.endswith(markdown_table()), "write it again: sqale settings --markdown, below the page's introduction"


def test_every_setting_says_what_it_means():
    assert [setting.name for setting in walk(Settings()) if not setting.description] == []


def test_values_in_effect_are_shown(monkeypatch):
    monkeypatch.setenv("SQALE_ANSWERS__TOOL_TURNS", "9")
    monkeypatch.setenv("SQALE_MODELS__JUDGE__MODEL", "openai/some-model")
    shown = {setting.name: setting for setting in walk(Settings())}
    assert shown["answers.tool_turns"].value == "9"
    assert shown["models.judge.model"].value == "openai/some-model"
    assert shown["answers.tool_turns"].variable == "SQALE_ANSWERS__TOOL_TURNS"
