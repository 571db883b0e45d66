"""An episode laid out for a reader, as Figure 6 does: rounds with thought, calls and results, then the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqale_assets.evaluation.items import rank
from sqale_assets.evaluation.log import Evaluated
from sqale_assets.evaluation.records import EpisodeRecord, Table
from sqale_assets.relational.model import Model
from sqale_assets.sqlenv.calls import Call, find_calls, native_calls, strip_thoughts

#: Characters of an answer and of a thought that are shown.
SHOWN_ANSWER, SHOWN_THOUGHT = 1_500, 2_000
_RESULT = re.compile(r"\[result \d+\] \S+\Z")
#: What a round is for, by the tool in it that comes first here.
_PURPOSES = (
    ("submit_sql", "Submit"),
    ("list_tables", "Survey"),
    ("describe_table", "Inspect"),
    ("foreign_keys", "Inspect"),
    ("join_path", "Inspect"),
    ("sample_rows", "Read values"),
    ("distinct_values", "Read values"),
    ("run_query", "Query"),
)


class ShownCall(Model):
    """A call, how often the reply holds it, and what it was answered (empty for a submission that ended it)."""

    tool: str
    args: str
    times: int
    answer: str


class Round(Model):
    """One reply and what came back. `said` is what the environment said beside the answers, the budget first of all."""

    purpose: str
    thought: str
    calls: tuple[ShownCall, ...]
    said: str


class Replay(Model):
    """An episode with all that a reader wants to see of it."""

    run: str
    model: str
    condition: str
    question_id: str
    database_id: str
    schema_tables: int
    difficulty: str
    question: str
    outcome: str
    difference: str
    ended_by: str
    bird: bool
    gold_tables: tuple[str, ...]
    opened: tuple[str, ...]
    literals: int
    literals_seen: int
    rounds: tuple[Round, ...]
    sql: str
    gold_sql: str
    result: Table | None
    gold_result: Table


def sample_replays(
    runs: Sequence[Evaluated], names: Mapping[str, str], *, count: int = 80, seed: int = 0
) -> list[Replay]:
    """About `count` episodes, as evenly as possible over runs, conditions and outcomes."""
    strata: dict[tuple[str, ...], list[EpisodeRecord]] = {}
    for evaluated in runs:
        for episode in sorted(evaluated.episodes, key=lambda each: rank(seed, "replay", *each.key)):
            kind = (evaluated.run.fingerprint, episode.condition, episode.outcome, episode.ended_by)
            strata.setdefault(kind, []).append(episode)
    chosen: list[Replay] = []
    depth = 0
    while len(chosen) < count and any(len(episodes) > depth for episodes in strata.values()):
        for (run, *_), episodes in sorted(strata.items()):
            if depth < len(episodes) and len(chosen) < count:
                chosen.append(replay_of(episodes[depth], run, names[run]))
        depth += 1
    return chosen


def replay_of(episode: EpisodeRecord, run: str, model: str) -> Replay:
    """The replay of one episode of the run with that fingerprint."""
    return Replay(
        run=run,
        model=model,
        condition=episode.condition,
        question_id=episode.question_id,
        database_id=episode.database_id,
        schema_tables=episode.schema_tables,
        difficulty=episode.difficulty or "unknown",
        question=episode.question,
        outcome=episode.outcome,
        difference=episode.difference,
        ended_by=episode.ended_by,
        bird=episode.bird,
        gold_tables=episode.gold_tables or (),
        opened=episode.behaviour.opened,
        literals=episode.behaviour.literals,
        literals_seen=episode.behaviour.literals_seen,
        rounds=tuple(_rounds(episode.transcript)),
        sql=episode.sql or "",
        gold_sql=episode.gold_sql,
        result=episode.result,
        gold_result=episode.gold_result,
    )


def _rounds(transcript: Sequence[Mapping[str, Any]]) -> Iterator[Round]:
    for at, message in enumerate(transcript):
        if message["role"] != "assistant":
            continue
        following = []
        for later in transcript[at + 1 :]:
            if later["role"] == "assistant":
                break
            following.append(later["content"])
        yield _round(message, following)


def _round(message: Mapping[str, Any], following: Sequence[str]) -> Round:
    reply = message["content"]
    calls = native_calls(message["tool_calls"]) if message.get("tool_calls") else find_calls(strip_thoughts(reply))[0]
    answers, said = _answers(following, native=bool(message.get("tool_calls")))
    counted: dict[Call, int] = {}
    first: dict[Call, str] = {}
    for number, call in enumerate(calls):
        counted[call] = counted.get(call, 0) + 1
        first.setdefault(call, answers[number] if number < len(answers) else "")
    shown = tuple(
        ShownCall(
            tool=call.tool,
            args=_arguments(call),
            times=times,
            answer=_short(first[call], SHOWN_ANSWER),
        )
        for call, times in counted.items()
    )
    return Round(
        purpose=_purpose(call.tool for call in counted),
        thought=_short(_thought(reply), SHOWN_THOUGHT),
        calls=shown,
        said=said,
    )


def _answers(following: Sequence[str], *, native: bool) -> tuple[list[str], str]:
    """The answers to the calls in order, and what else was said."""
    if native:
        parts = [text.partition("\n") for text in following]
        return [answer for answer, _, _ in parts], "\n".join(rest for _, _, rest in parts if rest)
    answers: list[str] = []
    said: list[str] = []
    lines = iter("\n".join(following).split("\n"))
    for line in lines:
        if _RESULT.match(line):
            answers.append(next(lines, ""))
        elif line:
            said.append(line)
    return answers, "\n".join(said)


def _purpose(tools: Iterable[str]) -> str:
    used = set(tools)
    return next((purpose for tool, purpose in _PURPOSES if tool in used), "No call")


def _thought(reply: str) -> str:
    """What the reply says beside its calls."""
    text = re.sub(r"</?think>", "\n", reply)
    decoder = json.JSONDecoder(strict=False)
    kept, position = "", 0
    while (start := text.find("{", position)) >= 0:
        kept += text[position:start]
        try:
            _, position = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            kept, position = kept + "{", start + 1
    return re.sub(r"\n\s*\n+", "\n", kept + text[position:]).strip().removeprefix("```json").strip("`\n ")


def _arguments(call: Call) -> str:
    """The arguments as a reader wants them: SQL as it is, others as name: value."""
    if set(call.args) == {"sql"} and isinstance(call.args["sql"], str):
        return call.args["sql"]
    return ", ".join(f"{name}: {value}" for name, value in call.args.items())


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
