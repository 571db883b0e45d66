"""How a request is put: each form is a pattern of one sentence and says which part of it means what."""

# ruff: noqa: E501 - a pattern reads best on one line

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_SHOW = (
    r"(?:show|list|give|return|display|provide|report|present|retrieve|find|get|look up|pull up|fetch|identify|name"
    r"|tell me|compute|calculate|determine|work out|find out|select|output|state|write down|pick out|print|summarise)"
)
_NEED = r"(?:i need to know|i want to know|i want to see|i need|we need|i would like|i'd like|i want|please give me)"
_PLEASE = rf"(?:(?:please|can you|could you|would you|{_NEED})\s+)*"
_ASK = rf"{_PLEASE}(?:{_SHOW}\s+(?:me\s+|us\s+|both\s+)?)?"
_THINGS = r"(?:every|each|all)\s+"
_AND_SHOW = (
    r"and\s+(?:show|give|list|report|return|determine|state|name|find|compute|present|provide|display)\s+(?:me\s+)?"
)


@dataclass(slots=True)
class Core:
    """`things` holds the entity with its conditions; with `what_in_things` also what is wanted, before an "of"."""

    kind: str
    things: str
    what: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    group: str | None = None
    what_in_things: bool = False
    things_first: bool = False


def core_of(sentence: str) -> Core | None:
    """The core of a request without its order and remarks; None when no form fits."""
    for pattern, make in _FORMS:
        if match := pattern.match(sentence):
            core = make({name: value for name, value in match.groupdict().items() if value is not None})
            if core is not None:
                return core
    return None


def _scoped(found: dict[str, str]) -> Core | None:
    """For every customer ..., show the name / of all orders, what percentage are those ..."""
    rest = found["rest"]
    asked = r"(?:what (?:percentage|share) are|(?:\w+ )?the percentage of) (?:those|ones) (?P<condition>.+)$"
    if match := re.match(asked, rest, re.IGNORECASE):
        return Core("rows", found["things"], [f"the percentage of those {match['condition']}"], things_first=True)
    if match := re.match(r"which (?:have|has) (?P<condition>.+)$", rest, re.IGNORECASE):
        return Core("rows", found["things"], conditions=[f"that have {match['condition']}"], things_first=True)
    if re.match(r"(?:(?:show|give|report) )?how many (?:there are|are there)$", rest, re.IGNORECASE):
        return Core("count", found["things"], things_first=True)
    if match := _BEST.match(rest):
        notes = ["ties included"] if match["ties"] else []
        return Core("rows", match["things"], [_unowned(match["what"])], notes=notes, group=found["things"])
    what = re.sub(rf"^(?:{_SHOW}|what (?:is|are))\s+", "", rest, flags=re.IGNORECASE)
    figure = re.match(r"(?P<what>the (?:(?! and )[\w ])+?) of (?P<things>[^,]+)$", what)
    if figure and not re.search(r"\b(?:whose|with|that|where)\b", found["things"]):
        kind = "count" if re.match(r"the (?:total )?(?:number|count)$", figure["what"]) else "rows"
        wanted = [] if kind == "count" else [figure["what"]]
        return Core(kind, figure["things"], wanted, group=found["things"], things_first=True)
    return Core("rows", found["things"], [what], things_first=True)


#: For each medium, | list the artwork with the lowest value, including all ties, and report its title.
_BEST = re.compile(
    r"(?:find|show|list)\s+the\s+(?P<things>.+?)(?P<ties>,\s+(?:with ties|ties included))?,?\s+and\s+(?:give|report|list|show)"
    r"\s+(?P<what>.+)$",
    re.IGNORECASE,
)


def _unowned(what: str) -> str:
    return re.sub(r"\b(?:its|their) ", "the ", what)


def _averaged(found: dict[str, str]) -> Core:
    notes = [found["note"]] if "note" in found else []
    return Core("rows", found["things"], [f"the average number of {found['what']}"], notes=notes)


