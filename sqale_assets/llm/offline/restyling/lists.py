"""The styles that list requirements: structured lines, and bare fragments."""

from __future__ import annotations

from random import Random

from sqale_assets.llm.offline.restyling.compact import bare, capitalised, compact, fragment, no_command, uncapitalised
from sqale_assets.llm.offline.restyling.parts import Parts
from sqale_assets.llm.offline.restyling.phrases import Request, chunks, determined, listing, per_group, wanted

_START = (
    "Start with {}", "Take {}", "Look at {}", "Gather {}", "Begin from {}", "Select {}", "Find {}", "Collect {}",
    "Identify {}", "Consider {}", "Pull {}", "Locate {}",
)  # fmt: skip
_FILTER = (
    "Keep only those {}", "Restrict them to the ones {}", "Include just the ones {}", "Only those {} matter",
    "Leave out everything else: only those {}", "Narrow this down to the ones {}", "They must be the ones {}",
    "Limit the scope to those {}", "Consider only the ones {}", "Filter for those {}",
)  # fmt: skip
_FINISH = (
    "Return {} as the answer", "Report {}", "Output {}", "Present {}", "Give back {}", "The result should hold {}",
    "Deliver {}", "Finally, show {}", "State {}", "Write down {}",
)  # fmt: skip
_SORT = (
    "Results {}",
    "Have the output {}",
    "The rows should be {}",
    "Present it {}",
    "Keep the list {}",
    "Show them {}",
)
_LABELS = (
    ("Subject", "Condition", "Also", "Sorting", "Output"), ("Topic", "Filter", "Include", "Order", "Result"),
    ("What", "Only if", "In addition", "Arranged", "Needed"), ("Looking for", "Where", "Plus", "Sort", "Deliverable"),
    ("Target", "Restriction", "Extra", "Ranking", "Expected"), ("Goal", "Criterion", "Addition", "Sequence", "Answer"),
    ("Scope", "Requirement", "With", "Ordering", "Return"),
)  # fmt: skip


def structured(request: Request, parts: Parts, rng: Random) -> str:
    marker = rng.choice(("{n}. ", "{n}. ", "{n}) ", "- ", "- ", "* ", "• "))
    lines = _labelled(request, parts, rng) if rng.random() < 0.4 else _steps(request, parts, rng)
    return "\n".join(marker.format(n=number) + line for number, line in enumerate(lines, 1))


def _labelled(request: Request, parts: Parts, rng: Random) -> list[str]:
    subject, condition, extra, order, output = rng.choice(_LABELS)
    if parts.kind == "whole":
        return [
            f"{subject}: {_joined(request.subjects[:3])}",
            f"{output}: the answer to: {uncapitalised(parts.entity)}",
        ]
    lines = [f"{subject}: {parts.entity}"]
    lines += [f"{condition}: {fragment(each)}" for each in parts.conditions]
    lines += [f"{condition}: {each}" for each in parts.extras]
    lines += [f"{output}: {_output(parts) or f'all matching {parts.entity}'}"]
    lines += [f"{order}: {each}" for each in parts.order]
    return lines + [f"{extra}: {each}" for each in parts.notes]


def _steps(request: Request, parts: Parts, rng: Random) -> list[str]:
    if parts.kind == "whole":
        lines = [rng.choice(_START).format(f"the records on {_joined(request.subjects[:3])}")]
        return [
            f"{line}." for line in [*lines, rng.choice(_FINISH).format(f"the answer to: {uncapitalised(parts.entity)}")]
        ]
    lines = [rng.choice(_START).format(determined(parts))]
    filters = rng.sample(_FILTER, k=len(_FILTER))
    lines += [template.format(each) for template, each in zip(filters, parts.conditions, strict=False)]
    lines += [rng.choice(("They must be {}", "They are {}", "Keep what is {}")).format(each) for each in parts.extras]
    if len(parts.what) > 2 and rng.random() < 0.4:
        lines += [rng.choice(_FINISH).format(part) for part in _halves(parts.what)]
    else:
        lines.append(rng.choice(_FINISH).format(_output(parts) or "them"))
    lines += [rng.choice(_SORT).format(each) for each in parts.order]
    lines += [capitalised(each) for each in parts.notes]
    return [f"{line}." for line in lines]


def _output(parts: Parts) -> str:
    """What comes out; a number is one of something."""
    asked = f"the number of {parts.entity}" if parts.kind == "count" else wanted(parts)
    return asked and asked + per_group(parts)


def _halves(items: list[str]) -> list[str]:
    middle = len(items) // 2
    return [listing(items[:middle]), listing(items[middle:])]


#: Closing fragments, which ask for nothing that the question does not.
_COMPLETE = (
    "complete result", "every matching record", "nothing else", "no further columns", "all matches", "full result",
    "exact figures", "recorded data only", "no sampling", "current records",
)  # fmt: skip


def requirements_list(request: Request, parts: Parts, rng: Random) -> str:
    if parts.kind == "whole":
        fragments = chunks(request)
    else:
        conditions = [fragment(each) if rng.random() < 0.8 else each for each in parts.conditions] + parts.extras
        asked = _asked(parts, rng)
        entity = [rng.choice((parts.entity, f"{parts.entity} only", f"scope {parts.entity}", parts.entity))]
        order = rng.random()
        fragments = (
            [*entity, *conditions, *asked] if order < 0.5 else [*asked, *entity, *conditions] if order < 0.8
            else [*conditions, *entity, *asked]
        )  # fmt: skip
        fragments += parts.order + parts.notes
    if len(fragments) < 2 or rng.random() < 0.4:
        fragments.append(rng.choice(_COMPLETE))
    fragments = [no_command(compact(each.replace("?", ""), articles=rng.random() < 0.6)) for each in fragments]
    if rng.random() < 0.2:
        return "\n".join(f"- {each}" for each in fragments)
    return (capitalised if rng.random() < 0.7 else str)("; ".join(fragments))


def _asked(parts: Parts, rng: Random) -> list[str]:
    group = [rng.choice((f"one row per {bare(parts.group)}", f"per {bare(parts.group)}"))] if parts.group else []
    if parts.kind == "count":
        return [rng.choice(("their number", "total count", "number of them", "total number")), *group]
    return [bare(each) for each in parts.what] + group


def _joined(names: tuple[str, ...]) -> str:
    return listing(list(names)) or "file"
