"""The grammar of things: columns, rows with conditions, numbers of children, sort orders.

Symbols that end in .one and .many agree in number with their noun ("that has", "that have").
"""

from __future__ import annotations

import re

from sqale_assets.llm.offline.english.grammar import Fields, Production, compile_template, only_when, production
from sqale_assets.llm.offline.english.meaning import (
    Children,
    Compare,
    Entity,
    Has,
    Key,
    Order,
    Ref,
    VersusAverage,
)

NUMBERS = ("one", "many")
_VERBS = {"have": ("has", "have"), "be": ("is", "are"), "do": ("does", "do"), "their": ("its", "their")}
_AGREEING = re.compile(r"<(\w+)>")


def agree(template: str, index: int) -> str:
    """`template` with `<have>` and its kin in the number of `NUMBERS[index]`, and # for that number in symbols."""
    agreed = _AGREEING.sub(lambda match: _VERBS.get(match[1], (f"{match[1]}s", match[1]))[index], template)
    return agreed.replace("#", f".{NUMBERS[index]}")


def both_numbers(symbol: str, node: type, template: str, **constants: object) -> list[Production]:
    """The production for `symbol`.one and `symbol`.many."""
    return [
        production(f"{symbol}.{number}", node, agree(template, index), **constants)
        for index, number in enumerate(NUMBERS)
    ]


def _chains() -> list[Production]:
    """`chain`: order's customer, the tuple of its roles, outermost first."""
    return [
        Production(
            "chain", compile_template("{first:role}"),
            lambda found: (found["first"],), lambda chain: {"first": chain[0]} if len(chain) == 1 else None,
        ),
        Production(
            "chain", compile_template("{first:role} 's {rest:chain}"),
            lambda found: (found["first"], *found["rest"]),
            lambda chain: {"first": chain[0], "rest": chain[1:]} if len(chain) > 1 else None,
        ),
    ]  # fmt: skip


def _refs() -> list[Production]:
    """`own`: a column of the thing itself. `ref`: also of what keys lead to, as it stands behind "the" or "whose"."""
    return [
        production("own", Ref, "{column:column}"),
        production("ref", Ref, "{column:column}"),
        _near(production("ref", Ref, "{chain:chain} 's {column:column}")),
        _compound("ref", "{role:role} {column:column}"),
        _compound("ref", "{chain:chain} 's {role:role} {column:column}"),
        _heard(production("ref", Ref, "{column:column} of the {chain:chain}")),
        *(
            _heard(production("ref", Ref, f"{article} {ref}"))
            for article in ("the", "its", "their")
            for ref in ("{column:column}", "{chain:chain} 's {column:column}", "{column:column} of the {chain:chain}")
        ),
        production("the_ref", Ref, "the {column:column}"),
        production("the_ref", Ref, "the {column:column} of the {chain:chain}"),
        _near(production("the_ref", Ref, "the {chain:chain} 's {column:column}")),
        _compound("the_ref", "the {role:role} {column:column}"),
        _compound("the_ref", "the {role:role} {column:column} of the {chain:chain}"),
        production("group_ref", Ref, "{column:column}"),
        _near(production("group_ref", Ref, "{chain:chain} 's {column:column}")),
        _compound("group_ref", "{role:role} {column:column}"),
        _compound("group_ref", "{role:role} {column:column} of the {chain:chain}"),
        production("group_ref", Ref, "{column:column} of the {chain:chain}"),
    ]


def _near(each: Production) -> Production:
    """Said of what one key leads to, or where no compound noun can be made of the last key and the column."""
    return only_when(
        each, lambda found: len(found["chain"]) == 1 or not _compounds(found["chain"][-1], found["column"])
    )


def _compounds(role: str, column: str) -> bool:
    """Whether "customer city" is said: not "work order order date"."""
    return not set(column.split()) & set(role.split())


def _heard(each: Production) -> Production:
    """Read, but never said."""
    return only_when(each, lambda _: False)


def _compound(symbol: str, template: str) -> Production:
    """The order's customer city: the last key of a way and the column as a compound noun."""
    far = "{chain" in template

    def parts(ref: object) -> Fields | None:
        if not isinstance(ref, Ref) or not ref.chain or (len(ref.chain) > 1) != far:
            return None
        if not _compounds(str(ref.chain[-1]), ref.column):
            return None
        return {"role": ref.chain[-1], "column": ref.column, "chain": ref.chain[:-1]}

    def build(found: Fields) -> Ref:
        return Ref(found["column"], (*found.get("chain", ()), found["role"]))

    return Production(symbol, compile_template(template), build, parts)


