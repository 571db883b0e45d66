"""One episode of answering a question with the tools, as a protocol of plain messages.

The answering stage, evaluation and training all run this class, so that a model meets the same rounds, budget,
tools and words everywhere. The protocol is stated in `prompts/answer_question.md`: several calls per reply, as bare
JSON and answered in one message, or native and answered in one message each; what is said ends with the budget; a
submission that does not run comes back with its error as long as there are turns; after the last tool turn, or too many
failed queries in a row, one final turn; an empty or broken final answer falls back to the last query that ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqale_assets.sqlenv.calls import Call, fenced_sql, find_calls, native_calls, strip_thoughts
from sqale_assets.sqlenv.database import Database
from sqale_assets.sqlenv.errors import QueryError
from sqale_assets.sqlenv.tools import ANSWER_CHARACTERS, BAD_CALL, Answer, Toolbox, bind, usage_of

EndedBy = Literal["submit_sql", "final_turn", "fallback", "no_answer", "token_limit", "no_reply"]

#: Calls of one reply that are run, and characters that their answers share.
MAX_CALLS = 32
MESSAGE_CHARACTERS = 24_000
#: What a call is told that failed before, word for word.
REPEATED = "This very call failed before. Make another one: list_tables and describe_table show the names to use."
#: What a native call is told that was not run: past the limit, or in the reply that submitted.
NOT_RUN = '{"error":"not run"}'
#: How the message begins that shows tables before the first turn, and how many rows of each it shows.
SHOWN = "[tables] What the tools say of the tables that the question is about:"
SHOWN_ROWS = 3
AFTER_SHOWN = "No more need be looked up: run the query, see whether its result answers the question, and submit it."
#: How a message begins that sends an answer back.
REJECTED = "[rejected]"


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was run: for statistics, and for what the agent has seen."""

    turn: int
    call: Call
    answer: Answer


