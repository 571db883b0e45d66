"""Seven rewrites, each held to its style, with the real prompt and the offline model."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections import Counter
from random import Random

import pytest

from sqale_assets.llm.offline import restyle_question
from sqale_assets.llm.prompts import load_prompt
from sqale_assets.records import STYLES, LiteralProof, Question, Questions
from sqale_assets.settings import StyleSettings
from sqale_assets.sqlenv.introspect import read_schema
from sqale_assets.stages import slips
from sqale_assets.stages.literals import literals
from sqale_assets.stages.mentions import mentions
from sqale_assets.stages.placeholders import is_placeholder
from sqale_assets.stages.style_checks import EVIDENCE, faults, labelled, tidied, unlabelled, words
from sqale_assets.stages.style_fidelity import told_figures
from sqale_assets.stages.styles import restyle, restyling
from sqale_assets_tests.doubles import OfflineLlm

CONNECTION = sqlite3.connect(":memory:")
CONNECTION.executescript(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT);"
    "CREATE TABLE order_items (id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES customers(id), unit_price REAL,"
    " shipped_at TEXT)"
)
SCHEMA = read_schema(CONNECTION)
QUESTION = 'Which customers living in "New York" placed more than 2 orders in 2023, sorted by their name?'


def question(text: str, number: int = 0, proofs: tuple[LiteralProof, ...] = ()) -> Question:
    tables = ("customers", "order_items")
    return Question(question_id=f"s_q{number}", text=text, difficulty="simple", relevant_tables=tables, literals=proofs)


def run(questions: list[Question], llm: OfflineLlm | None = None, seed: int = 0, **how: int):
    asked = Questions(schema_id="s", questions=tuple(questions))
    return asyncio.run(restyle(asked, SCHEMA, llm or OfflineLlm(), settings=StyleSettings(**how), seed=seed))


NOUNS = (
    "orders",
    "customers",
    "invoices",
    "patients",
    "courses",
    "flights",
    "vehicles",
    "teachers",
    "parcels",
    "albums",
)
COLUMNS = ("name", "city", "status", "price", "weight", "grade", "due date", "phone number", "start time", "owner")


def many_questions(count: int) -> list[Question]:
    """Questions of several forms over many nouns, as a corpus has them."""
    rng = Random(7)
    forms = (
        'List the {c} and the {d} of every {n} whose {e} is "{v}".',
        "How many {n} are there with at least {k} {m}?",
        'Which {n} have a {c} above {k} and were made in 20{y}?',
        "For each {c}, show the number of {n}, sorted by that number in descending order.",
        'What is the average {c} of all {n} whose {d} contains "{v}"?',
        "Show the {k} {n} with the highest {c} along with their {d}.",
        "Find the {n} that do not have any {m} in 20{y}.",
        "What percentage of {n} have more than {k} {m}?",
    )  # fmt: skip
    made = []
    for number in range(count):
        c, d, e = rng.sample(COLUMNS, 3)
        n, m = rng.sample(NOUNS, 2)
        value = f"{rng.choice(NOUNS).title()} {rng.randrange(100, 999)}"
        text = rng.choice(forms).format(
            c=c, d=d, e=e, n=n, m=m, v=value, k=rng.randrange(2, 90), y=rng.randrange(10, 25)
        )
        made.append(question(text, number))
    return made


def test_every_question_gets_eight_usable_phrasings_that_keep_its_values():
    proofs = (
        LiteralProof(literal="New York", table="customers", column="city", how="exact"),
        LiteralProof(literal="2", table=None, column=None, how="count"),
        LiteralProof(literal="2023", table="orders", column="order_date", how="period"),
    )
    record = run([question(QUESTION, 0, proofs)])
    (styled,) = record.questions
    assert tuple(styled.phrasings) == STYLES
    assert styled.phrasings["verbose"] == QUESTION
    assert not any(is_placeholder(text) for text in styled.phrasings.values())
    for style in ("evidence_supported", "structured", "requirements_list", "casual", "spelling_grammar_mistakes"):
        assert "New York" in styled.phrasings[style] and "2023" in styled.phrasings[style], style
    assert styled.left_out, "short_ambiguous says what it leaves out"
    assert EVIDENCE in styled.phrasings["evidence_supported"]


@pytest.fixture(scope="module")
def thousand():
    return run(many_questions(1000))


SLOTS = re.compile("|".join([*(rf"{noun}?" for noun in NOUNS), *COLUMNS, r"\S*\d\S*"]), re.IGNORECASE)


def skeleton(text: str) -> str:
    """What is left of a phrasing without nouns and values: its template."""
    return " ".join(SLOTS.sub("_", text).lower().split())


def test_a_thousand_questions_lose_few_and_share_no_template(thousand):
    assert len(thousand.questions) >= 980, Counter(item.evidence[:90] for item in thousand.rejected).most_common(5)
    for style in STYLES[1:]:
        common, count = Counter(skeleton(q.phrasings[style]) for q in thousand.questions).most_common(1)[0]
        assert count <= 50, (style, common, count)


def test_the_styles_differ_in_more_than_synonyms(thousand):
    for styled in thousand.questions[:200]:
        texts = list(styled.phrasings.values())
        assert len({" ".join(words(text)) for text in texts}) == len(STYLES)
        length = {style: len(words(text)) for style, text in styled.phrasings.items()}
        assert max(length["short_ambiguous"], length["short_high_level"]) < max(length["verbose"], 4)


def test_same_seed_same_phrasings_and_another_seed_others(thousand):
    again, other = run(many_questions(20)), run(many_questions(20), seed=1)
    assert again.questions == thousand.questions[: len(again.questions)]
    assert sum(a != b for a, b in zip(again.questions, other.questions, strict=False)) >= 15


class Scripted:
    """Answers as the offline rules do, with some styles replaced per call."""

    def __init__(self, *replacements: dict[str, str]):
        self.replacements, self.asked = list(replacements), []

    def __call__(self, messages):
        answer = json.loads(restyle_question.respond(messages))
        self.asked.append([style for style in answer if style != "left_out"])
        replaced = self.replacements.pop(0) if self.replacements else {}
        return json.dumps(answer | {style: text for style, text in replaced.items() if style in answer})


def test_only_the_failing_styles_are_asked_again_and_told_why():
    script = Scripted({"casual": "...", "structured": "Find the customers of New York."})
    llm = OfflineLlm(script)
    record = run([question(QUESTION)], llm)
    assert len(record.questions) == 1
    assert script.asked == [list(STYLES[1:]), ["structured", "casual"]]
    second = llm.calls[1][1][1]["content"]
    assert "it is a placeholder" in second and "at least two numbered or bulleted items" in second


def test_a_question_without_eight_phrasings_is_rejected_with_what_was_wrong():
    bad = {"casual": "<string>"}
    record = run([question(QUESTION)], OfflineLlm(Scripted(bad, bad, bad)))
    assert record.questions == ()
    (rejected,) = record.rejected
    assert (rejected.stage, rejected.reason, rejected.item) == ("styled_questions", "unusable_phrasing", QUESTION)
    assert "casual: it is a placeholder" in rejected.evidence


def test_an_unreadable_answer_rejects_the_question_not_the_schema():
    texts = iter(["no json", "still none", "nor here"])
    llm = OfflineLlm(lambda messages: restyle_question.respond(messages) if "mango" in str(messages) else next(texts))
    record = run([question(QUESTION), question("Which mangoes are sold to more than 3 customers?", 1)], llm)
    assert [q.question_id for q in record.questions] == ["s_q1"]
    assert record.rejected[0].reason == "invalid_answer"


TWO = "more than 2 orders in 2023"


@pytest.mark.parametrize(
    ("style", "text", "fault"),
    [
        ("evidence_supported", f"Which customers of New York placed {TWO}, by name?", "note"),
        ("evidence_supported", f'New York customers with {TWO}, evidence: city = "New York"', "short"),
        ("evidence_supported", f"Customers in New York with {TWO}, evidence: JOIN orders on the customer id.", "SQL"),
        (
            "evidence_supported",
            f"New York customers with {TWO}, evidence: look at order_date of the orders.",
            "identif",
        ),
        ("structured", f"Find customers of New York with {TWO}.", "items"),
        ("requirements_list", f"Customers in New York; show {TWO}; names", "sentence"),
        ("requirements_list", f"Customers in New York with {TWO}", "two fragments"),
        ("requirements_list", f"Customers in New York; {TWO}; is it by name?", "question"),
        ("short_ambiguous", QUESTION, "shorter"),
        ("short_high_level", QUESTION, "shorter"),
        ("casual", f"Customers living in New York with {TWO}, sorted by name.", "casual"),
        ("casual", f"hey, who in Boston got {TWO}?", "lost the value 'New York'"),
        ("casual", "hey, " + QUESTION, "same as the verbose"),
        ("casual", "Привет, какие клиенты из New York сделали более 2 заказов в 2023, покажи мне", "English"),
        ("spelling_grammar_mistakes", f"Which customers in New York placed {TWO} by name?", "no spelling"),
        ("spelling_grammar_mistakes", "Wihch cutsomers livng in Nwe York plcaed mroe thn 2 odrers in 2023", "lost"),
        ("spelling_grammar_mistakes", QUESTION, "no spelling"),
    ],
)
def test_each_style_has_a_shape(style, text, fault):
    found = faults(style, text, QUESTION, literals(QUESTION), {"verbose": QUESTION})
    assert any(fault in each for each in found), found


#: The record of the seed's Figure 1.
PUBLISHED = {
    "casual": "Hey, can you pull up the names of everyone who got feedback from Tuttle Gledhill and tell me what "
    "departments they're in? Just need to see how far his feedback is spreading.",
    "structured": '1. Identify all employees who received feedback from "Tuttle Gledhill". 2. Record their full names. '
    "3. Determine the department for each employee. 4. Use this data to evaluate the reach of his feedback.",
    "requirements_list": "Employees who received feedback from Tuttle Gledhill; their names; department assignments; "
    "feedback reach assessment.",
    "short_high_level": "List the names and departments of all employees who received feedback from Tuttle Gledhill.",
    "short_ambiguous": "Track down who took feedback from Tuttle Gledhill and map out their teams.",
    "spelling_grammar_mistakes": "Find the names of the peeps who got feedback from Tuttle Gledhill and figure out "
    "what deparment they are in, so we can see how his feedback inititives are doing.",
    "evidence_supported": "Which employees received feedback from Tuttle Gledhill, and what are their departments?, "
    "evidence: Feedback records link a recipient to a sender. The sender is identified by the name 'Tuttle Gledhill'.",
}


@pytest.mark.parametrize(("style", "text"), PUBLISHED.items())
def test_the_phrasings_of_the_published_record_pass(style, text):
    original = (
        'Identify the names of employees who have received feedback from the employee named "Tuttle Gledhill" and '
        "determine which department they belong to, in order to assess the reach of his feedback initiatives."
    )
    assert faults(style, text, original, literals(original), {"verbose": original}) == []


def test_the_label_of_an_ambiguous_phrasing_is_mended_where_the_texts_tell_better():
    class Mislabelled(Scripted):
        def __call__(self, messages):
            said = json.loads(super().__call__(messages))
            return json.dumps(said | {"left_out": [said["short_ambiguous"].split()[0], ""]})

    script = Mislabelled()
    (styled,) = run([question(QUESTION)], OfflineLlm(script)).questions
    assert script.asked == [list(STYLES[1:])]
    text, named = styled.phrasings["short_ambiguous"], " ; ".join(styled.left_out)
    assert all(value in named + text for value in ("New York", "2", "2023"))
    assert text.split()[0] not in styled.left_out


def test_an_ambiguous_phrasing_without_a_label_is_labelled_with_the_words_that_it_lacks():
    asked, short = 'Which books of "Ann Lee" have the most loans?', 'Books of "Ann Lee"?'
    found = literals(asked)
    assert labelled(short, asked, ["Ann Lee", " "], found) == ("loan", "most")
    assert labelled(short, asked, ["most often lent"], found) == ("most often lent",)
    assert labelled(asked, asked, [], found) == () and unlabelled(asked, (), found)


def test_a_phrasing_without_a_mistake_is_told_where_to_make_some():
    (fault,) = faults("spelling_grammar_mistakes", f"{QUESTION} please", QUESTION, literals(QUESTION), {})
    assert "write cutomer for customer and liing for living for instance" in fault


@pytest.mark.parametrize(
    ("phrasing", "typed"),
    [
        ("What is the average number of copies per branch?", "What is teh average number of copies per brnch?"),
        ("how many copies do the branches have", "how many copies do teh brnches have"),
        ("Branch 'the branch' of \"branch\", it's the branch's", "Branch 'the branch' of \"branch\", it's teh brnch's"),
        ("Nothing of it", "Nothing of it"),
    ],
)
def test_slips_spare_values_and_names(phrasing, typed, monkeypatch):
    monkeypatch.setattr(slips, "slips", lambda _: {"branch": "brnch", "the": "teh"})
    assert slips.with_slips(phrasing, "?") == typed


def test_slips_are_never_made_in_a_value():
    assert slips.slips("How many copies are in the Mill Lane Branch?") == {"the": "teh"}
    assert slips.slips("Which branch has 'reference' copies?") == {"branch": "brnch"}


def test_a_model_that_cannot_misspell_is_helped_once_it_was_told():
    """Its own words with slips in them; what else is wrong with a phrasing stays wrong."""
    right = QUESTION.replace("Which", "which").replace("customers", "of the customers")
    llm = OfflineLlm(Scripted(*[{"spelling_grammar_mistakes": right}] * 2))
    (styled,) = run([question(QUESTION)], llm).questions
    assert len(llm.calls) == 2
    typed = styled.phrasings["spelling_grammar_mistakes"]
    assert typed != right and "cutomers" in typed and '"New York"' in typed
    short = OfflineLlm(Scripted(*[{"spelling_grammar_mistakes": "which customers are there"}] * 3))
    assert run([question(QUESTION)], short).rejected


@pytest.mark.parametrize("mark", ["? evidence: ", "?, Evidence: ", "?; evidence:", "?\nEvidence: "])
def test_the_mark_of_the_evidence_is_read_as_models_write_it(mark):
    assert tidied("evidence_supported", f"Who is it{mark}a name") == "Who is it?, evidence: a name"
    assert tidied("casual", " hey, evidence: none ") == "hey, evidence: none"


def test_a_numbered_command_is_no_fragment():
    text = 'Find all orders of "Ann Lee" in 2023.'
    (fault, *_) = faults("requirements_list", '1. Find all orders\n2. of "Ann Lee"; in 2023', text, literals(text), {})
    assert "is a sentence, not a fragment" in fault


def test_only_styles_asked_for_can_be_answered():
    asked = restyling(("casual", "short_ambiguous"))
    assert list(asked.answer.model_fields) == ["casual", "short_ambiguous", "left_out"]
    assert asked.answer.model_validate({"casual": None}).casual == ""


def prompt_of(styles: tuple[str, ...]) -> str:
    """The system message of a call that asks for `styles`."""
    asked = {"question": "?", "values": (), "keep": (), "terms": (), "subjects": (), "voice": "a clerk", "faults": {}}
    return load_prompt("restyle_question").render(restyling(styles)(styles=styles, **asked))[0]["content"]


def test_the_examples_of_the_prompt_withstand_their_own_checks():
    """A model that copies an example's manner must not be refused for it."""
    shown = re.findall(r"^Question: ([^\n]*)\n\n(\{.*?\})$", prompt_of(STYLES[1:]), re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for original, answer in shown:
        rewrites = json.loads(answer)
        found, accepted = literals(original), {"verbose": original}
        for style in STYLES[1:]:
            assert faults(style, rewrites[style], original, found, accepted) == [], style
            accepted[style] = rewrites[style]
        assert unlabelled(rewrites["short_ambiguous"], rewrites["left_out"], found) == []


def test_a_prompt_for_one_style_speaks_of_no_other():
    text = prompt_of(("casual",))
    assert "- casual:" in text and '{"casual": ' in text
    assert not [style for style in STYLES[1:-2] if style in text] and "left_out" not in text


def test_styles_can_be_asked_one_at_a_time_and_more_often():
    """What weak models need; the phrasings are checked against each other all the same."""
    script = Scripted()
    record = run([question(QUESTION)], OfflineLlm(script), per_call=1)
    assert script.asked == [[style] for style in STYLES[1:]]
    assert tuple(record.questions[0].phrasings) == STYLES
    stubborn = Scripted(*[{"casual": "N/A"}] * 20)
    assert run([question(QUESTION)], OfflineLlm(stubborn), per_call=1, attempts=5).rejected
    assert stubborn.asked.count(["casual"]) == 5


class Sampled(OfflineLlm):
    """Keeps the sample of every call."""

    samples: tuple[int, ...] = ()

    async def ask(self, task, *, sample=0):
        self.samples += (sample,)
        return await super().ask(task, sample=sample)


def test_a_phrasing_refused_twice_for_the_same_reason_is_not_answered_from_the_cache():
    """Seen with a 1.5B model: the third prompt was the second again, and so was its reply, free and useless."""
    llm = Sampled(Scripted(*[{"casual": "N/A"}] * 3))
    run([question(QUESTION)], llm)
    asked = [(messages[-1]["content"], sample) for (_, messages, _), sample in zip(llm.calls, llm.samples, strict=True)]
    assert asked[1][0] == asked[2][0] and len(set(asked)) == 3


def test_what_a_question_computes_is_told_to_the_model():
    assert told_figures("Which city has the most orders with an average price above 20?") == (
        "average",
        "most",
        "above",
    )


def test_the_terms_of_a_question_are_told_with_their_place():
    found = mentions("Which unit price and shipped date do order items of the buyer have?", ("order_items",), SCHEMA)
    assert found == (
        {"term": "buyer", "of": "order item", "refers to": "customer"},
        {"term": "unit price", "of": "order item"},
        {"term": "shipped date", "of": "order item"},
    )
    assert mentions("How many customers are there?", ("order_items",), SCHEMA) == ()
