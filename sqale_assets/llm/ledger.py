"""The ledger: one row per call, in Parquet parts that DuckDB reads while the run goes on.

    SELECT stage, sum(cost), avg(seconds) FROM '<store>/ledger/*.parquet' GROUP BY stage

Rows gather in memory and are written every few seconds: the gateway's current part is replaced as a whole until it
is full, so a reader never sees half a file and a day leaves dozens of parts, not thousands. In a local store each row
is also appended at once to a journal beside the part, so that `kill -9` loses none: the next gateway on the store makes
the part of what a dead one left.
"""

from __future__ import annotations

import io
import os
import time
import uuid
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

import orjson

from sqale_assets.files import alive

if TYPE_CHECKING:
    import pyarrow
    from upath import UPath

Outcome = Literal["ok", "invalid", "refused", "unavailable"]

PART_ROWS = 10_000
FLUSH_SECONDS = 5.0
_END = b"PAR1"  # what a whole Parquet file ends with
_COUNTS = ("sample", "attempt", "retries", "tokens_in", "tokens_out", "tokens_cached")


class LedgerRow(NamedTuple):
    """One call. `cost` in US dollars; `seconds` from asking to reply, waiting for a place included.

    `attempt` counts the repetitions after an invalid answer (0 for the first), `retries` those after a
    provider's failure. Cached calls carry the tokens of the reply and no cost. The offline rules'
    tokens are counted at four characters each.
    """

    asked_at: datetime
    stage: str
    schema_id: str
    task: str
    prompt: str
    model: str
    sample: int
    attempt: int
    retries: int
    outcome: Outcome
    cached: bool
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float
    seconds: float
    error: str


class Ledger:
    """One gateway's part of the ledger under `folder`."""

    def __init__(self, folder: UPath, *, flush_seconds: float = FLUSH_SECONDS):
        self.folder, self._flush_seconds = folder, flush_seconds
        self._rows: list[LedgerRow] = []  # those that are not in `_table` yet
        self._table: pyarrow.Table | None = None
        self._part = 0
        self._flushed_at = time.monotonic()
        self._name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:12]}"
        self._local = folder.protocol in ("", "file", "local")
        self._journal: BinaryIO | None = None

    def add(self, row: LedgerRow) -> None:
        if self._local:
            self._journal = self._journal or self._new_journal()
            self._journal.write(orjson.dumps(tuple(row)) + b"\n")
        self._rows.append(row)
        if self._count >= PART_ROWS or time.monotonic() - self._flushed_at > self._flush_seconds:
            self.flush()

    def flush(self) -> None:
        """Write what is new. Called by `add` in time."""
        self._flushed_at = time.monotonic()
        if not self._rows:
            return
        import pyarrow

        new = _table(self._rows)
        table = new if self._table is None else pyarrow.concat_tables([self._table, new])
        self._write(self._part_name, table)
        self._table, self._rows = table, []
        if self._count >= PART_ROWS:
            self._end_part()

    def close(self) -> None:
        """Write the rest, at the end of a run. A row that comes later begins a new part."""
        self.flush()
        if self._count:
            self._end_part()

    @property
    def _count(self) -> int:
        return len(self._rows) + (0 if self._table is None else self._table.num_rows)

    @property
    def _part_name(self) -> str:
        return f"{self._name}-{self._part:04}.parquet"

    def _end_part(self) -> None:
        self._table, self._part = None, self._part + 1
        if self._journal:
            self._journal.close()
            Path(self._journal.name).unlink(missing_ok=True)
            self._journal = None

    def _new_journal(self) -> BinaryIO:
        """The current part's. A gateway's first also makes the parts of what killed ones left."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._part == 0:
            for left in sorted(self.folder.glob(".*.journal")):
                part, pid = left.name[1:].removesuffix(".journal").rsplit(".", 1)
                if not alive(int(pid)):
                    self._write(part, _table(_journalled(left.read_bytes())))
                    left.unlink(missing_ok=True)
        return Path(f"{self.folder}/.{self._part_name}.{os.getpid()}.journal").open("ab", buffering=0)

    def _write(self, name: str, table: pyarrow.Table) -> None:
        import pyarrow.parquet as parquet

        buffer = io.BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.folder / name
        if self._local:
            unfinished = self.folder / f".{name}.{os.getpid()}.tmp"
            unfinished.write_bytes(buffer.getvalue())
            unfinished.replace(target)
        else:
            target.write_bytes(buffer.getvalue())  # object stores show an object only when it is whole


def set_damaged_aside(folder: UPath) -> None:
    """Rename parts that are cut off to `.damaged`: DuckDB reads all parts or none."""
    for part in sorted(folder.glob("*.parquet")) if folder.exists() else ():
        with part.open("rb") as file:
            file.seek(max(0, part.stat().st_size - len(_END)))
            if file.read() == _END:
                continue
        part.rename(part.with_name(f"{part.name}.damaged"))


def _journalled(lines: bytes) -> list[LedgerRow]:
    """The rows of a journal; the last line may be cut off."""
    rows = (orjson.loads(line) for line in lines.split(b"\n")[:-1])
    return [LedgerRow(datetime.fromisoformat(asked_at), *rest) for asked_at, *rest in rows]


def _table(rows: list[LedgerRow]) -> pyarrow.Table:
    import pyarrow

    types = {
        "asked_at": pyarrow.timestamp("us", "UTC"),
        "cost": pyarrow.float64(),
        "seconds": pyarrow.float64(),
        "cached": pyarrow.bool_(),
    }
    types |= dict.fromkeys(_COUNTS, pyarrow.int64())
    empty: tuple[tuple[()], ...] = ((),) * len(LedgerRow._fields)
    return pyarrow.table(
        {
            name: pyarrow.array(column, types.get(name, pyarrow.string()))
            for name, column in zip(LedgerRow._fields, zip(*rows, strict=True) if rows else empty, strict=True)
        }
    )


def read_ledger(folder: UPath, columns: list[str] | None = None) -> pyarrow.Table:
    """Every row that is written so far, of all processes; no rows where there is no ledger.

    A part that was damaged is left out with a warning: what it says of the past shall not keep a build from going on.
    """
    import pyarrow
    import pyarrow.parquet as parquet

    tables = [_table([]).select(columns or LedgerRow._fields)]
    for part in sorted(folder.glob("*.parquet")) if folder.exists() else ():
        content = io.BytesIO(part.read_bytes())
        try:
            tables.append(parquet.read_table(content, columns=columns))
        except (pyarrow.ArrowInvalid, OSError) as error:
            warnings.warn(f"{part} cannot be read, its calls are left out: {error}", stacklevel=2)
    return pyarrow.concat_tables(tables)