class Episode:
    """An episode over `database`. Feed it the model's replies with `step` until it returns None.

    Attributes:
        sql: the answer: submitted, written as text in the final turn, or fallen back to. None when there is none.
        ended_by: how the episode ended, None while it goes on.
        transcript: the messages so far, after the prompt: {"role": "assistant" | "user", "content": ...}, and
            {"role": "tool", "tool_call_id": ..., "content": ...} after an assistant's native "tool_calls".
        done: the tool calls that were run.
        turns: tool turns taken; replies without a usable call count.

    Args:
        submission_ends: a submission ends the episode even when it does not run, as where models are measured and
            trained (seed, "The models"). Otherwise its error goes back while there are turns, as where gold is made.
    """

    def __init__(self, database: Database, max_turns: int = 6, max_failures: int = 4, *, submission_ends: bool = False):
        self.database, self.max_failures, self.submission_ends = database, max_failures, submission_ends
        self.sql: str | None = None
        self.ended_by: EndedBy | None = None
        self.transcript: list[dict[str, Any]] = []
        self.done: list[Done] = []
        self.turns = 0
        self._left = max_turns
        self._failures = 0
        self._last_good: str | None = None

    def step(self, reply: str, tool_calls: Sequence[Mapping[str, Any]] = ()) -> str | None:
        """Take the model's reply, with its native calls in OpenAI's form if it made any.

        Returns what the model is told next, as one text; the messages to send are in `transcript`. None when the
        episode has ended.
        """
        if self.ended_by:
            raise RuntimeError("the episode has ended")
        native = {"tool_calls": [dict(each) for each in tool_calls]} if tool_calls else {}
        self.transcript.append({"role": "assistant", "content": reply, **native})
        text = strip_thoughts(reply)
        calls, broken = (native_calls(tool_calls), None) if tool_calls else find_calls(text)
        if self._final:
            self._finish(text, calls)
            return None
        self.turns += 1
        self._left -= 1
        if not calls:
            return self._say(f"{_no_call(text, broken)}\n{self._budget()}")
        return self._tool_turn(calls, broken)

    def show(self, tables: Iterable[str]) -> None:
        """Before the first reply: tell the agent of `tables` what it would find out with its first calls."""
        toolbox = Toolbox(self.database, characters=ANSWER_CHARACTERS)
        lines = [SHOWN]
        for table in tables:
            for tool, args in (("describe_table", {}), ("sample_rows", {"limit": SHOWN_ROWS})):
                lines.append(f"{tool} {table}\n{toolbox.call(tool, {'table_name': table, **args}).text}")
        self.transcript.append({"role": "user", "content": "\n".join([*lines, AFTER_SHOWN])})

    def reopen(self, reason: str, turns: int = 2) -> str:
        """Go on after the answer was rejected, with `turns` more tool turns. Returns the next user message."""
        self.ended_by = None
        self._left, self._failures = turns, 0
        return self._say(f"{REJECTED} {reason}\nMend the query and submit it again.\n{self._budget()}")

    def cut_off(self, how: Literal["token_limit", "no_reply"]) -> None:
        """End an episode whose model cannot go on; what counts is the last query that ran."""
        self.sql, self.ended_by = self._last_good, how

    @property
    def _final(self) -> bool:
        return self._left <= 0 or self._failures >= self.max_failures

    def _tool_turn(self, calls: Sequence[Call], broken: str | None) -> str | None:
        characters = min(ANSWER_CHARACTERS, MESSAGE_CHARACTERS // min(len(calls), MAX_CALLS))
        toolbox = Toolbox(self.database, characters=characters)
        answers: list[str] = []
        first: dict[Call, int] = {}
        for number, call in enumerate(calls[:MAX_CALLS], start=1):
            if call in first:
                answers.append(f'{{"same_as_result":{first[call]}}}')
                continue
            first[call] = number
            answer = self._run(toolbox, call)
            if call.tool == "submit_sql" and not answer.failed:
                self.sql, self.ended_by = bind(call.tool, call.args)["sql"], "submit_sql"
                return None
            if call.tool == "submit_sql" and self.submission_ends and answer.kind != BAD_CALL:
                self._fall_back(bind(call.tool, call.args)["sql"])
                return None
            answers.append(answer.text)
        notes: list[str] = []
        if len(calls) > MAX_CALLS:
            notes.append(f"Only the first {MAX_CALLS} of {len(calls)} calls were run.")
        if broken:
            notes.append(f"A part of the reply looks like a call but is not valid JSON and was not run: {broken}")
        notes.append(self._budget())
        if self._unanswered:
            return self._say("\n".join(notes), answers)
        numbered = enumerate(zip(calls, answers, strict=False), start=1)  # no more answers than calls
        lines = [f"[result {number}] {call.tool}\n{answer}" for number, (call, answer) in numbered]
        return self._say("\n".join([*lines, *notes]))

    def _run(self, toolbox: Toolbox, call: Call) -> Answer:
        answer = toolbox.call(call.tool, call.args)
        if answer.failed and any(done.call == call and done.answer.failed for done in self.done):
            # Weak models go round in circles: the same words do not get them out.
            told = {"error": REPEATED, "again": json.loads(answer.text)["error"]}
            if self._last_good and call.tool == "submit_sql":
                told["last_query_that_ran"] = self._last_good
            answer = Answer(json.dumps(told), failed=True, kind=answer.kind)
        self.done.append(Done(self.turns, call, answer))
        if call.tool in ("run_query", "submit_sql"):
            self._failures = self._failures + 1 if answer.failed else 0
        if call.tool in ("run_query", "submit_sql") and not answer.failed:
            self._last_good = bind(call.tool, call.args)["sql"]
        return answer

    def _finish(self, text: str, calls: Sequence[Call]) -> None:
        """Read the final turn's answer: a call, or SQL as text."""
        for tool in ("submit_sql", "run_query"):
            for call in reversed(calls):
                if call.tool == tool and isinstance(sql := call.args.get("sql"), str) and sql.strip():
                    return self._end(sql, "submit_sql" if tool == "submit_sql" else "final_turn")
        return self._end(fenced_sql(text) or "", "final_turn")

    def _end(self, sql: str, how: EndedBy) -> None:
        try:
            self.database.execute(sql)
        except QueryError:
            self._fall_back(sql)
        else:
            self.sql, self.ended_by = sql, how

    def _fall_back(self, broken: str) -> None:
        """Answer with the last query that ran, for want of a final one that does."""
        self.sql, self.ended_by = self._last_good, "fallback" if self._last_good else "no_answer"
        if self._last_good is None and broken.strip():
            self.sql = broken  # the gates then say why

    def _budget(self) -> str:
        if not self._final:
            turns = "1 tool turn" if self._left == 1 else f"{self._left} tool turns"
            return f"[{turns} left before you must answer]"
        why = "no tool turns left" if self._left <= 0 else f"{self._failures} failed queries in a row"
        return f"[{why}: answer now with one submit_sql call] {usage_of('submit_sql')}"

    @property
    def _unanswered(self) -> list[str]:
        """Ids of the native calls of the last message, each of which must be answered."""
        last = self.transcript[-1] if self.transcript else {}
        return [str(call.get("id")) for call in last.get("tool_calls", ())]

    def _say(self, content: str, answers: Sequence[str] = ()) -> str:
        """Add what the model is told: a user message, or an answer to each native call, the last with `content`."""
        ids = self._unanswered
        if not ids:
            self.transcript.append({"role": "user", "content": content})
            return content
        said = [*answers, *[NOT_RUN] * (len(ids) - len(answers))]
        said[-1] = f"{said[-1]}\n{content}" if answers else content
        messages = zip(ids, said, strict=True)
        self.transcript += [{"role": "tool", "tool_call_id": name, "content": each} for name, each in messages]
        return "\n".join(said)


def _no_call(text: str, broken: str | None) -> str:
    """What to tell a model whose reply holds no call."""
    if broken:
        return (
            "No call was run: the JSON could not be read"
            f' ({broken}). Write line breaks in strings as \\n and double quotes as \\".'
        )
    example = usage_of("run_query") if re.search(r"\bselect\b", text, re.IGNORECASE) else usage_of("list_tables")
    return f"No call was found. Write each call as a bare JSON object, for example {example}"
