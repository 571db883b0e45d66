"""`sqale`: a thin command line over the same definitions, store and instance that the Dagster UI shows.

Every command ends with exit code 0, or 1 when something it was asked for failed, or 2 when it was asked wrongly;
an error is one message that says what, where and what to do. One module per family of commands.
"""

from sqale_assets.cli import (  # noqa: F401 - each registers its commands
    builds,
    configuration,
    corpus,
    evaluation,
    models,
    quarantine,
    reading,
    training,
)
from sqale_assets.cli.app import main

__all__ = ["main"]