def of_entity(symbol: str, node: type, template: str) -> Production:
    """A production for a node with nothing but an entity, whose noun and conditions stand apart in the template."""
    conditioned = "{conditions" in template

    def parts(value: object) -> Fields | None:
        if type(value) is not node or bool(value.entity.conditions) != conditioned:
            return None
        return {"table": value.entity.table, "conditions": value.entity.conditions}

    return Production(
        symbol,
        compile_template(template),
        lambda found: node(Entity(found["table"], found.get("conditions", ()))),
        parts,
    )


def _entities() -> list[Production]:
    return [
        *both_numbers("entity", Entity, "{table:noun#}"),
        *both_numbers("entity", Entity, "{table:noun#} {conditions:condition#,}"),
    ]


_EQUALS = (
    "whose {ref:ref} (is|equals) {value:text}",
    "with {ref:own} {value:text}",
    "with {value:text} as <their> {ref:ref}",
    "having {value:text} as {ref:ref}",
    "where {ref:ref} is {value:text}",
)
#: Columns whose value is put behind a word of their own: products called "Lamp".
_NAMING = {"name": "(named|called)", "title": "(titled|entitled)"}
#: Columns that say what kind of thing it is: bonds of type "callable".
_KINDS = ("type", "kind", "category", "class", "gender", "priority", "severity")
#: op -> how a number compares, after "is" and after "a price of".
_NUMBERS = {
    ">": ("(above|over|greater than|higher than|more than)", "(above|over|greater than)"),
    ">=": ("(at least|no less than|greater than or equal to)", "of at least"),
    "<": ("(below|under|less than|lower than)", "(below|under|less than)"),
    "<=": ("(at most|no more than|less than or equal to)", "of at most"),
    "=": ("(exactly|equal to)", "of exactly"),
}
_DAYS = {">=": "(on or after|no earlier than)", "<": "(before|earlier than)"}


def _comparisons() -> list[Production]:
    made: list[Production] = []
    for template in _EQUALS:
        made += both_numbers("condition", Compare, template, op="=")
    for column, named in _NAMING.items():
        made += _told(f"{named} {{value:text}}", "=", column)
        made += _told(f"whose {{chain:chain}} is {named} {{value:text}}", "=", column)
    for column in _KINDS:
        made += _told(f"of {column} {{value:text}}", "=", column)
    for op, (after_is, after_noun) in _NUMBERS.items():
        made += both_numbers("condition", Compare, f"whose {{ref:ref}} is {after_is} {{value:number}}", op=op)
        made += both_numbers("condition", Compare, f"with a {{ref:own}} {after_noun} {{value:number}}", op=op)
        made += both_numbers("condition", Compare, f"where {{ref:ref}} is {after_is} {{value:number}}", op=op)
    for op, words in _DAYS.items():
        made += both_numbers("condition", Compare, f"whose {{ref:ref}} is {words} {{value:day}}", op=op)
        made += both_numbers("condition", Compare, f"with a {{ref:own}} {words} {{value:day}}", op=op)
        made += _done(f"{words} {{value:day}}", op)
    made += _done("(in|during) {value:number}", "year")
    made += _done("in {other:month} {value:number}", "month")
    for op, template in (
        ("=", "with {value:number} as <their> {ref:own}"),
        ("between", "whose {ref:ref} (is|lies) between {value:number} and {other:number} (inclusive|)"),
        ("between", "with a {ref:own} (between {value:number} and|from {value:number} to) {other:number} inclusive"),
        ("between", "whose {ref:ref} (is|falls) between {value:day} and {other:day} inclusive"),
        ("in", "whose {ref:ref} is (either|) {value:text} or {other:text}"),
        ("in", "with {value:text} or {other:text} as <their> {ref:ref}"),
        ("contains", "whose {ref:ref} (contains|includes|mentions) {value:text}"),
        ("contains", "with {value:text} (somewhere|) in <their> {ref:own}"),
        ("contains", "where {ref:ref} (contains|mentions) {value:text}"),
        ("starts", "whose {ref:ref} (starts|begins) with {value:text}"),
        ("year", "whose {ref:ref} (is|falls|lies) in (the year|) {value:number}"),
        ("year", "with a {ref:own} in {value:number}"),
        ("year", "with a {value:number} {ref:own}"),
        ("month", "whose {ref:ref} (is|falls|lies) in {other:month} {value:number}"),
        ("month", "with a {ref:own} in {other:month} {value:number}"),
        ("month", "with a {other:month} {value:number} {ref:own}"),
        ("missing", "whose {ref:ref} is (missing|not recorded|unknown)"),
        ("missing", "without a recorded {ref:own}"),
        ("present", "whose {ref:ref} is (recorded|known)"),
        ("present", "with a recorded {ref:own}"),
        ("true", "(marked|flagged) as {ref:flag_ref}"),
        ("true", "that <be> (marked|flagged) as {ref:flag_ref}"),
        ("false", "not (marked|flagged) as {ref:flag_ref}"),
        ("false", "that <be> not (marked|flagged) as {ref:flag_ref}"),
        ("between", "where {ref:ref} (is|lies) between {value:number} and {other:number} (inclusive|)"),
        ("between", "where {ref:ref} falls between {value:day} and {other:day} inclusive"),
        ("in", "where {ref:ref} is (either|) {value:text} or {other:text}"),
        ("starts", "where {ref:ref} (starts|begins) with {value:text}"),
        ("true", "whose {ref:ref} is set"),
        ("true", "with the {ref:own} set"),
        ("false", "whose {ref:ref} is not set"),
    ):  # fmt: skip
        made += both_numbers("condition", Compare, template, op=op)
    for template, op in (
        ("with a {ref:ref} {value:text}", "="),
        ("whose {ref:ref} {value:text}", "="),
        ("with a {ref:ref} in {value:number}", "year"),
        ("with a {ref:ref} in {other:month} {value:number}", "month"),
        *((f"with a {{ref:ref}} {after_is} {{value:number}}", op) for op, (after_is, _) in _NUMBERS.items()),
    ):
        made += map(_heard, both_numbers("condition", Compare, template, op=op))
    made.append(production("flag_ref", Ref, "{column:flag}"))
    return made