def _counted(found: dict[str, str]) -> Core | None:
    things = found["things"] + (f" {found['more']}" if found.get("more") else "")
    if re.search(r"\b(?:did|does|do)\s(?!not\b)", found["things"]):
        return None
    return Core("count", things, group=found.get("group"))


def _did(found: dict[str, str]) -> Core:
    """How many orders did Ann place: the verb's past cannot be told from its base form, so it becomes a link."""
    kind = "count" if found.get("many") else "rows"
    return Core(kind, found["things"], conditions=[f"linked to {found['who']}{found.get('rest', '')}"])


def _combined(found: dict[str, str]) -> Core:
    joint = " ".join(found.get("joint", "and also among").split())
    joint = {"and among": "and also among"}.get(joint, joint)
    return Core("rows", found["things"], [found["what"]], extras=[f"{joint} {found['others']}"])


def _shared(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [found["what"]], extras=[f"shared with {found['others']}"])


def _showing(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [_unowned(found["what"])], group=found.get("group"), things_first=True)


def _which(found: dict[str, str]) -> Core | None:
    """Which customers placed ...: the noun, then its verb as a relative clause."""
    things = found["things"]
    if match := re.match(r"(?:are|is)\s+(?:the\s+)?(?P<things>.+)$", things):
        return Core("rows", match["things"], things_first=True)
    verb = re.search(rf"\s(?={_VERBS}\b)", things)
    clause = re.search(
        r"\s(?=(?:whose|where|with|without|that|having|who|not|marked|flagged|named|called|titled)\s)", things
    )
    if verb is None:
        return Core("rows", things, things_first=True)
    if clause and clause.start() < verb.start():  # the verb may belong to the clause; the last one is the sentence's
        final = re.search(r"^.*\s(?=(?:have|has|come|appear|occur|are|is)\b(?!.*\s(?:have|has)\b))", things)
        if not final or final.end() <= clause.start():
            return None
        return Core("rows", things[: final.end()], conditions=[f"that {things[final.end() :]}"], things_first=True)
    if re.match(r"\s?(?:did|do|does)\b", things[verb.start() :]):
        return None
    return Core("rows", things[: verb.start()], conditions=[f"that {things[verb.end() :]}"], things_first=True)


_VERBS = (
    r"(?:have|has|had|are|is|were|was|come|did|do|does|can|belong|belongs|appear|appears|contain|contains|hold|holds"
    r"|earn|earns|cost|costs|share|shares|occur|occurs|exceed|exceeds|need|needs|use|uses|show|shows|received|placed"
    r"|made|\w+ed)"
)


#: every client | and the number of keys belonging to it
_AND_FIGURE = re.compile(
    r"(?P<things>.+?),?\s+(?:and|together with|along with)\s+(?P<figure>the\s+(?:exact\s+)?"
    r"(?:number|count|total|average|mean|maximum|minimum|combined|overall|highest|lowest|largest|smallest|running)"
    r"\b.*)$"
)


def _share(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [f"the percentage of those {found['condition']}"])


def _best(found: dict[str, str]) -> Core:
    """In each city, which orders have the highest price?"""
    return Core("rows", found["things"], conditions=[f"that have {found['most']} {found['key']}"], group=found["group"])


def _percentage(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [f"the percentage of those that {found['condition']}"])


def _summed(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [f"the average total {found['what']}"])


def _above_average(found: dict[str, str]) -> Core:
    """Things that have more of something than the average; what is shown of them may stand in the same sentence."""
    things = found["things"].removesuffix(" that has any")
    above = f"that have more {found['more']} than the average of those with any"
    shown = [found["shown"]] if "shown" in found else []
    return Core("rows", things, shown, conditions=[above], things_first=True)


def _average_per(found: dict[str, str]) -> Core:
    figure = f"the average number of {found['what']}" if "total" not in found else f"the average total {found['total']}"
    return Core("rows", found["things"], [figure], notes=["ignoring those without any"])


def _groups_above(found: dict[str, str]) -> Core:
    """For which city is the average price of orders above 9?"""
    return Core(
        "rows", found["things"], [found["figure"]], group=found["group"], notes=[f"only where it is {found['bound']}"]
    )


