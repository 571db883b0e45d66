"""Training: train, training-report, export."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from sqale_assets.cli.app import SourceOption, StoreOption, UserError, app, console, read_settings


@app.command()
def train(
    settings_file: Annotated[Path, typer.Argument(help="A run's settings, such as training/sqale.yaml.")],
    output: Annotated[Path, typer.Option(help="Folder of tasks, checkpoints, metrics and the trained model.")],
    corpus: Annotated[
        Path | None, typer.Option(help="Another corpus than the settings name; where they name none, the store's own.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Another base model: a path or a name on the hub.")] = None,
    tasks: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Train on these tasks instead of selecting.")
    ] = None,
    select_only: Annotated[bool, typer.Option(help="Select the tasks and stop.")] = False,
    source: SourceOption = None,
    store: StoreOption = None,
) -> None:
    """Train with GRPO on a corpus, or go on where that was stopped. Needs the extra: pip install '.[train]'."""
    from sqale_assets.evaluation.items import CorpusError
    from sqale_assets.training.config import SettingsError, read_run
    from sqale_assets.training.pipes import telling
    from sqale_assets.training.place import METRICS, SELECTION, TASKS
    from sqale_assets.training.run import claim, select_into, train_in

    changes: dict[str, Any] = {"model": model, "corpus": corpus and {"path": corpus.resolve()}}
    output = output.resolve()
    chosen = tasks.resolve() if tasks else output / TASKS
    try:
        run = read_run(settings_file, **changes)
        if not select_only and not find_spec("trl"):  # said at once, not after tasks were selected for minutes
            raise ModuleNotFoundError(name="trl")
        if tasks is None:
            claim(output, run)
            if not chosen.exists():
                select_into(output, run, Path(read_settings(source, store).store) / "published")
            console.print(f"Tasks: {chosen}; why others are not: {SELECTION}", soft_wrap=True)
        if select_only:
            return
        with telling() as told:

            def watch(metrics: dict[str, Any]) -> None:
                console.print(step_line(metrics), soft_wrap=True)
                told.step(metrics)

            final = train_in(output, run, chosen, watch=watch)
            told.done(final, output / METRICS)
    except ModuleNotFoundError as error:
        raise UserError(f"{error.name} is not installed: pip install '.[train]'") from None
    except (SettingsError, CorpusError, ValueError) as error:
        raise UserError(str(error)) from None
    console.print(f"Trained model: {final}", soft_wrap=True)


@app.command()
def training_report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, as `sqale train --output` wrote them.")],
    out: Annotated[Path, typer.Option(help="Folder of the page and its charts.")] = Path("training-report"),
) -> None:
    """Draw the curves of training runs: rounds and tool calls per episode (Figure 7), reward, accuracy, length."""
    from sqale_assets.report.training import write_report
    from sqale_assets.training.metrics import read_metrics
    from sqale_assets.training.place import METRICS

    curves = {folder.resolve().name: read_metrics(folder / METRICS) for folder in runs}
    if empty := [name for name, steps in curves.items() if not steps]:
        raise UserError(f"no step is recorded in {', '.join(empty)}: expected {METRICS} as `sqale train` writes it")
    console.print(f"The report is {write_report(curves, out).path}.", soft_wrap=True)


@app.command()
def export(
    tasks: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Tasks that `sqale train` selected.")],
    out: Annotated[Path, typer.Option(help="Folder of the tasks and their databases.")],
    form: Annotated[str, typer.Option("--format", help="trl, verifiers, skyrl or nemo-gym.")],
    settings_file: Annotated[Path | None, typer.Option(help="The run's settings, for the episode's bounds.")] = None,
) -> None:
    """Write a run's tasks in another trainer's format, with their databases."""
    from sqale_assets.training.config import read_run
    from sqale_assets.training.environment import PROTOCOL
    from sqale_assets.training.exports import export as write
    from sqale_assets.training.tasks import read_tasks

    try:
        episode = read_run(settings_file).episode if settings_file else PROTOCOL
        selected = read_tasks(tasks.resolve())
        path = write(form, selected, out.resolve(), episode)
    except ValueError as error:
        raise UserError(str(error)) from None
    console.print(f"{len(selected):,} tasks in {path}", soft_wrap=True)


def step_line(metrics: dict[str, Any]) -> str:
    """A step in one line."""
    return (
        f"step {metrics['step']}: reward {metrics['reward']:.3f}, accuracy {metrics.get('accuracy', 0):.3f},"
        f" rounds {metrics.get('rounds', 0):.1f}, calls {metrics.get('tool_calls', 0):.1f},"
        f" tokens {metrics.get('written_tokens', 0):.0f}"
    )