def _told(template: str, op: str, column: str | None = None) -> list[Production]:
    """A comparison whose column is a word of its own: `column` where the template says it, else a slot for it."""
    far = "{chain" in template

    def build(found: Fields) -> Compare:
        ref = Ref(column or found["column"], found.get("chain", ()))
        return Compare(ref, op, found["value"], found.get("other"))

    def parts(node: object) -> Fields | None:
        if not isinstance(node, Compare) or node.op != op or bool(node.ref.chain) != far:
            return None
        if column is not None and node.ref.column != column:
            return None
        return {"column": node.ref.column, "chain": node.ref.chain, "value": node.value, "other": node.other}

    return [
        Production(f"condition.{number}", compile_template(agree(template, index)), build, parts)
        for index, number in enumerate(NUMBERS)
    ]


def _done(when: str, op: str) -> list[Production]:
    """When something was done, by a verb instead of its date: orders placed in 2023, whose buyer was born before ..."""
    return [*_told(f"{{column:deed}} {when}", op), *_told(f"whose {{chain:chain}} was {{column:past}} {when}", op)]


def _averages() -> list[Production]:
    made: list[Production] = []
    for op, words in ((">", "(above|over|higher than|greater than)"), ("<", "(below|under|lower than|less than)")):
        for template in (
            "whose {column:column} is WORDS the (average|mean) (across|over|of) all {table:noun.many}",
            "with a {column:column} WORDS the (average|mean) of all {table:noun.many}",
            "whose {column:column} is WORDS the (average|mean) of all {table:noun.many} with the same {peer:peer}",
            "with a {column:column} WORDS the average (across|over) all {table:noun.many} sharing the same {peer:peer}",
        ):
            made += both_numbers("condition", VersusAverage, template.replace("WORDS", words), op=op)
    return made


def _peers() -> list[Production]:
    """What rows share: a column ("status"), or what they point to ("customer")."""
    return [
        production("peer", Ref, "{column:column}"),
        production("peer", Ref, "{chain:chain}", column=""),
    ]


def _children() -> list[Production]:
    """`plain`: orders with conditions. `children`: those, or with their role: orders as buyer, orders of which it is.

    `owned` is the same of several owners: orders of which they are the buyer.
    """
    made: list[Production] = []
    for number in NUMBERS:
        noun, conditions = f"{{link:noun.{number}}}", f"{{conditions:condition.{number},}}"
        for symbol in ("plain", "children", "owned"):
            made += [production(f"{symbol}.{number}", Children, each) for each in (noun, f"{noun} {conditions}")]
        for symbol, they_are in (("children", "it is"), ("owned", "they are")):
            made += [
                production(f"{symbol}.{number}", Children, each)
                for each in (
                    f"{noun} as {{role:role}}",
                    f"{noun} of which {they_are} the {{role:role}}",
                    f"{noun} {conditions} of which {they_are} the {{role:role}}",
                )
            ]
    return made


