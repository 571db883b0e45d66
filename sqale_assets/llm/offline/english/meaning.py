"""What a question can mean: the nodes of the controlled English, for requests, things and conditions.

Every node comes in two forms of one shape. Worded: `table`, `column`, `role` and links are phrases.
Named: they are identifiers of a schema, and links are `Link`s.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A foreign key, from `child` (holds it) to `parent`. Columns correspond by position."""

    child: str
    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day as a literal, ISO."""

    iso: str


Value = str | int | float | Day


@dataclass(frozen=True, slots=True)
class Node:
    """Anything the grammar builds."""


# --- things -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ref(Node):
    """A column of the thing talked about, or of what it points to through `chain` (roles or links)."""

    column: str
    chain: tuple[str | Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity(Node):
    """The rows of a table that meet all conditions."""

    table: str
    conditions: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Children(Node):
    """The rows that point at the thing talked about. Worded, `link` is their noun and `role` what they call it."""

    link: str | Link
    role: str | None = None
    conditions: tuple[Node, ...] = ()


# --- conditions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`op`: = != > >= < <= between in contains starts year month missing present true false.

    `other` is the upper bound of between, the second value of in, the month (1 to 12) of month.
    """

    ref: Ref
    op: str
    value: Value | None = None
    other: Value | None = None


@dataclass(frozen=True, slots=True)
class Has(Node):
    """So many children: `op` is >=, >, = or "none" (then `number` is 0)."""

    children: Children
    op: str = ">="
    number: int = 1


@dataclass(frozen=True, slots=True)
class VersusAverage(Node):
    """`column` above (>) or below (<) its average over all rows, or over those that share `peer`."""

    column: str
    op: str
    table: str | None = None
    peer: Ref | None = None


# --- order --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Key(Node):
    """A sort key. `ref` None is the figure that the request computes."""

    ref: Ref | None
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Order(Node):
    first: Key
    second: Key | None = None


# --- requests -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listing(Node):
    refs: tuple[Ref, ...]
    entity: Entity
    distinct: bool = False
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class Top(Node):
    """The first `number` rows by `key`, ties broken by `tie` ascending (a column without duplicates)."""

    number: int
    refs: tuple[Ref, ...]
    entity: Entity
    key: Ref
    tie: Ref
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Count(Node):
    entity: Entity


@dataclass(frozen=True, slots=True)
class CountDistinct(Node):
    ref: Ref
    entity: Entity


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """`function`: sum avg min max over `ref`; `second` is another function of the same column."""

    function: str
    ref: Ref
    entity: Entity
    second: str | None = None


@dataclass(frozen=True, slots=True)
class Share(Node):
    """What percentage of the entity's rows meets `condition`."""

    entity: Entity
    condition: Node


@dataclass(frozen=True, slots=True)
class Extreme(Node):
    """The rows whose `key` is the greatest (or least), all of them when several share it."""

    refs: tuple[Ref, ...]
    entity: Entity
    key: str
    descending: bool = True


@dataclass(frozen=True, slots=True)
class GroupBy(Node):
    """A figure for each value of `group`. `function` "count" has no `column`; `over` is HAVING figure > over."""

    group: Ref
    function: str
    entity: Entity
    column: str | None = None
    over: int | float | None = None
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class PerParent(Node):
    """For each of the entity's rows, `refs` and the number of its children ("count") or a figure of `column`.

    Counts include parents without children (0); figures only parents that have some.
    """

    refs: tuple[Ref, ...]
    entity: Entity
    children: Children
    function: str = "count"
    column: str | None = None
    over: int | None = None
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class MostChildren(Node):
    """The rows with the most children, all that tie."""

    refs: tuple[Ref, ...]
    entity: Entity
    children: Children


@dataclass(frozen=True, slots=True)
class AboveAverageChildren(Node):
    """The rows with more children than the average over those that have any."""

    refs: tuple[Ref, ...]
    entity: Entity
    children: Children


@dataclass(frozen=True, slots=True)
class AverageChildren(Node):
    """The average number of children, or average total of `column`, over the entity's rows that have children."""

    entity: Entity
    children: Children
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Side(Node):
    """One side of a set operation."""

    ref: Ref
    entity: Entity


@dataclass(frozen=True, slots=True)
class Combine(Node):
    """Distinct values of a column on both sides ("both"), only the first ("minus"), or either ("either")."""

    op: str
    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Rank(Node):
    """Each row's rank by `key` among those that share `peer`; equal values share a rank."""

    refs: tuple[Ref, ...]
    entity: Entity
    peer: Ref
    key: str
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Running(Node):
    """The running total of `column` in the order of `by`, then `tie`."""

    refs: tuple[Ref, ...]
    entity: Entity
    column: str
    by: Ref
    tie: Ref


@dataclass(frozen=True, slots=True)
class PeerAverage(Node):
    """Each row's `refs` with the average of `column` over the rows that share `peer`."""

    refs: tuple[Ref, ...]
    entity: Entity
    column: str
    peer: Ref


@dataclass(frozen=True, slots=True)
class BestPerPeer(Node):
    """Among the rows that share `peer`, those with the greatest (least) `key`, all that tie."""

    refs: tuple[Ref, ...]
    entity: Entity
    peer: Ref
    key: str
    descending: bool = True


Request = (
    Listing | Top | Count | CountDistinct | Aggregate | Share | Extreme | GroupBy | PerParent | MostChildren
    | AboveAverageChildren | AverageChildren | Combine | Rank | Running | PeerAverage | BestPerPeer
)  # fmt: skip
