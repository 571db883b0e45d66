"""What a person sees in the terminal: the bars of a build, its summary, the state of a store, an agent's turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from sqale_assets.store.summary import StageSummary

_COLOURS = {"done": "green", "rejected": "yellow", "failed": "red"}


class Bars:
    """A progress bar per stage, with how many schemas were done, rejected and failed."""

    def __init__(self, console: Console):
        self.progress = Progress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description:<22}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
        )
        self.tasks: dict[str, int] = {}
        self.counts: dict[str, Counter[str]] = {}

    def begin(self, asset: str, total: int) -> None:
        self.tasks[asset] = self.progress.add_task(asset, total=total, note="")
        self.counts[asset] = Counter()

    def advance(self, asset: str, schema_id: str, status: str) -> None:
        if asset not in self.tasks:
            return
        self.counts[asset][status] += 1
        note = "  ".join(f"[{_COLOURS[name]}]{count} {name}" for name, count in self.counts[asset].items())
        self.progress.update(self.tasks[asset], advance=1, note=note)

    def end(self, asset: str) -> None:
        task = self.tasks[asset]
        total = self.progress.tasks[task].total
        self.progress.update(task, completed=total)


def turn_panel(role: str, content: str) -> Panel:
    """One message of an agent's conversation."""
    title, colour = ("agent", "cyan") if role == "assistant" else ("database", "dim")
    return Panel(Text(content[:3000]), title=title, title_align="left", border_style=colour)


def status_table(stages: Sequence[StageSummary]) -> Group:
    """The state of every stage, with rejection reasons and failures below."""
    # without a box it fits a terminal of 80 columns
    table = Table(title="Schemas by stage", box=None, padding=(0, 1, 0, 0))
    for name in ("stage", "done", "rejected", "failed", "missing", "stale", "checks", "seconds", "cost $"):
        table.add_column(name, justify="left" if name == "stage" else "right", no_wrap=True)
    for stage in stages:
        table.add_row(
            stage.asset,
            f"[green]{stage.done}",
            f"[yellow]{stage.rejected}" if stage.rejected else "0",
            f"[red]{stage.failed}" if stage.failed else "0",
            str(stage.missing),
            f"[yellow]{stage.stale}" if stage.stale else "0",
            f"{stage.checks_passed:,}/{stage.checks:,}" if stage.checks else "-",
            f"{stage.seconds:,.0f}",
            f"{stage.cost:.2f}",
        )
    notes = [
        Text(f"{stage.asset} rejected: " + ", ".join(f"{count} {reason}" for reason, count in stage.reasons.items()))
        for stage in stages
        if stage.reasons
    ]
    failures = [Text(line, style="red") for stage in stages for line in _failure_lines(stage)]
    return Group(table, *notes, *failures)


def _failure_lines(stage: StageSummary, most: int = 5, named: int = 3) -> Iterator[str]:
    """The errors that failed the most schemas, each with some of these."""
    schemas: dict[str, list[str]] = {}
    for schema_id, error in stage.failures.items():
        schemas.setdefault(error, []).append(schema_id)
    ranked = sorted(schemas.items(), key=lambda item: -len(item[1]))
    for error, ids in ranked[:most]:
        more = f" and {len(ids) - named:,} more" if len(ids) > named else ""
        yield f"{stage.asset} failed for {', '.join(ids[:named])}{more}: {error}"
    if len(ranked) > most:
        yield f"{stage.asset} failed with {len(ranked) - most:,} other errors"


def corpus_table(stages: Sequence[StageSummary], refused: int, published: dict[str, object], place: str) -> Table:
    """What was built and where it lies."""
    by_name = {stage.asset: stage for stage in stages}
    source, populated = by_name["source_schema"], by_name["populated_database"]
    extended, questions, styled = by_name["extended_schema"], by_name["questions"], by_name["styled_questions"]
    gold = by_name["gold_queries"]
    checks, passed = sum(stage.checks for stage in stages), sum(stage.checks_passed for stage in stages)
    rejected_questions = sum(int(stage.totals.get("rejected", 0)) for stage in (questions, styled, gold))
    table = Table(title="What was built", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    failed = sum(stage.failed for stage in stages)
    catalogued = source.done + source.rejected + source.failed + refused
    tables, added = extended.totals.get("tables", 0), extended.totals.get("added_tables", 0)
    rows: list[tuple[str, str]] = [
        ("schemas read / in the catalogue", f"{source.done} / {catalogued}"),
        ("schemas done / rejected / failed", f"{gold.done} / {gold.rejected + refused} / {failed}"),
        ("tables, of them added", f"{tables:,.0f}, {added:,.0f}"),
        ("columns", f"{extended.totals.get('columns', 0):,.0f}"),
        ("foreign keys", f"{extended.totals.get('foreign_keys', 0):,.0f}"),
        ("rows", f"{populated.totals.get('rows', 0):,.0f}"),
        ("questions accepted / rejected", f"{gold.totals.get('accepted', 0):,.0f} / {rejected_questions:,}"),
        ("phrasings", f"{styled.totals.get('phrasings', 0):,.0f}"),
        ("checks passed", f"{passed:,} of {checks:,}"),
        *((name, str(value)) for name, value in published.items()),
    ]
    for name, value in rows:
        table.add_row(name, value)
    table.caption = f"in {place}"
    return table
