"""`sqale train`: select tasks from a corpus and train a model on them, or go on where that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sqale_assets.cli.app import UserError, app, console


@app.command()
def train(
    settings_file: Annotated[Path, typer.Argument(help="A run's settings, such as training/sqale.yaml.")],
    output: Annotated[Path, typer.Option(help="Folder of tasks, checkpoints, metrics and the trained model.")],
    corpus: Annotated[Path | None, typer.Option(help="Another corpus than the settings name.")] = None,
    model: Annotated[str | None, typer.Option(help="Another base model: a path or a name on the hub.")] = None,
    select_only: Annotated[bool, typer.Option(help="Select the tasks and stop.")] = False,
) -> None:
    """Train with GRPO on a corpus. Needs the extra: pip install '.[train]'."""
    from sqale_assets.evaluation.corpora import open_corpus
    from sqale_assets.evaluation.items import CorpusError
    from sqale_assets.training.config import SettingsError, read_run
    from sqale_assets.training.curriculum import order
    from sqale_assets.training.environment import Databases
    from sqale_assets.training.selection import HeldOut, select
    from sqale_assets.training.tasks import read_tasks, write_tasks

    changes: dict[str, Any] = {"model": model, "corpus": corpus and {"path": corpus.resolve()}}
    output = output.resolve()
    try:
        run = read_run(settings_file, **changes)
        with Databases(output / "instances", run.episode) as databases:
            if not (output / "tasks.jsonl").exists():
                opened, *others = (
                    open_corpus(part.path, part.split, output / "databases") for part in (run.corpus, *run.held_out)
                )
                tasks, found = select(opened, run.selection, databases, held_out=HeldOut(others), seed=run.seed)
                write_tasks(output / "tasks.jsonl", tasks)
                (output / "selection.json").write_text(found.model_dump_json(indent=1), encoding="utf-8")
            tasks = read_tasks(output / "tasks.jsonl")
            console.print(f"{len(tasks):,} tasks in {output / 'tasks.jsonl'}; why others are not: selection.json")
            if select_only:
                return
            ordered = order(tasks, run.grpo.steps * run.grpo.prompts, run.curriculum, seed=run.seed)
            try:
                from sqale_assets.training.trainer import train as train_model

                final = train_model(run, ordered, output, databases, watch=_show)
            except ModuleNotFoundError as error:
                raise UserError(f"{error.name} is not installed: pip install '.[train]'") from None
    except (SettingsError, CorpusError, ValueError) as error:
        raise UserError(str(error)) from None
    console.print(f"trained model: {final}")


def _show(metrics: dict[str, Any]) -> None:
    console.print(
        f"step {metrics['step']}: reward {metrics['reward']:.3f}, accuracy {metrics.get('accuracy', 0):.3f},"
        f" rounds {metrics.get('rounds', 0):.1f}, calls {metrics.get('tool_calls', 0):.1f}"
    )
