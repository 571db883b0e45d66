from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from sqale_assets.llm.offline.english.grammar import Grammar, compile_template, only_when, production, tokens
from sqale_assets.llm.offline.english.meaning import Node
from sqale_assets.llm.offline.english.rules import GRAMMAR


@dataclass(frozen=True, slots=True)
class Greeting(Node):
    names: tuple[str, ...]
    loud: bool = False


def word(read, start):
    return [(read[start].text, start + 1)] if start < len(read) and read[start].kind == "word" else []


RULES = Grammar.of(
    [
        production("greet", Greeting, "(hello|good (morning|day)) {names:name,}."),
        production("greet", Greeting, "hey {names:name,}!", loud=True),
    ]
)


@pytest.mark.parametrize("text", ["Hello ann.", "Good day ann.", "good morning ann."])
def test_alternatives_are_all_read(text):
    assert RULES.parse("greet", text, {"name": word}) == [Greeting(("ann",))]


@pytest.mark.parametrize("text", ["hey ann, bob and cy!", "hey ann, bob, and cy!"])
def test_lists_and_constants(text):
    assert RULES.parse("greet", text, {"name": word}) == [Greeting(("ann", "bob", "cy"), loud=True)]


def test_rest_of_a_text_is_no_reading():
    assert RULES.parse("greet", "Hello ann. Hello bob.", {"name": word}) == []


def test_rendering_reaches_every_alternative_and_is_read_back():
    node = Greeting(("ann", "bob"))
    said = {RULES.render("greet", node, {"name": str}, Random(seed)) for seed in range(40)}
    assert said == {"Hello ann and bob.", "Good morning ann and bob.", "Good day ann and bob."}
    assert all(RULES.parse("greet", text, {"name": word}) == [node] for text in said)


def test_only_when_restrains_rendering_but_not_reading():
    rules = Grammar.of(
        [only_when(production("greet", Greeting, "all {names:name,}."), lambda found: len(found["names"]) > 1)]
    )
    with pytest.raises(LookupError):
        rules.render("greet", Greeting(("ann",)), {"name": str}, Random(0))
    assert rules.parse("greet", "all ann.", {"name": word}) == [Greeting(("ann",))]


def test_a_field_said_twice_must_agree():
    rules = Grammar.of([production("greet", Greeting, "{names:name,} is {names:name,}.")])
    assert rules.parse("greet", "ann is ann.", {"name": word})
    assert not rules.parse("greet", "ann is bob.", {"name": word})


def test_articles_capitals_and_marks():
    rules = Grammar.of([production("greet", Greeting, "a {names:name,}'s hat? yes.")])
    assert rules.render("greet", Greeting(("owl",)), {"name": str}, Random(0)) == "An owl's hat? Yes."
    assert rules.render("greet", Greeting(("user",)), {"name": str}, Random(0)) == "A user's hat? Yes."


def test_unsettled_fields_and_parentheses_are_errors():
    with pytest.raises(ValueError, match="not settled"):
        production("greet", Greeting, "hello")
    with pytest.raises(ValueError, match="unbalanced"):
        compile_template("hello) there")


def test_tokens_keep_values_as_written():
    read = tokens("Orders of \"O'Neil & Co\" since 2024-03-31: 12.50, the customer's 3.")
    assert [(token.kind, token.raw) for token in read if token.kind not in ("word", "mark")] == [
        ("text", "O'Neil & Co"), ("day", "2024-03-31"), ("number", "12.50"), ("s", "'s"), ("number", "3"),
    ]  # fmt: skip


def test_every_symbol_of_the_rules_is_known():
    from sqale_assets.llm.offline.english.grammar import Choice, Slot
    from sqale_assets.llm.offline.english.lexicon import SPOKEN

    def symbols(sequence):
        for part in sequence:
            if isinstance(part, Slot):
                yield part.symbol
            elif isinstance(part, Choice):
                for option in part.options:
                    yield from symbols(option)

    used = {s for rules in GRAMMAR.productions.values() for rule in rules for s in symbols(rule.sequence)}
    assert used - set(GRAMMAR.productions) <= set(SPOKEN)
