from __future__ import annotations

import os
from typing import ClassVar

import pytest
from pydantic import BaseModel

from sqale_assets.llm.prompts import PromptError, all_prompts, load_prompt
from sqale_assets.llm.task import Task, Text

FRONT = "task: greet\nversion: 2\nstage: style\ntemperature: 0.5\nmax_tokens: 40\n"
BODY = "## system\nTask: greet\nBe {{ mood }}.\n\n## user\n{{ names | tojson }}\n# not a section\n"


class Greet(Task[Text]):
    prompt: ClassVar[str] = "greet"
    answer: ClassVar[type[BaseModel]] = Text

    mood: str
    names: tuple[str, ...] = ()


@pytest.fixture
def write(tmp_path):
    def write(front: str = FRONT, body: str = BODY, name: str = "greet") -> None:
        (tmp_path / f"{name}.md").write_text(f"---\n{front}---\n{body}")

    return write


def test_a_prompt_renders_its_messages_and_the_turns_after_them(write, tmp_path):
    write()
    turn = {"role": "assistant", "content": "hello"}
    messages = load_prompt("greet", tmp_path).render(Greet(mood="kind", names=("O'Neil", "<b>"), turns=(turn,)))
    assert messages == [
        {"role": "system", "content": "Task: greet\nBe kind."},
        {"role": "user", "content": '["O\'Neil", "<b>"]\n# not a section'},
        turn,
    ]


def test_the_label_follows_the_file(write, tmp_path):
    write()
    before = load_prompt("greet", tmp_path)
    write(body=BODY.replace("Be", "Stay"))
    os.utime(tmp_path / "greet.md", ns=(1, 1))
    after = load_prompt("greet", tmp_path)
    assert before.label.startswith("2@") and len(before.label) == 10
    assert before.hash != after.hash


@pytest.mark.parametrize(
    ("front", "body", "message"),
    [
        (FRONT, "no sections", "sections '## system' and '## user'"),
        (FRONT, BODY.replace("Task: greet", "You are kind."), "must be 'Task: greet'"),
        (FRONT.replace("greet", "meet"), BODY, "names task 'meet'"),
        (FRONT.replace("stage: style", "stage: nowhere"), BODY, "stage"),
        (FRONT + "colour: red\n", BODY, "colour"),
        ("- a list\n", BODY, "must be a mapping"),
        (FRONT, BODY.replace("{{ mood }}", "{{ mood "), "greet.md"),
    ],
)
def test_an_ill_formed_prompt_says_where(write, tmp_path, front, body, message):
    write(front, body)
    with pytest.raises(PromptError, match=message) as caught:
        load_prompt("greet", tmp_path)
    assert "greet.md" in str(caught.value)


def test_a_missing_prompt_says_where(tmp_path):
    with pytest.raises(PromptError, match=r"greet\.md: no prompt file"):
        load_prompt("greet", tmp_path)


def test_a_missing_front_matter_says_so(tmp_path):
    (tmp_path / "greet.md").write_text(BODY)
    with pytest.raises(PromptError, match="front matter"):
        load_prompt("greet", tmp_path)


def test_an_undefined_variable_is_an_error_that_names_the_known_ones(write, tmp_path):
    write(body=BODY.replace("mood", "moood"))
    with pytest.raises(PromptError, match=r"'moood' is undefined; the task's variables are: mood, names"):
        load_prompt("greet", tmp_path).render(Greet(mood="kind"))


def test_all_prompts_are_sorted_and_readmes_are_no_prompts(write, tmp_path):
    write()
    write(FRONT.replace("greet", "adieu"), BODY.replace("greet", "adieu"), "adieu")
    (tmp_path / "README.md").write_text("# Prompts")
    assert list(all_prompts(tmp_path)) == ["adieu", "greet"]