def _groups_shared(found: dict[str, str]) -> Core:
    """Show each city shared by more than 5 orders, together with the number."""
    return Core("count", found["things"], group=found["group"], notes=[f"only where there are {found['bound']}"])


def _repeated(found: dict[str, str]) -> Core:
    return Core("rows", found["things"], [f"the {found['what']}"], notes=[f"only those that occur {found['bound']}"])


def _first_few(found: dict[str, str]) -> Core:
    order = f"sorted by {found['order']}"
    return Core("rows", f"first {found['number']} {found['things']}", [found["what"]], order=[order], things_first=True)


#: What begins a condition: an "of all" behind it belongs to that.
_CONDITION = re.compile(r"\s(?:whose|with|where|that|having|named|called|titled)\s")


def _plain(found: dict[str, str]) -> Core:
    """A noun phrase: the name and the city of every customer ... / the mean price of orders ... / all orders ..."""
    rest = found["rest"]
    match = re.match(rf"(?P<what>.+?)\s+(?:of|for)\s+{_THINGS}(?P<things>.+)$", rest)
    if match and not _CONDITION.search(match["what"]):
        if figure := _AND_FIGURE.match(match["things"]):
            return Core("rows", figure["things"], [f"{match['what']} and {figure['figure']}"])
        return Core("rows", match["things"], [match["what"]])
    return Core("rows", rest, what_in_things=True)


def _form(pattern: str, make: Callable[[dict[str, str]], Core | None]) -> tuple[re.Pattern[str], Callable]:
    return re.compile(f"^{pattern}$", re.IGNORECASE), make