def _has() -> list[Production]:
    made: list[Production] = []
    for template, op, number in (
        ("(that <have>|with|having) at least one {children:plain.one}", ">=", 1),
        ("(that <have> any|with some|having some|with) {children:plain.many}", ">=", 1),
        ("that <have> one or more {children:plain.many}", ">=", 1),
        ("(that <have>|with) at least {number:several} {children:plain.many}", ">=", None),
        ("(that <have>|with) more than {number:several} {children:plain.many}", ">", None),
        ("(that <have>|with) exactly {number:several} {children:plain.many}", "=", None),
        ("(that <have> no|without any|that <do> not have any) {children:plain.many}", "none", 0),
    ):
        made += both_numbers("condition", Has, template, op=op, **({} if number is None else {"number": number}))
    for template, op, number in (
        ("with some {children:plain.one}", ">=", 1),
        ("with no {children:plain.many}", "none", 0),
    ):
        made += map(_heard, both_numbers("condition", Has, template, op=op, number=number))
    for template, op, number in (
        ("that <be> the {role:role} of at least one {link:noun.one}", ">=", 1),
        ("that <be> the {role:role} of more than {number:several} {link:noun.many}", ">", None),
        ("that <be> the {role:role} of at least {number:several} {link:noun.many}", ">=", None),
        ("that <be> not the {role:role} of any {link:noun.one}", "none", 0),
    ):
        plural = "noun.many" in template
        made += _in_role(template, op, number)
        made += _in_role(f"{template} {{conditions:condition.{'many' if plural else 'one'},}}", op, number)
        bare = template.removeprefix("that <be> ")
        made += map(_heard, _in_role(bare, op, number))
        made += map(_heard, _in_role(f"{bare} {{conditions:condition.{'many' if plural else 'one'},}}", op, number))
    return made


def _in_role(template: str, op: str, number: int | None) -> list[Production]:
    """A `Has` whose children are told by the role that they give the thing: the receiver of at least one transfer."""

    def build(found: Fields) -> Has:
        children = Children(found["link"], found["role"], found.get("conditions", ()))
        return Has(children, op, found.get("number", number))

    def parts(has: object) -> Fields | None:
        if not isinstance(has, Has) or has.op != op or (number is not None and has.number != number):
            return None
        children = has.children
        if children.role is None or bool(children.conditions) != ("{conditions" in template):
            return None
        return {
            "link": children.link, "role": children.role, "conditions": children.conditions, "number": has.number,
        }  # fmt: skip

    return [
        Production(f"condition.{number_name}", compile_template(agree(template, index)), build, parts)
        for index, number_name in enumerate(NUMBERS)
    ]


def _plurals() -> list[Production]:
    return [
        production("plural_own", Ref, "{column:columns}"),
        production("plural_ref", Ref, "{column:columns}"),
        production("plural_ref", Ref, "{column:columns} of the {chain:chain}"),
        _near(production("plural_ref", Ref, "{chain:chain} 's {column:columns}")),
        _compound("plural_ref", "{role:role} {column:columns}"),
    ]


_UPWARDS = "in ascending order|ascending|, lowest first"
_DOWNWARDS = "in descending order|descending|, highest first"
_FIGURE = "(that figure|the figure)"


def _orders() -> list[Production]:
    return [
        production("order", Order, "by {first:key}"),
        production("order", Order, "by {first:key} (and then|then|and|, then) by {second:key}"),
        production("key", Key, f"{{ref:ref}} ({_UPWARDS})", descending=False),
        production("key", Key, f"{{ref:ref}} ({_DOWNWARDS})", descending=True),
        *(
            production("key", Key, f"{_FIGURE} (from {ends}|{words})", ref=None, descending=descending)
            for words, ends, descending in (
                (_UPWARDS, "(lowest to highest|smallest to largest)", False),
                (_DOWNWARDS, "(highest to lowest|largest to smallest)", True),
            )
        ),
    ]


CLAUSES: tuple[Production, ...] = (
    *_chains(),
    *_refs(),
    *_entities(),
    *_comparisons(),
    *_averages(),
    *_peers(),
    *_children(),
    *_has(),
    *_orders(),
    *_plurals(),
)
