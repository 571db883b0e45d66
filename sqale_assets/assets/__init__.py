"""What is built: one short module per asset, in the order of the pipeline (DESIGN section 2).

An asset module reads inputs from the store, calls one function of `stages`, `corpus` or `statistics`, and says what
to show of the result. `partitioned_stage` holds everything about running many schemas in one run.
"""

import warnings

import dagster as dg

# Partitioned checks are "preview" and backfill policies "beta" in Dagster 1.13; the contract tests in
# sqale_assets_tests/assets hold us to what they do. Nobody who runs a build can act on the warnings.
for category in (dg.BetaWarning, dg.PreviewWarning):
    warnings.filterwarnings("ignore", category=category)