_WHAT = r"(?:which|what)\s+(?P<what>[^,]+?)\s+(?:occurs?|appears?|are found)\s+"
_EACH_KIND = rf"{_ASK}(?P<what>(?:every distinct|each different|the distinct|the different)\s.+?)"
_AMONG = r"(?:occurs?|appears?|are found)\s+"
_LATER = r"(?P<rest>\s+(?:in|on|at|during|for|from|with|between)\b.*)?"
_DOES = rf"\s+(?:did|do|does)\s+(?P<who>.+?)\s+\w+{_LATER}"
_OF_EACH = r"(?!.*\s(?:of|for)\s+(?:every|each|all)\s)"
_MORE = r"(?:above|over|more than)\s+[\d.\u241f]+"
_FIGURE = r"(?:total|combined|overall|average|mean|maximum|highest|largest|minimum|lowest|smallest)"
_ORDERED = r"(?:de|a)scending"
_FORMS = (
    _form(
        rf"count\s+(?:the\s+)?(?P<more>.+?)\s+for each\s+(?P<things>.+? that has any),\s+{_AND_SHOW}(?P<shown>.+)"
        r"\s+of those above the average count",
        _above_average,
    ),
    _form(
        r"which\s+(?P<things>.+?)\s+have more\s+(?P<more>.+?)\s+than average, where the average covers only those with"
        r" at least one",
        _above_average,
    ),
    _form(
        r"count\s+(?:the\s+)?(?P<what>.+?)\s+for each\s+(?P<things>.+?) that has any; what is the average of these counts",
        _average_per,
    ),
    _form(
        r"(?:add up|sum)\s+(?:the\s+)?(?P<total>.+)\s+for each\s+(?P<things>.+?) that has any; what is the average of"
        r" these totals",
        _average_per,
    ),
    _form(
        r"what is the average (?:total\s+(?P<total>.+)|number of\s+(?P<what>.+))\s+per\s+(?P<things>.+?),"
        r"\s+(?:ignoring|leaving out) those without any",
        _average_per,
    ),
    _form(
        rf"for which\s+(?P<group>.+?)\s+is\s+(?P<figure>the\s+[^,]+?)\s+of\s+(?P<things>.+)\s+(?P<bound>{_MORE})",
        _groups_above,
    ),
    _form(
        rf"{_ASK}each\s+(?P<group>.+?)\s+of\s+(?P<things>.+?)\s+together with\s+(?P<figure>the\s+.+?), but only where that"
        rf" figure is\s+(?P<bound>{_MORE})",
        _groups_above,
    ),
    _form(
        rf"{_ASK}each\s+(?P<group>.+?)\s+shared by\s+(?P<bound>more than \d+)\s+(?P<things>.+?),\s+(?:with|together with)"
        r"\s+(?:their|the) number",
        _groups_shared,
    ),
    _form(
        rf"for each\s+(?P<group>.+?)\s+with\s+(?P<bound>more than \d+)\s+(?P<things>.+?),\s+{_SHOW}\s+how many there are",
        _groups_shared,
    ),
    _form(
        r"(?:which|what)\s+(?P<what>[^,]+?)\s+(?:occur|appear)\s+(?P<bound>more than \d+ times)\s+among\s+(?P<things>.+)",
        _repeated,
    ),
    _form(
        rf"sort\s+(?P<things>.+?)\s+by\s+(?P<order>{_ORDERED} .+?, then by {_ORDERED} .+?),\s+{_AND_SHOW}(?P<what>.+)\s+of the first"
        r"\s+(?P<number>\d+)",
        _first_few,
    ),
    _form(r"what share of\s+(?P<things>.+?), in percent, are those\s+(?P<condition>.+)", _share),
    _form(
        rf"{_ASK}the percentage of those\s+(?P<condition>.+)\s+among\s+(?:all\s+)?(?P<things>.+)",
        _share,
    ),
    _form(
        r"(?:per|in each)\s+(?P<group>.+?),\s+which\s+(?P<things>.+?)\s+have\s+(?P<most>the "
        rf"{_FIGURE}|the greatest)\s+(?P<key>.+)",
        _best,
    ),
    _form(r"what percentage of\s+(?:all\s+)?(?P<things>.+)\s+are (?:ones|those)\s+(?P<condition>.+)", _share),
    _form(
        r"what percentage of\s+(?:all\s+)?(?P<things>.+?)\s+(?P<condition>(?:have|has|are|were|do)\s.+)",
        _percentage,
    ),
    _form(
        r"(?:for|per|of|among|considering|taking|looking at|within|across|going through|compare|contrast)\s+"
        rf"(?:{_THINGS})?(?P<things>.+?)(?:,|\s+with its peers:)\s+(?P<rest>(?:{_SHOW}|what|which|how)\b.+)",
        _scoped,
    ),
    _form(
        rf"(?:group|break down)\s+(?P<things>.+)\s+by\s+(?P<group>.+?)\s+{_AND_SHOW}(?P<what>.+?)"
        r"(?:\s+in each group)?",
        _showing,
    ),
    _form(r"(?:count|tally)\s+(?:all\s+)?(?P<things>.+)\s+(?:for each|for every|per|by)\s+(?P<group>[^,]+)", _counted),
    _form(
        rf"{_ASK}(?:what is\s+)?(?P<what>the {_FIGURE}\s+(?:(?! and )[\w ])+?)\s+(?:of|over|across)\s+(?P<things>.+)"
        r"\s+(?:for each|for every|per)\s+(?P<group>.+)",
        lambda found: Core("rows", found["things"], [found["what"]], group=found["group"]),
    ),
    _form(
        rf"{_ASK}(?:what is\s+)?(?P<what>the {_FIGURE}\s+(?:(?! and )[\w ])+?)\s+(?:of|over|across|among|for)\s+(?:all\s+)?"
        r"(?P<things>(?!.*\sof (?:each|every)\s).+)",
        lambda found: Core("rows", found["things"], [found["what"]]),
    ),
    _form(r"on average, how many\s+(?P<what>.+?)\s+does each\s+(?P<things>.+?)\s+have(?:,\s+(?P<note>.+))?", _averaged),
    _form(
        rf"{_ASK}how many\s+(?P<things>.+?)"
        r"\s+(?:are there|there are|are on record|are recorded|exist|do we have|we have)(?:\s+(?P<more>.+))?",
        _counted,
    ),
    _form(
        rf"{_ASK}how many\s+(?P<kinds>.+?)\s+{_AMONG}(?P<things>among .+)",
        lambda found: Core("count", f"{found['kinds']} {found['things']}"),
    ),
    _form(
        r"how many\s+(?P<what>.+?)\s+do(?:es)?\s+(?:every|each)\s+(?P<things>.+?)\s+have",
        lambda found: Core("rows", found["things"], [f"the number of {found['what']}"], things_first=True),
    ),
    _form(rf"(?P<many>how many)\s+(?P<things>.+?){_DOES}", _did),
    _form(
        rf"{_ASK}how many\s+(?P<things>.+?)\s+(?P<more>(?:have|has|are|were)\b.+)",
        lambda found: _counted({"things": found["things"], "more": f"that {found['more']}"}),
    ),
    _form(r"(?:count|tally)\s+(?:all\s+)?(?P<things>.+)", _counted),
    _form(rf"{_ASK}(?:what is\s+)?the\s+(?:total\s+)?(?:number|count)\s+of\s+(?P<things>{_OF_EACH}.+)", _counted),
    _form(
        rf"{_WHAT}(?:both\s+)?among\s+(?P<things>.+?)\s+(?P<joint>(?:and|or|but not|but never)\s+among)"
        r"\s+(?P<others>.+)",
        _combined,
    ),
    _form(
        rf"{_EACH_KIND}\s+that\s+(?:occurs|appears)\s+among\s+(?P<things>.+?)"
        r"\s+(?P<joint>(?:and also|but never|but not)\s+among)\s+(?P<others>.+)",
        _combined,
    ),
    _form(
        r"(?:combine|merge)\s+(?P<what>.+?)\s+of\s+(?P<things>.+?)\s+(?P<joint>with those of)\s+(?P<others>.+?),?",
        _combined,
    ),
    _form(
        r"(?:which|what)\s+(?P<what>.+?)\s+do\s+(?P<things>.+?)\s+(?:share|have in common)\s+with\s+(?P<others>.+)",
        _shared,
    ),
    _form(rf"{_WHAT}among\s+(?P<things>.+)", lambda found: Core("rows", found["things"], [f"the {found['what']}"])),
    _form(
        rf"{_EACH_KIND}\s+(?:(?:that\s+)?occurs|that appears|found|occurring)\s+among\s+(?P<things>.+)",
        lambda found: Core("rows", found["things"], [found["what"]]),
    ),
    _form(
        r"(?:identify|look up|pick out|find|sort|rank)\s+(?:all\s+|the\s+)?(?P<things>.+?),?"
        rf"\s+{_AND_SHOW}(?P<what>(?:the|their|its)\s.+)",
        _showing,
    ),
    _form(rf"{_ASK}all\s+(?P<things>.+?)\s+(?:together with|along with)\s+(?P<what>their\s.+)", _showing),
    _form(rf"{_ASK}all\s+(?P<things>.+)\s+with\s+(?P<what>their\s.+)", _showing),
    _form(rf"{_ASK}the\s+(?P<things>\d.+?)\s+(?:together with|along with)\s+(?P<what>their\s.+)", _showing),
    _form(rf"(?:which|what)\s+(?P<things>(?!is\b|are\b|was\b).+?){_DOES}", _did),
    _form(r"(?:add up|sum)\s+(?:the\s+)?(?P<what>.+)\s+for each\s+(?P<things>.+)", _summed),
    _form(r"what\s+(?:is|are|was|were)\s+(?P<rest>.+)", _plain),
    _form(
        r"who\s+(?P<rest>.+)",
        lambda found: Core("rows", "people", conditions=[f"that {found['rest']}"], things_first=True),
    ),
    _form(r"(?:which|what)\s+(?P<things>.+)", _which),
    _form(rf"{_PLEASE}{_SHOW}\s+(?:me\s+|us\s+|both\s+)?(?:which|what)\s+(?P<things>.+)", _which),
    _form(rf"{_PLEASE}{_SHOW}\s+(?:me\s+|us\s+|both\s+)?(?P<rest>.+)", _plain),
    _form(rf"{_NEED}\s+(?P<rest>.+)", _plain),
)
