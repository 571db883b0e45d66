"""Moments of a row: later rows are mostly later, created comes before updated, start before end."""

from __future__ import annotations

import re

from sqale_assets.llm.offline.filling.facts import ColumnFacts
from sqale_assets.llm.offline.filling.script import Script, word_set
from sqale_assets.relational.names import singular

#: How original rows may write a moment, and the strftime format that continues it.
_FORMATS = (
    (r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", "%Y-%m-%d %H:%M:%S"),
    (r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", "%Y-%m-%d %H:%M"),
    (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z?", "%Y-%m-%dT%H:%M:%S"),
    (r"\d{4}-\d{2}-\d{2}", "%Y-%m-%d"),
    (r"\d{2}/\d{2}/\d{4}", "%d/%m/%Y"),
    (r"\d{2}\.\d{2}\.\d{4}", "%d.%m.%Y"),
    (r"\d{2}-\d{2}-\d{4}", "%d-%m-%Y"),
    (r"\d{4}/\d{2}/\d{2}", "%Y/%m/%d"),
    (r"\d{2}-[A-Z]{3}-\d{2}", "%d-%b-%y"),
    (r"\d{8}", "%Y%m%d"),
    (r"\d{14}", "%Y%m%d%H%M%S"),
)
_LATE = re.compile(r"^(ship\w*|deliver\w*|return\w*|complet\w*|clos\w*|resolv\w*|cancel\w*|settle\w*|release\w*)")
#: What lasts for days or months: its end is another day than its start.
_LONG = word_set(
    """
    project campaign subscription membership contract policy season tournament exhibition promotion offer auction
    semester term employment enrollment lease loan experiment study survey outage poll voting competition sale
    treatment stay admission assignment version price rate discount coupon ban access permission
    """
)
#: Ends that come months after the start: by the column's words, or the table's.
_SPANS = word_set("period valid term contract warranty insurance rented")
_TERMED = word_set(
    "season membership subscription policy contract lease employment semester term insurance tenancy mortgage"
)
#: Days until something is due, by what the table holds.
_TERMS = {
    (14, 21, 28): {"loan", "borrowing", "rental", "checkout", "pinjam", "lending"},
    (7, 14, 30, 30, 30, 45, 60): {"invoice", "bill", "task", "assignment", "homework", "milestone"},
}
TODAY = "datetime(2025, 6, 30, 9, 0)"


def moment(script: Script) -> str:
    """The row's own point in time, a datetime variable: rows are spread over three years, in order."""
    if "moment" not in script.variables:
        script.setup.append("start = datetime(2022, 1, 3)")
        days = "int(1240 * ((i + rng.random()) / n) ** 0.85)"
        script.once("moment", f"start + timedelta(days={days}, seconds=int(rng.triangular(25200, 79200, 43200)))")
    return script.variables["moment"]


def created(column: ColumnFacts, script: Script) -> str:
    return written(column, moment(script))


def started(column: ColumnFacts, script: Script) -> str:
    """The row's moment; where it has one already (created), a little later than the last one."""
    if "started" in script.variables:
        later = f"{script.variables['started']} + timedelta(days=rng.randint(1, 21), minutes=rng.randint(5, 300))"
        script.variables["started"] = script.variable(column.name, later)
    elif script.has("date.created"):
        script.once(
            "started", f"{moment(script)} + timedelta(days=int(rng.expovariate(0.2)), minutes=rng.randint(5, 240))"
        )
    else:
        script.variables["started"] = moment(script)
    when = written(column, script.variables["started"])
    return month_of(when) if "month" in column.words and column.kind == "date" and when.endswith("[:10]") else when


def ended(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("started") or moment(script)
    days = "timedelta(days=1 + int(rng.lognormvariate(2, 0.9)))"
    if _SPANS & set(column.words) or (column.kind == "date" and _TERMED & {singular(w) for w in script.table.words}):
        days = "timedelta(days=rng.choice([30, 90, 180, 365, 365]))"
    hours = "timedelta(minutes=15 * rng.randint(2, 32))"
    brief = column.kind == "datetime" and not _LATE.match(column.words[0]) and not _LONG & set(script.table.words)
    return written(column, f"{base} + {hours if brief else days}")


def updated(column: ColumnFacts, script: Script) -> str:
    last = script.variables.get("started")
    base = moment(script) if script.has("date.created") or last is None else last
    delay = "timedelta(days=int(rng.lognormvariate(2.2, 1.1)), minutes=rng.randint(1, 600))"
    return written(column, f"min({base} + {delay}, {TODAY})" if column.kind != "date" else f"{base} + {delay}")


def expires(column: ColumnFacts, script: Script) -> str:
    base = script.variables.get("started") or moment(script)
    words = {singular(word) for word in script.table.words}
    days = next((days for days, known in _TERMS.items() if words & known), (14, 30, 30, 60, 90, 180, 365, 365, 730))
    return written(column, f"{base} + timedelta(days=rng.choice({list(days)}))")


def deleted(column: ColumnFacts, script: Script) -> str:
    gone = updated(column, script)
    share = 0.4 if column.name in script.table.complaints else 0.07
    return gone if column.required else f"{gone} if rng.random() < {share} else None"


def birth(column: ColumnFacts, script: Script) -> str:
    young = {"student", "pupil", "child", "siswa", "athlete", "player", "alumno", "aluno", "dependent"} & set(
        script.table.words
    )
    start, span = ("datetime(1998, 1, 1)", 4300) if young else ("datetime(1946, 1, 1)", 21500)
    born = script.once("born", f"{start} + timedelta(days=int(rng.triangular(0, {span}, {span * 0.62:.0f})))")
    return f"{born}.year" if "year" in column.words else written(column, born, day=True)


def month_of(expression: str) -> str:
    """The first day of the month that a written date lies in."""
    return f'{expression}[:8] + "01"'


def past(column: ColumnFacts, script: Script) -> str:
    """Long before the rows: when something was built or founded."""
    return written(column, "datetime(1952, 3, 1) + timedelta(days=int(rng.triangular(0, 25000, 19000)))", day=True)


def hired(column: ColumnFacts, script: Script) -> str:
    expression = "datetime(2008, 1, 7) + timedelta(days=int(rng.triangular(0, 6300, 4700)))"
    script.once("started", expression)
    return written(column, script.variables["started"], day=True)


def epoch(column: ColumnFacts, script: Script) -> str:
    """Seconds since 1970, or milliseconds where the original rows count those."""
    milliseconds = any(isinstance(value, int | float) and value > 1e11 for value in column.seen)
    seconds = f"int(({moment(script)}).timestamp())"
    shift = " + rng.randint(0, 2400000)" if not {"create", "created", "creation", "start"} & set(column.words) else ""
    value = f"{seconds}{shift}"
    return f"({value}) * 1000" if milliseconds else value


def time_of_day(column: ColumnFacts, script: Script, meaning: str) -> str:
    if meaning == "time.end" and "opening" in script.variables:
        minutes = f"{script.variables['opening']} + 15 * rng.randint(3, 30)"
        return f'"%02d:%02d:00" % divmod(min({minutes}, 1425), 60)'
    minutes = (
        script.once("opening", "15 * int(rng.triangular(24, 80, 38))")
        if meaning == "time.start"
        else "15 * int(rng.triangular(24, 88, 44))"
    )
    return f'"%02d:%02d:00" % divmod({minutes}, 60)'


def are_dates(values: list[object]) -> bool:
    """Whether the values of a text column are dates, all written in the same way."""
    texts = [value for value in values if isinstance(value, str)]
    return len(texts) >= 2 and any(all(re.fullmatch(pattern, text) for text in texts) for pattern, _ in _FORMATS[:9])


def written(column: ColumnFacts, expression: str, *, day: bool = False) -> str:
    """A datetime expression as the column holds it: as its original rows do, else ISO by its kind."""
    texts = [value for value in column.seen if isinstance(value, str)]
    if texts:
        found = next((fmt for pattern, fmt in _FORMATS if all(re.fullmatch(pattern, text) for text in texts)), None)
        if found not in (None, "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"):
            return f'({expression}).strftime("{found}")'
    if column.seen and all(isinstance(value, int) for value in column.seen):
        return f"int(({expression}).timestamp())"
    dated = column.kind == "date" or (
        column.kind == "text" and (day or (column.length or 20) < 19 or "date" in column.words)
    )
    if column.kind in ("integer", "decimal"):
        return f'int(({expression}).strftime("%Y%m%d"))'
    return f"str({expression})[:10]" if dated or day else f"str({expression})"
