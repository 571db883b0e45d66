"""Values: what the question compares with is compared with, in the same direction, and nothing else is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from sqlglot import exp

from sqale_assets.llm.offline.judging.case import DAY, QUOTED, Case, Objection, numbers_in

_MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = _MONTH_NAMES.split()
#: How a comparison is said before a number or a day, the longer wordings first where one begins with the other.
_SAID = {
    ">=": "greater than or equal to|at least|(?:no|not) (?:less|fewer|lower|smaller|earlier) than|on or after|since",
    "<=": "less than or equal to|at most|(?:no|not) (?:more|greater|higher|larger|later) than|on or before|up to|until",
    ">": "above|over|(?:greater|higher|more|larger|later) than|after|exceeds|exceeding",
    "<": "below|under|(?:less|lower|fewer|smaller|earlier) than|before",
    "=": "exactly|equal to",
}
COMPARED = re.compile(
    "|".join(f"(?P<o{at}>{wordings})" for at, wordings in enumerate(_SAID.values())).join((r"\b(?:", r")"))
    + r" (?P<value>\d{4}-\d{2}-\d{2}|-?\d+(?:\.\d+)?)(?![\w-])"
)
_BETWEEN = re.compile(
    r"\b(?:between|from) (?P<low>\d{4}-\d{2}-\d{2}|-?\d+(?:\.\d+)?) (?:and|to) "
    r"(?P<high>\d{4}-\d{2}-\d{2}|-?\d+(?:\.\d+)?)"
)
_SIGNS = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.EQ: "=", exp.NEQ: "<>"}
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_YES, _NO = frozenset({"1", "y", "yes", "true", "t"}), frozenset({"0", "n", "no", "false", "f"})
_SET = r"(?:is|are|be) set|with the # set|marked as|flagged as"
_UNSET = r"(?:is|are|be) not set|not (?:marked|flagged) as"
_DENIED = r"without any|ha(?:s|ve) no|not have any|for which no|not the # of any"


def values_used(case: Case) -> Objection | None:
    """Every value of the question stands in the query."""
    texts, _ = case.constants
    stripped = {text.strip("%") for text in texts}
    for value in QUOTED.findall(case.question):
        if value not in stripped:
            return "wrong_filter", f'The question asks about "{value}", which the query does not compare with.'
    for day in DAY.findall(case.text):
        if not any(text.startswith(day) for text in texts):
            return "wrong_filter", f"The question names {day}, which the query does not use."
    spelled = " ".join(node.this for node in case.nodes(exp.Literal) if node.is_string)
    written = Counter(float(node.this) for node in case.nodes(exp.Literal) if not node.is_string)
    said = Counter(numbers_in(re.sub(r"\([^()]*\)", " ", case.text)))  # what stands in brackets says it again
    for number in dict.fromkeys(case.numbers):
        times = said[number]
        used = written[abs(number)] + len(re.findall(rf"\b0*{number:g}\b", spelled))
        if not used:
            return "wrong_filter", f"The question names {number:g}, which the query does not use."
        if used < times:
            return "wrong_filter", f"The question names {number:g} {times} times, and the query uses it {used} times."
    for month, year in re.findall(rf"\b({'|'.join(MONTHS)}) (\d{{4}})\b", case.text):
        number = MONTHS.index(month) + 1
        if f"{number:02}" not in texts and not any(f"{year}-{number:02}" in text for text in texts):
            return "wrong_filter", f"The question names {month.capitalize()} {year}, which the query does not look for."
    return None


def values_asked(case: Case) -> Objection | None:
    """Every constant of the query follows from the question."""
    texts, numbers = case.constants
    asked = {value.lower() for value in QUOTED.findall(case.question)}
    named = set(case.numbers)
    for text in sorted(texts):
        bare = text.strip("%").lower()
        known = not bare or bare in asked or _named(bare, case) or re.fullmatch(r"%[YmdH%-]+", text)
        if not known and not _period(bare, case) and bare not in _YES | _NO:
            return "wrong_filter", f"The query compares with '{text}', which the question does not mention."
    for number in sorted(numbers):
        if number not in named and number not in (0.0, 1.0, 100.0):
            return "wrong_filter", f"The query uses the number {number:g}, which the question does not mention."
    return None


def _named(text: str, case: Case) -> bool:
    """Whether the question says the text, though not in double quotes."""
    if len(text) <= 2:
        return f"'{text}'" in case.text
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", case.text) is not None


def _period(text: str, case: Case) -> bool:
    """Whether a text stands for a period that the question names: 2021, or 2021-03 for March 2021."""
    match = re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text)
    if not match or float(match[1]) not in case.numbers:
        return False
    return match[2] is None or MONTHS[int(match[2]) - 1] in case.text


def directions(case: Case) -> Objection | None:
    """Above is not below: each number and day is compared in the way that the question says."""
    said: dict[float | str, list[str]] = defaultdict(list)
    for match in COMPARED.finditer(case.text):
        kind = next(sign for at, sign in enumerate(_SAID) if match[f"o{at}"])
        said[_value(match["value"])].append(kind)
    for match in _BETWEEN.finditer(case.text):
        said[_value(match["low"])].append(">=")
        said[_value(match["high"])].append("<=")
    if not said:
        return None
    done = _comparisons(case.tree)
    for value, wanted in said.items():
        signs = done.get(value, set())
        mentions = case.text.count(f"{value:g}" if isinstance(value, float) else value)
        strange = signs - set(wanted) if mentions <= len(wanted) else set() if signs & set(wanted) else signs
        if strange:
            written = f"{value:g}" if isinstance(value, float) else value
            return "wrong_filter", f"The query compares with {sorted(strange)[0]} {written}, the question otherwise."
    return None


def _value(text: str) -> float | str:
    return text if DAY.fullmatch(text) else float(text)


def _comparisons(tree: exp.Query) -> dict[float | str, set[str]]:
    """Constant -> the signs it is compared with, constant on the right. What stands under NOT is left out."""
    found: dict[float | str, set[str]] = defaultdict(set)

    def add(node: exp.Expression | None, sign: str) -> None:
        value = _constant(node)
        if value is not None:
            found[value].add(sign)

    for node in tree.find_all(*_SIGNS, exp.Between):
        if isinstance(node.parent, exp.Not):
            continue
        if isinstance(node, exp.Between):
            add(node.args["low"], ">=")
            add(node.args["high"], "<=")
            continue
        sign = _SIGNS[type(node)]
        add(node.expression, sign)
        add(node.this, _TURNED.get(sign, sign))
    return found


def _constant(node: exp.Expression | None) -> float | str | None:
    sign = 1.0
    while isinstance(node, exp.Neg | exp.Paren):
        sign = -sign if isinstance(node, exp.Neg) else sign
        node = node.this
    if not isinstance(node, exp.Literal):
        return None
    if not node.is_string:
        return sign * float(node.this)
    return node.this[:10] if DAY.match(node.this) else None


def negation(case: Case) -> Objection | None:
    """What the question excludes is excluded, and nothing else."""
    negations = [node for node in case.nodes(exp.Not) if not isinstance(node.this, exp.Is)]
    missing = [node for node in case.nodes(exp.Is) if not isinstance(node.parent, exp.Not)]
    negated = negations or missing or case.has(exp.Except, exp.Not, exp.NEQ)
    denies = case.says(r"no|without|not|never|lack|lacks|none|missing|unknown")
    allowed = re.search(
        r"no (?:less|more|earlier|later) than|without repeats|zero|not (?:marked|flagged|set)", case.plain
    )
    if denies and not negated and not allowed:
        return "wrong_filter", "The question excludes something, and the query does not."
    denials = len(re.findall(rf"\b(?:{_DENIED})\b", case.plain))
    if denials > len(negations) + len(missing) + sum(1 for _ in case.nodes(exp.Except)):
        return "wrong_filter", "The question excludes more than the query does."
    excludes = case.has(exp.Except) or any(isinstance(node.this, exp.Exists) for node in negations)
    if excludes and not denies:
        return "wrong_filter", "The query excludes rows that the question does not exclude."
    if case.says(r"whose #(?:'s #)* is (?:recorded|known)|with a recorded") and not case.has(exp.Is):
        return "wrong_filter", "The question wants a value to be recorded, and the query does not see to it."
    return None


def unequal(case: Case) -> Objection | None:
    """A comparison with <> follows from a denial, flags that are to be set are, and those that are not are not."""
    yes = no = False
    for node in case.nodes(exp.EQ, exp.NEQ, exp.In):
        for literal in node.expressions if isinstance(node, exp.In) else (node.expression, node.this):
            value = literal.this.lower() if isinstance(literal, exp.Literal) else ""
            yes = yes or value in (_NO if isinstance(node, exp.NEQ) else _YES)
            no = no or value in (_YES if isinstance(node, exp.NEQ) else _NO)
    wants_set, wants_unset = case.says(_SET), case.says(_UNSET)
    marked = any(isinstance(node.parent, exp.Where | exp.And) for node in case.nodes(exp.Column))
    if wants_unset and not no and not case.has(exp.Not):
        return "wrong_filter", "The question wants something not to be set, and the query does not look for it."
    wanted_set = case.plain.count(" set") + len(re.findall("(?:marked|flagged) as", case.plain))
    if wants_set and wanted_set > len(re.findall(_UNSET, case.plain)) and not yes and not marked:
        return "wrong_filter", "The question wants something to be set, and the query does not look for it."
    denies = case.says(r"no|not|other than|except|excluding|besides|apart from|different from|without|un\w+")
    for node in case.nodes(exp.NEQ):
        literal = node.expression
        if isinstance(literal, exp.Literal) and not (denies and _denied(literal.this.lower(), case)):
            return "wrong_filter", f"The query excludes {literal.sql('sqlite')}, which the question does not exclude."
    return None


def _denied(value: str, case: Case) -> bool:
    """Whether the question denies just this value; it need not name a code."""
    question = case.question.lower()
    start = question.find(value)
    if value in _YES | _NO or start < 0:
        return case.says(_SET if value in _NO else _UNSET) or start < 0
    return bool(
        re.search(r"\bnot\b|\bno\b|other than|except|excluding|besides|apart|different", question[:start][-40:])
    )
